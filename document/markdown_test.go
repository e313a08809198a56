package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locus-url/locus/document"
)

// The section numbers refer to CommonMark 0.31.
func TestMarkdown(t *testing.T) {
	testRows(t, document.Markdown, nil, []row{
		// 6.3, links.
		{`[text](a.md)`, wantLines("link a.md")},
		{`[text](http://host/a "title")`, wantLines("link http://host/a")},
		{`[a](b 'c') [d](e (f)) [g]( h ) [i](` + "\n" + `j` + "\n" + `"k` + "\n" + `l")`, wantLines("link b", "link e", "link h", "link j")},
		{`[](a) [b]() [c](<>) [](<d>)`, wantLines("link a", "link d")},
		{`[a](b c) [a](<b` + "\n" + `c>) [a](<b>c) [a](b "c" d) [a](b"c") [a] (b) [a]` + "\n" + `(b)`, wantLines(`link b"c"`)},
		{`[a](<b c>) [a](<b)c>) [a](b\)c) [a](b(c(d))e) [a](<b\>c>)`,
			wantLines(`link b%20c as "b c"`, "link b)c", `link b)c as "b\\)c"`, "link b(c(d))e", `link b>c as "b\\>c"`)},
		{`[a](b(c) [d](e)`, wantLines("link e")},
		{`[a](foo\bar) [a](b\*c&amp;d&auml;&bogus;&amp)`, wantLines(`link foo\bar`, `link b*c&dä&bogus;&amp as "b\\*c&amp;d&auml;&bogus;&amp"`)},
		{`[a [b] c](d) [a] b](c) [a [b](c) \[d](e)`, wantLines("link d", "link c")},
		{`[a [b](c) d](e) [a ![b](c) d](e) ![a](b)](c)`, wantLines("link c", "image c", "link e", "image b")},
		{`[a *b [c](d)*](e)`, wantLines("link d")},
		{"[a `](b)`](c) [a <b c=\"](d)\">](e) [a <http://host/](f)>](g)",
			wantLines("link c", "link e", "bracketed http://host/](f)", "link g")},
		// A URL in a link's text, title or alternative text is not a link (GFM 6.9).
		{`[http://host/a](http://host/b "see http://host/c") http://host/d`, wantLines("link http://host/b", "bare http://host/d")},
		{`http://host/a ![see http://host/b](c) [x ` + "`http://host/d`" + ` ![http://host/e](f 'http://host/g') http://host/h](i) http://host/j`,
			wantLines("bare http://host/a", "image c", "image f", "link i", "bare http://host/j")},
		{`[a <http://host/b> <i href=c>](d) [http://host/e](f g)`, wantLines("bracketed http://host/b", "link d", "bare http://host/e")},
		{"[http://host/a][b] [http://host/c][d] [http://host/e] [http://host/f][] [g [http://host/h]][b] ![http://host/i] [^http://host/j]\n\n> - [B]: c\n\n[http://host/e]: k\n" +
			"[HTTP://host/F]: l\n[http://host/i]:\nm\n\n[^http://host/j]: n", wantLines("bare http://host/c", "bare http://host/j", "definition c", "definition k", "definition l", "definition m", "bare http://host/j")},
		{"[http://host/a] see [http://host/a]: b", wantLines("bare http://host/a", "bare http://host/a")},
		{`<a href=b>http://host/a ` + "`http://host/c`" + ` [d](e)</a> http://host/f`, wantLines("a href b", "link e", "bare http://host/f")},
		{"<A HREF=b>http://host/a</A></abbr>\n\n<a href=c></ab>http://host/d", wantLines("a href b", "a href c", "bare http://host/d")},
		{"[a]: b 'http://host/c'", wantLines("definition b")},
		{`\[a](b) [a\](b) !\[a](b) \\[a](b)`, wantLines("link b", "link b")},
		{`[a](mailto:a@host) [a](x-new:a) [a](#top) [a](../b#c) [a](//host/) [a](http://host/%zz)`,
			wantLines("link mailto:a@host", "link x-new:a", "link #top", "link ../b#c", "link //host/", "link http://host/%zz")},
		// MyST classes.
		{`[a](b){.external} [a](<b> "t"){ #i .external } [a](b){.externals} [a](b) {.external} [a](b){.external ![a](b){.external}`,
			wantLines("external b", "external b", "link b", "link b", "link b", "image b")},
		{`[a](b){` + strings.Repeat("x ", 200) + `.external}`, wantLines("link b")},
		// 6.4, images.
		{`![a](b.png "c") ![](d) \![e](f) !!![g](h)`, wantLines("image b.png", "image d", "link f", "image h")},
		{`[![a](b.png)](http://host/)`, wantLines("image b.png", "link http://host/")},
		// 4.7, definitions.
		{"[a]: b", wantLines("definition b")},
		{"[a]: <b c> 'd'\n[e]:\n  http://host/\n  \"f\n  g\"\n[h][a]", wantLines(`definition b%20c as "b c"`, "definition http://host/")},
		{"[a]: b 'c' d\n", nil}, {"[a]: b\n'c' d", wantLines("definition b")}, {"[a]: b 'c\n", nil}, {"[a]:\n\n[b]: <>", nil}, {"[]: a\n\n[ ]: a", nil},
		{"x\n[a]: b", nil}, {"# x\n[a]: b\n===\n[c]: d", wantLines("definition b")}, {"    [a]: b", nil}, {"   [a\\]b]: c", wantLines("definition c")},
		{"[a]: http://host/ http://host/b", wantLines("bare http://host/", "bare http://host/b")},
		{"> [a]: b\n> [c]:\n> d\ne", wantLines("definition b", "definition d")},
		{"[^1]: see\n\n[^2]: http://host/", wantLines("bare http://host/")},
		{"[" + strings.Repeat("a", 999) + "]: b\n\n[" + strings.Repeat("a", 1000) + "]: c", wantLines("definition b")},
		// 6.5, autolinks.
		{`<http://host/?a&amp;b> <MAILTO:a@host> <a+b.c:d> <ab:> <a:b> <http://host/\[>`,
			wantLines(`bracketed http://host/?a&b as "http://host/?a&amp;b"`, "bracketed MAILTO:a@host", "bracketed a+b.c:d", "bracketed ab:", `bracketed http://host/\[`)},
		{`<a@host.dom> <a\+@host> <a.b+c%d@host> <a@-host> <a@host.>`,
			wantLines(`bracketed mailto:a@host.dom as "a@host.dom"`, `bracketed mailto:a.b+c%25d@host as "a.b+c%d@host"`)},
		{"<URL:ftp://ds.in\nternic.net/rfc> <url:news:*>", wantLines(`wrapped ftp://ds.internic.net/rfc as "ftp://ds.in\nternic.net/rfc"`, "wrapped news:*")},
		// 6.6, HTML.
		{`a <area href="c"> <d/> <img src='e'/> </a href="f"> <a href="g"h> <a "h"> <33 href=i> <a href=j k>`, wantLines("area href c", "img src e", "a href j")},
		{`<![a](b)> <!a [c](d)> <!`, wantLines("image b")},
		{`a <!-- [b](c) --> <? [b](d) ?> <!B [b](e)> <![CDATA[ [b](f) ]]> <!--> [b](g) --> <!---> [b](h)`, wantLines("link g", "link h")},
		{`a <!-- [b](c) <? [b](d) <!B [b](e) <![CDATA[ [b](f)`, wantLines("link c", "link d", "link e", "link f")},
		{`a <base href="http://host/"> [b](c)`, wantLines("base href http://host/", "link c in http://host/")},
		{"if a<b http://host/ then", wantLines("bare http://host/")},
		// 4.6, blocks of HTML.
		{"<div>\n[a](b) <a href=c>\n\n[d](e)\n</div>", wantLines("a href c", "link e")},
		{"<script>\n\n[a](b)\n</script> [c](d)\n[e](f)", wantLines("link f")},
		{"<!-- [a](b)\n\n[c](d) --> <a href=e>\n[f](g)", wantLines("a href e", "link g")},
		{"<pre>\n\n[a](b) <a href=c>\n</pre>\n[d](e)", wantLines("a href c", "link e")},
		{"<x y='z'>\n[a](b)\n\nc\n<x y='z'>\n[d](e)\n\n<x y='z'> f\n[g](h)", wantLines("link e", "link h")},
		{"<table><tr>\n    <td><img src=a>\n", wantLines("img src a")},
		{"<?\n\n[a](b)\n?>\n[c](d)\n\n<!A\n\n[a](b)\n>\n[e](f)", wantLines("link d", "link f")},
		// 6.1, code spans.
		{"`[a](b)` ``[a](`b`)`` `http://host/a` `[a](b)", wantLines("bare http://host/a", "link b")},
		{"`a\nb` \\`[a](b)` ```a`` [c](d)", wantLines("link b", "link d")},
		{"`http://host/a\\_b&amp;c`", wantLines("bare http://host/a")},
		// 4.4 and 4.5, blocks of code.
		{"```\n[a](b) http://host/\n```\n[c](d)", wantLines("bare http://host/", "link d")},
		{"~~~~ x\n[a](b)\n~~~\n~~~~ x\n~~~~\n[c](d)", wantLines("link d")},
		{"``` a`b\n[c](d)\n```\n[e](f)", wantLines("link d")},
		{"> ```\n> [a](b)\n[c](d)", wantLines("link d")}, {"```\n[a](b)", nil},
		{"    [a](b) http://host/\n\n\t[a](b)\n[c](d)", wantLines("bare http://host/", "link d")},
		{"a\n    [b](c)", wantLines("link c")}, {"- a\n\n  [b](c)\n\n      [d](e)", wantLines("link c")}, {"1.  a\n\n\t[b](c)\n\n\t    [d](e)", wantLines("link c")},
		{"-\t\t[a](b)\n\n-\t[c](d)\n", wantLines("link d")}, {">\t\t[a](b)\n> \t[c](d)\n", wantLines("link d")}, {"- - 1. [a](b)\n\n         [c](d)", wantLines("link b", "link d")},
		// 4.1 to 4.3, 5.1, 5.2: the end of a paragraph, which ends a link.
		{"# [a](b) #\n[c\n# ](d)\n[e\n\n](f)\n[g\n- ](h)\n[i\n***\n](j)\n[k\n---\n](l)\n[m\n> ](n)\n[o\n```\n](p)", wantLines("link b")},
		{"> [a\n> ](b)\n> [c](\n> d)\n\n> [e](\nf)\n> > [g](\n>> h\n> > 'i')", wantLines("link b", "link d", "link f", "link h")},
		{"[a\n14. ](b)", wantLines("link b")}, {"[a\n1. ](b)", nil}, {"[a\n-\n](b)", nil}, {"[a\n*\n](b)", wantLines("link b")}, {"- a\n  14. [b\n  3. ](c)", wantLines("link c")},
		{"[a\n#b\n](c)", wantLines("link c")}, {"[a\n====\n](b)", nil}, {"-\n\n  [a](b)\n\n-\n  [c](d)", wantLines("link b", "link d")},
		{"[a\r](b)\r\r[c\r\r](d)\r\n[e\r\n](f)\r\n\r\n[g\r\n\r\n](h)\n\r[i\n\r](j)", wantLines("link b", "link f")},
		// Running text.
		{"see http://host/a, **http://host/b** _http://host/c_ (http://host/d) ~~http://host/e~~ *http://host/f.*",
			wantLines("bare http://host/a", "bare http://host/b", "bare http://host/c", "bare http://host/d", "bare http://host/e", "bare http://host/f")},
		{`http://host/Intersection_\(set_theory\) https://example.org/* https://example.org/**.`,
			wantLines(`bare http://host/Intersection_(set_theory) as "http://host/Intersection_\\(set_theory\\)"`, "bare https://example.org/", "bare https://example.org/")},
		{`http://host/a\_b http://host/?c&amp;d http://host/e_f_`,
			wantLines(`bare http://host/a_b as "http://host/a\\_b"`, `bare http://host/?c&d as "http://host/?c&amp;d"`, "bare http://host/e_f")},
		{"| http://host/a | [b](c) |\n|---|---|\n| `http://host/d` | ![](e) |", wantLines("bare http://host/a", "link c", "bare http://host/d", "image e")},
		// Tables: GFM 4.10. The end of a cell ends the open elements in the cell.
		{"| a | b |\n|---|---|\n| one | an `open code span | \n| [two](gone.md) | z |\n| three | another ` tick |", wantLines("link gone.md")},
		{"a | [b\n:-|-\n](c) | d\n<e\n`f | [g](h)|<a href='\n`[i](j) <!-- |\n[k](l) -->", wantLines("link h", "link j", "link l")},
		{"> | a |\n> |---|\n> | ` |\n> | [b](c) ` |\n\n- d | e\n  - | -\n  [f | [g](h)", wantLines("link c", "link h")},
		{"1. | a | b |\n   |---|---|\n   | [ | [c](d) |\n\n   [e\n   ](f)", wantLines("link d", "link f")},
		{"| a |\n|---|\n| [b `\\|` c](d) [e\\|f](g) |\n| `x | [h](i)` |", wantLines("link d", "link g", "link i")},
		{"x [a\n| b |\n|---|\n| ](c) |\n\n[d]: e\n| f |\n|---|", wantLines("definition e")},
		{"| a |\n|---|\n    [b](c)\n\n| d |\n|---|\n# [e\n](f)\n\n| g |\n|---|\n- [h\n  ](i)\n\n> | j |\n> |---|\n[k\n](l)", wantLines("link i", "link l")},
		{"| a | b |\n|---|\n| [c\n](d) |\n\n| e |\n|-- -|\n| [f\n](g) |", wantLines("link d", "link g")},
		{"[a]\n[a][]\n[a][b]\n[a http://host/]", wantLines("bare http://host/")},
		{"\uFEFFhttp://host/", wantLines("bare http://host/")},
	})
}

func TestMarkdownHidden(t *testing.T) {
	testRows(t, document.Markdown, &document.Options{Hidden: true}, []row{
		{"a <!-- http://host/a --> <b title='http://host/c'>\n\n<!-- http://host/d -->", wantLines("bare http://host/a", "bare http://host/c", "bare http://host/d")},
	})
}

// A block that is nested more than a hundred levels deep is text.
func TestMarkdownDepth(t *testing.T) {
	for depth, want := range map[int]int{99: 0, 100: 0, 101: 2} {
		text := strings.Repeat("> ", depth) + "    [a](b)\n\n" + strings.Repeat("- ", depth) + "    [a](b)"
		got := 0
		for range document.Markdown(text, nil) {
			got++
		}
		if got != want {
			t.Errorf("depth %d: %d links", depth, got)
		}
	}
}

func TestMarkdownCut(t *testing.T) {
	const text = "# [a](b)\n\n[c]: http://host/d 'e'\n\nSee <http://host/f>, http://host/g\\_h and http://host/?i&amp;j; <a href='k'>\n" +
		"![l](m) [n\no](p\n\"q\") <r@host> `http://host/s`\n\n> - http://host/t\n>\n>       http://host/u\n\n```\nhttp://host/v\n```\n\n<div>\n<img src=w>\n</div>\n"
	checkCut(t, document.Markdown, text)
}

// TestMarkdownNested nests blocks at random. A block must contain the same links at every depth.
func TestMarkdownNested(t *testing.T) {
	blocks := []row{
		{"[a](b)", wantLines("link b")},
		{"![a\nc](\nd\n'e')", wantLines("image d")},
		{"# [a](b) #", wantLines("link b")},
		{"a [b\n===", nil},
		{"[a]: b\n[c]: <d>", wantLines("definition b", "definition d")},
		{"a\nhttp://host/\\_a\nb", wantLines(`bare http://host/_a as "http://host/\\_a"`)},
		{"```\n[a](b)\n\n    http://host/\n```", wantLines("bare http://host/")},
		{"    [a](b)\n    http://host/", wantLines("bare http://host/")},
		{"<div>\n<a href=b> [c](d)\n</div>", wantLines("a href b")},
		{"<!--\n\n[a](b)\n-->", nil},
		{"***", nil},
		{"`a\n[b](c)", wantLines("link c")},
		{"<ab:c> [d][", wantLines("bracketed ab:c")},
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		var wanted []string
		for range rapid.IntRange(1, 6).Draw(t, "blocks") {
			block := rapid.SampledFrom(blocks).Draw(t, "block")
			text := block.text
			for range rapid.IntRange(0, 4).Draw(t, "depth") {
				marks := rapid.SampledFrom([][2]string{{"> ", "> "}, {">", ">"}, {"- ", "  "}, {"* ", "  "}, {"1. ", "   "}, {"23)  ", "     "}, {"+\n  ", "  "}}).Draw(t, "marks")
				if marks[0] == ">" && strings.Contains("\n"+text, "\n ") {
					marks = [2]string{"> ", "> "} // the first space would be part of the marker
				}
				if strings.HasPrefix(text, "    ") && marks[0] == "23)  " {
					marks = [2]string{"- ", "  "} // only one of several spaces is part of the marker
				}
				text = marks[0] + strings.ReplaceAll(text, "\n", "\n"+marks[1])
			}
			b.WriteString(text)
			// The comment ends lists, whose items would contain the following text.
			b.WriteString("\n\n<!-- -->\n\n")
			wanted = append(wanted, block.want...)
		}
		text := b.String()
		if got := list(text, document.Markdown(text, nil)); !slices.Equal(got, wanted) {
			t.Fatalf("%s\n got  %q\n want %q", text, got, wanted)
		}
	})
}

func ExampleMarkdown() {
	const text = "See [the draft](uri-draft.md), ![a map](map.png) or <http://info.cern.ch/>.\n"
	for m := range document.Markdown(text, nil) {
		if m.Ref != "" {
			fmt.Println(m.Form, "partial form", m.Ref)
		} else {
			fmt.Println(m.Form, m.URL)
		}
	}
	// Output:
	// link partial form uri-draft.md
	// image partial form map.png
	// bracketed http://info.cern.ch/
}
