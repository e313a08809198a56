package markup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/markup"
)

// The texts must equal the texts that goldmark returns for the same headings.
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

// Reading repeated text must take linear time. With quadratic time, this test would not end.
func TestHeadingsHostile(t *testing.T) {
	for _, unit := range []string{"_", "_a", "*a_ ", "[", "![", "[a]", "[a](b)", "[a][b]", "`a``", "<a ", "&", "\\", "> ", "- "} {
		text := strings.Repeat(unit, 1<<18/len(unit))
		for _, source := range []string{"# " + text, text + "\n===\n", strings.Repeat("# "+unit+"\n", 1<<12)} {
			markup.Headings(source)
		}
	}
}

// A block that is nested more than 100 levels deep is text.
func TestDepthIsBounded(t *testing.T) {
	for source, want := range map[string]string{
		strings.Repeat("> ", 100) + "# a": "a",
		strings.Repeat("> ", 101) + "# a": "",
	} {
		if got := strings.Join(markup.Headings(source), "|"); got != want {
			t.Errorf("%.20q of %d octets: %.20q of %d octets", source, len(source), got, len(got))
		}
	}
}

// Markdown stores at most 65,536 open brackets. An image after these brackets is read as a link.
func TestBracketsAreBounded(t *testing.T) {
	for open, want := range map[int]markup.PieceKind{0: markup.Image, 1<<16 - 1: markup.Image, 1 << 16: markup.Link, 1 << 18: markup.Link} {
		for p := range markup.Markdown(strings.Repeat("[", open) + "![a](b)") {
			if p.Kind != markup.Prose && p.Kind != markup.LinkText && p.Kind != want {
				t.Errorf("%d brackets: %d, want %d", open, p.Kind, want)
			}
		}
	}
}

// Markdown reads at most 256 bytes of link attributes.
func TestLongAttributes(t *testing.T) {
	for size, want := range map[int]markup.PieceKind{len("{.external}"): markup.External, 256: markup.External, 257: markup.Link, 1 << 20: markup.Link} {
		source := "[a](b){" + strings.Repeat(" ", size-len("{.external}")) + ".external}"
		for p := range markup.Markdown(source) {
			if p.Kind == markup.Link || p.Kind == markup.External {
				if p.Kind != want {
					t.Errorf("%d octets: %d, want %d", size, p.Kind, want)
				}
			}
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
