package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Site describes the documents in a directory and the pages that a generator creates. A Site may
// be used concurrently.
type Site struct {
	// Name is the name of the preset, such as "mdbook".
	Name string
	// Config is the name of the configuration file, or "".
	Config string
	// URL is the site URL in the configuration. URL is empty if the configuration contains no URL
	// or only a path.
	URL string

	fsys    fs.FS
	err     func() error      // returns the error of the context
	prefix  string            // path of the site root on the server, such as "/" or "/book/"
	content []string          // directories with documents; "." means all directories
	pages   map[string]string // files by page path; the paths have no "/" at the start
	paths   map[string]string // page paths by file
	mounts  []mount
	made    []string            // paths of pages without a source; "**" at the end matches any text, and "*" any text except names of documents and pictures
	exact   map[string]bool     // elements of made that contain no "*"
	begins  []string            // prefixes before the "*" or "**" in elements of made
	whole   []string            // prefixes before the "**" in elements of made
	labels  map[string]string   // files by label, for links that contain a label
	stems   map[string][]string // files by the last segment of their names, in lower case

	sources  bool // links may point to source documents
	assets   bool // links may contain the path of any file, relative to the source
	listed   bool // links may point only to documents with a page
	clean    bool // the server returns a.html for /a and /a/
	internal bool // the generator does not copy files whose names begin with "_"
	bundles  bool // links in an index document may point to files in the same directory
	hooked   bool // a template of the site may change links
	drawn    bool // a template of the site may change picture URLs
	terms    bool // terms in definition lists have fragments, as headings do
	suffixes []string
	opaque   func(source string) bool // reports whether the page for a source contains unknown parts
	ids      func(list []string) []string
	aliases  func(ref string) (string, bool)
	external bool     // the generator does not change links with the class "external"
	other    []string // prefixes of links to sites whose URLs only the generator knows

	base     string                       // site directory in fsys, such as "website"
	roots    []root                       // directories of languages or versions
	rooted   bool                         // links such as "/a" are relative to the site root, not to the server root
	doubt    bool                         // a plugin, a theme or an unread setting may create pages
	supplied func(name string) bool       // reports whether a plugin may create a document or file; may be nil
	resolve  func(doc, ref string) Target // if not nil, replaces the rules of Find
	fallback func(doc, ref string) Target // if not nil, the last rule of Find
	pictures []string                     // copied directories with pictures, to which no plugin adds files
	included map[string][]string          // including documents by included document
	foreign  bool                         // fragments such as package.Class or dir/label may be names in other sites
	makes    sync.Map                     // whether each template creates fragments, by template name
	names    bool                         // a link "#name" may refer to another site or to a term
	objects  bool                         // links may contain names in a program, such as package.Class
	unsure   bool                         // a plugin may create fragments
	excluded []string                     // directories whose documents are not pages
	moved    map[string]bool              // names of pages that the server may redirect
	tabs     bool                         // the title of a tab is the end of its fragment
	mentions func(source string) string   // returns the parts of a document from which a plugin may create fragments; if nil, the whole document
}

// root is a directory with the documents of one language or version.
type root struct {
	dir        string
	pathPrefix string // path prefix of the pages, such as "fr/"
	fallback   string // fallback directory for missing documents, or ""
}

// mount is a directory that the generator copies to the site.
type mount struct {
	dir, at string
	docs    bool // also copy documents
}

type preset struct {
	name       string
	config     []string
	open       func(*Site, string) error
	belongs    func(fsys fs.FS, config string) bool // reports whether the configuration file belongs to the generator; nil if it always does
	detectOnly bool                                 // the preset is only detected: users can't choose it
	leaves     func(config string) bool             // reports whether the documents are outside the configuration's directory; may be nil
	parts      func(fsys fs.FS, dir string) bool    // reports whether pages include documents outside the directory; may be nil
}

// presets returns all presets in the order of detection.
func presets() []preset {
	return []preset{
		{name: "mdbook", config: []string{"book.toml"}, open: openMdBook},
		{name: "hugo", config: hugoFiles(), open: openHugo, belongs: isHugo},
		{name: "docusaurus", config: scripts("docusaurus.config"), open: openDocusaurus, leaves: docusaurusLeaves},
		{name: "vitepress", config: scripts(".vitepress/config"), open: openVitePress, leaves: vitePressLeaves},
		{name: "mkdocs", config: []string{"mkdocs.yml", "mkdocs.yaml"}, open: openMkDocs},
		{name: "sphinx", config: []string{"conf.py"}, open: openSphinx, belongs: isSphinx, parts: includesBeside},
		{name: "jekyll", config: []string{"_config.yml", "_config.yaml"}, open: openJekyll, belongs: isJekyll},
		{name: "vuepress", config: append(scripts(".vuepress/config"), ".vuepress/config.toml", ".vuepress/config.yml"), open: openVuePress, detectOnly: true},
		{name: "astro", config: scripts("astro.config"), open: openAstro, detectOnly: true},
		{name: "nextra", config: append(scripts("theme.config"), append(scripts("next.config"), "theme.config.jsx", "theme.config.tsx")...), open: openNextra, belongs: isNextra, detectOnly: true},
		{name: "eleventy", config: append(scripts("eleventy.config"), ".eleventy.js", ".eleventy.cjs"), open: openEleventy, detectOnly: true},
		{name: "quarto", config: []string{"_quarto.yml", "_quarto.yaml"}, open: openQuarto, detectOnly: true},
		{name: "antora", config: []string{"antora.yml"}, open: openAntora, detectOnly: true},
		{name: "obsidian", config: []string{".obsidian"}, open: openVault},
		{name: "foam", config: []string{".foam"}, open: openVault},
	}
}

// scripts returns the possible names of a configuration file in JavaScript or TypeScript.
func scripts(name string) (list []string) {
	for _, suffix := range []string{".js", ".ts", ".mjs", ".mts", ".cjs", ".cts"} {
		list = append(list, name+suffix)
	}
	return list
}

// Presets returns the names of the presets that users can choose.
func Presets() []string {
	var list []string
	for _, p := range presets() {
		if !p.detectOnly {
			list = append(list, p.name)
		}
	}
	return list
}

// Detect looks for the configuration file of a site generator in the root of fsys. Detect returns
// the names of the generator and the file, or empty strings if there is no such file. Detect also
// finds a configuration file in a subdirectory if the documents of the site are outside that
// subdirectory.
func Detect(fsys fs.FS) (name, config string) {
	list := presets()
	entries, _ := fs.ReadDir(fsys, ".") // a directory that can't be read has no configuration
	names := map[string]bool{}
	for _, d := range entries {
		names[d.Name()] = true
	}
	for i := range list {
		p := &list[i]
		p.config = slices.DeleteFunc(p.config, func(name string) bool {
			first, _, _ := strings.Cut(name, "/")
			return !names[first]
		})
		if config = p.findConfig(fsys, "."); config != "" && !p.isBelow(fsys, config) {
			return p.name, config
		}
	}
	list = presets()
	for i := range list {
		if p := &list[i]; p.leaves != nil || p.parts != nil {
			if config = p.findBelow(fsys, true); config != "" {
				return p.name, config
			}
		}
	}
	return "", ""
}

// findConfig returns the name of the configuration file in the directory dir, or "" if there is
// none.
func (p *preset) findConfig(fsys fs.FS, dir string) string {
	for _, name := range p.config {
		name = path.Join(dir, name)
		if _, err := fs.Stat(fsys, name); err == nil && (p.belongs == nil || p.belongs(fsys, name)) {
			return name
		}
	}
	return ""
}

// isBelow reports whether the documents are outside the configuration's directory. Then the root
// of the site is the parent directory.
func (p *preset) isBelow(fsys fs.FS, config string) bool {
	return p.leaves != nil && p.leaves(readText(fsys, config))
}

// usesOutside reports whether the site uses documents outside the configuration's directory.
func (p *preset) usesOutside(fsys fs.FS, config string) bool {
	return p.isBelow(fsys, config) || p.parts != nil && p.parts(fsys, path.Dir(config))
}

// maxFolders is the maximum number of directories that are searched for a configuration.
const maxFolders = 256

// findBelow returns the name of a configuration file in a subdirectory of the root. If needsOutside
// is true, the site must use documents outside that subdirectory.
func (p *preset) findBelow(fsys fs.FS, needsOutside bool) string {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return ""
	}
	for _, d := range entries[:min(len(entries), maxFolders)] {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") || skipped[d.Name()] {
			continue
		}
		if config := p.findConfig(fsys, d.Name()); config != "" && (!needsOutside || p.usesOutside(fsys, config)) {
			return config
		}
	}
	return ""
}

// ErrPreset means that [Open] was called with an unknown preset name.
var ErrPreset = errors.New("unknown preset")

// Open reads the site in the root of fsys. The name is the name of a preset. If the name is empty,
// no generator builds the site. If there is no configuration file, Open uses the generator's
// defaults. Open ends early if ctx is cancelled.
func Open(ctx context.Context, fsys fs.FS, name string) (*Site, error) {
	s := &Site{Name: name, fsys: fsys, base: ".", err: ctx.Err, prefix: "/", content: []string{"."}, pages: map[string]string{}, paths: map[string]string{}, ids: githubIDs}
	if name == "" {
		s.mounts = []mount{{".", "", true}}
		s.sources, s.assets = true, true
		return s, nil
	}
	list := presets()
	i := slices.IndexFunc(list, func(p preset) bool { return p.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w %q: choose %s", ErrPreset, name, strings.Join(Presets(), ", "))
	}
	p := &list[i]
	p.belongs = nil // the caller has chosen the preset
	if s.Config = p.findConfig(fsys, "."); s.Config == "" && (p.leaves != nil || p.parts != nil) {
		s.Config = cmp.Or(p.findBelow(fsys, true), p.findBelow(fsys, false))
	}
	text := ""
	if s.Config != "" {
		text = readText(fsys, s.Config)
		s.base = path.Dir(s.Config)
		if dir := path.Base(s.base); dir == ".vitepress" || dir == ".vuepress" {
			s.base = path.Dir(s.base)
		}
	}
	if err := p.open(s, text); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Config, err)
	}
	s.indexMade()
	s.SetPrefix(s.prefix)
	return s, nil
}

// fsPath converts a path in the configuration to a path in the file system.
func (s *Site) fsPath(name string) string {
	name = path.Join(s.base, name)
	if !fs.ValidPath(name) {
		s.doubt = true // the path is outside the root
	}
	return name
}

// maxText is the maximum number of bytes that are read from a configuration file or document.
const maxText = 4 << 20

// readText returns the text of a file. If the file can't be read, readText returns "", because all
// files are optional.
func readText(fsys fs.FS, name string) string {
	info, err := fs.Stat(fsys, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return ""
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	return string(text)
}

// maxFiles is the maximum number of files in a site.
const maxFiles = 1 << 20

var errMany = errors.New("the site has too many files")

// walk calls visit for each file below a directory. It skips hidden directories and the output
// directories of generators and package managers. For a missing directory, walk returns nil.
func (s *Site) walk(dir string, visit func(name string)) error {
	n := 0
	return fs.WalkDir(s.fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case s.err() != nil:
			return s.err()
		case err != nil:
			return nil
		case d.IsDir() && name != dir && (strings.HasPrefix(d.Name(), ".") || skipped[d.Name()]):
			return fs.SkipDir
		case d.Type().IsRegular():
			if n++; n > maxFiles {
				return errMany
			}
			visit(name)
		}
		return nil
	})
}

var skipped = map[string]bool{"node_modules": true, "_site": true, "_build": true, "vendor": true, "venv": true, "__pycache__": true}

// indexMade builds an index of s.made. The list may be long, because a blog may contain several
// generated pages for each document.
func (s *Site) indexMade() {
	s.exact = map[string]bool{}
	for _, made := range s.made {
		if begin, ok := strings.CutSuffix(made, "*"); ok {
			whole, isWhole := strings.CutSuffix(begin, "*")
			if isWhole {
				s.whole = append(s.whole, whole)
			}
			s.begins = append(s.begins, whole)
		} else {
			s.exact[made] = true
		}
	}
	slices.Sort(s.begins)
	s.begins, s.made = slices.Compact(s.begins), nil
}

// isMade reports whether the generator creates the page at the path p without a source document.
func (s *Site) isMade(p string) bool {
	if s.exact[p] || s.exact[p+"/"] || s.clean && s.exact[strings.TrimSuffix(p, "/")] {
		return true
	}
	begins := s.begins
	if isDocument(p) || isPicture(p) {
		begins = s.whole
	}
	return slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(p, begin) })
}

// maxPath is the maximum length of a page path. File systems do not support longer paths.
const maxPath = 4 << 10

// addPage records that the generator creates the page at pagePath from a file. A file may have
// several paths. The first path is the base for the links in the file.
func (s *Site) addPage(pagePath, file string) {
	pagePath = strings.TrimPrefix(path.Clean("/"+pagePath)+slashOf(pagePath), "/")
	pagePath = withoutIndex(pagePath)
	if len(pagePath) > maxPath {
		return
	}
	if _, ok := s.pages[pagePath]; !ok {
		s.pages[pagePath] = file
	}
	if _, ok := s.paths[file]; !ok {
		s.paths[file] = pagePath
	}
}

// slashOf returns "/" if the path p ends in "/". Callers restore this "/" after path.Clean removes
// it.
func slashOf(p string) string {
	if strings.HasSuffix(p, "/") && strings.Trim(p, "/") != "" {
		return "/"
	}
	return ""
}

// withoutIndex returns the path of a directory if p is the path of the directory's index page. For
// other pages, it returns p.
func withoutIndex(p string) string {
	if rest, ok := strings.CutSuffix(p, "index.html"); ok && (rest == "" || strings.HasSuffix(rest, "/")) {
		return rest
	}
	return p
}

// Contains reports whether a file may be a document of the site.
func (s *Site) Contains(name string) bool {
	if s.included[name] != nil {
		return true
	}
	if slices.ContainsFunc(s.excluded, func(dir string) bool { return within(path.Clean(dir), name) }) {
		return false
	}
	return slices.ContainsFunc(s.content, func(dir string) bool { return within(dir, name) }) ||
		slices.ContainsFunc(s.mounts, func(m mount) bool { return within(m.dir, name) })
}

// addressOf returns the path of the page that the generator creates from a document, or of the
// copied document.
func (s *Site) addressOf(doc string) (at string, ok bool) {
	if at, ok = s.paths[doc]; ok {
		return at, true
	}
	for _, m := range s.mounts {
		if within(m.dir, doc) && (m.docs || !isDocument(doc)) && !s.isInternal(doc) {
			return m.at + strings.TrimPrefix(strings.TrimPrefix(doc, m.dir), "/"), true
		}
	}
	return "", doc == ""
}

// isInternal reports whether the generator skips a file because of its name.
func (s *Site) isInternal(name string) bool {
	return s.internal && (strings.HasPrefix(name, "_") || strings.Contains(name, "/_"))
}

func within(dir, name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// isDocument reports whether a file has the file extension of a document, from which generators
// create pages.
func isDocument(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".rst":
		return true
	}
	return false
}
