package scheme_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
)

// CheckURI must return the findings of both RFC 3986 and the scheme's current standard, but
// only one per offset. NormalizeURI must apply both standards.
func TestCurrent(t *testing.T) {
	own := scheme.CurrentStandard{
		Name: "RFC 9999",
		Check: func(u rfc3986.URI) (list []locus.Violation) {
			for i := range len(u.String()) {
				if strings.IndexByte("x<", u.String()[i]) >= 0 {
					list = append(list, locus.Violation{Rule: "own", Section: "RFC 9999 1", Offset: i, Text: u.String()[i : i+1], Help: "leave it out"})
				}
			}
			return list
		},
		Normalize: func(u rfc3986.URI) rfc3986.URI { return rfc3986.Parse(strings.ReplaceAll(u.String(), "x", "")) },
		Root:      true,
	}
	written := own
	written.AsWritten = true
	r, err := scheme.NewRegistry(scheme.Scheme{Name: "own", Port: 7, Syntax: scheme.Syntax{Current: own}}, scheme.Scheme{Name: "other"}, scheme.Scheme{Name: "written", Syntax: scheme.Syntax{Current: written}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"own:ab":      "",
		"OWN:axb":     "5 own",
		"own:a<xb>":   "5 own, 6 own, 8 character",
		"other:axb":   "",
		"unknown:x":   "",
		"own://h:0/x": "8 port, 10 own",
	} {
		var got []string
		for _, v := range r.CheckURI(rfc3986.Parse(text)) {
			got = append(got, fmt.Sprint(v.Offset, " ", v.Rule))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if u, err := locus.Parse(text); err == nil && len(r.Check(u, locus.RFC3986)) != len(got) {
			t.Errorf("%s: %v", text, r.Check(u, locus.RFC3986))
		}
	}
	for text, want := range map[string]string{
		"OWN://H:7":       "own://h/",
		"own:axb":         "own:ab",
		"WRITTEN:%7ex":    "WRITTEN:%7e",
		"other://H:7/%7e": "other://h:7/~",
	} {
		if got := r.NormalizeURI(rfc3986.Parse(text)).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
