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
	// Missing means that the page or file does not exist in the site.
	Missing Kind = iota
	// File is a file in the directory.
	File
	// Made is a page that the generator creates without a source.
	Made
	// Outside is a path of the server that is not below the site root.
	Outside
	// Unlisted is a document for which the generator creates no page.
	Unlisted
	// Undecided means that only a build can resolve the link. It depends on a template, a
	// plugin or an unread part of the configuration.
	Undecided
	// Excluded means that the configuration allows the link to be dead.
	Excluded
	// Plain means that the document with the link is not part of the site, so the link is a
	// link in a plain file.
	Plain
	// NoPage means that the document with the link is not a page, so a relative reference has
	// no base.
	NoPage
)

// Target is the target of a link.
type Target struct {
	Kind Kind
	// Name is the name of a file. For Made, Missing and Outside, it is the path on the server,
	// relative to the site root.
	Name string
}

// Alias converts a link in the notation of the generator to a path: "project:a.md" of Sphinx
// to a.md.
func (s *Site) Alias(ref string) (string, bool) {
	if s.aliases == nil {
		return "", false
	}
	return s.aliases(ref)
}

// LeavesExternal reports whether the generator does not change links with the class external.
// Such a link may name a page that another program publishes on the server.
func (s *Site) LeavesExternal() bool { return s.external }

// Label returns the file that defines a label.
func (s *Site) Label(name string) (file string, ok bool) {
	file, ok = s.labels[strings.ToLower(name)]
	return file, ok
}

// HasNames reports whether "#name" in a document may be a name in another site or a term.
func (s *Site) HasNames() bool { return s.names }

// IsOther reports whether a link names another site that only the generator knows.
func (s *Site) IsOther(ref string) bool {
	return slices.ContainsFunc(s.other, func(begin string) bool { return strings.HasPrefix(ref, begin) })
}

// Find returns the target of a link in the document doc. The parameter ref is the path
// with escapes and without a query. Find uses the fragment only for generators in which a
// fragment may name another document. If other documents include doc, Find also resolves
// the link in these documents.
func (s *Site) Find(doc, ref, fragment string) Target {
	target := s.find(doc, ref, fragment)
	for _, by := range s.included[doc] {
		if target.Kind != Missing && target.Kind != NoPage {
			break
		}
		target = s.find(by, ref, fragment)
	}
	return target
}

func (s *Site) find(doc, ref, fragment string) Target {
	at, isPage := s.addressOf(doc)
	if !isPage && s.listed {
		return Target{Kind: NoPage}
	}
	if !isPage && !isDocument(doc) && !strings.HasPrefix(ref, "/") && s.resolve == nil {
		return Target{Kind: NoPage} // doc is a template of the site
	}
	if ref == "" {
		if file, ok := s.labels[strings.ToLower(fragment)]; ok {
			return Target{File, file}
		}
		return Target{File, doc}
	}
	plain, ok := decode(ref)
	if !ok {
		return s.missing(doc, ref, Target{Missing, ref})
	}
	if s.resolve != nil {
		return s.missing(doc, plain, s.resolve(doc, plain))
	}
	if file, kind := s.source(doc, plain); kind != Missing {
		return Target{kind, file}
	} else if label, ok := s.labels[strings.ToLower(plain)]; ok {
		return Target{File, label}
	}
	if !isPage && !strings.HasPrefix(plain, "/") {
		return Target{Kind: NoPage} // doc has no page of its own; other pages include it
	}
	return s.missing(doc, plain, s.findPage(doc, at, plain))
}

// findPage returns a link's target by its page path.
func (s *Site) findPage(doc, at, plain string) Target {
	begin := s.rootOf(doc).at
	if s.rooted && strings.HasPrefix(plain, "/") && !strings.HasPrefix(plain, s.prefix) {
		plain = s.prefix + plain[1:]
	}
	p, ok := s.absolute(at, plain)
	if !ok {
		return Target{Outside, p}
	}
	target := s.page(p)
	if own := s.page(begin + p); begin != "" && strings.HasPrefix(plain, "/") && own.Kind == File {
		return own
	}
	if usual, ok := s.withoutLocale(p); ok && target.Kind == Missing {
		target = s.page(usual)
	}
	if target.Kind == Missing && s.assets {
		if made, ok := s.madeBeside(doc, plain); ok {
			return made
		}
	}
	if target.Kind == Missing && s.fallback != nil {
		if found := s.fallback(doc, plain); found.Kind != Missing {
			return found
		}
	}
	hooked := s.hooked
	if isPicture(plain) {
		hooked = s.drawn
	}
	if target.Kind == Missing && (hooked && isDocument(doc) || s.moved[path.Base(p)]) {
		target.Kind = Undecided
	}
	return target
}

// withoutLocale removes the language at the start of a path. A page without a translation is at the
// path with the language and at the path without it.
func (s *Site) withoutLocale(p string) (string, bool) {
	for _, r := range s.roots {
		if rest, ok := strings.CutPrefix(p, r.at); ok && r.at != "" && s.rooted {
			return rest, true
		}
	}
	return p, false
}

// madeBeside returns the target if a link names a file of the theme by a path relative to the
// source.
func (s *Site) madeBeside(doc, plain string) (Target, bool) {
	beside, ok := s.absolute(doc, plain)
	if !ok {
		return Target{}, false
	}
	for _, dir := range s.content {
		if made := s.page(strings.TrimPrefix(beside, dir+"/")); made.Kind == Made {
			return made, true
		}
	}
	return Target{}, false
}

// rootOf returns the root that contains a document, or the zero root.
func (s *Site) rootOf(doc string) (found root) {
	for _, r := range s.roots {
		if within(r.dir, doc) && len(r.dir) >= len(found.dir) {
			found = r
		}
	}
	return found
}

// isIndex reports whether a document is the index page of its directory.
func isIndex(doc string) bool {
	name := path.Base(doc)
	return strings.TrimSuffix(name, path.Ext(name)) == "index"
}

// decode decodes the escapes of a path. A path with an escaped "/" is invalid.
func decode(ref string) (string, bool) {
	plain, err := escape.Decode(ref)
	return plain, err == nil && strings.Count(plain, "/") == strings.Count(ref, "/")
}

// source returns the source file that a link names.
func (s *Site) source(doc, ref string) (file string, kind Kind) {
	if !s.sources || strings.HasSuffix(ref, "/") {
		return "", Missing
	}
	absolute := strings.HasPrefix(ref, "/")
	for _, name := range s.sourceNames(doc, ref) {
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

// sourceNames returns the source files that a link may name, in order of preference.
func (s *Site) sourceNames(doc, ref string) (names []string) {
	rest, absolute := strings.CutPrefix(ref, "/")
	if file, ok := strings.CutPrefix(ref, "@site/"); ok { // Docusaurus: the path of a file
		return []string{path.Join(s.base, file)}
	}
	own := s.rootOf(doc)
	if !absolute {
		names = []string{path.Join(path.Dir(doc), ref)}
		if own.other != "" {
			names = append(names, path.Join(own.other, path.Dir(strings.TrimPrefix(doc, own.dir)), ref))
		}
		if len(s.roots) == 0 || strings.HasPrefix(ref, ".") {
			return names
		}
	}
	for _, dir := range []string{own.dir, own.other} {
		if dir != "" {
			names = append(names, path.Join(dir, rest))
		}
	}
	if absolute {
		for _, dir := range s.content {
			names = append(names, path.Join(dir, rest))
		}
	}
	return append(names, path.Join(s.base, rest), rest)
}

func (s *Site) isFile(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(s.fsys, name)
	return err == nil && !info.IsDir()
}

// Has reports whether the directory contains a file or directory with that name.
func (s *Site) Has(name string) bool {
	_, err := fs.Stat(s.fsys, path.Clean(name))
	return err == nil
}

// absolute resolves ref against a page's path, and returns the path below the site root. ok is
// false if ref points outside the site; then p is relative to the root.
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

// leaves returns the number of ".." segments in ref that point above the server root.
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

// page returns the target at a path below the site root.
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
	if s.isMade(p) {
		return Target{Made, p}
	}
	return Target{Missing, p}
}

// SetPrefix sets the path of the site's root on the server. Callers must call it before any
// other use of the site.
func (s *Site) SetPrefix(p string) {
	s.prefix = "/"
	if p = strings.Trim(p, "/"); p != "" {
		s.prefix = "/" + p + "/"
	}
}

// Address returns the path of a document's page, below the site root.
func (s *Site) Address(doc string) string { return s.paths[doc] }

// At returns the target at a path of the server, which includes the prefix of the site.
func (s *Site) At(p string) Target {
	plain, ok := decode(p)
	rest, below := strings.CutPrefix(plain, s.prefix)
	if !ok || !below {
		return Target{Outside, p}
	}
	if s.resolve != nil {
		return s.resolve("", "/"+rest)
	}
	target := s.page(rest)
	if usual, ok := s.withoutLocale(rest); ok && target.Kind == Missing {
		target = s.page(usual)
	}
	return target
}

// Pages returns the paths of all pages, sorted.
func (s *Site) Pages() []string { return slices.Sorted(maps.Keys(s.pages)) }
