package term_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/term"
)

func TestSafe(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"plain text ~ \\", "plain text ~ \\"},
		{"gr\u00fc\u00df Gott \u65e5\u672c\u3000\u00a0", "gr\u00fc\u00df Gott \u65e5\u672c\u3000\u00a0"},
		{"\x1b]0;owned\x07", `\x1b]0;owned\x07`},
		{"a\r\nb\tc\x00\x7f", `a\x0d\x0ab\x09c\x00\x7f`},
		{"\u009b31m", `\u009b31m`},           // CSI of ISO Latin 1
		{"\x9b31m", `\x9b31m`},               // CSI as a single octet
		{"a\u202egnp.exe", `a\u202egnp.exe`}, // right-to-left override
		{"\u2066x\u2069\u200b\ufeff", `\u2066x\u2069\u200b\ufeff`},
		{"\u2028\u2029", `\u2028\u2029`},
		{"\U000e0041", `\U000e0041`}, // a language tag character
		{"caf\xe9", `caf\xe9`},
		{"\ufffd", "\ufffd"},
		{"\xed\xa0\x80", `\xed\xa0\x80`}, // a surrogate, which is invalid in UTF-8
	} {
		if got := term.Safe(test.in); got != test.want {
			t.Errorf("Safe(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	if got := term.SafeLines("a\n\tb\r\x1b"); got != "a\n\tb"+`\x0d\x1b` {
		t.Errorf("SafeLines = %q", got)
	}
}

// Safe must escape every direction mark.
func TestSafeDirections(t *testing.T) {
	for _, r := range "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c" {
		if got, want := term.Safe("a"+string(r)+"b"), fmt.Sprintf(`a\u%04xb`, r); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
	}
}

func TestSafeAllocatesNothingForSafeText(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { term.Safe("http://info.cern.ch/\u00fc") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "ab..."}, {"abcdef", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""},
		{"\u65e5\u672c\u8a9e", 6, "\u65e5\u672c\u8a9e"}, {"\u65e5\u672c\u8a9e", 5, "\u65e5..."},
	} {
		got := term.Truncate(test.in, test.n)
		if got != test.want || term.Width(got) > max(test.n, 0) {
			t.Errorf("Truncate(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func TestColors(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, test := range []struct {
		tty  bool
		env  func(string) string
		want string
	}{
		{true, env(), "\x1b[31mx\x1b[0m"},
		{true, env("TERM", "xterm"), "\x1b[31mx\x1b[0m"},
		{true, env("NO_COLOR", ""), "\x1b[31mx\x1b[0m"},
		{true, env("NO_COLOR", "1"), "x"},
		{true, env("TERM", "dumb"), "x"},
		{false, env(), "x"},
	} {
		if got := term.NewColors(test.tty, test.env).In(term.Red, "x"); got != test.want {
			t.Errorf("In = %q, want %q", got, test.want)
		}
	}
	if got := term.NewColors(true, env()).In(term.Red, ""); got != "" {
		t.Errorf("colors around nothing: %q", got)
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"a", "\x1b[2J", "\xff", "\u202e", "\u009b", "\U0001f600", "a\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := term.Safe(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !term.IsSafe(r) }) {
			t.Fatalf("Safe(%q) = %q", s, got)
		}
		if again := term.Safe(got); again != got {
			t.Fatalf("Safe(%q) = %q, and again %q", s, got, again)
		}
		if lines := term.SafeLines(got); lines != got {
			t.Fatalf("SafeLines(%q) = %q, though it is safe", got, lines)
		}
	})
}

func TestText(t *testing.T) {
	for octets, want := range map[string]string{
		"":               "",
		"caf\xc3\xa9":    "café",
		"caf\xe9":        "café",
		"a\x1b[31m\nb\t": `a\x1b[31m\x0ab\x09`,
		"\xff\u202e":     `ÿâ\u0080®`,
	} {
		if got := term.Text(octets); got != want {
			t.Errorf("Text(%q) = %q, want %q", octets, got, want)
		}
	}
}
