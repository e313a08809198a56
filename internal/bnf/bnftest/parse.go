package bnftest

import (
	"errors"
	"reflect"
	"testing"

	"github.com/locus-url/locus"
)

// Locator is what a scheme's Parse makes of a URL.
type Locator interface{ URL() locus.URL }

// Parser returns a scheme's Parse as [Laws] have it.
func Parser[L interface {
	comparable
	Locator
}](parse func(u locus.URL) (L, error)) func(u locus.URL) (Locator, error) {
	return func(u locus.URL) (Locator, error) { return parse(u) }
}

// parse holds Parse against its promise: the URL of what it returns is the given
// one, and what that is parsed to is ==.
func (l Laws) parse(t *testing.T, u locus.URL) {
	t.Helper()
	if l.Parse == nil {
		return
	}
	x, err := l.Parse(u)
	if err != nil {
		return
	}
	if again, err := l.Parse(x.URL()); x.URL() != u || again != x || err != nil {
		t.Errorf("%q: %+v, and again %+v, %v", u, x, again, err)
	}
}

// Fuzz is the fuzz test of a scheme's URLs: each text is held against the laws. Of
// each URL that Parse takes, more has more to ask, unless it is nil.
func (l Laws) Fuzz(f *testing.F, seeds []string, more func(t *testing.T, u locus.URL)) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l.Text(t, text)
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		if _, err := l.Parse(u); err == nil && more != nil {
			more(t, u)
		}
	})
}

// MustParse parses a text that is a URL of the scheme whose Parse is given.
func MustParse[L Locator](t testing.TB, parse func(u locus.URL) (L, error), text string) L {
	t.Helper()
	u, err := locus.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x, err := parse(u)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Refusal is a text that [locus.Parse] takes and a scheme's Parse refuses: what is
// before the place of the fault, the rest, the part that the error names, and the
// error it wraps.
type Refusal = struct {
	Before, At, Part string
	Err              error
}

// Refuses holds Parse against a table of what it refuses, all of which must be
// findings of Check. If the part is "scheme", the URL is not Check's to judge.
func (l Laws) Refuses(t *testing.T, rows []Refusal) {
	t.Helper()
	for _, row := range rows {
		u, ok := l.url(t, row.Before+row.At)
		if !ok {
			continue
		}
		_, err := l.Parse(u)
		Refused(t, u, err, row.Part, len(row.Before), row.Err)
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if row.Part != "scheme" && locus.Conforms(l.Scheme.Check(u, p)) {
				t.Errorf("%q, %v: refused, and it conforms", u, p)
			}
		}
	}
}

// Refused makes sure that err, which input led to, is a [*locus.SyntaxError] about
// that part and offset, and wraps is.
func Refused(t testing.TB, input any, err error, part string, offset int, is error) {
	t.Helper()
	e, ok := err.(*locus.SyntaxError)
	if !ok || e.Part != part || e.Offset != offset || !errors.Is(err, is) {
		t.Errorf("%+v: %v; want %s at %d: %v", input, err, part, offset, is)
	}
}

// Made reports whether a URL was made of parts, which err tells. If it was not, err
// must be a [*locus.SyntaxError].
func Made(t testing.TB, parts any, err error) bool {
	t.Helper()
	if _, ok := err.(*locus.SyntaxError); err != nil && !ok {
		t.Errorf("%+v: the error is a %T: %v", parts, err, err)
	}
	return err == nil
}

// Remade makes sure that made, which is made of what u was decoded to, has the
// fields of u. There may be an err only if u is long: escapes may be longer than
// what they stand for.
func (l Laws) Remade(t testing.TB, u, made locus.URL, err error) {
	t.Helper()
	if err != nil {
		if u.Len() < locus.MaxLen/3 {
			t.Errorf("%q: made again: %v", u, err)
		}
		return
	}
	before, _ := l.Scheme.Fields(u)
	if after, err := l.Scheme.Fields(made); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%q: fields %v; made again, %q with %v, %v", u, before, made, after, err)
	}
}

// NoAllocations makes sure that f, which does what its name says with u, needs no
// memory.
func NoAllocations(t testing.TB, u locus.URL, name string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%q: %s: %v allocations", u, name, n)
	}
}
