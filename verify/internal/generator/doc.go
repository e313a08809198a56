// Package generator maps the documents of a directory to the pages of a static site, as mdBook,
// Hugo, Jekyll, Docusaurus, VitePress, MkDocs and Sphinx do. It also resolves wikilinks as
// Obsidian and Foam do. It only recognizes sites of VuePress, Astro, Nextra, Eleventy and
// Antora.
//
// [Detect] finds a generator by its configuration file, and [Open] reads the site. [Site.Find]
// returns the target of a link, which may name a source file or a page. [Site.IDs] returns the
// fragments that the generator gives to headings. The package runs no plugins and no programs.
// If a plugin may resolve a link, the link is [Undecided], except for well-known plugins that
// create no pages.
package generator
