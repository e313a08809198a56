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

// Site is the documents of a folder, and the pages that a generator makes of them. It may
// be used concurrently.
type Site struct {
	// Name is the name of the preset: "mdbook".
	Name string
	// Config is the name of the configuration file; empty: none.
	Config string
	// URL is the URL of the site in the configuration; empty: none, or only a path.
	URL string

	fsys    fs.FS
	err     func() error      // of the context of Open
	prefix  string            // path of the root on the server: "/", "/book/"
	content []string          // folders with documents; "." is all
	pages   map[string]string // files by the path of their page, which has no "/" at its front
	paths   map[string]string // the reverse
	mounts  []mount
	made    []string            // paths without a source; "**" at the end is any rest, "*" one that is no document and no picture
	exact   map[string]bool     // of made, without those with "*"
	begins  []string            // of made: those with "*" or "**", without it
	whole   []string            // of begins: those with "**"
	labels  map[string]string   // files by the names that links may have without a file
	stems   map[string][]string // files by the last part of their names, in lower case

	sources  bool // links may lead to source documents
	assets   bool // links may lead to any file, by its place beside the source
	listed   bool // only documents with a page exist
	clean    bool // the server finds a.html as /a and as /a/
	internal bool // names that begin with "_" are not copied
	bundles  bool // links of an index document may lead to files beside it
	hooked   bool // a template of the site may change links
	drawn    bool // one may change the destinations of pictures
	terms    bool // terms that are defined have fragments as headings do
	suffixes []string
	opaque   func(source string) bool // parts of a page come from elsewhere
	ids      func(list []string) []string
	aliases  func(ref string) (string, bool)
	external bool     // links with the class external are written as they are
	other    []string // how links to other sites begin, which only the generator knows

	base     string                       // folder of the site below the root of fsys: "website"
	roots    []root                       // of documents whose links have other rules
	rooted   bool                         // links "/a" begin at the root of the site, not of the server
	doubt    bool                         // a plugin, a theme, or what can't be read of the configuration may make pages
	supplied func(name string) bool       // reports whether a plugin may make a document or file; nil: none does
	resolve  func(doc, ref string) Target // replaces the rules of Find; nil: these
	fallback func(doc, ref string) Target // the last rule of Find; nil: none
	pictures []string                     // folders whose pictures a page has at "/": no plugin adds any to their folders
	included map[string][]string          // documents that are included, with those that include them
	foreign  bool                         // fragments may be names in other sites: package.Class, dir/label
	makes    sync.Map                     // whether a template makes fragments, by its name
	names    bool                         // links "#name" may be names of other sites, and terms
	objects  bool                         // links may name objects of a program: package.Class
	unsure   bool                         // a plugin may make fragments
	excluded []string                     // folders whose documents are no pages
	moved    map[string]bool              // names of pages that may be moved
	tabs     bool                         // tabs have fragments that end in their titles
	mentions func(source string) string   // the parts of a document that such a plugin reads; nil: all
}

// root is a folder of documents of one language or version.
type root struct {
	dir   string
	at    string // path of its pages: "fr/"
	other string // the folder that has the documents that are missing here; empty: none
}

// mount is a folder whose files are copied to the site as they are.
type mount struct {
	dir, at string
	docs    bool // with documents
}

type preset struct {
	name   string
	config []string
	open   func(*Site, string) error
	is     func(fsys fs.FS, config string) bool // nil: the configuration file is enough
	only   bool                                 // recognized, and not read: nobody chooses it
	leaves func(config string) bool             // reports whether its documents are beside its folder; nil: never
	parts  func(fsys fs.FS, dir string) bool    // reports whether its pages include documents beside its folder; nil: never
}

// presets returns all presets in the order in which they are looked for.
func presets() []preset {
	return []preset{
		{name: "mdbook", config: []string{"book.toml"}, open: openMdBook},
		{name: "hugo", config: hugoFiles(), open: openHugo, is: isHugo},
		{name: "docusaurus", config: scripts("docusaurus.config"), open: openDocusaurus, leaves: docusaurusLeaves},
		{name: "vitepress", config: scripts(".vitepress/config"), open: openVitePress, leaves: vitePressLeaves},
		{name: "mkdocs", config: []string{"mkdocs.yml", "mkdocs.yaml"}, open: openMkDocs},
		{name: "sphinx", config: []string{"conf.py"}, open: openSphinx, is: isSphinx, parts: includesBeside},
		{name: "jekyll", config: []string{"_config.yml", "_config.yaml"}, open: openJekyll, is: isJekyll},
		{name: "vuepress", config: append(scripts(".vuepress/config"), ".vuepress/config.toml", ".vuepress/config.yml"), open: openVuePress, only: true},
		{name: "astro", config: scripts("astro.config"), open: openAstro, only: true},
		{name: "nextra", config: append(scripts("theme.config"), append(scripts("next.config"), "theme.config.jsx", "theme.config.tsx")...), open: openNextra, is: isNextra, only: true},
		{name: "eleventy", config: append(scripts("eleventy.config"), ".eleventy.js", ".eleventy.cjs"), open: openEleventy, only: true},
		{name: "quarto", config: []string{"_quarto.yml", "_quarto.yaml"}, open: openQuarto, only: true},
		{name: "antora", config: []string{"antora.yml"}, open: openAntora, only: true},
		{name: "obsidian", config: []string{".obsidian"}, open: openVault},
		{name: "foam", config: []string{".foam"}, open: openVault},
	}
}

// scripts returns the names of a configuration file that is a program.
func scripts(name string) (list []string) {
	for _, suffix := range []string{".js", ".ts", ".mjs", ".mts", ".cjs", ".cts"} {
		list = append(list, name+suffix)
	}
	return list
}

// Presets returns the names of the presets that a user can choose.
func Presets() []string {
	var list []string
	for _, p := range presets() {
		if !p.only {
			list = append(list, p.name)
		}
	}
	return list
}

// Detect returns the generator whose configuration file is in the root of fsys, and the name
// of that file. Both are empty if there is no such file. A folder below the root counts if
// the documents of its site are beside it.
func Detect(fsys fs.FS) (name, config string) {
	list := presets()
	entries, _ := fs.ReadDir(fsys, ".") // without them there is no configuration
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
		if config = p.find(fsys, "."); config != "" && !p.isBelow(fsys, config) {
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

// find returns the configuration file in a folder; empty without one.
func (p *preset) find(fsys fs.FS, dir string) string {
	for _, name := range p.config {
		name = path.Join(dir, name)
		if _, err := fs.Stat(fsys, name); err == nil && (p.is == nil || p.is(fsys, name)) {
			return name
		}
	}
	return ""
}

// isBelow reports whether the site of a configuration has documents beside its folder, so
// that its root is the folder above.
func (p *preset) isBelow(fsys fs.FS, config string) bool {
	return p.leaves != nil && p.leaves(readText(fsys, config))
}

// reaches reports whether the folder above the one of a configuration has documents of its
// site.
func (p *preset) reaches(fsys fs.FS, config string) bool {
	return p.isBelow(fsys, config) || p.parts != nil && p.parts(fsys, path.Dir(config))
}

// maxFolders is the most folders in which a configuration is looked for.
const maxFolders = 256

// findBelow returns the configuration file in a folder below the root, or only one whose
// site has documents beside that folder.
func (p *preset) findBelow(fsys fs.FS, beside bool) string {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return ""
	}
	for _, d := range entries[:min(len(entries), maxFolders)] {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") || skipped[d.Name()] {
			continue
		}
		if config := p.find(fsys, d.Name()); config != "" && (!beside || p.reaches(fsys, config)) {
			return config
		}
	}
	return ""
}

// ErrPreset is the error of [Open] for an unknown name.
var ErrPreset = errors.New("unknown preset")

// Open reads the site in the root of fsys. An empty name stands for a folder that is served
// as it is. A site without its configuration file has the defaults of the generator.
// It ends with ctx.
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
	p.is = nil // the caller has chosen
	if s.Config = p.find(fsys, "."); s.Config == "" && (p.leaves != nil || p.parts != nil) {
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

// in returns the path of a file or folder of the site by its path from the configuration.
func (s *Site) in(name string) string {
	name = path.Join(s.base, name)
	if !fs.ValidPath(name) {
		s.doubt = true // outside the folder that is read
	}
	return name
}

// maxText is the most octets of a configuration file or of a document that are read.
const maxText = 4 << 20

// readText returns a file, or "" if it can't be read: a site may lack any.
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

// maxFiles is the most files of a site.
const maxFiles = 1 << 20

var errMany = errors.New("the site has too many files")

// walk calls do for each file below a folder. Folders that are hidden, or that hold what
// generators and package managers write, are left out. A missing folder is empty.
func (s *Site) walk(dir string, do func(name string)) error {
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
			do(name)
		}
		return nil
	})
}

var skipped = map[string]bool{"node_modules": true, "_site": true, "_build": true, "vendor": true, "venv": true, "__pycache__": true}

// indexMade makes what is made quick to find: a blog has some of it for each document.
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

// isMade reports whether the generator makes what is at a path without a source.
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

// maxPath is the longest path of a page. File systems have no longer names.
const maxPath = 4 << 10

// add says that a file becomes the page at a path. The first path of a file is the one that
// its own links begin at.
func (s *Site) add(at, file string) {
	at = strings.TrimPrefix(path.Clean("/"+at)+slashOf(at), "/")
	at = withoutIndex(at)
	if len(at) > maxPath {
		return
	}
	if _, ok := s.pages[at]; !ok {
		s.pages[at] = file
	}
	if _, ok := s.paths[file]; !ok {
		s.paths[file] = at
	}
}

// slashOf returns the "/" that path.Clean removes from the end of a path.
func slashOf(p string) string {
	if strings.HasSuffix(p, "/") && strings.Trim(p, "/") != "" {
		return "/"
	}
	return ""
}

// withoutIndex returns the path of the folder of which p is the index page.
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

// addressOf returns the path of the page that a document becomes, or of its copy.
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

// isInternal reports whether a file is left out because of its name.
func (s *Site) isInternal(name string) bool {
	return s.internal && (strings.HasPrefix(name, "_") || strings.Contains(name, "/_"))
}

func within(dir, name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// isDocument reports whether generators make a page of such a file.
func isDocument(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".rst":
		return true
	}
	return false
}
