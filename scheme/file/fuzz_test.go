package file

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func FuzzURL(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "file:") {
			laws().Text(t, text)
		}
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		x, err := Parse(u)
		if err != nil {
			return
		}
		if again, err := Parse(x.URL()); again != x || err != nil {
			t.Errorf("%q: Parse(URL()) is %+v, %v", text, again, err)
		}
		for _, windows := range []bool{false, true} {
			name, _, err := x.name(windows, true)
			if err == nil && (strings.Contains(name, "\x00") || slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || windows && r == '\\' }), "..")) {
				t.Errorf("%q: name %q", text, name)
			}
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("h", "a b", "")
	f.Add("", "\xff/%", "..")
	f.Fuzz(func(t *testing.T, host, first, second string) {
		segments := []string{first, second}
		x, err := Parts{Host: host, Segments: segments}.URL()
		if err == nil && !slices.Equal(x.Segments(), segments) {
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
