package verify

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/generator"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// markedAnchors returns the fragments of an AsciiDoc or reStructuredText document, as its
// own processor and GitHub make them. A generator of sites may make others.
func markedAnchors(kind string, site *generator.Site, source string) *anchors {
	a := &anchors{lenient: true}
	if site != nil && site.Name != "" {
		a.leads = true
		return a
	}
	read, ids := markup.Asciidoc, markup.AsciidocIDs
	if kind == rstType {
		read, ids = markup.RST, generator.RSTIDs
	}
	names, open := ids(source)
	for _, name := range names {
		a.add(name)
	}
	for p := range read(source) {
		if p.Kind == markup.HTMLBlock {
			a.scan(markup.HTML{Source: source[:p.End], Offset: p.Start}, nil)
		}
	}
	a.leads = a.leads || open
	a.sort()
	return a
}

// placeName fills in where a name of a document leads that is no URL: a role of Sphinx, or
// a resource of Antora. It reports whether found is such a name.
func (e *Verifier) placeName(l *link, found *document.Link, s *Source) bool {
	if isUnread(found, s) {
		l.doubt = notPage
	}
	written := found.Ref
	switch found.Element {
	case "doc", "ref":
		return e.placeRole(l, found, s)
	case "xref", "include":
	case "":
		if found.Form != extract.Image {
			return false
		}
		if written == "" {
			written = found.URL.String()
		}
	default:
		return false
	}
	if isTemplate(written) || strings.Contains(written, "://") || found.Member != "" || !strings.HasSuffix(found.Type, "asciidoc") {
		return false
	}
	return e.placeAntora(l, written, found, s)
}

// isUnread reports whether a link is of an AsciiDoc document of a site whose pages of such
// documents are not known.
func isUnread(found *document.Link, s *Source) bool {
	if s.Layout == nil || s.Layout.site.Name == "" || !strings.HasSuffix(found.Type, "asciidoc") {
		return false
	}
	name, ok := s.Layout.name(s.URL)
	return ok && s.Layout.site.Contains(name) && s.Layout.site.Address(name) == ""
}

// placeRole fills in where a role of Sphinx leads. A label that no document defines may be
// one of an extension.
func (e *Verifier) placeRole(l *link, found *document.Link, s *Source) bool {
	l.written = strings.Clone(found.Ref)
	l.verdict, l.detail = Ignored, "only Sphinx resolves this name"
	if s.Layout == nil || s.Layout.site.Name != "sphinx" {
		return true
	}
	if found.Element == "doc" && !strings.Contains(found.Ref, ":") { // with ":", it is in another site
		l.verdict, l.detail, l.written = 0, "", ""
		return false
	}
	if name, ok := s.Layout.site.Label(decoded(found.Ref)); ok {
		l.verdict, l.detail = 0, ""
		s.Layout.placeAt(l, generator.Target{Kind: generator.File, Name: name}, "", false)
	}
	return true
}

// hasScheme reports whether a name begins with the name of a scheme.
func (e *Verifier) hasScheme(name string) bool {
	end, _ := octet.SchemeEnd(name)
	if end <= 0 || end == len(name) || name[end] != ':' {
		return false
	}
	_, ok := e.registry.Lookup(strings.ToLower(name[:end]))
	return ok
}

// source returns the URL of the document that a page beside a document is made of: a.rst for
// a.html. It is zero for other links.
func (e *Verifier) source(found *document.Link, u locus.URL) locus.URL {
	text := u.String()
	before, fragment, hasFragment := strings.Cut(text, "#")
	name, isPage := strings.CutSuffix(before, ".html")
	if !isPage || found.Type != rstType || found.Ref == "" || !e.isFile(u) {
		return locus.URL{}
	}
	text = name + ".rst"
	if hasFragment {
		text += "#" + fragment
	}
	source, _ := locus.Parse(text) // it has the characters of u
	return source
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
