package document

import (
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
)

// asciidocLinks yields the links in an AsciiDoc document and the URLs in its running text, in
// document order. It reports:
//
//	https://host/a[text]        Link; the text is not searched
//	link:a.html[text]           Link; also mailto:a@host[text]
//	xref:a.adoc#id[text]        Link, with the Element "xref"; also <<id,text>> and <<a.adoc#id,text>>
//	image::a.png[alt]           Image; also image:a.png[alt]; video and audio are Link
//	include::a.adoc[]           Link, with the Element "include"
//	see https://host/           running text, without marks at the end
//
// asciidocLinks replaces references to attributes that the document defines. If a destination
// contains a reference to another attribute, the field Ref is the whole destination as written.
func asciidocLinks(text string, o *Options) iter.Seq[Link] {
	return markedLinks(text, o, markup.Asciidoc, markup.HTMLValue)
}

// markedLinks yields the links in a document. The function split divides the text into pieces of
// markup, and n is the notation of running text.
func markedLinks(text string, o *Options, split func(string) iter.Seq[markup.Piece], n markup.Notation) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		for p := range split(text) {
			if d.markedPiece(p, n); d.done {
				return
			}
		}
	}
}

// markedPiece reports the links in one piece of AsciiDoc or reStructuredText.
func (d *linkFinder) markedPiece(p markup.Piece, n markup.Notation) {
	switch p.Kind {
	case markup.Prose:
		d.markedProse(p.Start, p.End, n)
	case markup.Code:
		if !d.o.NoCode {
			d.readProse(p.Start, p.End, markup.Literal)
		}
	case markup.Unseen:
		d.readHidden(p.Start, p.End)
	case markup.HTMLBlock:
		d.html(p.Start, p.End)
	default:
		d.emitDestination(p, n)
	}
}

// pieceElements maps the kind of a piece to the value of [Link].Element.
var pieceElements = map[markup.PieceKind]string{markup.Xref: "xref", markup.Include: "include", markup.Role: "doc", markup.Label: "ref"}

// markedForms maps the kind of a piece to the form of its link. For other kinds, the form is Link.
var markedForms = map[markup.PieceKind]extract.Form{markup.Image: extract.Image, markup.Definition: extract.Definition, markup.Autolink: extract.Bare}

// emitDestination reports the link whose destination is the piece p.
func (d *linkFinder) emitDestination(p markup.Piece, n markup.Notation) {
	if (p.Kind == markup.Role || p.Kind == markup.Label) && !d.o.Templates || p.End-p.Start > maxPiece {
		return
	}
	form, ok := markedForms[p.Kind]
	if !ok {
		form = extract.Link
	}
	text := p.Text
	if text == "" {
		decoded := markup.Decode(d.text[p.Start:p.End], n)
		text = decoded.Text
	}
	text = strings.ReplaceAll(text, " ", "%20")
	if element := pieceElements[p.Kind]; element != "" && !strings.Contains(text, "://") && len(text) <= locus.MaxLen {
		// The text is a name, in which a ":" does not follow a scheme.
		d.emit(Link{Match: extract.Match{Form: form, Start: int64(p.Start), End: int64(p.End)}, Ref: d.cloneText(text), Element: element})
		return
	}
	d.emitReference(text, p.Start, p.End, form, pieceElements[p.Kind])
}

// cloneText returns text. If links must not retain the document's memory, it returns a copy.
func (d *linkFinder) cloneText(text string) string {
	if d.o.Extract.Clone {
		return strings.Clone(text)
	}
	return text
}

// markedProse reports the URLs in running text. markedProse removes emphasis marks from the ends
// of URLs.
func (d *linkFinder) markedProse(start, end int, n markup.Notation) {
	yield := d.yield
	d.yield = func(l Link) bool {
		if l.Form == extract.Bare {
			trimEmphasis(&l.Match)
		}
		return yield(l)
	}
	d.readProse(start, end, n)
	d.yield = yield
}
