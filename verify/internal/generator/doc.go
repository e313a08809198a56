// Package generator knows how generators of static sites turn the documents of a folder
// into pages: mdBook, Hugo, Jekyll, Docusaurus, VitePress, MkDocs and Sphinx, and how Obsidian and
// Foam resolve wikilinks. Sites of VuePress, Astro, Nextra, Eleventy and Antora are only
// recognized.
//
// [Detect] finds a generator by its configuration file, and [Open] reads which page each
// document becomes. [Site.Find] then tells which file a link leads to: to a source, as most
// of these allow, or to the address of a page. [Site.IDs] returns the fragments that the
// generator gives to headings. Plugins and programs are not run. A link that one of them may
// resolve is [Undecided], except for the well-known plugins that make no pages.
package generator
