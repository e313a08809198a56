package document

import (
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// HTML yields the links in an HTML document and the URLs in its running text, in document order.
// HTML uses the options Extract, SchemesOnly and Hidden. HTML does not set the position and the
// member of a link. HTML also reads XHTML, and SVG in HTML. It reports:
//
//	<a href="a.html">                   href of the elements that HTML and SVG define it for; any src, xlink:href,
//	                                    poster, background, lowsrc
//	<q cite="..."> <img longdesc="..."> of the elements for which HTML defines them
//	<form action="..."> <object data="..."> <head profile="..."> <html manifest="...">
//	<form method=post action="...">     with the Element "form post action"; formaction too
//	<a ping="http://h/ http://i/">      each URL, to which the browser sends POST
//	<object archive="a.jar b.jar">      each of its archives; for applet with "," between them
//	<param valuetype=ref value="...">
//	<iframe srcdoc="<a href=a.html>">   the links of the document in it
//	<img srcset="a.png 1x, b.png 2x">   each of its images; imagesrcset too
//	<meta http-equiv=refresh content="5; url=a.html">
//	<meta property="og:image" content="a.png">  and twitter:image
//	<p style="background: url(a.png)">  and url(...), image-set() and @import in <style>
//	<path fill="url(a.svg#b)">          SVG presentation attributes, with the Element "path style"
//	<link rel=preconnect href="...">    a host, with the Element "link preconnect href"; dns-prefetch too
//	<base href="...">                   itself, and as the Base of the links after it
//	See http://host/?a&amp;b            running text, its character references decoded
//	&lt;URL:ftp://host/&gt;             and with them the wrappers
//
// A link in an attribute has the Form Attribute and an Element such as "a href" or "img srcset".
// In a style sheet, the Element is "style". A link in running text has the same form as a result
// of [extract.All].
//
// HTML reads an attribute value as browsers do. HTML decodes character references, and removes
// surrounding white space and all line breaks and tabs. An absolute URL is in the field URL, and a
// relative reference in the field Ref. Start and End are the offsets of the value in the document.
// HTML omits an empty value, which refers to the document itself, and a value longer than
// [locus.MaxLen]. HTML reports a URL in the text of a link only if Hidden is set.
func HTML(text string, o *Options) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		newLinkFinder(text, o, yield).html(0, len(text))
	}
}

// Markdown yields the links in a Markdown document and the URLs in its running text, in document
// order. Markdown uses the same options as [HTML]. It reports:
//
//	[text](a.md "title")        Link; also [text](<a b.md>), with %20 for the space
//	[text](a.html){.external}   Link, with the Element "external" (MyST)
//	![text](a.png)              Image; also within the text of a link
//	[label]: a.md "title"       Definition; its uses, [text][label], are not reported
//	<http://host/> <a@host>     Bracketed; the second is mailto:a@host
//	<a href="a.html">           Attribute, as by [HTML]; also within blocks of HTML
//	see http://host/.           running text, without "*", "_", "~" at the end
//	`http://host/`              code, as by [extract.All]
//
// Markdown reports a URL in the text or title of a link, or in the alternative text of an image,
// only if Hidden is set. Markdown decodes backslash escapes and character references outside code.
// Markdown follows CommonMark 0.31 and supports the tables of GFM 0.29. Unlike in CommonMark, a
// link may contain a reference link.
func Markdown(text string, o *Options) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		d.markdown = true
		d.pieces(markup.Markdown(text))
	}
}

// mdx is like [Markdown], but for an MDX document.
func mdx(text string, o *Options) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		d.markdown, d.mdx = true, true
		d.pieces(markup.MDX(text))
	}
}

func (d *linkFinder) pieces(all iter.Seq[markup.Piece]) {
	for p := range all {
		if d.readPiece(p); d.done {
			return
		}
	}
}

type linkFinder struct {
	text     string
	o        Options
	yield    func(Link) bool
	done     bool   // whether the caller has ended the loop
	base     string // value of the href attribute in the base element
	based    bool   // whether the document itself sets base, and not an outer document
	xml      bool
	markdown bool
	mdx      bool // the document is Markdown with components and expressions
	depth    int  // number of documents that contain this document
	code     int  // number of open code elements
	// linked reports whether an "a" element is open. A URL in the text of such an element is not a
	// separate link.
	linked  bool
	linkEnd int  // offset of the next end tag of a link, or the end of the text
	posts   bool // whether browsers submit the open form with POST

	elements map[string]string // shared values of Link.Element
}

func newLinkFinder(text string, o *Options, yield func(Link) bool) *linkFinder {
	d := &linkFinder{text: text, yield: yield, elements: map[string]string{}, xml: markup.IsXML(text)}
	if o != nil {
		d.o = *o
	}
	return d
}

func (d *linkFinder) readPiece(p markup.Piece) {
	written := d.text[p.Start:p.End]
	switch p.Kind {
	case markup.Prose:
		d.markdownProse(p.Start, p.End)
	case markup.Code:
		if !d.o.NoCode {
			d.readProse(p.Start, p.End, markup.Literal)
		}
	case markup.Link, markup.External, markup.Image, markup.Definition:
		if len(written) <= maxPiece {
			decoded := markup.Decode(written, markup.MarkdownText)
			element := ""
			if p.Kind == markup.External {
				element = "external"
			}
			// A destination between "<" and ">" may contain spaces.
			d.emitReference(strings.ReplaceAll(decoded.Text, " ", "%20"), p.Start, p.End, forms[p.Kind], element)
		}
	case markup.Autolink:
		decoded := markup.Decode(written, markup.HTMLText)
		d.emitReference(decoded.Text, p.Start, p.End, extract.Bracketed, "")
	case markup.Address:
		local, domain, _ := strings.Cut(written, "@")
		d.emitReference("mailto:"+escape.Encode(local, escape.Unreserved())+"@"+domain, p.Start, p.End, extract.Bracketed, "")
	case markup.Unseen, markup.LinkText:
		d.readHidden(p.Start, p.End)
	case markup.Tag, markup.HTMLBlock:
		d.html(p.Start, p.End)
	}
}

var forms = map[markup.PieceKind]extract.Form{markup.Link: extract.Link, markup.External: extract.Link, markup.Image: extract.Image, markup.Definition: extract.Definition}

func (d *linkFinder) html(start, end int) {
	h := markup.HTML{Source: d.text[:end], Offset: start, XML: d.xml, JSX: d.mdx}
	for !d.done && h.Begin() {
		switch h.Kind {
		case markup.Text:
			d.readProse(h.Start, h.End, markup.HTMLText)
		case markup.Verbatim:
			d.readProse(h.Start, h.End, markup.Literal)
		case markup.StartTag:
			d.openCode(h.Name)
			d.readAttributes(&h)
			d.openTag(&h)
		case markup.EndTag:
			d.closeCode(h.Name)
			d.closeTag(h.Name)
		case markup.Comment:
			d.readHidden(h.Start, h.End)
		case markup.Content:
			if h.Name == "style" {
				d.readCSS(&source{markup.Decoded{Text: d.text[h.Start:h.End]}, h.Start, "style"})
			}
			d.readHidden(h.Start, h.End)
		}
	}
}

// openTag handles the start tag of a link or a form.
func (d *linkFinder) openTag(h *markup.HTML) {
	switch {
	case markup.SameName(h.Name, "a"):
		// Authors write "<a/>" for an element without content, although HTML does not allow it.
		d.linked = (h.Has("href") || h.Has("xlink:href")) && !strings.HasSuffix(h.Source[:h.End], "/>") &&
			(!d.markdown || d.endsLink(h.End))
	case markup.SameName(h.Name, "form"):
		d.posts = has(h, "method", "post")
	}
}

// endsLink reports whether the end tag of a link follows the start tag at the offset i. In
// Markdown, a link without an end tag counts as empty, because otherwise the text of the link
// would include the next blocks. The linkFinder reads start tags in order, so all searches
// together read the text only once.
func (d *linkFinder) endsLink(i int) bool {
	for d.linkEnd < i {
		n := strings.Index(d.text[i:], "</")
		if n < 0 {
			d.linkEnd = len(d.text)
			break
		}
		i += n + len("</")
		if name, _, ok := strings.Cut(d.text[i:min(len(d.text), i+len("a>"))], ">"); ok && markup.SameName(name, "a") {
			d.linkEnd = i
		}
	}
	return d.linkEnd < len(d.text)
}

// closeTag handles an end tag. The end tag of a table cell also ends an open link in the cell (HTML
// 13.2.4.3).
func (d *linkFinder) closeTag(name string) {
	switch {
	case markup.SameName(name, "a"), markup.SameName(name, "td"), markup.SameName(name, "th"), markup.SameName(name, "caption"):
		d.linked = false
	case markup.SameName(name, "form"):
		d.posts = false
	}
}

func (d *linkFinder) emit(l Link) {
	l.Base = d.base
	if !d.done && !d.yield(l) {
		d.done = true
	}
}

// maxPiece is the maximum number of bytes of running text that readProse decodes at once. maxPiece
// is many times larger than the maximum size of a URL with its delimiters.
const maxPiece = 16 * locus.MaxLen

// readProse reports the URLs in the running text between the offsets start and end.
func (d *linkFinder) readProse(start, end int, n markup.Notation) {
	if d.code > 0 || d.linked && !d.o.Hidden {
		return
	}
	text := d.text[start:end]
	if !d.o.Extract.Schemeless && !mayHold(text, n) {
		return
	}
	if markup.Index(text, n) < 0 {
		d.readDecoded(start, markup.Decoded{Text: text}, n)
		return
	}
	for start < end && !d.done {
		stop := end
		if end-start > maxPiece {
			stop = start + maxPiece
			if blank := strings.LastIndexAny(d.text[start:stop], " \t\r\n"); blank > 0 {
				stop = start + blank
			}
		}
		d.readDecoded(start, markup.Decode(d.text[start:stop], n), n)
		start = stop
	}
}

// mayHold reports whether text may contain a URL. If it returns false, text contains neither a ":"
// nor a character reference that may represent a ":".
func mayHold(text string, n markup.Notation) bool {
	return strings.IndexByte(text, ':') >= 0 ||
		n != markup.Literal && strings.IndexByte(text, '&') >= 0 && (strings.Contains(text, "&#") || strings.Contains(text, "&colon"))
}

// readDecoded reports the URLs in the decoded text p, which begins at the offset start in the
// document.
func (d *linkFinder) readDecoded(start int, p markup.Decoded, n markup.Notation) {
	o := d.o.Extract
	o.Clone = o.Clone || p.Changed() // URLs must not retain the decoded text
	read := 0                        // end offset of the last template in p
	for m := range extract.All(p.Text, &o) {
		if int(m.Start) < read {
			continue
		}
		l := Link{Match: m}
		if t, size, ok := asTemplate(m, d.textAfter(start, &p, int(m.End))); ok {
			if l, read = t, int(m.End)+size; !d.o.Templates {
				continue
			}
		} else if n == markup.MarkdownText && m.Form == extract.Bare {
			trimEmphasis(&l.Match)
		}
		l.Start, l.End = int64(start+p.Offset(int(l.Start))), int64(start+p.Offset(int(l.End)))
		if d.emit(l); d.done {
			return
		}
	}
}

// textAfter returns the rest of the decoded text p after the offset i. If there is no rest, it
// returns the markup that follows p. The text of p begins at the offset start in the document.
func (d *linkFinder) textAfter(start int, p *markup.Decoded, i int) string {
	if i < len(p.Text) {
		return p.Text[i:]
	}
	return d.text[start+p.Offset(i):]
}

// trimEmphasis removes "*", "_" and "~" from the end of a bare URL. trimEmphasis also removes the
// punctuation before these characters.
func trimEmphasis(m *extract.Match) {
	text := m.URL.String()
	if strings.IndexByte("*_~", text[len(text)-1]) < 0 {
		return
	}
	text = strings.TrimRight(text, "*_~.,;:!?'\"")
	if u, err := locus.Parse(text); err == nil && len(text) > len(m.URL.Scheme())+len(":") {
		m.End -= int64(m.URL.Len() - u.Len())
		m.URL = u
	}
}

// emitReference reports a URL or a relative reference. The text of the reference is ref. The link
// is between the offsets start and end in the document.
func (d *linkFinder) emitReference(ref string, start, end int, form extract.Form, element string) {
	if ref == "" || len(ref) > locus.MaxLen {
		return
	}
	if d.o.Extract.Clone {
		ref = strings.Clone(ref)
	}
	l := Link{Match: extract.Match{Form: form, Start: int64(start), End: int64(end)}, Element: element}
	if end, _ := octet.SchemeEnd(ref); end > 0 && end < len(ref) && ref[end] == ':' {
		name := ref[:end]
		if markup.SameName(name, "javascript") {
			d.readHidden(start, int(l.End))
			return
		}
		if d.o.SchemesOnly {
			if _, ok := d.o.Extract.Schemes.Lookup(name); !ok {
				return
			}
		}
		l.URL, _ = locus.Parse(ref)
		l.IRI = !l.URL.IsZero() && octet.All(ref)&octet.ASCII == 0
	}
	if l.URL.IsZero() {
		l.Ref = ref
	}
	d.emit(l)
}

// readHidden reports the URLs in the invisible text between the offsets start and end, if the
// options select such URLs.
func (d *linkFinder) readHidden(start, end int) {
	if d.o.Hidden {
		d.readProse(start, end, markup.Literal)
	}
}
