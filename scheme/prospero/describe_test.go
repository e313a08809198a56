package prospero

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// The registry must return the correct parts, title, parents and freshness of a URL.
func TestDescribe(t *testing.T) {
	r, err := scheme.NewRegistry(Scheme(nil))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"prospero://h//a/b;k=v;OBJECT-VERSION=1": "ppath=/a/b fieldname=k fieldvalue=v fieldname=OBJECT-VERSION fieldvalue=1 | b |  | 5m0s",
		"prospero://h/x":                         "ppath=x | x |  | 5m0s",
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
