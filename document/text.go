package document

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/octet"
)

func (f *finder) text(it item, h *head, k kind) {
	t := texts{f: f, it: it, typ: f.typeOf(it, k)}
	switch {
	case k == csv:
		t.readCells(h)
	case k.isMarkup():
		t.readMarkup(k)
	case h.all:
		t.readShort(h.octets)
	case t.divides():
		t.divide(h)
	default:
		t.readStream()
	}
}

// typeOf returns the media type of an item.
func (f *finder) typeOf(it item, k kind) string {
	if t := mediaType(it.typ); t != "" {
		return t
	}
	t := media.ByName(it.name)
	switch {
	case kindOfType(t) == k && (k != plain || strings.HasPrefix(t, "text/") || strings.HasPrefix(t, "application/")):
		if t != "" {
			return t
		}
	case k == html:
		return "text/html"
	case k == markdown:
		return "text/markdown"
	}
	return "text/plain"
}

type texts struct {
	f     *finder
	it    item
	typ   string
	lines *extract.Lines
	// base is the offset of the text in the item, and line is the number of lines before the text.
	base, line int64
}

// emit yields the link l. It adds the position, unless the options disable positions. If the
// caller has ended the loop, emit returns false.
func (t *texts) emit(l *Link) bool {
	if t.lines != nil {
		at := t.lines.At(l.Start)
		l.Line, l.Column = t.line+at.Line, at.Column
		if t.f.o.Context {
			l.Context = t.lines.Context(l.Start)
		}
	}
	l.Start += t.base
	l.End += t.base
	l.Member, l.Type = t.it.member, t.typ
	if l.Ref != "" && t.it.base != "" {
		l.Base = resolveBase(l.Base, t.it.base)
	}
	l.ASCII = locus.URL{}
	if l.IRI {
		l.ASCII, _ = iri.URL(l.URL)
	}
	if !t.f.yield(*l, nil) {
		t.f.done = true
	}
	return !t.f.done
}

// readStream reports the links in plain text of any length.
func (t *texts) readStream() {
	t.lines = nil
	text := t.it.r
	if !t.f.o.NoPosition {
		t.lines = extract.NewLines(text)
		text = t.lines
	}
	var l Link
	for m, err := range extract.Stream(text, &t.f.o.Extract) {
		if err != nil {
			if cause := errors.Unwrap(err); t.base > 0 && cause != nil {
				err = fmt.Errorf("can't read after byte %d: %w", t.base, cause)
			}
			t.f.fail(t.it, err)
			return
		}
		if l.Match = m; !t.emit(&l) {
			return
		}
	}
}

// setText stores the text, from which positions are computed later.
func (t *texts) setText(text []byte) string {
	if !t.f.o.NoPosition {
		t.lines = extract.LinesOf(text)
	}
	return octet.View(text)
}

// readShort reports the links in a short plain text, whose buffer the caller reuses later.
func (t *texts) readShort(text []byte) {
	o := t.f.o.Extract
	o.Clone = !o.Borrow
	var l Link // the loop sets all its fields for each match
	for m := range extract.All(t.setText(text), &o) {
		if l.Match = m; !t.emit(&l) {
			return
		}
	}
}

// readers maps kinds with markup to the functions that yield their links.
var readers = map[kind]func(string, *Options) iter.Seq[Link]{markdown: Markdown, html: HTML, css: CSS, asciidoc: asciidocLinks, rst: rstLinks, xml: xmlLinks}

func (k kind) isMarkup() bool { return readers[k] != nil }

// readMarkup reports the links in a text with markup. It reads the whole text into memory.
func (t *texts) readMarkup(k kind) {
	octets, ok, err := t.f.readAll(&t.it)
	if !ok && k == xml {
		t.readStream()
		return
	}
	if !ok {
		t.f.fail(t.it, fmt.Errorf("%w: a marked-up text of more than %d bytes is read as plain text", ErrLimit, t.f.o.MaxBuffered))
		t.typ = "text/plain"
		t.readStream()
		return
	}
	if err != nil {
		// The last line may be truncated.
		octets = octets[:bytes.LastIndexByte(octets, '\n')+1]
	}
	read := readers[k]
	if k == markdown && strings.EqualFold(path.Ext(t.it.name), ".mdx") {
		read = mdx
	}
	o := t.f.o
	o.Extract.Clone = !o.Extract.Borrow
	for l := range read(t.setText(octets), &o) {
		if !t.emit(&l) {
			break
		}
	}
	if err != nil {
		t.f.fail(t.it, err)
	}
}
