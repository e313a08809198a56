package extract_test

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/extract"
)

// row is a document, and what is found in it as show has it.
type row struct {
	text string
	want []string
}

// show returns a match as a line: the form, or the element; what it locates; if
// it is written in another way, that; and the base.
func show(text string, m extract.Match) string {
	b := m.Form.String()
	if m.Element != "" {
		b = m.Element
	}
	what := m.Ref
	if !m.URL.IsZero() {
		what = m.URL.String()
	}
	b += " " + what
	if written := text[m.Start:m.End]; written != what {
		b += fmt.Sprintf(" as %q", written)
	}
	if m.Base != "" {
		b += " in " + m.Base
	}
	return b
}

// list returns all matches as lines.
func list(text string, matches iter.Seq[extract.Match]) (lines []string) {
	for m := range matches {
		lines = append(lines, show(text, m))
	}
	return lines
}

type finder func(string, *extract.Options) iter.Seq[extract.Match]

func testRows(t *testing.T, find finder, o *extract.Options, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := list(r.text, find(r.text, o)); !slices.Equal(got, r.want) {
			t.Errorf("%q\n got  %q\n want %q", r.text, got, r.want)
		}
	}
}

// want is a list of one row: the lines, one after the other.
func want(lines ...string) []string { return lines }

// What may be repeated without end, or lacks one, takes time in proportion to its
// length: were it the square, this test would take many times as long.
func TestMarkupHostile(t *testing.T) {
	size := 1 << 14
	if testing.Short() {
		size = 1 << 12
	}
	for _, unit := range []string{
		"[", "]", "![", "[a](", "[a](b", "[a](<b", "[a](b \"", "[a](b '\"", "[a](b (", "[a](((", "[a](\\(", "[a](b)", "[[a](b)", "![a](b)](c",
		"[a]: ", "[a]:\n", "[a]: b '\n", "[a]: b \"\n", "[a]: b\n'\n", "[a\n", "[^a]: ",
		"`", "`a``", "` `` ``` ```` ", "``` `\n", "~~~\n", "```\n>",
		"<", "<a", "<a ", "<a b=", "<a b='", "<a b=\"", "<a b='<a c=\"", "<a b=\" <c d='", "<a b=x ", "<a href=\"http://h/", "<a href=x", "< a", "</", "</a", "</a ",
		"<!--", "<!--\n\n", "<!-", "--", "<?", "<!a", "<!a ", "<![CDATA[", "<a@", "<a:", "<ab:", "<URL:", "<http://",
		"<script>", "<style>", "<title>", "<textarea></", "<meta content=x ", "<meta content='0;url=x' ", "<base href=x>", "<script></script", "<plaintext>",
		"@import 'a'", "url(a", "url(a)", "url('a'", "@", "/*", "\"", "http://h/ url(a)", "<p style='", "<p style='url(", "<style>url(", "<style>url(\"", "<style>url('\n", "<style>@import ", "<style>/*", "<style>\\", "<style>a-", "<img srcset='a 1x,", "<img srcset='((", "<iframe srcdoc='", "<iframe srcdoc='<a href=b>", "<iframe srcdoc=\"<iframe srcdoc='", "<applet archive=',", "<object archive='a ", "<param value=x ",
		"&", "&#", "&#x", "&a", "&amp", "&amp;", "&lt;", "&lt", "&amp;http://h/&amp;", "&ampampamp", "\\", "\\\\h", "http://h/\\_", "http://h/&amp;",
		">", "> ", ">\n", "- ", "-\n", "- a\n", "1. ", " ", "\t", "\n", "\r", "\r\n", "a\n", "#", "# ", "=\n", "a\n=\n", "a\n\n", "    a\n", "* * *\n", "*",
		"<div>\n", "<div>\n\n", "<pre>\n", "<pre></pre>\n", "<x>\n", "a\n<x>\n", "http://", "http://a*", "mailto:a@b_", "javascript:", "<a href=javascript:>",
	} {
		text := strings.Repeat(unit, size/len(unit))
		for _, text := range []string{"> " + text, "<a b='" + text, "[a](" + text + ">", text + "\n\n" + text} {
			for _, o := range []*extract.Options{nil, {Hidden: true}} {
				for _, find := range []finder{extract.HTML, extract.Markdown, extract.CSS} {
					for m := range find(text, o) {
						if m.Start > m.End {
							t.Fatal(unit)
						}
					}
				}
			}
		}
	}
}

// A document costs no more memory because it is long.
func TestMarkupMemory(t *testing.T) {
	const size, most = 6 << 20, 2 << 20
	value := strings.Repeat("x&amp;", size/6)
	for _, test := range []struct {
		find          finder
		before, after string
	}{
		{extract.HTML, `<a href="`, `">`},
		{extract.HTML, `<meta http-equiv=refresh content="`, ""},
		{extract.HTML, "<p>", ""},
		{extract.HTML, "<iframe srcdoc='", "'>"},
		{extract.Markdown, "[a](", ")"},
		{extract.CSS, "url(", ")"},
		{extract.CSS, "/*", ""},
		{extract.Markdown, `> <a href='`, "'>"},
	} {
		text := test.before + value + test.after
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for m := range test.find(text, nil) {
			t.Errorf("%s: found %d to %d", test.before, m.Start, m.End)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%s: %d octets", test.before, n)
		}
	}
}

// Matches that need no decoding are parts of the text: nothing is allocated for
// each.
func TestMarkupAllocations(t *testing.T) {
	for _, test := range []struct {
		find finder
		unit string
		n    int // matches in unit
	}{
		{extract.HTML, `<p>See <a href="http://host/a">http://host/b</a> <img src=c.png srcset="d.png 1x, e.png 2x" style="background: url(f.png)">` + "\n", 6},
		{extract.CSS, "/* http://host/a */ @import 'b'; p { x: url(c.png) url(http://host/d) }\n", 4},
		{extract.Markdown, "See [a](http://host/a \"t\") `http://host/b` <http://host/c> ![d](e.png) http://host/f.\n\n[g]: h\n\n> * <a href=i>\n\n", 7},
	} {
		cost := func(times int) float64 {
			text := strings.Repeat(test.unit, times)
			return testing.AllocsPerRun(5, func() {
				n := 0
				for range test.find(text, nil) {
					n++
				}
				if n != times*test.n {
					t.Fatalf("%d matches", n)
				}
			})
		}
		if one, many := cost(1), cost(1000); many > one {
			t.Errorf("%v allocations for a document, %v for a thousand: %q", one, many, test.unit)
		}
	}
}

// Whoever has seen enough gets no more.
func TestMarkupStop(t *testing.T) {
	const text = "[a](b) [c](d) <e href=f src=g srcset='h,i j'> http://k/ `http://l/` <m:n> <style>url(o) url(p)</style>\n\n<q href=r>"
	for _, find := range []finder{extract.HTML, extract.Markdown, extract.CSS} {
		all := list(text, find(text, &extract.Options{Hidden: true}))
		for n := range all {
			var got []string
			for m := range find(text, &extract.Options{Hidden: true}) {
				if got = append(got, show(text, m)); len(got) == n+1 {
					break
				}
			}
			if !slices.Equal(got, all[:n+1]) {
				t.Errorf("the first %d are %q", n+1, got)
			}
		}
	}
}

func TestMarkupSchemes(t *testing.T) {
	only := &extract.Options{Schemes: func(name string) bool { return name == "gopher" }, NoBare: true}
	const text = `<a href="HTTP://h/"> <a href="GOPHER://h/"> <a href="a.html"> gopher://h/ <gopher://i/>`
	testRows(t, extract.HTML, only, []row{{text, want("a href GOPHER://h/", "a href a.html", "bracketed gopher://i/")}})
	testRows(t, extract.Markdown, only, []row{{"[a](http://h/) [b](gopher://h/) [c](d) gopher://h/", want("link gopher://h/", "link d")}})
}

// A running text that is too long to be decoded at once is decoded in pieces, and
// no URL is cut.
func TestMarkupPieces(t *testing.T) {
	const unit, n = "&lt;http://host.dom/a&amp;b&gt;\n", 80_000
	text := strings.Repeat(unit, n)
	got := 0
	for m := range extract.HTML(text, nil) {
		if m.Form != extract.Bracketed || m.URL.String() != "http://host.dom/a&b" || m.Start != int64(got*len(unit)+len("&lt;")) {
			t.Fatalf("%d: %v %v at %d", got, m.Form, m.URL, m.Start)
		}
		got++
	}
	if got != n {
		t.Errorf("%d of %d", got, n)
	}
}
