package bnftest

import (
	"errors"
	"reflect"
	"testing"

	"github.com/locus-url/locus"
)

// Locator is the result of a scheme's Parse.
type Locator interface{ URL() locus.URL }

// Parser converts a scheme's function Parse to the type of [Invariants].Parse.
func Parser[L interface {
	comparable
	Locator
}](parse func(u locus.URL) (L, error)) func(u locus.URL) (Locator, error) {
	return func(u locus.URL) (Locator, error) { return parse(u) }
}

// parse tests that the result of Parse contains the given URL, and that parsing again returns
// an equal result.
func (l Invariants) parse(t *testing.T, u locus.URL) {
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

// Fuzz is a fuzz test of a scheme's URLs. If the function more is not nil, Fuzz calls it for
// each URL that the scheme accepts.
func (l Invariants) Fuzz(f *testing.F, seeds []string, more func(t *testing.T, u locus.URL)) {
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

// MustParse parses a URL with a scheme's function Parse. The test fails if the URL is invalid.
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

// Refusal is a table row for a text that [locus.Parse] accepts and a scheme's Parse rejects. A
// Refusal contains the text before the fault, the remaining text, and the Part and Err of the
// error.
type Refusal = struct {
	Before, At, Part string
	Err              error
}

// Refuses tests that Parse rejects the text of each row. Unless the part is "scheme", Check
// must also find a violation.
func (l Invariants) Refuses(t *testing.T, rows []Refusal) {
	t.Helper()
	for _, row := range rows {
		u := l.url(t, row.Before+row.At)
		_, err := l.Parse(u)
		Refused(t, u, err, row.Part, len(row.Before), row.Err)
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if row.Part != "scheme" && locus.Conforms(l.Scheme.Syntax.Check(u, p)) {
				t.Errorf("%q, %v: refused, but it conforms", u, p)
			}
		}
	}
}

// Refused tests that err is a [*locus.SyntaxError] with the given part and offset that wraps
// the error is. A failure message contains the argument input.
func Refused(t testing.TB, input any, err error, part string, offset int, is error) {
	t.Helper()
	e, ok := err.(*locus.SyntaxError)
	if !ok || e.Part != part || e.Offset != offset || !errors.Is(err, is) {
		t.Errorf("%+v: %v; want %s at %d: %v", input, err, part, offset, is)
	}
}

// Made reports whether creating a URL succeeded. The argument err must be nil or a
// [*locus.SyntaxError].
func Made(t testing.TB, parts any, err error) bool {
	t.Helper()
	if _, ok := err.(*locus.SyntaxError); err != nil && !ok {
		t.Errorf("%+v: the error is a %T: %v", parts, err, err)
	}
	return err == nil
}

// Remade tests that the argument made, a URL that was created from the decoded parts of u,
// contains the same fields as u. The argument err comes from creating that URL. Unless u is
// long, err must be nil. If u is long, the new URL may be too long, because it may contain
// more escapes.
func (l Invariants) Remade(t testing.TB, u, made locus.URL, err error) {
	t.Helper()
	if err != nil {
		if u.Len() < locus.MaxLen/3 {
			t.Errorf("%q: made again: %v", u, err)
		}
		return
	}
	before, _ := l.Scheme.Syntax.Fields(u)
	if after, err := l.Scheme.Syntax.Fields(made); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%q: fields %v; made again, %q with %v, %v", u, before, made, after, err)
	}
}

// NoAllocations tests that the function f does not allocate memory. A failure message contains
// the arguments u and name, which describe the call.
func NoAllocations(t testing.TB, u locus.URL, name string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%q: %s: %v allocations", u, name, n)
	}
}
