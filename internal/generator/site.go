package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
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
	made    []string            // paths without a source; "*" at the end is any rest
	exact   map[string]bool     // of made, without those with "*"
	begins  []string            // of made: those with "*", without it
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
	external bool     // links with the class external are written as they are
	other    []string // how links to other sites begin, which only the generator knows
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
// It ends with ctx.
func Open(ctx context.Context, fsys fs.FS, name string) (*Site, error) {
	s := &Site{Name: name, fsys: fsys, err: ctx.Err, prefix: "/", content: []string{"."}, pages: map[string]string{}, paths: map[string]string{}, ids: githubIDs}
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
	s.indexMade()
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
			s.begins = append(s.begins, begin)
		} else {
			s.exact[made] = true
		}
	}
	slices.Sort(s.begins)
	s.begins, s.made = slices.Compact(s.begins), nil
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
