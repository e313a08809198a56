package document

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/octet"
)

// text reports the links of a text.
func (f *finder) text(it item, h *head, k kind) {
	t := texts{f: f, it: it, typ: f.typeOf(it, k)}
	switch {
	case k == markdown || k == html || k == css:
		t.markup(k)
	case h.all && !f.o.Context:
		t.short(octet.View(h.octets))
	default:
		if !t.positions() {
			if whole := it.inPlace(len(h.octets)); whole != nil && whole.Size() >= large {
				t.inPlace(whole)
				return
			}
		}
		t.stream()
	}
}

// large is how long a text is that is worth reading on several processors.
const large = 1 << 20

// typeOf returns the media type that an item is read as.
func (f *finder) typeOf(it item, k kind) string {
	if t := mediaType(it.typ); t != "" {
		return t
	}
	t := media.ByName(it.name)
	switch {
	case types[t] == k && (k != plain || strings.HasPrefix(t, "text/") || strings.HasPrefix(t, "application/")):
		if t != "" {
			return t
		}
	case k == html:
		return "text/html"
	}
	return "text/plain"
}

// short reports the links of plain text that is in memory, and is not kept there.
func (t *texts) short(text string) {
	o := t.f.o.Extract
	o.Clone = true
	at, line, column := 0, int64(1), int64(1)
	for m := range extract.All(text, &o) {
		l := Link{Match: m, Member: t.it.member, Type: t.typ}
		if !t.positions() {
			if !t.report(l) {
				return
			}
			continue
		}
		// As extract.Lines counts. What is before a URL is a whole character.
		between := text[at:m.Start]
		if last := strings.LastIndexByte(between, '\n'); last >= 0 {
			line += int64(strings.Count(between, "\n"))
			column = 1
			between = between[last+1:]
		}
		column += int64(utf8.RuneCountInString(between))
		at = int(m.Start)
		if l.Line, l.Column = line, column; !t.report(l) {
			return
		}
	}
}

// texts reports what is found in one text.
type texts struct {
	f     *finder
	it    item
	typ   string
	text  string // if it is in memory
	lines *extract.Lines
}

// emit reports m, with its position if that is wanted.
func (t *texts) emit(m extract.Match) bool {
	if !t.positions() {
		return t.report(Link{Match: m, Member: t.it.member, Type: t.typ})
	}
	at := t.lines.At(m.Start)
	if at == (extract.Position{}) && t.text != "" {
		// It is further back than lines remembers.
		t.lines = extract.NewLines(strings.NewReader(t.text))
		at = t.lines.At(m.Start)
	}
	l := Link{Match: m, Line: at.Line, Column: at.Column, Member: t.it.member, Type: t.typ}
	if t.f.o.Context {
		l.Context = t.lines.Context(m.Start)
	}
	return t.report(l)
}

// positions reports whether a link is to have its position.
func (t *texts) positions() bool { return !t.f.o.NoPosition || t.f.o.Context }

// report reports l, and whether to go on.
func (t *texts) report(l Link) bool {
	if l.IRI {
		l.ASCII, _ = iri.URL(l.URL)
	}
	if !t.f.yield(l, nil) {
		t.f.done = true
	}
	return !t.f.done
}

// stream reports the links of plain text of any length.
func (t *texts) stream() {
	text := t.it.r
	if t.positions() {
		t.lines = extract.NewLines(text)
		text = t.lines
	}
	t.each(extract.Stream(text, &t.f.o.Extract))
}

// inPlace reports the links of plain text in a file, without their positions, and
// leaves the file at its end.
func (t *texts) inPlace(text *io.SectionReader) {
	t.each(extract.StreamAt(text, text.Size(), &t.f.o.Extract))
	t.it.file.Seek(0, io.SeekEnd)
}

// each reports matches.
func (t *texts) each(matches iter.Seq2[extract.Match, error]) {
	for m, err := range matches {
		if err != nil {
			t.f.fail(t.it, err)
			return
		}
		if !t.emit(m) {
			return
		}
	}
}

// inMemory reports matches of a text that is in memory, and lets go of it.
func (t *texts) inMemory(matches iter.Seq[extract.Match]) {
	for m := range matches {
		if t.lines == nil && t.positions() {
			t.lines = extract.NewLines(strings.NewReader(t.text))
		}
		m.URL, m.Alternative = own(m.URL), own(m.Alternative)
		m.Ref, m.Base = strings.Clone(m.Ref), strings.Clone(m.Base)
		if !t.emit(m) {
			return
		}
	}
}

// own returns u with a text that keeps no other in memory.
func own(u locus.URL) locus.URL {
	v, _ := locus.Parse(strings.Clone(u.String())) // It has parsed before. The zero URL stays zero.
	return v
}

// markup reports the links of a text with markup, which is read as a whole.
func (t *texts) markup(k kind) {
	octets, ok, err := t.f.hold(&t.it)
	if !ok {
		t.f.fail(t.it, fmt.Errorf("%w: a text with markup of more than %d octets is read as plain text", ErrLimit, t.f.o.Held))
		t.typ = "text/plain"
		t.stream()
		return
	}
	if err != nil {
		// Its end, which may be in the middle of something, is missing.
		octets = octets[:bytes.LastIndexByte(octets, '\n')+1]
	}
	t.text = string(octets)
	read := extract.Markdown
	switch k {
	case html:
		read = extract.HTML
	case css:
		read = extract.CSS
	}
	t.inMemory(read(t.text, &t.f.o.Extract))
	if err != nil {
		t.f.fail(t.it, err)
	}
}
