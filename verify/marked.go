package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/verify/internal/generator"
)

// markedAnchors returns the fragments of an AsciiDoc or reStructuredText document. The fragments
// are those that the standard processor and GitHub create. A site generator may add other
// fragments.
func markedAnchors(kind string, site *generator.Site, source string) *anchors {
	a := &anchors{lenient: true}
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
	if open || site != nil && site.Name != "" {
		a.built = anyFragment
	}
	a.sort()
	return a
}

// anyFragment accepts all fragments. anyFragment is used for pages with unknown parts.
func anyFragment(string) bool { return true }

// placeName resolves a link that contains a Sphinx role or an Antora resource ID instead of a URL.
// For other links, it returns false.
func (c *Checker) placeName(l *link, found *document.Link, s *Source) bool {
	if isUnread(found, s) {
		l.doubt = notPage
	}
	written := found.Ref
	switch found.Element {
	case "doc", "ref":
		return c.placeRole(l, found, s)
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
	return c.placeAntora(l, written, found, s)
}

// isUnread reports whether the link is in an AsciiDoc document for which no page is known.
func isUnread(found *document.Link, s *Source) bool {
	if s.Layout == nil || s.Layout.site.Name == "" || !strings.HasSuffix(found.Type, "asciidoc") {
		return false
	}
	name, ok := s.Layout.name(s.URL)
	return ok && s.Layout.site.Contains(name) && s.Layout.site.Address(name) == ""
}

// placeRole resolves a Sphinx role. If no document defines the label in the role, an extension may
// define the label.
func (c *Checker) placeRole(l *link, found *document.Link, s *Source) bool {
	l.written = strings.Clone(found.Ref)
	l.verdict, l.detail = Ignored, "only Sphinx resolves this name"
	if s.Layout == nil || s.Layout.site.Name != "sphinx" {
		return true
	}
	if found.Element == "doc" && !strings.Contains(found.Ref, ":") { // a name with ":" refers to another site
		l.verdict, l.detail, l.written = 0, "", ""
		return false
	}
	if name, ok := s.Layout.site.Label(decoded(found.Ref)); ok {
		l.verdict, l.detail = 0, ""
		s.Layout.placeAt(l, generator.Target{Kind: generator.File, Name: name}, "", false)
	}
	return true
}

// isOfPart reports whether the link r to the URL u is a relative reference in a document that is
// included by a document in another directory. Such a reference is relative to the including
// document, unless it names an included file. isOfPart waits until all documents are read.
func (e *Verifier) isOfPart(ctx context.Context, d *doc, r *ref, u locus.URL) bool {
	if d.origins == nil || r.written == "" || strings.Contains(r.written, "://") || !e.checker.isFile(d.origins.base) {
		return false
	}
	if kind := media.ByName(d.origins.base.String()); kind != asciidocType && kind != rstType {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.allRead && ctx.Err() == nil {
		e.changed.Wait()
	}
	if slices.Contains(e.includes[u], d.origins.base) {
		return false
	}
	seen := map[locus.URL]bool{}
	for list := []locus.URL{d.origins.base}; len(list) > 0; list = list[1:] {
		if folderOf(list[0]) != folderOf(d.origins.base) {
			return true
		}
		if !seen[list[0]] {
			seen[list[0]] = true
			list = append(list, e.includes[list[0]]...)
		}
	}
	return false
}

func folderOf(u locus.URL) string {
	folder, _, _ := cutLast(u.String(), "/")
	return folder
}

// hasScheme reports whether a name begins with the name of a scheme.
func (c *Checker) hasScheme(name string) bool {
	end, _ := octet.SchemeEnd(name)
	if end <= 0 || end == len(name) || name[end] != ':' {
		return false
	}
	_, ok := c.registry.Lookup(strings.ToLower(name[:end]))
	return ok
}

// sourceOf returns the URL of the source document from which the target of a link is generated, for
// example a.rst for a.html. For a cross-reference to a.adoc, the result has the same extension as
// the document base, such as a.asc. For other links, sourceOf returns the zero URL.
func (c *Checker) sourceOf(found *document.Link, u, base locus.URL) locus.URL {
	text := u.String()
	before, fragment, hasFragment := strings.Cut(text, "#")
	name, suffix, _ := cutLast(before, ".")
	other := ""
	switch {
	case found.Ref == "" || !c.isFile(u):
	case suffix == "html" && found.Type == rstType:
		other = "rst"
	case suffix == "adoc" && found.Element == "xref":
		_, other, _ = cutLast(base.WithoutFragment().String(), ".")
	}
	if other == "" || other == suffix {
		return locus.URL{}
	}
	text = name + "." + other
	if hasFragment {
		text += "#" + fragment
	}
	source, _ := locus.Parse(text) // no error, because u is valid
	return source
}

// cutLast is like [strings.Cut], but cuts at the last separator.
func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
