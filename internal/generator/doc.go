// Package generator knows how generators of static sites turn the documents of a folder
// into pages: mdBook, Hugo, Jekyll, Docusaurus, MkDocs and Sphinx, and how Obsidian and
// Foam resolve wikilinks.
//
// [Detect] finds a generator by its configuration file, and [Open] reads which page each
// document becomes. [Site.Find] then tells which file a link leads to: to a source, as most
// of these allow, or to the address of a page. [Site.IDs] returns the fragments that the
// generator gives to headings. Plugins are not run: the files that they make are unknown,
// except for the well-known ones.
package generator
