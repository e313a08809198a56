package gopher

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// typicalMenu contains lines of 60 to 80 octets with common types.
var typicalMenu = []byte(strings.Join([]string{
	"0About this server and its keepers\t/about.txt\tgopher.example.org\t70",
	"1Documents of the working groups, 1993\t/docs/wg\tgopher.example.org\t70",
	"iThese are the documents that the groups have finished:\tfake\t(NULL)\t0",
	"0Report of the second meeting, in full\t0/docs/wg/report2\texample.org\t70",
	"9Archive of all reports of that year\t/docs/all-1993.tar\texample.org\t70\t+",
	"7Search the documents of the groups\t/cgi-bin/search\tgopher.example.org\t7070",
	"IMap of the building\t/pictures/map of the floors.gif\tgopher.example.org\t70",
	"hThe same pages for a browser\tURL:http://www.example.org/docs/\texample.org\t70",
	"1Another server of the university\t\tgopher.cs.example.edu\t70\t+",
	"0Minutes, page 12, corrected in autumn\t0/docs/wg/minutes-12\texample.org\t70\t+",
	"",
}, "\r\n"))

// endless returns a reader that repeats text. The argument octets is the total size.
func endless(text []byte, octets int64) io.Reader {
	return io.LimitReader(&repeater{text: text}, octets)
}

type repeater struct {
	text []byte
	at   int
}

func (r *repeater) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.at:])
		n += c
		if r.at += c; r.at == len(r.text) {
			r.at = 0
		}
	}
	return n, nil
}

func mustURL(t testing.TB, text string) URL {
	t.Helper()
	g, err := Parse(locus.MustParse(text))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func BenchmarkMenuLines(b *testing.B) {
	b.SetBytes(int64(len(typicalMenu)))
	b.ReportAllocs()
	m := newMenuReader(endless(typicalMenu, int64(b.N)*int64(len(typicalMenu))), benchLimits)
	n := 0
	for {
		if _, err := m.Next(); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n != 10*b.N {
		b.Fatalf("%d lines", n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/line")
}

func BenchmarkMenuItems(b *testing.B) {
	items := newItemMaker(mustURL(b, "gopher://gopher.example.org/1"))
	b.SetBytes(int64(len(typicalMenu)))
	b.ReportAllocs()
	m := newMenuReader(endless(typicalMenu, int64(b.N)*int64(len(typicalMenu))), benchLimits)
	n := 0
	for {
		l, err := m.Next()
		if err == io.EOF {
			break
		}
		if item := items.item(&l); item.Note != "" {
			b.Fatal(item.Note)
		}
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/line")
}

var benchLimits = &Limits{Items: math.MaxInt, Octets: math.MaxInt64}

func BenchmarkTextBody(b *testing.B) {
	text := bytes.Repeat([]byte("A line of a text, which is neither long nor short.\r\n\r\n.hidden\r\n..two\r\n"), 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	p := make([]byte, 32<<10)
	for b.Loop() {
		r := textBody(bytes.NewReader(text), nil)
		for {
			if _, err := r.Read(p); err != nil {
				break
			}
		}
	}
}

func BenchmarkReadHeader(b *testing.B) {
	text := strings.NewReader("")
	r := bufio.NewReader(text)
	b.ReportAllocs()
	for b.Loop() {
		text.Reset("+-1\r\n")
		r.Reset(text)
		if h, err := readHeader(r); err != nil || !h.Plus {
			b.Fatal(h, err)
		}
	}
}
