package extract_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/locus-url/locus/extract"
)

// slowPosition counts lines and columns from the beginning of text.
func slowPosition(text string, offset int) extract.Position {
	before := text[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return extract.Position{Line: int64(strings.Count(before, "\n")) + 1, Column: int64(utf8.RuneCountInString(line)) + 1}
}

func TestLines(t *testing.T) {
	const text = "é http://h/a\r\n\tx 字字 <URL:http://h/\nb>\n\xffhttp://h/c\r\n\n\nhttp://h/d"
	want := []string{
		"1:3 http://h/a é http://h/a",
		"2:12 http://h/b \tx 字字 <URL:http://h/",
		"4:2 http://h/c \xffhttp://h/c",
		"7:1 http://h/d http://h/d",
	}
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "octets": iotest.OneByteReader(strings.NewReader(text))} {
		lines := extract.NewLines(r)
		var got []string
		for m, err := range extract.Stream(lines, nil) {
			if err != nil {
				t.Fatal(err)
			}
			p := lines.At(m.Start)
			got = append(got, fmt.Sprintf("%d:%d %v %s", p.Line, p.Column, m.URL, lines.Context(m.Start)))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: got\n%q, want\n%q", name, got, want)
		}
	}
}

// TestLinesWithoutReader checks Lines without Stream, with offsets that sometimes decrease.
func TestLinesWithoutReader(t *testing.T) {
	const text = "a\nbc\r\n字d\n\ne"
	lines := extract.NewLines(strings.NewReader(text))
	for _, offset := range []int{0, 1, 2, 9, 3, 0, len(text), 7, 12} {
		if utf8.RuneStart((text + "x")[offset]) {
			if got, want := lines.At(int64(offset)), slowPosition(text, offset); got != want {
				t.Errorf("octet %d: %v, want %v", offset, got, want)
			}
		}
	}
	if got := lines.At(int64(len(text)) + 1); got != (extract.Position{}) {
		t.Errorf("behind the end: %v", got)
	}
	if got := lines.Context(100); got != "" {
		t.Errorf("behind the end: %q", got)
	}
	if got := lines.Context(4); got != "bc" {
		t.Errorf("context: %q", got)
	}
	if got := lines.At(-1); got != (extract.Position{}) {
		t.Errorf("before the beginning: %v", got)
	}
}

// TestLinesForget checks that old offsets in a long text become invalid, and that near offsets
// stay correct.
func TestLinesForget(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for b.Len() < 4<<20 {
		b.WriteString([]string{"é", "字字字", " http://h/a ", "word ", "\n", "\t", "\xff\x80"}[r.IntN(7)])
		if r.IntN(20_000) == 0 {
			b.WriteString(strings.Repeat("é", 200_000))
		}
	}
	text := b.String()
	lines := extract.NewLines(&inOddPieces{text: text, r: r})
	count := 0
	for m, err := range extract.Stream(lines, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count%997 != 0 {
			continue
		}
		if got, want := lines.At(m.Start), slowPosition(text, int(m.Start)); got != want {
			t.Fatalf("octet %d: %v, want %v", m.Start, got, want)
		}
		line := text[strings.LastIndexByte(text[:m.Start], '\n')+1 : m.Start]
		rest, _, _ := strings.Cut(text[m.Start:], "\n")
		context := lines.Context(m.Start)
		if !strings.Contains(line+rest, context) || !strings.Contains(context, "http://h/a") || len(line+rest) < 500 && context != line+rest {
			t.Fatalf("octet %d: context %q of %q", m.Start, context, line+rest)
		}
	}
	if got := lines.At(0); got != (extract.Position{}) || count < 10_000 {
		t.Errorf("the beginning of %d octets is still known: %v; %d URLs", len(text), got, count)
	}
}

// inOddPieces is a reader that returns a text in pieces of random sizes.
type inOddPieces struct {
	text string
	r    *rand.Rand
}

func (p *inOddPieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(1+p.r.IntN(100_000), len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// TestContextLong checks that the context of a long line is near the offset, in
// whole characters.
func TestContextLong(t *testing.T) {
	text := strings.Repeat("é", 2000) + "xhttp" + strings.Repeat("字", 2000)
	for shift := range 4 {
		text := strings.Repeat("a", shift) + text
		lines := extract.NewLines(strings.NewReader(text))
		got := lines.Context(int64(strings.IndexByte(text, 'h')))
		if !utf8.ValidString(got) || !strings.Contains(got, "xhttp") || len(got) < 1400 || len(got) > 1600 {
			t.Errorf("%d octets: %.40q", len(got), got)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb\xc3", 3)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		// Map the number to the offset of a character or of the end of the text.
		offset = int(uint(offset) % uint(len(text)+1))
		for offset < len(text) && !utf8.RuneStart(text[offset]) {
			offset++
		}
		lines := extract.NewLines(iotest.HalfReader(strings.NewReader(text)))
		for _, at := range []int{offset / 2, offset} {
			if at < len(text) && !utf8.RuneStart(text[at]) {
				continue
			}
			if got, want := lines.At(int64(at)), slowPosition(text, at); got != want {
				t.Fatalf("%q, octet %d: %v, want %v", text, at, got, want)
			}
			if context := lines.Context(int64(at)); !strings.Contains(text, context) || strings.Contains(context, "\n") {
				t.Fatalf("%q, octet %d: context %q", text, at, context)
			}
		}
	})
}
