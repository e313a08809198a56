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

// openMkDocs reads mkdocs.yml. A document a.md becomes a/, or a.html without
// use_directory_urls; index.md and README.md are the page of their folder.
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
	s.opaque = m.isOpen
	s.content = append(s.content, m.templates(child(tree, "theme", "custom_dir"))...)
	return s.walk(docs, func(name string) {
		below := strings.TrimPrefix(name, docs+"/")
		if ext := path.Ext(name); ext == ".md" || ext == ".markdown" || ext == ".ipynb" {
			s.add(directoryPath(below, directories), name)
			stem := strings.TrimSuffix(name, ext)
			m.translated[strings.TrimSuffix(stem, path.Ext(stem))+ext] = true
		}
	})
}

// maxParents is the most configurations that one is made of.
const maxParents = 8

// inherit returns a configuration with what it has from others, and whether all were read.
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

// mkDocs is a site while it is opened.
type mkDocs struct {
	*Site
	docs        string
	directories bool
	filled      bool            // documents are templates of Jinja
	translated  map[string]bool // documents that have translations: "a.md" for "a.en.md"
	unread      bool            // a part of the configuration was not read
	orphan      bool            // that part is another file, which may name hooks
	includes    bool            // documents may include others
	marks       []func() *regexp.Regexp
	parts       sync.Map // what makesParts said, by the name of the file
}

// readPlugins reads the plugins: a list of names, and of names with options.
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

// readPlugin reads what a plugin makes. One that is unknown may make pages.
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

// readHooks reads the programs that change the build. One that makes documents, or that
// can't be read, may make any.
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

// hookFiles is a part of a hook that may add documents.
var hookFiles = expression(`\bon_(?:files|nav|config|env|pre_build|startup|serve)\b|\bFile\(`)

// readExtensions reads the extensions that put parts into documents.
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

// isOpen reports whether a document has a part that an extension or a plugin makes.
func (m *mkDocs) isOpen(source string) bool {
	parts := mkDocsMarkdown().FindAllStringSubmatch(source, maxParts)
	for _, part := range parts {
		if m.includes && (part[1] == "" || m.makesParts(path.Join(m.docs, part[1]))) {
			return true
		}
	}
	return len(parts) == maxParts || m.filled && mkDocsFilled().MatchString(source) || slices.ContainsFunc(m.marks, func(e func() *regexp.Regexp) bool { return e().MatchString(source) })
}

// makesParts reports whether a file that documents include may make headings or names, or has
// a part that a plugin replaces. Each file is read once.
func (m *mkDocs) makesParts(name string) bool {
	if known, ok := m.parts.Load(name); ok {
		return known.(bool)
	}
	makes := m.makesFragments(name) || strings.Contains(readText(m.fsys, name), "{")
	m.parts.Store(name, makes)
	return makes
}

// maxParts is the most includes of a document that are read.
const maxParts = 64

// templates returns the folder of the site's own templates.
func (m *mkDocs) templates(dir any) []string {
	if name := path.Join(m.base, textOf(dir)); textOf(dir) != "" && name != "." && fs.ValidPath(name) {
		return []string{name}
	}
	return nil
}

// maxScripts is the most programs of a plugin that are read.
const maxScripts = 16

// separatesNames reports whether a character of a program is not one of a file's name.
func separatesNames(r rune) bool {
	return separatesIdentifiers(r) && r != '-'
}

// mkDocsHarmless reports whether a plugin makes no pages and no targets of links, or only
// such as are known here by the parts of documents that it replaces.
func mkDocsHarmless(name string) bool {
	switch name {
	case "search", "macros", "literate-nav", "awesome-pages", "awesome-nav", "section-index", "autorefs", "mkdocstrings", "include-markdown", "exclude", "exclude-search", "minify", "social", "privacy", "offline", "meta", "info", "optimize", "typeset", "group", "rss",
		"git-revision-date", "git-revision-date-localized", "git-authors", "git-committers", "git-committers-2", "glightbox", "mermaid2", "open-in-new-tab", "table-reader", "mkdocs-jupyter", "mike", "htmlproofer", "print-site", "with-pdf", "charts", "panzoom", "codeinclude", "search-index", "external-markdown", "markdownextradata", "click", "termynal", "encryptcontent", "video", "spellcheck", "callouts":
		return true
	}
	return false
}

// directoryPath returns the path of the page of a document: a/ or a.html.
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

// The parts of a document that an extension or a plugin makes.
var (
	mkDocsFilled  = expression(`\{\{|\{%`)
	mkDocsObject  = expression(`(?m)^:::\s`)
	mkDocsSnippet = expression(`--8<--`)
	mkDocsFile    = expression(`\{!`)
	// mkDocsMarkdown is an include. A file "./a" is beside the document, and not read here.
	mkDocsMarkdown = expression(`\{%-?\s*include(?:-markdown)?\s(?:\s*["'](\w[^"'*\n]*)["'])?`)
)

// mkDocsMarks returns the marks of the parts that an extension or a plugin makes.
func mkDocsMarks(name string) func() *regexp.Regexp {
	switch name {
	case "mkdocstrings":
		return mkDocsObject
	case "snippets":
		return mkDocsSnippet
	}
	return mkDocsFile
}

// setURL notes the URL of the site, if it is one with a host, and the path of its root.
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
