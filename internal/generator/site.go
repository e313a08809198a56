package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locus-url/locus/escape"
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
	prefix  string            // path of the root on the server: "/", "/book/"
	content []string          // folders with documents; "." is all
	pages   map[string]string // files by the path of their page, which has no "/" at its front
	paths   map[string]string // the reverse
	mounts  []mount
	made    []string            // paths without a source; "*" at the end is any rest
	labels  map[string]string   // files by the names that links may have without a file
	stems   map[string][]string // files by the last part of their names, in lower case

	sources  bool // links may lead to source documents
	assets   bool // links may lead to any file, by its place beside the source
	listed   bool // only documents with a page exist
	clean    bool // the server finds a.html as /a and as /a/
	internal bool // names that begin with "_" are not copied
	bundles  bool // links of an index document may lead to files beside it
	hooked   bool // a template of the site may change links
	terms    bool // terms that are defined have fragments as headings do
	suffixes []string
	opaque   func(source string) bool // parts of a page come from elsewhere
	ids      func(list []string) []string
	aliases  func(ref string) (string, bool)
	other    []string // how links to other sites begin, which only the generator knows
}

// mount is a folder whose files are copied to the site as they are.
type mount struct {
	dir, at string
	docs    bool // with documents
}

// Kind is the kind of a [Target].
type Kind uint8

const (
	// Missing: the site has no such page or file.
	Missing Kind = iota
	// File: a file of the folder.
	File
	// Made: a page that the generator makes without a source.
	Made
	// Outside: an address of the server that is not below the root of the site.
	Outside
	// Unlisted: a document that the generator makes no page of.
	Unlisted
	// Undecided: a template of the site decides where the link leads.
	Undecided
	// NoPage: the document of the link is not a page, so a relative form has no base.
	NoPage
)

// Target is where a link leads.
type Target struct {
	Kind Kind
	// Name is the name of the file, or the path on the server of what is Made, Missing or
	// Outside, relative to the root of the site.
	Name string
}

type preset struct {
	name   string
	config []string
	open   func(*Site, string) error
	is     func(fsys fs.FS, config string) bool // nil: the configuration file is enough
}

// presets are in the order in which they are looked for.
var presets = []preset{
	{"mdbook", []string{"book.toml"}, openMdBook, nil},
	{"hugo", []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config/_default/hugo.toml", "config/_default/config.toml"}, openHugo, isHugo},
	{"docusaurus", []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"}, openDocusaurus, nil},
	{"mkdocs", []string{"mkdocs.yml", "mkdocs.yaml"}, openMkDocs, nil},
	{"sphinx", []string{"conf.py"}, openSphinx, isSphinx},
	{"jekyll", []string{"_config.yml", "_config.yaml"}, openJekyll, isJekyll},
	{"obsidian", []string{".obsidian"}, openVault, nil},
	{"foam", []string{".foam"}, openVault, nil},
}

// Presets returns the names of the presets.
func Presets() []string {
	var list []string
	for _, p := range presets {
		list = append(list, p.name)
	}
	return list
}

// Detect returns the preset whose configuration file is in the root of fsys, and the name
// of that file. Both are empty if there is no such file.
func Detect(fsys fs.FS) (name, config string) {
	for _, p := range presets {
		if config = p.find(fsys); config != "" {
			return p.name, config
		}
	}
	return "", ""
}

func (p *preset) find(fsys fs.FS) string {
	for _, name := range p.config {
		if _, err := fs.Stat(fsys, name); err == nil && (p.is == nil || p.is(fsys, name)) {
			return name
		}
	}
	return ""
}

// ErrPreset is the error of [Open] for an unknown name.
var ErrPreset = errors.New("unknown preset")

// Open reads the site in the root of fsys. An empty name stands for a folder that is served
// as it is. A site without its configuration file has the defaults of the generator.
func Open(fsys fs.FS, name string) (*Site, error) {
	s := &Site{Name: name, fsys: fsys, prefix: "/", content: []string{"."}, pages: map[string]string{}, paths: map[string]string{}, ids: githubIDs}
	if name == "" {
		s.mounts = []mount{{".", "", true}}
		s.sources, s.assets = true, true
		return s, nil
	}
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w %q: choose %s", ErrPreset, name, strings.Join(Presets(), ", "))
	}
	p := &presets[i]
	for _, config := range p.config {
		if _, err := fs.Stat(fsys, config); err == nil {
			s.Config = config
			break
		}
	}
	text := ""
	if s.Config != "" {
		text = readText(fsys, s.Config)
	}
	if err := p.open(s, text); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Config, err)
	}
	s.SetPrefix(s.prefix)
	return s, nil
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

// add says that a file becomes the page at a path. The first path of a file is the one that
// its own links begin at.
func (s *Site) add(at, file string) {
	at = strings.TrimPrefix(path.Clean("/"+at)+slashOf(at), "/")
	at = withoutIndex(at)
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

// Alias returns the path that a link in the generator's own notation stands for: a.md for
// "project:a.md" of Sphinx.
func (s *Site) Alias(ref string) (string, bool) {
	if s.aliases == nil {
		return "", false
	}
	return s.aliases(ref)
}

// IsOther reports whether a link leads to another site that only the generator knows.
func (s *Site) IsOther(ref string) bool {
	return slices.ContainsFunc(s.other, func(begin string) bool { return strings.HasPrefix(ref, begin) })
}

// Find returns where a link of a document leads. ref is its path with escapes and without a
// query; fragment is used only by generators in which it may name another document.
func (s *Site) Find(doc, ref, fragment string) Target {
	at, isPage := s.addressOf(doc)
	if !isPage && s.listed {
		return Target{Kind: NoPage}
	}
	if !isPage && !isDocument(doc) && !strings.HasPrefix(ref, "/") {
		return Target{Kind: NoPage} // a template
	}
	if ref == "" {
		if file, ok := s.labels[strings.ToLower(fragment)]; ok {
			return Target{File, file}
		}
		return Target{File, doc}
	}
	plain, ok := decode(ref)
	if !ok {
		return Target{Missing, ref}
	}
	if file, kind := s.source(doc, plain); kind != Missing {
		return Target{kind, file}
	} else if label, ok := s.labels[strings.ToLower(plain)]; ok {
		return Target{File, label}
	}
	if !isPage && !strings.HasPrefix(plain, "/") {
		return Target{Kind: NoPage} // a part of pages
	}
	p, ok := s.absolute(at, plain)
	if !ok {
		return Target{Outside, p}
	}
	target := s.page(p)
	if beside, ok := s.absolute(doc, plain); ok && target.Kind == Missing && s.assets {
		for _, dir := range s.content {
			if made := s.page(strings.TrimPrefix(beside, dir+"/")); made.Kind == Made {
				return made // a file of the theme, by its place beside the source
			}
		}
	}
	if s.hooked && target.Kind == Missing && isDocument(doc) {
		target.Kind = Undecided
	}
	return target
}

// isIndex reports whether a document is the page of its folder.
func isIndex(doc string) bool {
	name := path.Base(doc)
	return strings.TrimSuffix(name, path.Ext(name)) == "index"
}

// decode returns a path without escapes. An escape of "/" makes it invalid.
func decode(ref string) (string, bool) {
	plain, err := escape.Decode(ref)
	return plain, err == nil && strings.Count(plain, "/") == strings.Count(ref, "/")
}

// source returns the file that a link to a source leads to.
func (s *Site) source(doc, ref string) (file string, kind Kind) {
	if !s.sources || strings.HasSuffix(ref, "/") {
		return "", Missing
	}
	names := []string{path.Join(path.Dir(doc), ref)}
	rest, absolute := strings.CutPrefix(ref, "/")
	if file, ok := strings.CutPrefix(ref, "@site/"); ok { // Docusaurus: a file, by its path
		names = []string{file}
	} else if absolute {
		names = names[:0]
		for _, dir := range append(slices.Clone(s.content), ".") {
			names = append(names, path.Join(dir, rest))
		}
	}
	for _, name := range names {
		for _, suffix := range append([]string{""}, s.suffixes...) {
			if !s.isFile(name + suffix) {
				continue
			}
			_, isPage := s.paths[name+suffix]
			switch {
			case isDocument(name + suffix):
				if isPage || !s.listed || !s.Contains(name+suffix) {
					return name + suffix, File
				}
				return name + suffix, Unlisted
			case !absolute && (s.assets || s.bundles && isIndex(doc)) || isPage:
				return name + suffix, File
			}
		}
	}
	return "", Missing
}

func (s *Site) isFile(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(s.fsys, name)
	return err == nil && !info.IsDir()
}

// absolute resolves ref against the page at a path, and returns the path below the root of
// the site. It is not ok if ref leads out of it; then the result is relative to the root.
func (s *Site) absolute(at, ref string) (p string, ok bool) {
	base := s.prefix
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		base += at[:i+1]
	}
	if strings.HasPrefix(ref, "/") {
		base = ""
	}
	trailing := slashOf(ref)
	if last := path.Base(ref); last == "." || last == ".." {
		trailing = "/"
	}
	full := path.Clean("/"+base+ref) + trailing
	if p, ok = strings.CutPrefix(full, s.prefix); ok {
		return p, leaves(base, ref) <= 0
	}
	if full+"/" == s.prefix {
		return "", true
	}
	return "../" + strings.Repeat("../", strings.Count(s.prefix, "/")-2) + strings.TrimPrefix(full, "/"), false
}

// leaves returns how many ".." of ref lead above the root of the server.
func leaves(base, ref string) int {
	depth, most := 0, 0
	for segment := range strings.SplitSeq(base+ref, "/") {
		switch segment {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		most = max(most, -depth)
	}
	return most
}

// page returns what is at a path below the root of the site.
func (s *Site) page(p string) Target {
	p = withoutIndex(p)
	candidates := []string{p, p + "/"}
	if s.clean {
		trimmed := strings.TrimSuffix(p, "/")
		candidates = append(candidates, trimmed, p+".html", strings.TrimSuffix(p, ".html"), strings.TrimSuffix(p, ".html")+"/")
	}
	for _, name := range candidates {
		if file, ok := s.pages[name]; ok {
			return Target{File, file}
		}
	}
	for _, m := range s.mounts {
		rest, ok := strings.CutPrefix(p, m.at)
		if !ok {
			continue
		}
		names := []string{rest, path.Join(rest, "index.html")}
		if rest == "" || strings.HasSuffix(rest, "/") {
			names = names[1:]
		}
		for _, name := range names {
			if file := path.Join(m.dir, name); s.isFile(file) && (m.docs || !isDocument(file)) && !s.isInternal(file) {
				return Target{File, file}
			}
		}
	}
	for _, made := range s.made {
		if begin, any := strings.CutSuffix(made, "*"); any && strings.HasPrefix(p, begin) || p == made || p+"/" == made {
			return Target{Made, p}
		}
	}
	return Target{Missing, p}
}

// SetPrefix sets the path of the root of the site on its server. It must be called before
// the site is used.
func (s *Site) SetPrefix(p string) {
	s.prefix = "/"
	if p = strings.Trim(p, "/"); p != "" {
		s.prefix = "/" + p + "/"
	}
}

// Address returns the path of the page of a document below the root of the site.
func (s *Site) Address(doc string) string { return s.paths[doc] }

// At returns what is at a path of the server: with the prefix of the site.
func (s *Site) At(p string) Target {
	plain, ok := decode(p)
	rest, below := strings.CutPrefix(plain, s.prefix)
	if !ok || !below {
		return Target{Outside, p}
	}
	return s.page(rest)
}

// Pages returns the paths of all pages, sorted.
func (s *Site) Pages() []string { return slices.Sorted(maps.Keys(s.pages)) }
