package prospero

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func FuzzURL(f *testing.F) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		x, _ := Parse(u)
		x.ObjectVersion()
	})
}

// FuzzPath compares the parser for url-paths with a simple, readable parser.
func FuzzPath(f *testing.F) {
	for _, text := range seeds {
		path, _ := locus.MustParse(text).Path()
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse("prospero://h/" + text)
		if err != nil {
			return
		}
		path, _ := u.Path()
		hsoname, version, attributes, fields, ok := slowSplit(path)
		x, err := Parse(u)
		if (err == nil) != ok {
			t.Fatalf("%q: %v, and slowly %v", u, err, ok)
		}
		if !ok {
			return
		}
		if gotVersion, _ := x.Version(); x.Hsoname() != hsoname || gotVersion != version || x.Attributes() != attributes || !reflect.DeepEqual(x.Fields(), fields) {
			t.Errorf("%q: %+v %q, and slowly %q %q %q %q", u, x, x.Fields(), hsoname, version, attributes, fields)
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("host.dom", "/pros/name", "OBJECT-VERSION", "12")
	f.Add("h", "a;b%", "=", ";")
	f.Add("h", "a\x001", "", "\xff")
	f.Fuzz(func(t *testing.T, host, hsoname, name, value string) {
		p := Parts{Host: host, Hsoname: hsoname, Fields: []Field{{name, value}, {value, name}}}
		x, err := p.URL()
		if !bnftest.Made(t, p, err) {
			return
		}
		if x.Hsoname() != hsoname || !reflect.DeepEqual(x.Fields(), p.Fields) {
			t.Errorf("%+v: %s", p, x.URL())
		}
	})
}
