package ftp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A registry must describe the parts, title, parents and freshness of a URL.
func TestDescribe(t *testing.T) {
	r, err := scheme.NewRegistry(Scheme(nil), SecureScheme(nil))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"ftp://u:pw@h/a/b.txt;type=i": "user=u password=pw fpath=a/b.txt ftptype=i | b.txt | h a | 1h0m0s",
		"ftp://h/a/":                  "fpath=a/ | a | h | 5m0s",
		"ftps://h":                    " |  |  | 5m0s",
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
