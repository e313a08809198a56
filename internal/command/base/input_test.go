package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus"
)

// readLines returns the results of the method lines for the text from the reader r.
func readLines(t *testing.T, r io.Reader) (list []string, tooLong []int) {
	t.Helper()
	a := New(context.Background(), r, io.Discard, io.Discard, noEnv)
	for line, err := range a.Inputs([]string{"-"}) {
		list = append(list, line)
		if errors.Is(err, locus.ErrTooLong) {
			tooLong = append(tooLong, a.LineNumber)
		} else if err != nil {
			t.Errorf("line %d: %v", a.LineNumber, err)
		}
	}
	return list, tooLong
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\nb", []string{"a", "b"}},
		{"a\r\nb\r\n", []string{"a", "b"}},
		{"\n \na\n\t\n", []string{"a"}},
		{"\r\n\r", nil},
		{"\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"\ufeff\na", []string{"a"}},
		{"a\rb\n", []string{"a\rb"}},
		{"\x00\xff\n", []string{"\x00\xff"}},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in)), iotest.DataErrReader(strings.NewReader(test.in))} {
			if got, _ := readLines(t, r); !slices.Equal(got, test.want) {
				t.Errorf("lines of %q: %q", test.in, got)
			}
		}
	}
}

func TestLongLines(t *testing.T) {
	for _, n := range []int{locus.MaxLen, locus.MaxLen + 1, longestLine - 2, longestLine - 1, longestLine, longestLine + 1, 5*longestLine + 7} {
		for _, end := range []string{"\n", "\r\n", ""} {
			text := "x\n" + strings.Repeat("a", n) + end
			if end != "" {
				text += "y\nz"
			}
			got, tooLong := readLines(t, strings.NewReader(text))
			want := []int(nil)
			// A line that fits the buffer is yielded completely, and Parse rejects the
			// line.
			if len(got[1]) != n {
				want = []int{2}
				if len(got[1]) != locus.MaxLen {
					t.Errorf("%d octets and %q: the line is cut to %d", n, end, len(got[1]))
				}
			}
			if n < longestLine-2 && want != nil || n > longestLine && want == nil || !slices.Equal(tooLong, want) {
				t.Errorf("%d octets and %q: too long are %v", n, end, tooLong)
			}
			if end != "" && !slices.Equal(got[2:], []string{"y", "z"}) {
				t.Errorf("%d octets and %q: then %q", n, end, got[2:])
			}
		}
	}
}

func TestLongLineSaysItsLength(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		a := New(context.Background(), strings.NewReader(strings.Repeat("a", 1<<20)+end), io.Discard, io.Discard, noEnv)
		for _, err := range a.Inputs([]string{"-"}) {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(1<<20)) {
				t.Errorf("%q: %v, want an error and %q in err.Error()", end, err, fmt.Sprint(1<<20))
			}
		}
	}
}

// endless is a standard input without an end and without a line end.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left -= len(p); e.left < 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestLongLineTakesNoMemory(t *testing.T) {
	n := testing.AllocsPerRun(1, func() {
		a := New(context.Background(), &endless{64 << 20}, io.Discard, io.Discard, noEnv)
		for range a.Inputs([]string{"-"}) {
		}
	})
	// The method lines makes only a few small allocations for each read of longestLine bytes.
	if reads := float64(64<<20) / longestLine; n > 8*reads+100 {
		t.Errorf("%v allocations in %v reads", n, reads)
	}
}

func noEnv(string) string { return "" }
