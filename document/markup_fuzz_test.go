package document_test

import (
	"html"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// checkMatches checks the properties that the links in every document have.
func checkMatches(t *testing.T, text string, find finder, o *document.Options) {
	end := int64(0)
	for m := range find(text, o) {
		switch {
		case m.Start < end || m.Start >= m.End || m.End > int64(len(text)):
			t.Fatalf("%q: %v %q %q is at %d to %d, behind %d", text, m.Form, m.URL, m.Ref, m.Start, m.End, end)
		case m.URL.IsZero() == (m.Ref == ""):
			t.Fatalf("%q: URL %q and partial form %q", text, m.URL, m.Ref)
		case (m.Form == extract.Attribute) != (m.Element != "" && m.Element != "template"):
			t.Fatalf("%q: %v of %q", text, m.Form, m.Element)
		}
		if u, err := locus.Parse(m.URL.String()); !m.URL.IsZero() && (err != nil || u != m.URL) {
			t.Fatalf("%q: %q: %v", text, m.URL, err)
		}
		if !o.Hidden {
			end = m.End
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		`<base href="http://h/"><a href="a&amp;b">http://h/?a&amp;b</a><img srcset="a 1x, b(2) 2x"><p style="url(a\29) @import 'b'">`,
		"<meta http-equiv=refresh content='0; url=\"a'><style>@import 'a'; b { c: url( 'd' ) } /* url(e) */</style>&lt;URL:http://\nh/&gt;",
		"<iframe srcdoc='<base href=x>&lt;a href=&quot;b&amp;amp;c&quot;&gt;http://h/<iframe srcdoc=&apos;<p style=\"url(d)\">&apos;>'><object archive='a b'><applet archive='a,b'><param value=c valuetype=ref>",
		"<form method=post action=a><button formaction=b formmethod=get><a href=c>http://h/</a><path fill='url(#d) \"' style='x: image-set(\"e\" 1x, url(f))'><meta property=og:image content=g>",
		"<script>http://h/</script><!-- http://h/ --><title>&#x68;ttp&colon;//h/</title><a href=javascript:http://h/ title=http://h/>",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, hidden bool) {
		checkMatches(t, s, document.HTML, &document.Options{Hidden: hidden})
		checkMatches(t, "<?xml?>"+s, document.HTML, &document.Options{Hidden: hidden})
	})
}

func FuzzCSS(f *testing.F) {
	for _, s := range []string{
		`@import 'a'; @namespace url(http://h/); p { x: url( "b\29" ) URL(c\)) /* url(d) http://h/ */ } "http://h/" url(javascript:http://h/)`,
		"<URL:http://h/ url(a\n)> http://h/url(a) url(http://h/\\\n) @import\t\"a",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, hidden bool) {
		checkMatches(t, s, document.CSS, &document.Options{})
		checkMatches(t, s, document.CSS, &document.Options{Hidden: hidden})
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# [a](b \"c\")\n\n> [a]: <b c>\n> 'd'\n\n- ![a](b)\n  `http://h/` <http://h/> <a@h> <b href=c>\n",
		"1. ```\n   http://h/\n   ```\n\n\t[a](b)\n<div>\n<a href=b>\n\n[a\\](b](http://h/\\_&amp;) **http://h/**\n===\n",
		"<!-- http://h/\n\n--> a\r[b]:\rc\r\n***\r\n~~~ x\n~~\n~~~\n[^a]: http://h/\n[a](\n>b)`a``b`<URL:http://\nh/>",
		"x [a\n| b | [http://h/c](d 'e') |\n|:-|--|\n| ` | ![f](g) |\n> | [h][i] <a href=j>http://h/k</a> \\| ` |\n\n[i]: l\n",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, hidden bool) {
		checkMatches(t, s, document.Markdown, &document.Options{Hidden: hidden, Templates: true})
	})
}

// FuzzReferences checks the URLs in running text with character references. The standard library
// must decode the source text of each URL to the same URL.
func FuzzReferences(f *testing.F) {
	for _, s := range []string{
		"&lt;http://h/&gt; &lthttp://h/?a&ampb&amp;c&copy=d&notit;&amp", "http&colon;//h/?a&notin;&CounterClockwiseContourIntegral;b",
		"&quot;mailto:a&commat;h&quot;, (http://h/&nGt;a&NotEqualTilde;)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(s, "<") || strings.Contains(s, "&#") {
			return // tags, and numbers that the standard library decodes differently
		}
		for m := range document.HTML(s, nil) {
			if written := s[m.Start:m.End]; m.Form == extract.Bare && html.UnescapeString(written) != m.URL.String() {
				t.Errorf("%q: %q is written %q", s, m.URL, written)
			}
		}
	})
}

// The text of the standard must be running text in HTML and in Markdown.
func TestMarkupOfPlainText(t *testing.T) {
	b, err := os.ReadFile("../extract/testdata/rfc1738.txt")
	if err != nil {
		t.Fatal(err)
	}
	checkMatches(t, string(b), document.HTML, &document.Options{})
	checkMatches(t, string(b), document.Markdown, &document.Options{})
}
