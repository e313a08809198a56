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
	// Made is a page that the generator creates without a source document.
	Made
	// Outside is a path on the server that is not below the site root.
	Outside
	// Unlisted is a document for which the generator creates no page.
	Unlisted
	// Undecided means that only a build can resolve the link, because the target depends on a
	// template, a plugin or an unread part of the configuration.
	Undecided
	// Excluded means that the site's configuration allows the link to be dead.
	Excluded
	// Plain means that the document with the link is not part of the site. The caller must resolve
	// the link without the site.
	Plain
	// NoPage means that the document with the link is not a page, so a relative reference has
	// no base.
	NoPage
)

// Target is the page or file to which a link points.
type Target struct {
	Kind Kind
	// Name is the name of the file. For the kinds Made, Missing and Outside, Name is the path on
	// the server, relative to the site root.
	Name string
}

// Alias converts a link in a notation of the generator to a path. For example, it converts
// "project:a.md" in Sphinx to "a.md".
func (s *Site) Alias(ref string) (string, bool) {
	if s.aliases == nil {
		return "", false
	}
	return s.aliases(ref)
}

// LeavesExternal reports whether the generator does not change links with the class "external".
// Such a link may point to a page that another program publishes on the server.
func (s *Site) LeavesExternal() bool { return s.external }

// Label returns the file that defines a label.
func (s *Site) Label(name string) (file string, ok bool) {
	file, ok = s.labels[strings.ToLower(name)]
	return file, ok
}

// HasNames reports whether a link such as "#name" may refer to a name in another site or to a
// glossary term.
func (s *Site) HasNames() bool { return s.names }

// IsOther reports whether a link refers to another site whose URL only the generator knows.
func (s *Site) IsOther(ref string) bool {
	return slices.ContainsFunc(s.other, func(begin string) bool { return strings.HasPrefix(ref, begin) })
}

// Find returns the target of a link in the document doc. The parameter ref is the path in the
// link, with escapes but without a query. Find uses the fragment only if a fragment can name
// another document, as in some generators. If the target is missing and other documents include
// doc, Find also resolves the link in the including documents.
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
		return Target{Kind: NoPage} // the document is a template
	}
	if ref == "" {
		if file, ok := s.labels[strings.ToLower(fragment)]; ok {
			return Target{File, file}
		}
		return Target{File, doc}
	}
	plain, ok := decode(ref)
	if !ok {
		return s.finalTarget(doc, ref, Target{Missing, ref})
	}
	if s.resolve != nil {
		return s.finalTarget(doc, plain, s.resolve(doc, plain))
	}
	if file, kind := s.source(doc, plain); kind != Missing {
		return Target{kind, file}
	} else if label, ok := s.labels[strings.ToLower(plain)]; ok {
		return Target{File, label}
	}
	if !isPage && !strings.HasPrefix(plain, "/") {
		return Target{Kind: NoPage} // the document is only included in other pages
	}
	return s.finalTarget(doc, plain, s.findPage(doc, at, plain))
}

// findPage returns the target of a link that contains the path of a page.
func (s *Site) findPage(doc, at, plain string) Target {
	begin := s.rootOf(doc).pathPrefix
	if s.rooted && strings.HasPrefix(plain, "/") && !strings.HasPrefix(plain, s.prefix) {
		plain = s.prefix + plain[1:]
	}
	p, ok := s.absolute(at, plain)
	if !ok {
		return Target{Outside, p}
	}
	target := s.pageAt(p)
	if own := s.pageAt(begin + p); begin != "" && strings.HasPrefix(plain, "/") && own.Kind == File {
		return own
	}
	if usual, ok := s.withoutLocale(p); ok && target.Kind == Missing {
		target = s.pageAt(usual)
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

// withoutLocale removes the language prefix from a path. A page without a translation has two
// paths, with and without the prefix.
func (s *Site) withoutLocale(p string) (string, bool) {
	for _, r := range s.roots {
		if rest, ok := strings.CutPrefix(p, r.pathPrefix); ok && r.pathPrefix != "" && s.rooted {
			return rest, true
		}
	}
	return p, false
}

// madeBeside returns the target of a link to a theme file, if the path in the link is relative to
// the source document.
func (s *Site) madeBeside(doc, plain string) (Target, bool) {
	beside, ok := s.absolute(doc, plain)
	if !ok {
		return Target{}, false
	}
	for _, dir := range s.content {
		if made := s.pageAt(strings.TrimPrefix(beside, dir+"/")); made.Kind == Made {
			return made, true
		}
	}
	return Target{}, false
}

// rootOf returns the language or version directory that contains a document, or the zero root.
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

// decode decodes the escapes in a path. It returns false if the path contains an escaped "/".
func decode(ref string) (string, bool) {
	plain, err := escape.Decode(ref)
	return plain, err == nil && strings.Count(plain, "/") == strings.Count(ref, "/")
}

// source returns the source file to which a link points.
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

// sourceNames returns the names of the source files to which a link may point, in order of
// preference.
func (s *Site) sourceNames(doc, ref string) (names []string) {
	rest, absolute := strings.CutPrefix(ref, "/")
	if file, ok := strings.CutPrefix(ref, "@site/"); ok { // path of a file in Docusaurus
		return []string{path.Join(s.base, file)}
	}
	own := s.rootOf(doc)
	if !absolute {
		names = []string{path.Join(path.Dir(doc), ref)}
		if own.fallback != "" {
			names = append(names, path.Join(own.fallback, path.Dir(strings.TrimPrefix(doc, own.dir)), ref))
		}
		if len(s.roots) == 0 || strings.HasPrefix(ref, ".") {
			return names
		}
	}
	for _, dir := range []string{own.dir, own.fallback} {
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

// Has reports whether the site's directory contains a file or directory with the given name.
func (s *Site) Has(name string) bool {
	_, err := fs.Stat(s.fsys, path.Clean(name))
	return err == nil
}

// absolute resolves the reference ref in the page at pagePath. The result p is a path relative to
// the site root. If ref points outside the site, ok is false.
func (s *Site) absolute(pagePath, ref string) (p string, ok bool) {
	base := s.prefix
	if i := strings.LastIndexByte(pagePath, '/'); i >= 0 {
		base += pagePath[:i+1]
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
		return p, levelsAbove(base, ref) <= 0
	}
	if full+"/" == s.prefix {
		return "", true
	}
	return "../" + strings.Repeat("../", strings.Count(s.prefix, "/")-2) + strings.TrimPrefix(full, "/"), false
}

// levelsAbove returns by how many levels the reference ref points above the server root.
func levelsAbove(base, ref string) int {
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

// pageAt returns the target at the path p below the site root.
func (s *Site) pageAt(p string) Target {
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

// SetPrefix sets the path of the site root on the server. Callers must call SetPrefix before they
// use the site.
func (s *Site) SetPrefix(p string) {
	s.prefix = "/"
	if p = strings.Trim(p, "/"); p != "" {
		s.prefix = "/" + p + "/"
	}
}

// Address returns the path of the page that the generator creates from a document. The path is
// relative to the site root.
func (s *Site) Address(doc string) string { return s.paths[doc] }

// At returns the target of the URL path p. The path includes the prefix of the site
// ([Site.SetPrefix]).
func (s *Site) At(p string) Target {
	plain, ok := decode(p)
	rest, below := strings.CutPrefix(plain, s.prefix)
	if !ok || !below {
		return Target{Outside, p}
	}
	if s.resolve != nil {
		return s.resolve("", "/"+rest)
	}
	target := s.pageAt(rest)
	if usual, ok := s.withoutLocale(rest); ok && target.Kind == Missing {
		target = s.pageAt(usual)
	}
	return target
}

// Pages returns the paths of all pages in sorted order.
func (s *Site) Pages() []string { return slices.Sorted(maps.Keys(s.pages)) }
