package document

import (
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
)

// asciidocLinks yields the links of an AsciiDoc document, in order, and the URLs in its running
// text. It reports:
//
//	https://host/a[text]        Link; the text is not searched
//	link:a.html[text]           Link; also mailto:a@host[text]
//	xref:a.adoc#id[text]        Link, with the Element "xref"; also <<id,text>> and <<a.adoc#id,text>>
//	image::a.png[alt]           Image; also image:a.png[alt]; video and audio are Link
//	include::a.adoc[]           Link, with the Element "include"
//	see https://host/           running text, without marks at the end
//
// It replaces references to attributes that the document defines. If a destination contains
// another attribute reference, Ref is the whole destination as written.
func asciidocLinks(text string, o *Options) iter.Seq[Link] {
	return marked(text, o, markup.Asciidoc, markup.HTMLValue)
}

// marked yields the links in a document. The function read yields the pieces of markup, and n is
// the notation of running text.
func marked(text string, o *Options, read func(string) iter.Seq[markup.Piece], n markup.Notation) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		for p := range read(text) {
			if d.markedPiece(p, n); d.done {
				return
			}
		}
	}
}

// markedPiece reports the links in a piece of AsciiDoc or reStructuredText.
func (d *linkFinder) markedPiece(p markup.Piece, n markup.Notation) {
	switch p.Kind {
	case markup.Prose:
		d.markedProse(p.Start, p.End, n)
	case markup.Code:
		if !d.o.NoCode {
			d.prose(p.Start, p.End, markup.Literal)
		}
	case markup.Unseen:
		d.hidden(p.Start, p.End)
	case markup.HTMLBlock:
		d.html(p.Start, p.End)
	default:
		d.destination(p, n)
	}
}

// pieceElements maps kinds of pieces to [Link].Element.
var pieceElements = map[markup.PieceKind]string{markup.Xref: "xref", markup.Include: "include", markup.Role: "doc", markup.Label: "ref"}

// markedForms maps kinds of pieces, except links, to their forms.
var markedForms = map[markup.PieceKind]extract.Form{markup.Image: extract.Image, markup.Definition: extract.Definition, markup.Autolink: extract.Bare}

// destination reports the link whose destination is the text of p.
func (d *linkFinder) destination(p markup.Piece, n markup.Notation) {
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
		// The ":" does not follow a scheme.
		d.emit(Link{Match: extract.Match{Form: form, Start: int64(p.Start), End: int64(p.End)}, Ref: d.cloned(text), Element: element})
		return
	}
	d.refer(text, p.Start, p.End, form, pieceElements[p.Kind])
}

// cloned returns text, or a copy of it if the link must not retain the document.
func (d *linkFinder) cloned(text string) string {
	if d.o.Extract.Clone {
		return strings.Clone(text)
	}
	return text
}

// markedProse reports the URLs in running text. It removes emphasis marks from their ends.
func (d *linkFinder) markedProse(start, end int, n markup.Notation) {
	yield := d.yield
	d.yield = func(l Link) bool {
		if l.Form == extract.Bare {
			trimEmphasis(&l.Match)
		}
		return yield(l)
	}
	d.prose(start, end, n)
	d.yield = yield
}
