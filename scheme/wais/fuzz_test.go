package wais

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func FuzzURL(f *testing.F) { invariants.Fuzz(f, seeds, nil) }

// FuzzWpath compares the parser of wpaths with the reference implementation slowRead.
func FuzzWpath(f *testing.F) {
	for _, wpath := range []string{"206/1=h;2=%2F;", "1=a;2=b", "1%3Da%3B2=b", "%31=a", "%01%04host", "3=a%3Bb;", "0=;", "9223372036854775807/1=a"} {
		f.Add(wpath)
	}
	f.Fuzz(func(t *testing.T, wpath string) {
		u, err := locus.Parse("wais://h/db/T/" + wpath)
		if err != nil {
			return
		}
		w, err := split(u)
		if err != nil {
			return
		}
		form, fields, ok := slowRead(w.wpath)
		x, err := Parse(u)
		if (err == nil) != ok {
			t.Fatalf("%q: %v, and slowly %v", w.wpath, err, ok)
		}
		if ok && (x.Form() != form || !reflect.DeepEqual(x.Fields(), fields)) {
			t.Errorf("%q: %v %v, and slowly %v %v", w.wpath, x.Form(), x.Fields(), form, fields)
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("h", "db", "", "TEXT", "0 206 /a;", "", 3)
	f.Add("h", "db", "a+b", "", "", "", 0)
	f.Add("h", "/%", "", "PS", "", "\x01\x04host", 0)
	f.Add("h", "db", "", "TEXT", "a;b", "", 3)
	f.Fuzz(func(t *testing.T, host, database, search, wtype, content, wpath string, number int) {
		p := Parts{Host: host, Database: database}
		if wtype == "" {
			p.Search = &search
		} else {
			p.Document = &Document{Wtype: wtype, Wpath: wpath}
			if number != 0 {
				p.Document.Fields = []Field{{number, content}, {7, "\x00"}}
			}
		}
		x, err := p.URL()
		if !bnftest.Made(t, p, err) {
			return
		}
		words, _ := x.Words()
		gotType, _ := x.Wtype()
		gotPath, _ := x.Wpath()
		gotID, _ := x.DocumentID()
		switch {
		case x.Database() != database, wtype == "" && words != search, gotType != wtype:
			t.Errorf("%+v: %s", p, x.URL())
		case p.Document != nil && number != 0 && gotID != joinFields(p.Document.Fields):
			t.Errorf("%+v: %s has fields %v", p, x.URL(), x.Fields())
		case gotPath != "":
			w, _ := split(x.URL())
			for _, v := range check(x.URL(), locus.RFC1738) {
				if v.Offset >= w.wpathOffset() {
					t.Errorf("%+v: %s: %v", p, x.URL(), v)
				}
			}
		case p.Document != nil && number == 0 && gotPath != wpath:
			t.Errorf("%+v: %s has wpath %q", p, x.URL(), gotPath)
		}
	})
}
