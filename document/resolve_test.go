package document_test

import (
	"errors"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/relative"
)

func TestResolve(t *testing.T) {
	for _, row := range []struct {
		page, base string
		want       string // URL of the last link; empty if there is no base URL
	}{
		{`<a href="b.html">`, "http://h/dir/a.html", "http://h/dir/b.html"},
		{`<a href="/b?c#d">`, "http://h/dir/a.html", "http://h/b?c#d"},
		{`<a href="//other.example/">`, "https://h/dir/a.html", "https://other.example/"},
		{`<a href="#top">`, "http://h/a.html", "http://h/a.html#top"},
		{`<a href="http://h/x">`, "", "http://h/x"},
		{`<a href="http://bücher.example/ü">`, "", "http://xn--bcher-kva.example/%C3%BC"},
		{`<a href="http://good?@evil/">`, "", "http://good/?@evil/"},
		{`<a href="//good?@evil">`, "http://h/a", "http://good/?@evil"},
		{`<base href="http://good?@evil"><a href="y">`, "", "http://good/y"},
		{`http://good?q=a@evil`, "", "http://good/?q=a@evil"},
		{`<a href="ü">`, "http://h/a", "http://h/%C3%BC"},
		{`<base href="http://base.example/x/"><a href="y">`, "", "http://base.example/x/y"},
		{`<base href="sub/"><a href="y">`, "http://h/a", "http://h/sub/y"},
		{`<a href="b.html">`, "", ""},
		{`<base href="sub/"><a href="y">`, "", ""},
	} {
		var last document.Link
		for l := range document.HTML(row.page, nil) {
			last = l
		}
		var base locus.URL
		if row.base != "" {
			base = locus.MustParse(row.base)
		}
		u, err := last.Resolve(base)
		if u.String() != row.want || (err == nil) != (row.want != "") || err != nil && !errors.Is(err, relative.ErrBase) {
			t.Errorf("%s at %q: %q, %v; want %q", row.page, row.base, u.String(), err, row.want)
		}
		if last.Member = "inside"; last.Base == "" && last.URL.IsZero() {
			if _, err := last.Resolve(base); !errors.Is(err, relative.ErrBase) {
				t.Errorf("%s in an archive: %v", row.page, err)
			}
		}
	}
	for _, l := range []document.Link{{Ref: "10.0.0.7:80/x"}, {Ref: "x", Base: "1:"}, {Ref: "a b"}, {Ref: "http://[x/"}} {
		if u, err := l.Resolve(locus.MustParse("http://h/")); err == nil {
			t.Errorf("%+v: %s", l, u)
		}
	}
}
