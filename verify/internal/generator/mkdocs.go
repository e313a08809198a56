package generator

import (
	"cmp"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// openMkDocs reads mkdocs.yml. The document a.md becomes the page a/, or a.html if
// use_directory_urls is off. The documents index.md and README.md become the index page of their
// directory.
func openMkDocs(s *Site, config string) error {
	tree, ok := treeOfYAML(config)
	s.doubt = !ok && config != ""
	tree, isWhole := s.inherit(tree, s.base)
	v := flat(tree)
	docs := path.Clean(cmp.Or(v.get("docs_dir"), "docs"))
	s.content = []string{docs}
	s.mounts = []mount{{docs, "", false}}
	s.sources, s.assets = true, true
	s.ids = pythonIDs(strings.Contains(config, "slugify"))
	s.setURL(v.get("site_url"))
	s.made = []string{"404.html", "search.html", "search/*", "sitemap.xml*", "objects.inv", "assets/*", "assets/images/favicon.png", "assets/images/social/**", "feed_*", "img/favicon.ico"}
	directories := v.get("use_directory_urls") != "false"
	m := &mkDocs{Site: s, docs: docs, directories: directories, translated: map[string]bool{}, unread: s.doubt, orphan: !isWhole}
	m.readPlugins(tree["plugins"])
	m.readHooks(v["hooks"])
	m.readExtensions(tree["markdown_extensions"])
	if m.unread || m.orphan {
		m.filled, m.includes = true, true
		m.marks = append(m.marks, mkDocsMarks("mkdocstrings"), mkDocsMarks("snippets"), mkDocsMarks("markdown_include"))
	}
	s.opaque = m.hasUnknownParts
	s.content = append(s.content, m.templates(child(tree, "theme", "custom_dir"))...)
	return s.walk(docs, func(name string) {
		below := strings.TrimPrefix(name, docs+"/")
		if ext := path.Ext(name); ext == ".md" || ext == ".markdown" || ext == ".ipynb" {
			s.addPage(directoryPath(below, directories), name)
			stem := strings.TrimSuffix(name, ext)
			m.translated[strings.TrimSuffix(stem, path.Ext(stem))+ext] = true
		}
	})
}

// maxParents is the maximum number of configuration files from which a configuration inherits.
const maxParents = 8

// inherit returns a configuration with its inherited settings. It also reports whether it read all
// inherited files.
func (s *Site) inherit(tree map[string]any, dir string) (map[string]any, bool) {
	for range maxParents {
		name := textOf(tree["INHERIT"])
		if name == "" {
			return tree, true
		}
		name = path.Join(dir, name)
		parent, ok := map[string]any(nil), false
		if fs.ValidPath(name) && s.isFile(name) {
			parent, ok = treeOfYAML(readText(s.fsys, name))
		}
		if !ok {
			break
		}
		dir = path.Dir(name)
		delete(tree, "INHERIT")
		for key, value := range parent {
			if _, own := tree[key]; !own {
				tree[key] = value
			}
		}
	}
	s.doubt = true
	return tree, false
}

type mkDocs struct {
	*Site
	docs        string
	directories bool
	filled      bool            // documents are Jinja templates
	translated  map[string]bool // translated documents, such as "a.md" if the file "a.en.md" exists
	unread      bool            // a part of the configuration was not read
	orphan      bool            // an inherited configuration file, which may name hooks, was not read
	includes    bool            // documents may include other documents
	marks       []func() *regexp.Regexp
	parts       sync.Map // results of makesParts, by file name
}

// readPlugins reads the list of plugins. Each entry is a name or a name with options.
func (m *mkDocs) readPlugins(plugins any) {
	list, _ := plugins.([]any)
	if options, ok := plugins.(map[string]any); ok {
		list = []any{options}
	}
	for _, entry := range list {
		if name, ok := entry.(string); ok {
			m.readPlugin(name, nil)
		}
		options, _ := entry.(map[string]any)
		for name, own := range options {
			m.readPlugin(name, own)
		}
	}
}

// readPlugin applies the effects of a plugin. An unknown plugin may create pages.
func (m *mkDocs) readPlugin(name string, options any) {
	_, last := path.Split(name) // "material/search"
	switch last {
	case "macros", "markdownextradata", "external-markdown":
		m.filled = true
	case "include-markdown":
		m.includes = true
	case "mkdocstrings":
		m.marks = append(m.marks, mkDocsMarks(last))
	case "tags", "blog":
		m.made = append(m.made, last+"/*", last+".html")
	case "redirects":
		maps, _ := child(options, "redirect_maps").(map[string]any)
		for from := range maps {
			m.made = append(m.made, directoryPath(from, m.directories))
		}
	case "i18n":
		m.doubt, m.supplied = true, func(name string) bool { return m.translated[name] }
	case "gen-files":
		words := map[string]bool{}
		list, _ := child(options, "scripts").([]any)
		for _, script := range list[:min(len(list), maxScripts)] {
			for word := range strings.FieldsFuncSeq(readText(m.fsys, path.Join(m.base, textOf(script))), separatesNames) {
				words[word] = true
			}
		}
		m.doubt, m.supplied = true, func(name string) bool {
			return words[path.Base(name)] || !m.isFolder(path.Dir(name))
		}
	default:
		if !mkDocsHarmless(last) {
			m.doubt, m.filled = true, true
			if m.supplied == nil {
				m.supplied = func(name string) bool { return !m.isFolder(path.Dir(name)) }
			}
		}
	}
}

// readHooks reads the programs (hooks) that change the build. If a hook can't be read or contains
// code that creates documents, the site may contain any document.
func (m *mkDocs) readHooks(names []string) {
	if m.orphan || len(names) > 0 {
		m.doubt, m.unsure = true, true
		m.mentions = func(source string) string { return strings.Join(hookComment().FindAllString(source, -1), " ") }
	}
	makes := m.orphan || len(names) > maxScripts
	for _, name := range names[:min(len(names), maxScripts)] {
		text := ""
		if name = path.Join(m.base, name); fs.ValidPath(name) {
			text = readText(m.fsys, name)
		}
		makes = makes || text == "" || hookFiles().MatchString(text)
	}
	if makes {
		m.supplied = isDocument
	}
}

// hookComment is a comment that a hook may replace.
var hookComment = expression(`<!--\s*[\w-]+:[^>]*`)

// hookFiles matches code in a hook that may add documents.
var hookFiles = expression(`\bon_(?:files|nav|config|env|pre_build|startup|serve)\b|\bFile\(`)

// readExtensions reads the list of Markdown extensions, some of which insert text into documents.
func (m *mkDocs) readExtensions(extensions any) {
	names, _ := extensions.([]any)
	if options, ok := extensions.(map[string]any); ok {
		names = []any{options}
	}
	for _, entry := range names {
		options, _ := entry.(map[string]any)
		for _, name := range append(slices.Collect(maps.Keys(options)), textOf(entry)) {
			m.tabs = m.tabs || strings.HasSuffix(name, "tabbed")
			for _, part := range []string{"snippets", "markdown_include"} {
				if strings.Contains(name, part) {
					m.marks = append(m.marks, mkDocsMarks(part))
				}
			}
		}
	}
}

// hasUnknownParts reports whether an extension or a plugin creates a part of the page for the
// document with the given source.
func (m *mkDocs) hasUnknownParts(source string) bool {
	parts := mkDocsMarkdown().FindAllStringSubmatch(source, maxParts)
	for _, part := range parts {
		if m.includes && (part[1] == "" || m.makesParts(path.Join(m.docs, part[1]))) {
			return true
		}
	}
	return len(parts) == maxParts || m.filled && mkDocsFilled().MatchString(source) || slices.ContainsFunc(m.marks, func(e func() *regexp.Regexp) bool { return e().MatchString(source) })
}

// makesParts reports whether the included file with the given name may add headings or names. The
// file may do so if it contains headings or names, or text that a plugin replaces. makesParts
// reads each file once.
func (m *mkDocs) makesParts(name string) bool {
	if known, ok := m.parts.Load(name); ok {
		return known.(bool)
	}
	makes := m.makesFragments(name) || strings.Contains(readText(m.fsys, name), "{")
	m.parts.Store(name, makes)
	return makes
}

// maxParts is the maximum number of includes that are read for a document.
const maxParts = 64

// templates returns the names of the site's template directories.
func (m *mkDocs) templates(dir any) []string {
	if name := path.Join(m.base, textOf(dir)); textOf(dir) != "" && name != "." && fs.ValidPath(name) {
		return []string{name}
	}
	return nil
}

// maxScripts is the maximum number of programs that are read for a plugin.
const maxScripts = 16

// separatesNames reports whether the character r separates file names in a program.
func separatesNames(r rune) bool {
	return separatesIdentifiers(r) && r != '-'
}

// mkDocsHarmless reports whether a plugin creates no pages and no link targets. A plugin is also
// harmless if this package recognizes the text that the plugin replaces in documents.
func mkDocsHarmless(name string) bool {
	switch name {
	case "search", "macros", "literate-nav", "awesome-pages", "awesome-nav", "section-index", "autorefs", "mkdocstrings", "include-markdown", "exclude", "exclude-search", "minify", "social", "privacy", "offline", "meta", "info", "optimize", "typeset", "group", "rss",
		"git-revision-date", "git-revision-date-localized", "git-authors", "git-committers", "git-committers-2", "glightbox", "mermaid2", "open-in-new-tab", "table-reader", "mkdocs-jupyter", "mike", "htmlproofer", "print-site", "with-pdf", "charts", "panzoom", "codeinclude", "search-index", "external-markdown", "markdownextradata", "click", "termynal", "encryptcontent", "video", "spellcheck", "callouts":
		return true
	}
	return false
}

// directoryPath returns the page path for a document, such as a/ or a.html.
func directoryPath(name string, directories bool) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	dir, last := path.Split(stem)
	switch {
	case last == "index", last == "README":
		return dir + "index.html"
	case directories:
		return stem + "/"
	}
	return stem + ".html"
}

// These expressions match text in a document that an extension or a plugin replaces.
var (
	mkDocsFilled  = expression(`\{\{|\{%`)
	mkDocsObject  = expression(`(?m)^:::\s`)
	mkDocsSnippet = expression(`--8<--`)
	mkDocsFile    = expression(`\{!`)
	// mkDocsMarkdown matches the inclusion of a file. The submatch is the file name. The submatch
	// is empty for a name such as "./a", which is relative to the document.
	mkDocsMarkdown = expression(`\{%-?\s*include(?:-markdown)?\s(?:\s*["'](\w[^"'*\n]*)["'])?`)
)

// mkDocsMarks returns the expression for the text that the named extension or plugin replaces.
func mkDocsMarks(name string) func() *regexp.Regexp {
	switch name {
	case "mkdocstrings":
		return mkDocsObject
	case "snippets":
		return mkDocsSnippet
	}
	return mkDocsFile
}

// setURL sets the path of the site root. If text contains a host, setURL also sets the site URL.
func (s *Site) setURL(text string) {
	u, err := url.Parse(text)
	if err != nil || text == "" {
		return
	}
	s.prefix = cmp.Or(u.Path, "/")
	if u.Host != "" && u.User == nil {
		s.URL = text
	}
}
