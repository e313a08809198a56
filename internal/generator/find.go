package generator

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/locus-url/locus/escape"
)

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

// Alias returns the path that a link in the generator's own notation stands for: a.md for
// "project:a.md" of Sphinx.
func (s *Site) Alias(ref string) (string, bool) {
	if s.aliases == nil {
		return "", false
	}
	return s.aliases(ref)
}

// LeavesExternal reports whether the generator writes a link with the class external as it
// is, so that it may lead to what something else publishes beside the site.
func (s *Site) LeavesExternal() bool { return s.external }

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

// Has reports whether the folder has a file or a folder of that name.
func (s *Site) Has(name string) bool {
	_, err := fs.Stat(s.fsys, path.Clean(name))
	return err == nil
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
	if s.exact[p] || s.exact[p+"/"] || slices.ContainsFunc(s.begins, func(begin string) bool { return strings.HasPrefix(p, begin) }) {
		return Target{Made, p}
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
