package verify

import (
	"testing"

	"github.com/locus-url/locus/policy"
)

// A view of a picture, a part of a recording and a page of a PDF are not names in the document.
func TestViews(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	w.want(w.run(textDoc("a.md", "[a](http://a.example/page#svgView(viewBox(0,0,1,1))) [b](http://a.example/page#t=10,20) [c](http://a.example/page#xywh=1,2,3,4) [d](http://a.example/page#page=2) [e](http://a.example/page#one) [f](http://a.example/page#three)")),
		"a.md:1 http://a.example/page#svgView(viewBox(0,0,1,1)) alive", "a.md:1 http://a.example/page#t=10,20 alive", "a.md:1 http://a.example/page#xywh=1,2,3,4 alive",
		"a.md:1 http://a.example/page#page=2 alive", "a.md:1 http://a.example/page#one alive", "a.md:1 http://a.example/page#three fragment")
}

// The end of a table cell ends the open elements in the cell, so that the names in later rows are
// found.
func TestNamesInTables(t *testing.T) {
	a := markdownAnchors("| a |\n|---|\n| an `open span |\n| <a id=\"one\"></a> |\n| a ` tick <b |\n| <i id=two> [ |\n\n## [Three\n", false, false)
	for _, name := range []string{"one", "two", "three"} {
		if !a.find(name) {
			t.Errorf("no %s", name)
		}
	}
}
