package page

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// Text writes a text with its URLs linked, as it comes. Head.Type names its charset;
// without one, octets that are no UTF-8 are read as ISO Latin 1.
func (p *Printer) Text(w io.Writer, h *Head, r io.Reader) error {
	g, err := p.begin(w, h, kindText)
	if err == nil {
		err = g.put("begin-text", nil)
	}
	if err != nil {
		return err
	}
	broken, err := g.text(inUTF8(r, h.Type))
	if err == nil {
		err = g.put("end-text", nil)
	}
	if err != nil {
		return err
	}
	return g.end(broken)
}

// inUTF8 returns a reader of a text of that media type as UTF-8. A server often says UTF-8
// after a look at the start of a text, so that other octets are still read as ISO Latin 1.
func inUTF8(r io.Reader, mediaType string) io.Reader {
	name := charset.OfType(mediaType)
	if charset.IsUTF8(name) {
		name = ""
	}
	return charset.NewReader(name, r, -1)
}

// text writes what r gives, its URLs as links; broken is why that ended early.
func (g *page) text(r io.Reader) (broken, err error) {
	t := &linker{page: g, r: r}
	for m, failure := range extract.Stream(t, &extract.Options{Schemes: g.linked()}) {
		if failure != nil {
			broken = failure
			break
		}
		if err := t.match(m); err != nil {
			return nil, err
		}
	}
	if t.err != nil {
		return nil, t.err
	}
	if broken != nil && t.broken != nil {
		broken = t.broken
	}
	t.write(len(t.held))
	return broken, cmp.Or(t.err, g.flush())
}

// linked returns the schemes whose URLs become links in a text.
func (g *page) linked() *extract.Schemes {
	var names []string
	for _, s := range g.registry.All() {
		if s.Opener != nil || s.Status == scheme.Standard || s.Status == scheme.Draft || s.Status == scheme.Extension {
			names = append(names, s.Name)
		}
	}
	return extract.Named(extract.Host, names...)
}

// mostUndecided is more than the extractor looks back at: what is further behind
// the text that it has read has no URL that it would still find.
const mostUndecided = 512 << 10

// linker gives a text to the extractor, and writes it when it is known what in it
// is a URL: at once, what can't begin one.
type linker struct {
	*page
	r      io.Reader
	held   []byte // read and not written
	at     int64  // where held begins in the text
	broken error  // the reader's
	err    error  // the writer's
	cr     bool   // the last octet written was a CR
}

// errWriter ends the extractor's reading.
var errWriter = errors.New("page: the writer failed")

// Read implements [io.Reader] for the extractor.
func (t *linker) Read(p []byte) (int, error) {
	t.write(whole(t.held, max(settled(t.held), len(t.held)-mostUndecided)))
	if t.err == nil {
		t.err = t.flush()
	}
	if t.err != nil {
		return 0, errWriter
	}
	n, err := t.r.Read(p)
	t.held = append(t.held, p[:n]...)
	if err != nil && err != io.EOF {
		t.broken = err
	}
	return n, err
}

// match writes the text before a URL, and the URL.
func (t *linker) match(m extract.Match) error {
	if m.Start < t.at {
		return nil
	}
	t.write(int(m.Start - t.at))
	n := int(m.End - t.at)
	if t.err != nil || n > len(t.held) {
		return t.err
	}
	if link := t.linkTo(&m); link != "" {
		text := term.SafeLines(lineEnds(string(t.held[:n])))
		t.cr = false // a URL does not end with one
		t.err = t.add("link", struct{ Link, Text string }{link, text})
		t.drop(n)
	} else {
		t.write(n)
	}
	return t.err
}

// linkTo returns the link to what was found in a text. That to an IRI is to the URL
// that it stands for; it is empty if there is none.
func (g *page) linkTo(m *extract.Match) string {
	u, err := iri.URL(m.URL)
	if err != nil {
		return ""
	}
	return g.link(u, Show{})
}

func (t *linker) drop(n int) {
	t.held = t.held[:copy(t.held, t.held[n:])]
	t.at += int64(n)
}

// write writes n octets of what is held as text.
func (t *linker) write(n int) {
	if n <= 0 || t.err != nil {
		return
	}
	piece := t.held[:n]
	if t.cr && piece[0] == '\n' {
		piece = piece[1:]
	}
	t.cr = t.held[n-1] == '\r'
	t.err = t.add("run", term.SafeLines(lineEnds(string(piece))))
	t.drop(n)
}

// lineEnds writes every line end as "\n".
func lineEnds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// whole returns n, or a little less: where no character is cut.
func whole(text []byte, n int) int {
	for back := 1; back < utf8.UTFMax && n-back >= 0 && n < len(text); back++ {
		if utf8.RuneStart(text[n]) {
			break
		}
		n--
	}
	return n
}

// settled returns how many octets of text have no URL in them whatever follows:
// those before the first "<", the first ":" and the name before it, and the last
// word.
func settled(text []byte) int {
	for i, c := range text {
		switch {
		case c == '<' || c == '&':
			return i
		case c == ':' && (i+1 == len(text) || !isBlank(text[i+1])):
			return nameBefore(text, i)
		}
	}
	return nameBefore(text, len(text))
}

// nameBefore returns where the word that ends at end begins.
func nameBefore(text []byte, end int) int {
	for end > 0 && !isBlank(text[end-1]) && len(text)-end < locus.MaxLen {
		end--
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
