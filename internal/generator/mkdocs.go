package generator

import (
	"cmp"
	"io/fs"
	"net/url"
	"path"
	"strings"
)

// openMkDocs reads mkdocs.yml. A document a.md becomes a/, or a.html without
// use_directory_urls; index.md and README.md are the page of their folder.
func openMkDocs(s *Site, config string) error {
	tree, ok := treeOfYAML(config)
	s.doubt = !ok && config != ""
	if parent := textOf(tree["INHERIT"]); parent != "" {
		tree = s.inherit(tree, path.Join(s.base, parent))
	}
	v := flat(tree)
	docs := path.Clean(cmp.Or(v.get("docs_dir"), "docs"))
	s.content = []string{docs}
	s.mounts = []mount{{docs, "", false}}
	s.sources, s.assets = true, true
	s.ids = pythonIDs(strings.Contains(config, "slugify"))
	s.setURL(v.get("site_url"))
	s.made = []string{"404.html", "search.html", "search/*", "sitemap.xml*", "objects.inv", "assets/*", "feed_*", "img/favicon.ico"}
	directories := v.get("use_directory_urls") != "false"
	m := &mkDocs{Site: s, docs: docs, directories: directories, translated: map[string]bool{}}
	m.readPlugins(tree["plugins"])
	s.opaque = func(source string) bool {
		return mkDocsInclude().MatchString(source) || m.filled && mkDocsFilled().MatchString(source) || v["hooks"] != nil && hookComment().MatchString(source)
	}
	s.doubt = s.doubt || v["hooks"] != nil
	return s.walk(docs, func(name string) {
		below := strings.TrimPrefix(name, docs+"/")
		if ext := path.Ext(name); ext == ".md" || ext == ".markdown" || ext == ".ipynb" {
			s.add(directoryPath(below, directories), name)
			stem := strings.TrimSuffix(name, ext)
			m.translated[strings.TrimSuffix(stem, path.Ext(stem))+ext] = true
		}
	})
}

// inherit returns a configuration with what it has from another one.
func (s *Site) inherit(tree map[string]any, name string) map[string]any {
	parent, ok := map[string]any(nil), false
	if fs.ValidPath(name) {
		parent, ok = treeOfYAML(readText(s.fsys, name))
	}
	s.doubt = s.doubt || !ok || parent["INHERIT"] != nil
	for key, value := range parent {
		if _, own := tree[key]; !own {
			tree[key] = value
		}
	}
	return tree
}

// mkDocs is a site while it is opened.
type mkDocs struct {
	*Site
	docs        string
	directories bool
	filled      bool            // documents are templates of Jinja
	translated  map[string]bool // documents that have translations: "a.md" for "a.en.md"
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
	case "macros", "include-markdown", "markdownextradata", "codeinclude", "external-markdown", "table-reader":
		m.filled = true
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

// mkDocsInclude is a part of a page that an extension or a plugin makes, and hookComment one
// that a hook may.
var (
	hookComment   = expression(`<!--\s*[\w-]+:`)
	mkDocsInclude = expression(`(?m)^:::\s|--8<--|\{!`)
	mkDocsFilled  = expression(`\{\{|\{%`)
)

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
