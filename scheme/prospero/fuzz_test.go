package prospero

import (
	"errors"
	"reflect"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

func FuzzURL(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		laws.Text(t, text)
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		if list := findings(u, locus.RFC1738); clean(u) != (len(list) == 0) && (clean(u) || bnf.Sound(u)) {
			t.Errorf("%q: clean says %v, and there is %v", text, clean(u), list)
		}
		if form(u) != nil {
			return
		}
		path, _ := u.Path()
		hsoname, version, attributes, fields, ok := slowSplit(path)
		x, err := Parse(u)
		if (err == nil) != ok {
			t.Fatalf("%q: %v, and slowly %v", text, err, ok)
		}
		if !ok {
			return
		}
		if gotVersion, _ := x.Version(); x.Hsoname() != hsoname || gotVersion != version || x.Attributes() != attributes || !reflect.DeepEqual(x.Fields(), fields) {
			t.Errorf("%q: %+v %q, and slowly %q %q %q %q", text, x, x.Fields(), hsoname, version, attributes, fields)
		}
		x.ObjectVersion()
		if again, err := Parse(x.URL()); again != x || err != nil {
			t.Errorf("%q: %+v, and again %+v, %v", text, x, again, err)
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
		if err != nil {
			var e *locus.SyntaxError
			if !errors.As(err, &e) {
				t.Errorf("%+v: %v", p, err)
			}
			return
		}
		if x.Hsoname() != hsoname || !reflect.DeepEqual(x.Fields(), p.Fields) {
			t.Errorf("%+v: %s", p, x.URL())
		}
	})
}
