package base

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Join writes the outputs of a part in order, without the removed pieces.
func TestPart(t *testing.T) {
	for _, keep := range []string{"abc", "ac", "b", ""} {
		var both bytes.Buffer
		a := New(t.Context(), strings.NewReader(""), &both, &both, func(string) string { return "" })
		a.OutTTY = true
		p := a.NewPart()
		p.Begin("list")
		p.LineNumber = 7
		var ends []int
		p.PrintError("first")
		for _, piece := range []string{"a", "b", "c"} {
			p.Out.WriteString(piece + "1\n")
			p.PrintError("in " + piece)
			p.NoteBlanks(" x")
			p.Out.WriteString(piece + "2\n")
			p.Out.Flush()
			ends = append(ends, len(p.Text))
		}
		p.RaiseStatus(StatusNo)
		p.Keep(ends, []bool{strings.Contains(keep, "a"), strings.Contains(keep, "b"), strings.Contains(keep, "c")})
		a.Join(p)
		// The note appears only once for all parts.
		p.Begin("list")
		p.LineNumber = 9
		p.NoteBlanks(" x")
		a.Join(p)
		a.Out.Flush()
		want := "locus: first\n"
		for _, piece := range []string{"a", "b", "c"} {
			kept := strings.Contains(keep, piece)
			if kept {
				want += piece + "1\n"
			}
			want += "locus: in " + piece + "\n"
			if piece == "a" {
				want += "locus: list:7: leading and trailing spaces are not part of a URL; later lines are not reported\n"
			}
			if kept {
				want += piece + "2\n"
			}
		}
		if got := both.String(); got != want || a.ExitStatus() != StatusNo {
			t.Errorf("%q, status %d:\n%s\nwant\n%s", keep, a.ExitStatus(), got, want)
		}
	}
}

// Concurrent parts write the same messages about invalid lines as a single part.
func TestInvalidLines(t *testing.T) {
	write := func(sizes ...int) string {
		var errs bytes.Buffer
		a := New(t.Context(), strings.NewReader(""), &bytes.Buffer{}, &errs, func(string) string { return "" })
		n, p := 0, a.NewPart()
		for _, size := range sizes {
			p.Begin("-")
			for range size {
				n++
				p.LineNumber = n
				p.FailLine([]string{"odd", "even"}[n%2], "x", errors.New("bad"))
				p.PrintError("other")
			}
			a.Join(p)
		}
		a.SummarizeInvalid("advice")
		return errs.String()
	}
	want := write(70)
	for _, sizes := range [][]int{{19, 51}, {20, 50}, {21, 49}, {10, 10, 10, 40}, {1, 68, 1}} {
		if got := write(sizes...); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", sizes, got, want)
		}
	}
	if strings.Count(want, "bad\n") != 20 || strings.Count(want, "other\n") != 70 || !strings.HasSuffix(want, "locus: 25 even\nlocus: 25 odd\nlocus: advice\n") {
		t.Errorf("%q, want %q at the end of want", want, "locus: 25 even\nlocus: 25 odd\nlocus: advice\n")
	}
}
