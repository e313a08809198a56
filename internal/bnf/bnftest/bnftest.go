// Package bnftest tests a scheme against a readable copy of its production in RFC 1738
// section 5, and against the contract of package scheme.
package bnftest

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// The productions of section 5 that schemes share, as regular expressions, for comparison
// with the standard.
const (
	Alpha      = "[A-Za-z]"
	Digit      = "[0-9]"
	Digits     = Digit + "+"
	AlphaDigit = "[A-Za-z0-9]"
	Escape     = "%[0-9A-Fa-f][0-9A-Fa-f]"
	Unreserved = "[A-Za-z0-9" + `$\-_.+` + `!*'(),` + "]"
	Uchar      = "(?:" + Unreserved + "|" + Escape + ")"
	Xchar      = "(?:" + Unreserved + "|[;/?:@&=]|" + Escape + ")"

	DomainLabel = "(?:" + AlphaDigit + "|" + AlphaDigit + "[A-Za-z0-9-]*" + AlphaDigit + ")"
	TopLabel    = "(?:" + Alpha + "|" + Alpha + "[A-Za-z0-9-]*" + AlphaDigit + ")"
	Hostname    = "(?:(?:" + DomainLabel + `\.)*` + TopLabel + ")"
	HostNumber  = "(?:" + Digits + `\.` + Digits + `\.` + Digits + `\.` + Digits + ")"
	Host        = "(?:" + Hostname + "|" + HostNumber + ")"
	HostPort    = "(?:" + Host + "(?::" + Digits + ")?)"
	User        = "(?:(?:" + Uchar + "|[;?&=])*)"
	Login       = "(?:(?:" + User + "(?::" + User + ")?@)?" + HostPort + ")"
	Group       = "(?:" + Alpha + `[A-Za-z0-9\-.+_]*` + ")"
)

// Production returns a function that reports whether a text matches the production expr
// and an optional fragment: "#" and xchars, as in the URI draft.
func Production(expr string) func(text string) bool {
	return regexp.MustCompile("^(?:" + expr + ")(?:#" + Xchar + "*)?$").MatchString
}

// Laws are the properties that a scheme must have.
type Laws struct {
	Scheme scheme.Scheme
	// Twin reports whether a text matches the scheme's production; see [Production].
	Twin func(text string) bool
	// Same compares the fields of a URL and of its canonical form. nil: they must
	// be equal.
	Same func(a, b []scheme.Field) bool
	// Parse is that of the scheme, from [Parser]. nil: it is not tested.
	Parse func(u locus.URL) (Locator, error)
	// Clean, if it is not nil, is the fast check that a URL has no findings by RFC 1738.
	// Thorough returns the findings.
	Clean    func(u locus.URL) bool
	Thorough func(u locus.URL, p locus.Profile) []locus.Violation
}

// Random tests n random changes of seeds, the same in each run.
func (l Laws) Random(t *testing.T, n int, seeds []string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1738, 5))
	good := 0
	for i := 0; i < n; {
		text := mutate(rnd, seeds)
		if name, _, _ := strings.Cut(text, ":"); !strings.EqualFold(name, l.Scheme.Name) {
			continue
		}
		i++
		if l.Text(t, text) {
			good++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d texts match the production", good, n)
	if good < n/20 || good > n-n/20 {
		t.Errorf("%d of %d texts match the production: the test needs 5 to 95 percent", good, n)
	}
}

// Text tests one text and returns the result of Twin. For a URL of another scheme it
// tests only Parse and Clean.
func (l Laws) Text(t *testing.T, text string) bool {
	t.Helper()
	want := l.Twin(text)
	u, err := locus.Parse(text)
	if err != nil {
		// locus.Parse refuses a text with "//" that does not split by section 3.1.
		if want && !strings.Contains(text, "://") {
			t.Errorf("%q matches the production, but locus.Parse fails: %v", text, err)
		}
		return want
	}
	l.parse(t, u)
	l.clean(t, u)
	if u.Scheme() != l.Scheme.Name {
		return false
	}
	list := l.Scheme.Check(u, locus.RFC1738)
	got := !slices.ContainsFunc(list, func(v locus.Violation) bool { return v.Kind == locus.Ungrammatical })
	if got != want {
		t.Errorf("%q: Check says %v, the production %v: %v", text, got, want, list)
	}
	l.URL(t, u)
	return want
}

// clean compares Clean with Thorough. Clean may be false for a URL without findings if
// [bnf.Sound] is.
func (l Laws) clean(t *testing.T, u locus.URL) {
	t.Helper()
	if l.Clean == nil {
		return
	}
	clean, list := l.Clean(u), l.Thorough(u, locus.RFC1738)
	if clean && list != nil || !clean && list == nil && bnf.Sound(u) {
		t.Errorf("%q: Clean returns %v, Thorough %v", u, clean, list)
	}
}

// URL tests the contract of package scheme for one URL.
func (l Laws) URL(t *testing.T, u locus.URL) {
	t.Helper()
	fields, fieldsErr := l.Scheme.Fields(u)
	canonical, change, err := l.Scheme.Canonical(u)
	if (err == nil) != (fieldsErr == nil) {
		t.Errorf("%q: Fields says %v, Canonical %v", u, fieldsErr, err)
	}
	if l.Parse != nil {
		if _, parseErr := l.Parse(u); (parseErr == nil) != (fieldsErr == nil) {
			t.Errorf("%q: Fields says %v, Parse %v", u, fieldsErr, parseErr)
		}
	}
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		l.findings(t, u, p, err != nil)
	}
	if err != nil {
		if _, ok := err.(*locus.SyntaxError); !ok {
			t.Errorf("%q: Canonical fails with a %T", u, err)
		}
		return
	}
	if (change == 0) != (canonical == u) {
		t.Errorf("%q: canonical is %q, and the change %v", u, canonical, change)
	}
	if again, more, err := l.Scheme.Canonical(canonical); again != canonical || more != 0 || err != nil {
		t.Errorf("%q: canonical %q, and again %q %v %v", u, canonical, again, more, err)
	}
	after, err := l.Scheme.Fields(canonical)
	same := l.Same
	if same == nil {
		same = func(a, b []scheme.Field) bool { return reflect.DeepEqual(a, b) }
	}
	if err != nil || !same(fields, after) {
		t.Errorf("%q: fields %v; of the canonical %q %v, %v", u, fields, canonical, after, err)
	}
}

func (l Laws) findings(t *testing.T, u locus.URL, p locus.Profile, refused bool) {
	t.Helper()
	list := l.Scheme.Check(u, p)
	if refused && locus.Conforms(list) {
		t.Errorf("%q, %v: refused, and no violation: %v", u, p, list)
	}
	for i, v := range list {
		if v.Offset < 0 || v.Offset+len(v.Text) > u.Len() || v.Rule == "" || v.Section == "" || v.Help == "" {
			t.Errorf("%q, %v: finding %+v", u, p, v)
		} else if v.Text != "*" && u.String()[v.Offset:v.Offset+len(v.Text)] != v.Text {
			t.Errorf("%q, %v: %q is not at octet %d", u, p, v.Text, v.Offset)
		}
		if i > 0 && v.Offset < list[i-1].Offset {
			t.Errorf("%q, %v: findings out of order: %v", u, p, list)
		}
	}
}

// odd are texts that mutate inserts.
var odd = []string{
	"a", "Z", "0", "9", "-", ".", "_", "+", "$", "!", "*", "'", "(", ")", ",", ";", "/", "//", "?", ":", "@", "&", "=",
	"%41", "%2e", "%2F", "%40", "%25", "%00", "%0D%0A", "%22", "%3C", "%C3%BC", "%", "%4", "#", "#x", "~", "|", "\"", "<", "\\", "[", "]", "\xe9",
	"256", "65536", "00", "b.c", "a.b@c.d",
}

func mutate(rnd *rand.Rand, seeds []string) string {
	text := seeds[rnd.IntN(len(seeds))]
	for range rnd.IntN(4) {
		i := rnd.IntN(len(text) + 1)
		j := i + rnd.IntN(len(text)-i+1)
		switch rnd.IntN(6) {
		case 0, 1:
			text = text[:i] + odd[rnd.IntN(len(odd))] + text[i:]
		case 2:
			text = text[:i] + odd[rnd.IntN(len(odd))] + text[min(i+1, len(text)):]
		case 3:
			text = text[:i] + text[min(i+1, len(text)):]
		case 4:
			text = text[:j] + text[i:j] + text[j:]
		case 5:
			other := seeds[rnd.IntN(len(seeds))]
			text = text[:i] + other[rnd.IntN(len(other)+1):]
		}
		text = text[:min(len(text), 300)]
	}
	return text
}
