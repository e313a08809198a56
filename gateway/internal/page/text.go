package page

import (
	"cmp"
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

// textPage writes a page of a text while the text arrives. URLs in the text become links. If the
// media type has no charset, bytes that are not valid UTF-8 are decoded as ISO Latin 1.
func (p *Printer) textPage(w io.Writer, h *Head, o *scheme.Object) error {
	g := p.beginPage(w, h, o, kindText, "")
	g.writePiece("begin-text", nil)
	broken := g.writeText(inUTF8(o.Body, o.Type))
	g.writePiece("end-text", nil)
	return g.endPage(broken)
}

// inUTF8 returns a reader that converts a text of the given media type to UTF-8. Even if the server
// states UTF-8, inUTF8 decodes invalid bytes as ISO Latin 1, because servers often guess UTF-8 from
// the start of a text.
func inUTF8(r io.Reader, mediaType string) io.Reader {
	name := charset.OfType(mediaType)
	if charset.IsUTF8(name) {
		name = ""
	}
	return charset.NewReader(name, r, -1)
}

// writeText writes the text from r, and makes URLs into links. If r ends early, it returns the
// reason.
func (g *page) writeText(r io.Reader) (incomplete error) {
	t := &linker{page: g, r: r}
	for m, failure := range extract.Stream(t, &extract.Options{Schemes: g.linkedSchemes()}) {
		if failure != nil {
			incomplete = cmp.Or(t.broken, failure)
			break
		}
		t.writeMatch(m)
	}
	t.write(len(t.held))
	g.flush()
	return incomplete
}

// linkedSchemes returns the schemes whose URLs become links in a text.
func (g *page) linkedSchemes() *extract.Schemes {
	var names []string
	for _, s := range g.registry.All() {
		if s.Access.Opener != nil || s.Status == scheme.Standard || s.Status == scheme.Draft || s.Status == scheme.Extension {
			names = append(names, s.Name)
		}
	}
	return extract.Named(extract.Host, names...)
}

// maxUndecided is the maximum number of bytes that linker buffers. The extractor looks back
// fewer bytes, so earlier text can't contain another URL.
const maxUndecided = 512 << 10

// linker passes a text to the extractor. It writes a part of the text as soon as all URLs in that
// part are known.
type linker struct {
	*page
	r      io.Reader
	held   []byte // bytes that were read but not written yet
	at     int64  // offset of held in the text
	broken error  // error of the reader
	cr     bool   // the last written byte is a CR
}

// Read implements [io.Reader] for the extractor.
func (t *linker) Read(p []byte) (int, error) {
	t.write(wholeCharacters(t.held, max(settledLength(t.held), len(t.held)-maxUndecided)))
	t.flush()
	if t.page.err != nil {
		return 0, t.page.err
	}
	n, err := t.r.Read(p)
	t.held = append(t.held, p[:n]...)
	if err != nil && err != io.EOF {
		t.broken = err
	}
	return n, err
}

// writeMatch writes the text before a URL, and then the URL.
func (t *linker) writeMatch(m extract.Match) {
	if m.Start < t.at {
		return
	}
	t.write(int(m.Start - t.at))
	n := int(m.End - t.at)
	switch link := t.linkTo(&m); {
	case n > len(t.held):
	case link == "":
		t.write(n)
	default:
		t.cr = false // a URL does not end with CR
		t.addPiece("link", struct{ Link, Text string }{link, term.SafeLines(lineEnds(string(t.held[:n])))})
		t.drop(n)
	}
}

// linkTo returns the link for a URL that the extractor found. For an IRI, it returns the link for
// the equivalent URL. If there is no link, it returns "".
func (g *page) linkTo(m *extract.Match) string {
	u, err := iri.URL(m.URL)
	if err != nil {
		return ""
	}
	return g.pagePath(u, Show{})
}

func (t *linker) drop(n int) {
	t.held = t.held[:copy(t.held, t.held[n:])]
	t.at += int64(n)
}

// write writes the first n bytes of held as text.
func (t *linker) write(n int) {
	if n <= 0 {
		return
	}
	piece := t.held[:n]
	if t.cr && piece[0] == '\n' {
		piece = piece[1:]
	}
	t.cr = t.held[n-1] == '\r'
	t.addPiece("run", term.SafeLines(lineEnds(string(piece))))
	t.drop(n)
}

// lineEnds replaces every line end with "\n".
func lineEnds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// wholeCharacters returns n, or the largest smaller number that does not split a character of
// the text.
func wholeCharacters(text []byte, n int) int {
	for back := 1; back < utf8.UTFMax && 0 < n && n < len(text) && !utf8.RuneStart(text[n]); back++ {
		n--
	}
	return n
}

// settledLength returns the number of bytes at the start of text that can't be part of a URL,
// whatever text follows. These bytes end before the first "<", before the name at the first
// ":", and before the last word.
func settledLength(text []byte) int {
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

// nameBefore returns the offset of the word that ends at the offset end.
func nameBefore(text []byte, end int) int {
	for end > 0 && !isBlank(text[end-1]) && len(text)-end < locus.MaxLen {
		end--
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
