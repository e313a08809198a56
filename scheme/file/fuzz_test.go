package file

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func FuzzURL(f *testing.F) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		x, _ := Parse(u)
		for _, windows := range []bool{false, true} {
			name, _, err := x.name(windows, true, "")
			if err == nil && (strings.Contains(name, "\x00") || slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || windows && r == '\\' }), "..")) {
				t.Errorf("%q: name %q", u, name)
			}
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("h", "a b", "")
	f.Add("", "\xff/%", "..")
	f.Fuzz(func(t *testing.T, host, first, second string) {
		segments := []string{first, second}
		p := Parts{Host: host, Segments: segments}
		x, err := p.URL()
		if bnftest.Made(t, p, err) && !slices.Equal(x.Segments(), segments) {
			t.Errorf("%q: %q", x.URL(), x.Segments())
		}
		if err != nil && host == "" && len(first)+len(second) < locus.MaxLen/3-10 {
			t.Errorf("%q: %v", segments, err)
		}
	})
}

func FuzzNamesOf(f *testing.F) {
	f.Add("box", "127.0.1.1 box.example.org box # here\n")
	f.Fuzz(func(t *testing.T, name, table string) {
		for _, n := range namesOf(name, strings.NewReader(table)) {
			if !strings.HasPrefix(strings.ToLower(name), strings.ToLower(n)) && !strings.HasPrefix(strings.ToLower(n), strings.ToLower(strings.TrimSuffix(name, "."))) {
				t.Errorf("%q: %q is another machine", name, n)
			}
		}
	})
}
