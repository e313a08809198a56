package octet

import (
	"strings"
	"testing"
)

func checkFind(t *testing.T, s string) {
	t.Helper()
	if got, want := HasDots(s), strings.Contains("/"+s, "/."); got != want {
		t.Fatalf("HasDots(%q) is %v", s, got)
	}
	upper := strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	if got := HasUpper(s); got != upper {
		t.Fatalf("HasUpper(%q) is %v", s, got)
	}
}

// Each pair is tested at every offset of texts of every length up to three words.
func TestFind(t *testing.T) {
	for n := range 25 {
		for _, fill := range []string{"a", "/", ".", "\x80", "\x00", "\xC1", "."} {
			text := strings.Repeat(fill, n)
			checkFind(t, text)
			for _, pair := range []string{"/.", "./", "//", "..", "A", "Z", "@", "[", "\xAF.", "/\xAE", "0.", "/-", "\x2E\x80", "\xDA"} {
				for i := range n {
					checkFind(t, text[:i]+pair+text[i:])
				}
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"", ".", "a/.b", "a/b.c/..", "12345678/.", "1234567/.", "\x80A", "aaaaaaaZ"} {
		f.Add(s)
	}
	f.Fuzz(checkFind)
}
