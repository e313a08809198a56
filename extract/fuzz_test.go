package extract

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus"
)

// pieces are the parts of generated texts. Each is relevant to a rule.
var pieces = []string{
	"http://", "https://", "HTTP://", "ftp://", "file://", "gopher://", "news:", "mailto:", "mid:", "urn:", "magic:", "std::", "URL:", "url:", "<", "<URL:", "<url: ", "< \n", ">", "&lt;", "&gt;", "&amp;", "&am", "&quot;",
	"h", "a.b", "www.example.org", "host.dom:80", "localhost", "10.0.0.1", "[::1]", "[", "]", "user:pw@", "@", "@b.c", "comp.infosystems.www", "isbn:", "1", "x", "/", "/path", "/name.html", "?q=1", "?", "#f", "#", "%20", "%", "%z", "%4",
	".", ",", ";", ":", "!", "'", "\"", "(", ")", "{", "}", "*", "_", "~", "|", "\\", "^", "`", "-", "+", "=", "$", "//", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\f", "\n> ", "\n>> ", "> ", "| ", "\n| ", "// ", "\n// ", "# ", "\n * ", "/* ", "\n  12. ", "\n  13. ", "12: ",
	"\n\n   Berners-Lee, et al.                          [Page 12]\n\f\nRFC 1738        Uniform Resource Locators       December 1994\n\n", "\n\nFooter      24\n", "RFC 1      X    May 1993\n", "[Page 3]", "-\n", "- \n  ",
	"\u00a0", "\u00ad", "é", "Ж", "字", "。", "（", "”", "’", "\xff", "\xc2", "\xe2\x80", "\u200b", "한", "カ", "\x00", "\x7f", "word", "see ", "(see ", "http", "s:", "://",
	"$(", "{{", "...", "…", "<name>", "&lt;id&gt;", "\\_", "\\(", "\\)", "\\%", "\\.", "%d", "%s", "_(", "/字", "字/a", "字.html", "・", "？.png", "😀", "/😀", "C:\\", "$ ", "~ ", "^o", ":|a", "/*",
	"\u2013", "\u2014", "\u2019", "\u2018", "\u200d", "\u00b7", "☺", "\ufe0f", "→", "｜", "│", "는", "www.",
}

// compose joins n pieces. The pieces are of all kinds, or only those that follow a scheme, or only
// those in a wrapper. Otherwise such pieces would rarely be adjacent.
func compose(r *rand.Rand, n int) string {
	kinds := [][]string{pieces, pieces[42:], pieces[72:132]}
	from := kinds[r.IntN(len(kinds))]
	var b strings.Builder
	for k := range n {
		if k%8 == 0 {
			b.WriteString([]string{"", "'", "> ", "  12. ", "// ", "*"}[r.IntN(6)])
			b.WriteString([]string{"", "", "<URL:", "<"}[r.IntN(4)])
			b.WriteString([]string{"", "http://h/a", "ftp://u@h.i:80/", "mailto:a@b", "news:a.b"}[r.IntN(5)])
		}
		b.WriteString(from[r.IntN(len(from))])
	}
	b.WriteString([]string{"", ">", " >", "> http://h"}[r.IntN(4)])
	return b.String()
}

func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 38))
	rounds := 5_000
	if testing.Short() {
		rounds = 1_000
	}
	urls, others := 0, 0
	for range rounds {
		text := compose(r, 1+r.IntN(14))
		check(t, text, r.Int64())
		for m := range All(text, nil) {
			urls++
			if m.Alternative != (locus.URL{}) {
				others++
			}
		}
	}
	if urls < rounds/2 || others < rounds/100 {
		t.Errorf("%d texts have %d URLs, %d of them with another reading: too few to tell", rounds, urls, others)
	}
}

func FuzzAll(f *testing.F) {
	r := rand.New(rand.NewPCG(17, 38))
	for range 50 {
		f.Add(compose(r, 12), int64(4))
	}
	f.Fuzz(check)
}

// check compares the results of All with those of the slow implementation and of Stream, and
// checks the properties of every result.
func check(t *testing.T, text string, seed int64) {
	t.Helper()
	options := []*Options{nil, {Schemeless: true}}
	if seed%4 == 0 {
		options = append(options, &Options{NoBare: true}, &Options{Schemes: Named(Any, "http", "mailto", "news", "file", "a", "tp", "x-y")})
	}
	for _, o := range options {
		list := slices.Collect(All(text, o))
		end := int64(0)
		for _, m := range list {
			if m.Start < end || m.End <= m.Start || m.End > int64(len(text)) {
				t.Fatalf("%q: %v at %d to %d, behind one to %d", text, m.URL, m.Start, m.End, end)
			}
			end = m.End
			if u, err := locus.Parse(m.URL.String()); u != m.URL || err != nil {
				t.Fatalf("%q: %v does not parse", text, m.URL)
			}
			written := m.URL.String()
			if m.Assumed {
				written = strings.TrimPrefix(strings.TrimPrefix(written, "http://"), "mailto:")
			}
			inText := strings.ReplaceAll(text[m.Start:m.End], `\`, "")
			if m.Escaped {
				written, inText = strings.ReplaceAll(written, "%25", "%"), strings.ReplaceAll(inText, "%25", "%")
			}
			if m.Form == Bare && inText != written {
				t.Fatalf("%q: %v at %d to %d", text, m.URL, m.Start, m.End)
			}
		}
		if slow := slowAll(text, o); !slices.Equal(list, slow) {
			t.Fatalf("%q:\nfast: %v\nslow: %v", text, list, slow)
		}
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		if streamed := collectIn(t, &inPieces{text: text, r: r}, o); !slices.Equal(list, streamed) {
			t.Fatalf("%q:\nwhole:    %v\nstreamed: %v", text, list, streamed)
		}
	}
}

// windows holds the windows of streams that have ended. The windows are reused, because it takes
// longer to allocate a window than to search a short text.
var windows = sync.Pool{New: func() any { return new([]byte) }}

// collectIn is like collect, but reuses a window.
func collectIn(t *testing.T, r io.Reader, o *Options) (list []Match) {
	t.Helper()
	buf := windows.Get().(*[]byte)
	defer windows.Put(buf)
	s := newStream(r, o)
	s.buf = *buf
	s.run(func(m Match, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
		return true
	})
	*buf = s.buf[:0]
	return list
}

// inPieces is a reader that returns a text in pieces of random sizes, some of which are empty.
type inPieces struct {
	text string
	r    *rand.Rand
}

func (p *inPieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	size := []int{1, 2, 3, 7, 64, 1000, 5000, 100_000}[p.r.IntN(8)]
	n := copy(b, p.text[:min(p.r.IntN(size+1), len(p.text))])
	p.text = p.text[n:]
	if p.text == "" && p.r.IntN(2) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func collect(t *testing.T, r io.Reader, o *Options) (list []Match) {
	t.Helper()
	for m, err := range Stream(r, o) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// FuzzStream executes only tens of texts per second, because a text must be longer than a window
// to test the stream.
func FuzzStream(f *testing.F) {
	f.Add(int64(1), uint16(5))
	f.Add(int64(2), uint16(500))
	f.Fuzz(func(t *testing.T, seed int64, pieces uint16) {
		n := int(pieces) % 1001
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		checkStream(t, longText(r, n), r)
	})
}

// longText returns a text with n pieces, some of which are longer than a window or a limit.
func longText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
		if r.IntN(1+n/4) == 0 {
			lengths := []int{500, 1000, 1024, 30_000, 32_768, 65_500, 65_536, 65_537, 70_000, 131_072, 140_000}
			fill := []string{"x", " ", "\n> ", ".", "é", "/a", "a:"}[r.IntN(7)]
			b.WriteString(strings.Repeat(fill, lengths[r.IntN(len(lengths))]/len(fill)))
		}
	}
	return b.String()
}

func checkStream(t *testing.T, text string, r *rand.Rand) {
	t.Helper()
	list := slices.Collect(All(text, nil))
	if streamed := collect(t, &inPieces{text, r}, nil); !slices.Equal(list, streamed) {
		t.Fatalf("%d octets: %d URLs in the whole, %d streamed", len(text), len(list), len(streamed))
	}
}

func TestStreamLong(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		checkStream(t, longText(r, 1+r.IntN(60)), r)
	}
}

func TestStreamOneByteAtATime(t *testing.T) {
	text := strings.Repeat("<URL:http://h/a-\n b> word http://a.b/c?d=e, ", 500)
	list := slices.Collect(All(text, nil))
	if streamed := collect(t, iotest.OneByteReader(strings.NewReader(text)), nil); !slices.Equal(list, streamed) || len(list) != 1000 {
		t.Errorf("%d URLs in the whole, %d streamed", len(list), len(streamed))
	}
}

func TestStreamError(t *testing.T) {
	broken := errors.New("broken")
	var list []Match
	var last error
	for m, err := range Stream(io.MultiReader(strings.NewReader("http://a.b/ http://c.d/cu"), iotest.ErrReader(broken)), nil) {
		if last = err; err == nil {
			list = append(list, m)
		}
	}
	// The second URL may continue after the end of the text, so it is not found.
	if len(list) != 1 || !errors.Is(last, broken) || last.Error() != "extract: can't read at byte 25: broken" {
		t.Errorf("%v, error %v", list, last)
	}
	for _, err := range Stream(emptyReader{}, nil) {
		if !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("a reader that gives nothing: %v", err)
		}
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }
