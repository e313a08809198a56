package markup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/markup"
)

// The texts are those that goldmark has for the same headings.
func TestHeadings(t *testing.T) {
	for source, want := range map[string]string{
		"# One #\n\nTwo\nlines\n---\n\n## Three ##x":                          "One|Two lines|Three ##x",
		"#\n\n# #\n\n#not\n\n####### seven":                                   "|",
		"# `a_b` _c_ d_e_f __g__ _h":                                          "a_b c d_e_f g _h",
		"# _a_b_ __a _(b)_ *c*":                                               "a_b __a (b) *c*",
		"# [a](b \"c\") ![d](e) <i>f</i> <http://h/> <!-- g -->h":             "a  f http://h/ h",
		"# [a][b] ![c][b] [b] [no] [a][no]\n\n[B]: /x":                        "a  b [no] [a][no]",
		"# a\\_b &amp; \\* &nope;":                                            "a_b & * &nope;",
		"> # quoted\n> two\n> lines\n> ===\n\n- # item\n\n```\n# code\n```\n": "quoted|two lines|item",
		"[a]: b\n===\n\n# \x00a_":                                             "\uFFFDa_",
		"<div>\n# html\n</div>\n\n# [a [b](c) d](e)":                          "[a b d](e)",
	} {
		if got := strings.Join(markup.Headings(source), "|"); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// Repetition takes time in proportion to the length of the text: with the square of it,
// this test would not end.
func TestHeadingsHostile(t *testing.T) {
	for _, unit := range []string{"_", "_a", "*a_ ", "[", "![", "[a]", "[a](b)", "[a][b]", "`a``", "<a ", "&", "\\", "> ", "- "} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		for _, source := range []string{"# " + text, text + "\n===\n", strings.Repeat("# "+unit+"\n", 1<<14)} {
			markup.Headings(source)
		}
	}
}

func TestHTMLTokens(t *testing.T) {
	const source = `a&amp;<b c=d E='f>'>g</b h="i>"><!-- j --><script><k></script><title><l></title><http://m/>< n<xmp>o`
	h := markup.HTML{Source: source}
	whole := h
	var got []string
	for h.Begin() {
		token := h.Token
		text := ""
		for a, ok := h.Attribute(); ok; a, ok = h.Attribute() {
			if token.Kind == markup.StartTag {
				text += " " + a.Name + ":" + source[a.Start:a.End]
			}
		}
		text = source[token.Start:h.Offset] + " " + token.Name + text
		if whole.Next(); whole.Token != h.Token {
			t.Errorf("%q: Next reads %+v", text, whole.Token)
		}
		got = append(got, text)
	}
	want := []string{
		"a&amp; ", "<b c=d E='f>'> b c:d E:f>", "g ", `</b h="i>"> b`, "<!-- j --> ", "<script> script", "<k> script", "</script> script",
		"<title> title", "<l> title", "</title> title", "<http://m/>< n ", "<xmp> xmp", "o xmp",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
