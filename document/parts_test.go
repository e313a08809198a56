package document_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/document"
)

// placed is like show, but also formats all positions of a link.
func placed(l document.Link, err error) string {
	return fmt.Sprintf("%s at %d to %d of %q", format(l, err), l.Start, l.End, l.Context)
}

// inParts returns the links in a document, and reads its parts concurrently.
func inParts(r io.Reader, o document.Options) (shown []string, parts int) {
	var lists []*[]string
	var group sync.WaitGroup
	o.Parts = func(links iter.Seq2[document.Link, error]) bool {
		list := new([]string)
		lists = append(lists, list)
		group.Go(func() {
			for l, err := range links {
				*list = append(*list, placed(l, err))
			}
		})
		return true
	}
	var rest []string
	for l, err := range document.Links(r, "a.txt", &o) {
		rest = append(rest, placed(l, err))
	}
	group.Wait()
	for _, list := range lists {
		shown = append(shown, *list...)
	}
	return append(shown, rest...), len(lists)
}

// pagesOf returns a text with the given length, with wrappers across lines and pages.
func pagesOf(r *rand.Rand, size int) string {
	pieces := []string{
		"See http://h.example/a, and <URL:ftp://h.example/b\n  c>.\n", "\n\n", "A paragraph of words: more of them.\n", "> quoted <http://h/a\n> b> mail\n",
		"x", "\n", "<URL:http://h/open", "\nBerners-Lee                      [Page 12]\n\f\nRFC 1738        Uniform Resource Locators       December 1994\n\n",
		"if a < b && c > d {\n", "\u00E4\u4E2Dhttp://h/\u00E9 ", "<a href=b>\n", "mailto:a@b.example\n",
	}
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// The parts of a long text must contain the same links as the whole text, with the same positions.
func TestPartsHaveTheLinksOfTheWhole(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 4))
		text := pagesOf(r, 1<<20+r.IntN(2<<20))
		if seed == 0 {
			text = strings.Repeat("\n<URL:http://h/a", 1<<16)
		}
		for _, o := range []document.Options{{NoPosition: true}, {Context: true}} {
			o.Extract.Borrow = seed%2 == 0
			var want []string
			for l, err := range document.Links(strings.NewReader(text), "a.txt", &o) {
				want = append(want, placed(l, err))
			}
			got, parts := inParts(strings.NewReader(text), o)
			if !slices.Equal(got, want) {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Fatalf("seed %d: %d links in %d parts, %d in the whole; the first that differs: %q, %q", seed, len(got), parts, len(want), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
			}
			if parts < 2 && seed > 0 {
				t.Errorf("%d octets are %d parts", len(text), parts)
			}
		}
	}
}

// A text without line breaks must not be divided, and must need little memory.
func TestPartsOfOneLine(t *testing.T) {
	text := strings.Repeat("http://h/a ", 1<<20)
	if got, parts := inParts(strings.NewReader(text), document.Options{}); len(got) != 1<<20 || parts != 0 {
		t.Errorf("%d links, %d parts", len(got), parts)
	}
}

// Short texts, markup and readers that are not files must not be divided into parts.
func TestNoParts(t *testing.T) {
	const line = "See http://h.example/a.\n"
	long := strings.Repeat(line, 1<<16)
	for _, row := range []struct {
		r    io.Reader
		o    document.Options
		want int
	}{
		{strings.NewReader(line), document.Options{}, 1},
		{strings.NewReader(long), document.Options{Type: "text/html"}, 1 << 16},
		{struct{ io.Reader }{strings.NewReader(long)}, document.Options{}, 1 << 16},
	} {
		if got, parts := inParts(row.r, row.o); len(got) != row.want || parts != 0 {
			t.Errorf("%d links, %d parts; want %d links", len(got), parts, row.want)
		}
	}
}

// brokenFile is a file that returns an error at a given offset.
type brokenFile struct {
	*strings.Reader
	left int
}

var errBroken = errors.New("broken")

func (b *brokenFile) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errBroken
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// If reading a file fails, the links and the error must be the same with parts as without.
func TestPartsUpToAnError(t *testing.T) {
	text := pagesOf(rand.New(rand.NewPCG(1, 4)), 3<<20)
	for _, left := range []int{600 << 10, 1<<20 + 7, 2 << 20} {
		var want []string
		for l, err := range document.Links(&brokenFile{strings.NewReader(text), left}, "a.txt", nil) {
			want = append(want, placed(l, err))
		}
		got, _ := inParts(&brokenFile{strings.NewReader(text), left}, document.Options{})
		last := len(want) - 1
		if !slices.Equal(got[:len(got)-1], want[:last]) || !strings.Contains(got[len(got)-1], "(a.txt: can't read after byte N: broken)") || !strings.Contains(want[last], "broken") {
			t.Errorf("%d links, the last %q; want %d, %q", len(got), got[len(got)-1], len(want), want[last])
		}
	}
}

// If Parts returns false, Links must return.
func TestPartsEnd(t *testing.T) {
	n := 0
	o := &document.Options{Parts: func(iter.Seq2[document.Link, error]) bool { n++; return false }}
	for l, err := range document.Links(strings.NewReader(strings.Repeat("http://h/a\n", 1<<18)), "a.txt", o) {
		t.Errorf("%v, %v", l, err)
	}
	if n != 1 {
		t.Errorf("%d parts", n)
	}
}
