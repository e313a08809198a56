package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func typeLine(l *Line, typed string) (shown string, e LineEvent) {
	for i := range len(typed) {
		var text string
		text, e = l.Type(typed[i])
		shown += text
	}
	return shown, e
}

func TestLine(t *testing.T) {
	for _, test := range []struct{ typed, line, shown string }{
		{"ab\x1b[Dc", "acb", "ab\bcb\b"},
		{"ab\x1bOD\x1bODc\x1b[Cd", "cadb", "ab\b\bcab\b\badb\b"},
		{"ab\x1b[D\x1b[D\x1b[Dc", "cab", "ab\b\bcab\b\b"},
		{"abc\x1b[D\x1b[D\x7f", "bc", "abc\b\b\bbc \b\b\b"},
		{"abc\x1b[H\x1b[3~", "bc", "abc\b\b\bbc \b\b\b"},
		{"abc\x1b[3~", "abc", "abc"},
		{"abc\x1b[1~x\x1b[4~y", "xabcy", "abc\b\b\bxabc\b\b\babcy"},
		{"日本\x1b[D\x7f", "本", "日本\b\b\b\b本  \b\b\b\b"},
		{"e\u0301x\x7f\x7f", "", "e\u0301x\b \b\b \b"},
		{"one  two\x17", "one  ", "one  two\b \b\b \b\b \b"},
		{"one  \x17x", "x", "one  \b \b\b \b\b \b\b \b\b \bx"},
		{"abc\x1b[D\x15x", "x", "abc\bc\b \b\b \b\b \bx"},
		{"a\u009b31mb", "a31mb", "a31mb"}, // a control character of ISO Latin 1
		{"a\xc3b", "a\xc3b", "a\xc3b"},
		{"\x1b[200~pasted\x1b[201~", "pasted", "pasted"},
		{"a\x1b[1;2;3;4;5;6;7;8;9;10;11~b", "ab", "ab"},
	} {
		var l Line
		shown, _ := typeLine(&l, test.typed)
		if l.Text() != test.line || l.Len() != len(test.line) || shown != test.shown {
			t.Errorf("%q: %q (%d octets), shown %q; want %q, shown %q", test.typed, l.Text(), l.Len(), shown, test.line, test.shown)
		}
	}
	var l Line
	typeLine(&l, "\xc3")
	if shown, e := typeLine(&l, "\r"); e != LineEnter || shown != "\xc3\r\n" || l.Text() != "\xc3" {
		t.Errorf("%q, %d, %q", shown, e, l.Text())
	}
	l.Reset()
	if l.Len() != 0 || l.Text() != "" {
		t.Errorf("%q is left", l.Text())
	}
	if _, e := typeLine(&l, "a\x01"); e != LineControl || l.Text() != "a" {
		t.Errorf("%d, %q", e, l.Text())
	}
}

// oneLine is a terminal of one line with one column for each character.
type oneLine struct {
	cells []rune
	at    int
}

func (o *oneLine) show(text string) {
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if text = text[n:]; r == '\b' {
			o.at--
			continue
		}
		if o.at == len(o.cells) {
			o.cells = append(o.cells, r)
		}
		o.cells[o.at] = r
		o.at++
	}
}

// The terminal must show the contents of the line after any input.
func FuzzLine(f *testing.F) {
	for _, text := range []string{"ab\x1b[Dc", "a\x1b[3~\x7f", "日本\x1b[D\x7f", "\x15\x17\x1b[H\x1b[F", "a\tb \x17\x1b[1~\x1b[4~", "\xff\xc3\x1bOD\x1bOC"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		l := Line{Columns: func(rune) int { return 1 }}
		var o oneLine
		for i := range len(typed) {
			shown, e := l.Type(typed[i])
			if shown = strings.ReplaceAll(shown, "\a", ""); e == LineEnter {
				l.Reset()
				o = oneLine{}
				continue
			}
			if !utf8.ValidString(typed) || strings.ContainsRune(typed, utf8.RuneError) {
				continue // invalid bytes may form a character when they become adjacent
			}
			o.show(shown)
			want := []rune(strings.ReplaceAll(strings.TrimSuffix(l.Text(), string(l.partial)), "\t", " "))
			got := strings.TrimRight(string(o.cells), " ")
			if o.at < 0 || o.at > len(o.cells) || got != strings.TrimRight(string(want), " ") {
				t.Fatalf("%q: the line is %q, and %q is shown, with the cursor at %d", typed[:i+1], l.Text(), got, o.at)
			}
		}
		if l.Len() != len(l.Text()) || l.Len() > MaxLine+utf8.UTFMax {
			t.Fatalf("%q: %d octets, %q", typed, l.Len(), l.Text())
		}
	})
}
