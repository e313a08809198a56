package gopher

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func parse(t testing.TB, text string) URL {
	t.Helper()
	return bnftest.MustParse(t, Parse, text)
}

// TestVectors checks the unchanged examples in RFC 1738 section 3.4.
func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.4.txt", Scheme(nil)) }

func TestSearchAndPlusPresent(t *testing.T) {
	for _, test := range []struct {
		url                string
		hasSearch, hasPlus bool
	}{
		{"gopher://h", false, false},
		{"gopher://h/7sel", false, false},
		{"gopher://h/7sel%09", true, false},
		{"gopher://h/7sel%09%09", true, true},
		{"gopher://h/7sel%09%09%09", true, true},
		{"gopher://h/%09", false, false},
	} {
		g := parse(t, test.url)
		_, hasSearch := g.Search()
		_, hasPlus := g.Plus()
		if hasSearch != test.hasSearch || hasPlus != test.hasPlus {
			t.Errorf("%s: search %v, plus %v", test.url, hasSearch, hasPlus)
		}
	}
	if plus, _ := parse(t, "gopher://h/7sel%09%09%09").Plus(); plus != "\t" {
		t.Errorf("the third TAB is not in the Gopher+ string: %q", plus)
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"gopher:", "h/0", "gopherurl", locus.ErrForm},
		{"gopher:", "", "gopherurl", locus.ErrForm},
		{"", "http://h/0", "gopherurl", locus.ErrForm},
		{"", "gopherss://h/0", "gopherurl", locus.ErrForm},
		{"gophers:", "h/0", "gopherurl", locus.ErrForm},
	})
}

func TestSame(t *testing.T) {
	invariants.Pairs(t, []bnftest.Pair{
		{"gopher://h", "gopher://H:70/", true},
		{"gopher://h/", "gopher://h/1", true},
		{"gopher://h/%31", "gopher://h/1", true},
		{"gopher://h/0%7e", "gopher://h/0~", true},
		{"gopher://h/0a/b", "gopher://h/0a%2Fb", true}, // "no characters are reserved"
		{"gopher://h/0a;b?c:d@e&f=g", "gopher://h/0a%3Bb%3Fc%3Ad%40e%26f%3Dg", true},
		{"gopher://h/7%2f%09a/b?c;d", "gopher://h/7/%09a%2Fb%3Fc%3Bd", true},
		{"gopher://h/0a%09%09+a/b", "gopher://h/0a%09%09+a%2Fb", true},
		{"gopher://h/7a%09b", "gopher://h/7a%2509b", false},
		{"gopher://h/7a%09b", "gopher://h/%37%61%09%62#", true},
		{"gopher://h/1", "gopher://h/1/", false},
		{"gopher://h/1", "gopher://h/1%09", false},
		{"gopher://h/7a%09b", "gopher://h/7a%09b%09", false},
		{"gopher://h/0a/../b", "gopher://h/0b", false},
		{"gopher://h/0a+b", "gopher://h/0a%20b", false},
	})
}

func TestSpellings(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"gopher://h/1", "gopher://h/1", 0},
		{"gopher://h", "gopher://h/1", locus.DefaultType},
		{"gopher://h:70/", "gopher://h/1", locus.DefaultType | locus.DefaultPort},
		{"gopher://h?x", "gopher://h/?x", locus.EmptyPath},
		{"gopher://h/%30%2f", "gopher://h/0/", locus.NeedlessEscape},
		{"gopher://h/7%3b%3A?%09a/b%3d?%2f%09%2b%2F", "gopher://h/7;:?%09a%2Fb=%3F%2F%09+/", locus.NeedlessEscape | locus.MissingEscape | locus.EscapeCase},
	})
}

func ptr(s string) *string { return &s }

func TestParts(t *testing.T) {
	for _, test := range []struct {
		parts Parts
		want  string
	}{
		{Parts{Host: "h"}, "gopher://h/1"},
		{Parts{Host: "h", Port: 70, Type: '0', Selector: "0/a b%"}, "gopher://h:70/00/a%20b%25"},
		{Parts{Host: "h", Type: '<', Selector: "x"}, "gopher://h/%3Cx"},
		{Parts{Host: "h", Type: '/', Selector: "x?;#~"}, "gopher://h//x?;%23%7E"},
		{Parts{Host: "h", Type: 0xE9, Selector: "caf\xe9"}, "gopher://h/%E9caf%E9"},
		{Parts{Host: "h", Type: '7', Selector: "a?b", Search: ptr("c?/+d")}, "gopher://h/7a%3Fb%09c%3F%2F+d"},
		{Parts{Host: "h", Type: '7', Search: ptr("")}, "gopher://h/7%09"},
		{Parts{Host: "h", Type: '0', Selector: "s", Plus: ptr("?")}, "gopher://h/0s%09%09?"},
		{Parts{Host: "h", Type: '7', Selector: "s", Search: ptr("w"), Plus: ptr("")}, "gopher://h/7s%09w%09"},
		{Parts{Host: "h", Type: '0', Plus: ptr("+\t1\r\n+-1\r\na\r\n.\r\n")}, "gopher://h/0%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A"},
	} {
		g, err := test.parts.URL()
		if err != nil || g.URL().String() != test.want {
			t.Errorf("%+v: %s, %v; want %s", test.parts, g.URL(), err, test.want)
		}
		if list := check(g.URL(), locus.RFC1738); list != nil {
			t.Errorf("%s: %v", g.URL(), list)
		}
	}
}

func TestPartsRefuse(t *testing.T) {
	for _, test := range []struct {
		parts  Parts
		part   string
		offset int
		is     error
	}{
		{Parts{}, "host", 9, locus.ErrForm},
		{Parts{Host: "h", Selector: "a\tb"}, "selector", 13, locus.ErrValue},
		{Parts{Host: "h", Selector: "a\r\nb"}, "selector", 13, locus.ErrValue},
		{Parts{Host: "h", Selector: "é\x00"}, "selector", 18, locus.ErrValue},
		{Parts{Host: "h", Type: '7', Search: ptr("a\tb")}, "search", 16, locus.ErrValue},
		{Parts{Host: "h", Type: '7', Search: ptr("a\tb"), Plus: ptr("+")}, "search", 16, locus.ErrValue},
		{Parts{Host: "h", Type: '7', Search: ptr("a\n")}, "search", 16, locus.ErrValue},
		{Parts{Host: "h", Plus: ptr("+\r\n")}, "gopher+_string", 19, locus.ErrValue},
		{Parts{Host: "h/x"}, "host", 0, locus.ErrForm},
	} {
		_, err := test.parts.URL()
		bnftest.Refused(t, test.parts, err, test.part, test.offset, test.is)
	}
}

func TestNoAllocations(t *testing.T) {
	invariants.Conforming(t,
		"gopher://h", "gopher://host.dom:7070/00/about.txt", "gopher://h/7sel%09two%20words", "gopher://h/0sel%09%09+application/postscript%20Es_ES",
		"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A")
	u := locus.MustParse("gopher://host.dom/00/about.txt")
	bnftest.NoAllocations(t, u, "Parse and canonical", func() { Parse(u); canonical(u) })
}
