package news

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// slowDots is a simple reference implementation of dotReader. The remaining input follows the
// block.
func slowDots(input string) (text, remaining string, err error) {
	for {
		line, after, whole := strings.Cut(input, "\r\n")
		switch {
		case whole && line == ".":
			return text, after, nil
		case whole:
			text += strings.TrimPrefix(line, ".") + "\r\n"
		case line == "." || line == ".\r":
			return text, "", io.ErrUnexpectedEOF // the rest may be an incomplete end of the block
		default:
			return text + strings.TrimPrefix(line, "."), "", io.ErrUnexpectedEOF
		}
		input = after
	}
}

// sameDots compares dotReader with slowDots, with several buffer sizes.
func sameDots(t *testing.T, input string) {
	t.Helper()
	want, rest, wantErr := slowDots(input)
	for _, step := range []int{1, 2, 3, 7, 4096} {
		for _, r := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input)), iotest.DataErrReader(strings.NewReader(input))} {
			d := newDotReader(r)
			var got []byte
			p := make([]byte, step)
			var err error
			for err == nil {
				var n int
				n, err = d.Read(p)
				got = append(got, p[:n]...)
			}
			if err == io.EOF {
				err = nil
			}
			if string(got) != want || !errors.Is(err, wantErr) {
				t.Fatalf("%q in steps of %d: %q, %v; want %q, %v", input, step, got, err, want, wantErr)
			}
			if _, ok := r.(*strings.Reader); ok && err == nil && (d.r.Buffered() > 0) != (rest != "") && len(input) < d.r.Size() {
				t.Fatalf("%q: surplus %v, and the rest is %q", input, d.r.Buffered() > 0, rest)
			}
			if n, again := d.Read(p); n != 0 || again == nil {
				t.Fatalf("%q: %d, %v after the end", input, n, again)
			}
		}
	}
}

var dotSeeds = []string{
	"", ".", ".\r", ".\r\n", "..\r\n.\r\n", "a\r\n.b\r\n.\r\n", ".\rx\r\n.\r\n", ".\r\r\n.\r\n", "\r\r\n.\r\n", "a\n.b\n.\n\r\n.\r\n", "a\r.\r\n.\r\n", "\x00\r\n...\r\n.\r\nrest", "a\r\n.\nb\r\n.\r\n",
	"line\r\n\r\n.\r\n.\r\n", strings.Repeat("x", 9000) + "\r\n.\r\n", strings.Repeat("x\r\n..y\r\n", 1000) + ".\r\n", "no end",
}

func TestDotReader(t *testing.T) {
	for _, input := range dotSeeds {
		sameDots(t, input)
	}
	for _, c := range []struct{ in, want string }{
		{"..\r\n.\r\n", ".\r\n"}, {"...x\r\n.\r\n", "..x\r\n"}, {".\r\n", ""}, {"a\n.\n.b\r\n.\r\n", "a\n.\n.b\r\n"},
	} {
		if got, err := io.ReadAll(newDotReader(strings.NewReader(c.in))); string(got) != c.want || err != nil {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	broken := errors.New("broken")
	if got, err := io.ReadAll(newDotReader(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)))); string(got) != "abc" || err != broken {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzDotReader(f *testing.F) {
	for _, input := range dotSeeds {
		if len(input) < 100 { // long seeds make fuzzing slow
			f.Add(input)
		}
	}
	f.Fuzz(sameDots)
}

func BenchmarkDotReader(b *testing.B) {
	text := bytes.Repeat([]byte("A line of an article, neither long nor short, as they are.\r\n..dot\r\n\r\n"), 1000)
	text = append(text, ".\r\n"...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	p := make([]byte, 32<<10)
	for b.Loop() {
		d := newDotReader(bytes.NewReader(text))
		var err error
		for err == nil {
			_, err = d.Read(p)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
