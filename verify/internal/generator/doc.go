// Package generator maps the documents in a directory to the pages of a static site, as mdBook,
// Hugo, Jekyll, Docusaurus, VitePress, MkDocs and Sphinx do. The package also resolves wikilinks
// as Obsidian and Foam do. For sites of VuePress, Astro, Nextra, Eleventy and Antora, it resolves
// only links to existing files.
//
// [Detect] finds a generator by its configuration file, and [Open] reads the site. [Site.Find]
// returns the target of a link, which may name a source file or a page. [Site.IDs] returns the
// fragments that the generator gives to headings. The package does not run plugins or other
// programs. If a plugin may create the target of a link, the link is [Undecided]. Well-known
// plugins that create no pages do not have this effect.
package generator
