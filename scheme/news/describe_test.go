package news

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A registry must describe the parts, title, parents and freshness of a URL.
func TestDescribe(t *testing.T) {
	r, err := scheme.NewRegistry(Schemes(nil)...)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"news:a.b":       "group=a.b | a.b |  | 1m0s",
		"news:x@y":       "article=x@y | x@y |  | 168h0m0s",
		"news:*":         "group=* | * |  | 1m0s",
		"nntp://h/a.b/7": "group=a.b digits=7 | 7 | h a.b | 24h0m0s",
		"nntp://h/a.b":   "group=a.b | a.b | h | 1m0s",
		"news://h/x@y":   "article=x@y | h/x@y |  | 168h0m0s",
	} {
		u := locus.MustParse(text)
		var spans, parents []string
		for _, s := range r.Spans(u) {
			if s.Name != "" && s.Name != "scheme" && s.Name != "host" {
				spans = append(spans, s.Name+"="+s.Text)
			}
		}
		for _, p := range r.Parents(u) {
			parents = append(parents, p.Name)
		}
		got := fmt.Sprintf("%s | %s | %s | %v", strings.Join(spans, " "), r.Title(u), strings.Join(parents, " "), r.Freshness(u).For)
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if x, err := Parse(u); err != nil || fmt.Sprint(x) != u.Shown() || x.LogValue().String() != u.Shown() {
			t.Errorf("%s is written %v, %v", text, x, err)
		}
	}
}
