package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzUsual checks that the method usual, the fast path, returns the same URL as the method bare or
// no URL.
func FuzzUsual(f *testing.F) {
	for _, text := range []string{
		"http://h/a ", "(http://h/a)", "http://h.", "http://h,/x ", "http://h)@x/ ", "http://h{ ", "http://h?a&b ", "http://h/?a&amp; ", "http://h/a&lt; ",
		"http://h/%41 ", "http://h/% ", "http://h/a*", "*http://h/a*\n", "http://h:80,", "http://u@h/a\n", "http://h#a\"", "http://h/a.;", "http://h:8/a]", "http://1.2.3.4/\x01",
		"http://\u00E9/a ", "http://h/\u4E2D ", "http://h:99999/ ", "http://h-/ ", "http://h/a}b ", "http://h]/ ", "http://h.)/x ", "http://h!? ", "http://h?/a.b ",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(checkFastPath)
}

// TestFastPathEqualsBareOnRandomText searches random texts that consist of parts of URLs and
// punctuation.
func TestFastPathEqualsBareOnRandomText(t *testing.T) {
	pieces := []string{"http://", "ftp://", "h", "h.example", "1.2.3.4", ".", "/", "/a", "?", "#", "&", "&amp;", "&lt;", "(", ")", "[", "]", "{", "}", ",", ";", "@", ":", ":80",
		"%41", "%", "'", "\"", " ", "\n", "*", "_", "-", "!", "<", ">", "\u00E9", "\u4E2D", "\x01", "=", "+", "$"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		text := pieces[r.IntN(8)] + "http://"
		for range 1 + r.IntN(8) {
			text += pieces[r.IntN(len(pieces))]
		}
		checkFastPath(t, text+" ", r.IntN(2) == 0)
	}
}

// checkFastPath compares the results of the methods usual and bare for each ":" in text.
func checkFastPath(t *testing.T, text string, final bool) {
	s := newScanner(nil)
	for colon := range len(text) {
		if text[colon] != ':' {
			continue
		}
		start, _ := s.nameStart(text, colon)
		if start == colon || colon-start > maxName {
			continue
		}
		var fast, slow Match
		end := s.readCommon(text, start, colon, &fast)
		if end == 0 {
			continue
		}
		next, v := s.readBare(text, start, colon, Any, final, &slow)
		if v != foundURL || next != end || fast != slow {
			t.Errorf("%q at %d: %+v to %d; bare: %+v to %d, verdict %d", text, start, fast, end, slow, next, v)
		}
	}
}

// TestFastPathReadsCommonURLs checks that the fast path does not reject common URLs.
func TestFastPathReadsCommonURLs(t *testing.T) {
	s := newScanner(nil)
	for _, text := range []string{"http://h.example/a/b.html ", "https://h.example ", "http://h:80/a. ", "http://h/a?b=c&d=e#f)", "http://h/%7Eme\n"} {
		var m Match
		end := s.readCommon(text, 0, strings.IndexByte(text, ':'), &m)
		if want := strings.TrimRight(text, " .)\n"); end != len(want) || m.URL.String() != want {
			t.Errorf("%q: %d, %q", text, end, m.URL)
		}
	}
}
