package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// treeOf returns the tree of foreign HTML in a page, and its number of nodes.
func treeOf(t testing.TB, text string) (root *html.Node, nodes int) {
	t.Helper()
	root = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	list, err := html.ParseFragment(boundFormatting(sanitiser().SanitizeReader(strings.NewReader(text))), root)
	if err != nil {
		return root, 0 // deeper than the parser allows
	}
	for _, n := range list {
		root.AppendChild(n)
		nodes++
		for range n.Descendants() {
			nodes++
		}
	}
	return root, nodes
}

// rendered returns the HTML of a page for foreign HTML.
func rendered(t testing.TB, text string) string {
	root, _ := treeOf(t, text)
	var b bytes.Buffer
	for n := range root.ChildNodes() {
		if err := html.Render(&b, n); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// opening returns n formatting elements with different attributes.
func opening(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// bombs lists documents that make a parser without a budget produce millions of nodes.
func bombs() map[string]string {
	const blocks = 20_000
	return map[string]string{
		"paragraphs":   "<p>" + opening(180, "<b id=%d>") + strings.Repeat("<p>x", blocks),
		"self-closing": "<p>" + opening(180, "<b id=%d />") + strings.Repeat("<p>x", blocks),
		"table":        "<table>" + opening(180, "<b id=%d>") + strings.Repeat("<tr>x", blocks),
		"cells":        opening(180, "<i id=%d>") + "<table><tr>" + strings.Repeat("<td>x</td>x", blocks),
		"end in cell":  opening(180, "<b id=%d>") + "<table><tr><td>" + strings.Repeat("</b>", 180) + "</table>" + strings.Repeat("<p>x", blocks),
		"links":        strings.Repeat("<p><a href='/"+strings.Repeat("y", 2000)+"'>x", 20) + opening(150, "<u id=%d>") + strings.Repeat("<div>x</div>", blocks),
		"spans":        opening(100, "<span id=%d>") + opening(180, "<i id=a%d>") + strings.Repeat("</span>x", blocks),
		"adoption":     opening(180, "<b id=%d>") + opening(180, "<i id=a%d>") + strings.Repeat("</b>x", blocks),
		"pictures":     "<p>" + opening(180, "<b id=%d>") + strings.Repeat("<p><img src=x>", blocks),
	}
}

func TestFormattingIsBounded(t *testing.T) {
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			_, nodes := treeOf(t, text)
			if most := 10 * strings.Count(text, "<"); nodes > most {
				t.Errorf("%d nodes of %d tags", nodes, strings.Count(text, "<"))
			}
			if out := boundFormatting(bytes.NewBufferString(text)); out.Len() > 8*len(text) {
				t.Errorf("%d bytes of %d", out.Len(), len(text))
			}
		})
	}
}

func TestFormattingIsKept(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"<p><b>a</b> c</p>", "<p><b>a</b> c</p>"},
		{"<b><p>a<p>b</b>c", "<b></b><p><b>a</b></p><p><b>b</b>c</p>"},
		{"<b>1<i>2</b>3</i>4", "<b>1<i>2</i></b><i>3</i>4"},
		{`<a href="/x"><div>a</div><div>b</div></a>`, `<a href="/x"></a><div><a href="/x">a</a></div><div><a href="/x">b</a></div>`},
		{`<a href="/x">1<a href="/y">2`, `<a href="/x">1</a><a href="/y">2</a>`},
		{`<a name="top"></a><p>x`, `<a name="top"></a><p>x</p>`},
		{`<b id="one"><p>x<p>y`, `<b id="one"></b><p><b>x</b></p><p><b>y</b></p>`},
		{"<table><tr><td><b>x<td>y</table>", "<table><tbody><tr><td><b>x</b></td><td><b>y</b></td></tr></tbody></table>"},
		{"</b>x", "x"},
		{"a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"},
	} {
		if got := rendered(t, test.text); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// A document of ordinary size keeps its formatting to the last paragraph.
func TestLargePageIsWhole(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "<p>Paragraph %d has <b>bold <i>and italic</i></b> words and <a href=\"/%d\">a link</a>.</p>\n", i, i)
	}
	b.WriteString("<font><p>The <b>last</b> paragraph.</p>")
	got := rendered(t, b.String())
	if want := "The <b>last</b> paragraph."; !strings.Contains(strings.NewReplacer("<font>", "", "</font>", "").Replace(got), want) {
		t.Errorf("the page ends with %q", got[max(len(got)-200, 0):])
	}
}

func TestHeadOf(t *testing.T) {
	for _, test := range []struct {
		text string
		want documentHead
	}{
		{"<title> A\n title </title><base href=' /b/ '>", documentHead{"A title", "/b/"}},
		{"<html><head><base href=/one><base href=/two><title></title></head><title>x</title>", documentHead{"x", "/one"}},
		{"<!-- <title>no</title> --><script>'<title>no</title>'</script><p>x", documentHead{}},
		{"<title>a &amp; b", documentHead{"a & b", ""}},
		{"<title>", documentHead{}},
	} {
		if got := headOf([]byte(test.text)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.text, got, test.want)
		}
	}
}

// FuzzFormatting checks that the size of the tree is proportional to the document.
func FuzzFormatting(f *testing.F) {
	f.Add("<b><p>a<p>b</b>c")
	f.Add("<p>" + opening(70, "<b id=%d>") + strings.Repeat("<p>x", 100))
	f.Add("<table>" + opening(20, "<a href=%d><i id=%d/>") + strings.Repeat("<tr>x<td>y</i>", 50))
	f.Fuzz(func(t *testing.T, text string) {
		clean := sanitiser().SanitizeReader(strings.NewReader(text)).String()
		_, nodes := treeOf(t, text)
		if most := 100 + 12*strings.Count(clean, "<"); nodes > most {
			t.Fatalf("%d nodes of %d tags", nodes, strings.Count(clean, "<"))
		}
	})
}
