package page

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestSanitise(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`<p>a<script>b</script>c</p>`, `<p>ac</p>`},
		{`<style>a</style><title>b</title><iframe>c</iframe><object>d</object><noscript>e</noscript><template>f</template>g`, `g`},
		{`<x-y><b>a</b> <blink>b</blink></x-y>c<!-- d -->`, `<b>a</b> bc`},
		{`<form action=x><input name=y>a<textarea><b>c</textarea></form>`, `a&lt;b&gt;c`},
		{`<svg><a href=x>a</a><p>b</p><style><img src=x onerror=y></style></svg>`, `a<p>b</p>`},
		{`<math><mi><b>a</b></mi></math>`, `<b>a</b>`},
		{`<a href=x id=z name=y onclick=w style=v>a</a>`, `<a href="x" id="z" name="y">a</a>`},
		{`<b href=x name=y src=z id=w>a</b>`, `<b id="w">a</b>`},
		{`<img src=a alt=b width=c height=d srcset=e onerror=f>`, `<img src="a" alt="b" width="c" height="d"/>`},
		{`<table><tr><td colspan=2 rowspan=x start=3>a`, `<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>`},
		{`<ol start=3><li start=4>a</ol><ol start=-1></ol>`, `<ol start="3"><li>a</li></ol><ol></ol>`},
		{`<p dir=RTL>a<b dir=rtl>b</b><span dir=auto>c</span>`, `<p dir="RTL">a<b>b</b><span>c</span></p>`},
	} {
		within := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		nodes, err := html.ParseFragment(strings.NewReader(row.text), within)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			within.AppendChild(n)
		}
		sanitise(within)
		var b strings.Builder
		for n := range within.ChildNodes() {
			if err := html.Render(&b, n); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.String(); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.text, got, row.want)
		}
	}
}
