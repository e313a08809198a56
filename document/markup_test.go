package document_test

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// row is a document with its links in the format of showLink.
type row struct {
	text string
	want []string
}

// showLink formats a link as one line. The line contains the form or element, the URL or
// reference, the source text if it differs, and the base.
func showLink(text string, m document.Link) string {
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
func list(text string, matches iter.Seq[document.Link]) (lines []string) {
	for m := range matches {
		lines = append(lines, showLink(text, m))
	}
	return lines
}

type finder func(string, *document.Options) iter.Seq[document.Link]

func testRows(t *testing.T, find finder, o *document.Options, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := list(r.text, find(r.text, o)); !slices.Equal(got, r.want) {
			t.Errorf("%q\n got  %q\n want %q", r.text, got, r.want)
		}
	}
}

// wantLines returns the lines of a row as a slice.
func wantLines(lines ...string) []string { return lines }

// Reading repeated or unclosed text must take linear time. With quadratic time, this test would
// take many times as long.
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
		"| a |\n|---|\n", "|---|\n", "|", "\\|", "|\n|-|\n", "| ` | [ | < |\n", "a\n:-\n`\n", "[a `", "![![a](b)", "[a](b 'http://h/')", "<a href=x>http://h/",
		"<form method=post action=x>", "<button formaction=x ", "formaction=x ", "content=x property=y ", "image-set(", "image-set('a'", "<p style='image-set(url(a) ", "fill=url(",
	} {
		text := strings.Repeat(unit, size/len(unit))
		for _, text := range []string{"> " + text, "<a b='" + text, "[a](" + text + ">", text + "\n\n" + text} {
			for _, o := range []*document.Options{nil, {Hidden: true}} {
				for _, find := range []finder{document.HTML, document.Markdown, document.CSS} {
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

// The memory for a document must not depend on its length.
func TestMarkupMemory(t *testing.T) {
	const size, most = 6 << 20, 2 << 20
	value := strings.Repeat("x&amp;", size/6)
	for _, test := range []struct {
		find          finder
		before, after string
	}{
		{document.HTML, `<a href="`, `">`},
		{document.HTML, `<meta http-equiv=refresh content="`, ""},
		{document.HTML, "<p>", ""},
		{document.HTML, "<iframe srcdoc='", "'>"},
		{document.Markdown, "[a](", ")"},
		{document.CSS, "url(", ")"},
		{document.CSS, "/*", ""},
		{document.Markdown, `> <a href='`, "'>"},
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

// Matches that need no decoding must be substrings of the text, and must need no allocation.
func TestMarkupAllocations(t *testing.T) {
	for _, test := range []struct {
		find finder
		unit string
		n    int // number of matches in unit
	}{
		{document.HTML, `<p>See <a href="http://host/a">a</a> http://host/b <img src=c.png srcset="d.png 1x, e.png 2x" style="background: url(f.png)">` + "\n", 6},
		{document.CSS, "/* http://host/a */ @import 'b'; p { x: url(c.png) url(http://host/d) }\n", 4},
		{document.Markdown, "See [a](http://host/a \"t\") `http://host/b` <http://host/c> ![d](e.png) http://host/f.\n\n[g]: h\n\n> * <a href=i></a>\n\n", 7},
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

// A caller that breaks out of the loop must get no more matches.
func TestMarkupStop(t *testing.T) {
	const text = "[a](b) [c](d) <e href=f src=g srcset='h,i j'> http://k/ `http://l/` <m:n> <style>url(o) url(p)</style>\n\n<q href=r>"
	for _, find := range []finder{document.HTML, document.Markdown, document.CSS} {
		all := list(text, find(text, &document.Options{Hidden: true}))
		for n := range all {
			var got []string
			for m := range find(text, &document.Options{Hidden: true}) {
				if got = append(got, showLink(text, m)); len(got) == n+1 {
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
	only := &document.Options{Extract: extract.Options{Schemes: extract.Named(extract.Any, "gopher"), NoBare: true}, SchemesOnly: true}
	const text = `<a href="HTTP://h/"> <a href="GOPHER://h/"> <a href="a.html"></a> gopher://h/ <gopher://i/>`
	testRows(t, document.HTML, only, []row{{text, wantLines("a href GOPHER://h/", "a href a.html", "bracketed gopher://i/")}})
	testRows(t, document.Markdown, only, []row{{"[a](http://h/) [b](gopher://h/) [c](d) gopher://h/", wantLines("link gopher://h/", "link d")}})
}

// A running text that is too long to decode at once must be decoded in pieces that do not split a
// URL.
func TestMarkupPieces(t *testing.T) {
	const unit, n = "&lt;http://host.dom/a&amp;b&gt;\n", 80_000
	text := strings.Repeat(unit, n)
	got := 0
	for m := range document.HTML(text, nil) {
		if m.Form != extract.Bracketed || m.URL.String() != "http://host.dom/a&b" || m.Start != int64(got*len(unit)+len("&lt;")) {
			t.Fatalf("%d: %v %v at %d", got, m.Form, m.URL, m.Start)
		}
		got++
	}
	if got != n {
		t.Errorf("%d of %d", got, n)
	}
}

func TestMarkupIRI(t *testing.T) {
	var got []string
	for l := range document.Markdown("[](http://h/a) [](http://h/ä) [](ä)", nil) {
		got = append(got, fmt.Sprint(l.URL, l.Ref, " ", l.IRI))
	}
	if want := []string{"http://h/a false", "http://h/ä true", "ä false"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMarkupSchemeless(t *testing.T) {
	o := &document.Options{Extract: extract.Options{Schemeless: true}}
	testRows(t, document.Markdown, o, []row{{
		"[www.x.example](b) **www.a.example** a@b.example",
		wantLines("link b", `bare http://www.a.example as "www.a.example"`, `bare mailto:a@b.example as "a@b.example"`),
	}})
	testRows(t, document.HTML, o, []row{{
		"<p>a@b.example &lt;www&period;a.example&gt;",
		wantLines(`bare mailto:a@b.example as "a@b.example"`, `bare http://www.a.example as "www&period;a.example"`),
	}})
}
