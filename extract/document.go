package extract

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// document is a text with markup, and what was found in it so far.
type document struct {
	text  string
	o     Options
	bare  *scanner
	yield func(Match) bool
	done  bool   // the caller wants no more
	base  string // of <base href>
	based bool   // it is of this document
	xml   bool   // the text says that it is XML
	depth int    // documents around it

	elements map[string]string // names that Element has, each kept once
}

func newDocument(text string, o *Options, yield func(Match) bool) *document {
	d := &document{text: text, bare: newScanner(o), yield: yield, elements: map[string]string{}}
	if o != nil {
		d.o = *o
	}
	d.xml = strings.HasPrefix(strings.TrimLeft(text, "\uFEFF \t\r\n"), "<?xml")
	return d
}

// emit reports m.
func (d *document) emit(m Match) {
	m.Base = d.base
	if !d.done && !d.yield(m) {
		d.done = true
	}
}

// maxPiece is the most of running text that is decoded at once, in octets. It is
// many times what a wrapper can have.
const maxPiece = 16 * locus.MaxLen

// prose reports the URLs of the running text from start to end.
func (d *document) prose(start, end int, n notation) {
	text := d.text[start:end]
	if !d.o.Schemeless && !mayHold(text, n) {
		return
	}
	if indexMark(text, n) < 0 {
		d.piece(start, decoded{text: text}, n)
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
		d.piece(start, decode(d.text[start:stop], n), n)
		start = stop
	}
}

// mayHold reports whether text may hold a URL: whether there is a ":" in it, or
// something that may stand for one.
func mayHold(text string, n notation) bool {
	return strings.IndexByte(text, ':') >= 0 ||
		n != literal && strings.IndexByte(text, '&') >= 0 && (strings.Contains(text, "&#") || strings.Contains(text, "&colon"))
}

// piece reports the URLs of p, which the text has at start.
func (d *document) piece(start int, p decoded, n notation) {
	for pos := 0; !d.done; {
		var m Match
		next, v := d.bare.next(p.text, pos, len(p.text), true, &m)
		if v != found {
			return
		}
		pos = next
		if n == markdownText && m.Form == Bare {
			trimEmphasis(&m)
		}
		m.Start, m.End = int64(start+p.place(int(m.Start))), int64(start+p.place(int(m.End)))
		if p.edits != nil {
			m.URL, m.Alternative = d.own(m.URL, m), d.own(m.Alternative, m)
		}
		d.emit(m)
	}
}

// own returns u with a text that keeps no decoded text in memory: that of the
// document if it is written there, else its own.
func (d *document) own(u locus.URL, m Match) locus.URL {
	text := d.text[m.Start:m.End]
	if u.String() != text {
		text = strings.Clone(u.String())
	}
	v, _ := locus.Parse(text) // It has parsed before. The zero URL stays zero.
	return v
}

// trimEmphasis takes the "*", "_" and "~" from the end of a bare URL, with what
// comes before them at the end of a sentence.
func trimEmphasis(m *Match) {
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

// refer reports m, which written locates: a URL, or else a partial form.
func (d *document) refer(written string, m Match) {
	if written == "" || len(written) > locus.MaxLen {
		return
	}
	if end, _ := octet.SchemeEnd(written); end > 0 && end < len(written) && written[end] == ':' {
		name := strings.ToLower(written[:end])
		if name == "javascript" {
			d.hidden(int(m.Start), int(m.End))
			return
		}
		if d.o.Schemes != nil && !d.o.Schemes(name) {
			return
		}
		m.URL, _ = locus.Parse(written)
		m.IRI = !m.URL.IsZero() && isIRI(written)
	}
	if m.URL.IsZero() {
		m.Ref = written
	}
	d.emit(m)
}

// hidden reports the URLs between start and end, which no reader sees, if they
// are wanted.
func (d *document) hidden(start, end int) {
	if d.o.Hidden {
		d.prose(start, end, literal)
	}
}
