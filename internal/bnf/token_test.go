package bnf_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf"
)

func TestTokens(t *testing.T) {
	list, ok := bnf.Tokens("a%2Fé", 10)
	if !ok || len(list) != 4 || list[1] != (bnf.Token{Octet: '/', Escaped: true, Text: "%2F", Offset: 11}) || list[3].Offset != 15 {
		t.Errorf("%+v, %v", list, ok)
	}
	if list[1].Is('/') || !list[0].Is('a') {
		t.Errorf("%+v", list)
	}
	if list, ok := bnf.Tokens("a%2", 0); ok || list != nil {
		t.Errorf("%+v, %v", list, ok)
	}
}

func TestNotUTF8(t *testing.T) {
	for text, offset := range map[string]int{"": -1, "a%C3%A9é": -1, "a%E9b": 1, "%C3": 0, "a%C3%A9%A9": 7, "%EF%BF%BD": -1} {
		list, _ := bnf.Tokens(text, 0)
		if token, bad := bnf.NotUTF8(list); bad != (offset >= 0) || bad && token.Offset != offset {
			t.Errorf("%q: %+v, %v", text, token, bad)
		}
	}
}

func TestIsWords(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "comp.lang.c++": true, "0.1_-": true, "": false, ".": false, ".a": false, "a.": false, "a..b": false, "a b": false, "%61": false, "a@b": false, "é": false,
	} {
		if got := bnf.IsWords(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// IsWords must agree with a regular expression.
func FuzzIsWords(f *testing.F) {
	words := regexp.MustCompile(`^[A-Za-z0-9+_-]+(?:\.[A-Za-z0-9+_-]+)*$`)
	for _, text := range []string{"comp.lang.c++", "a..b", ".a", "a.", "a b", "0123456789_", "a\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := bnf.IsWords(text), words.MatchString(text) && !strings.Contains(text, "\n"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}
