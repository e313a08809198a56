// Package bnftest tests a scheme against the contract of package scheme, and against regular
// expressions for the scheme's production in RFC 1738 section 5.
package bnftest

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

// These are the shared productions of section 5 as regular expressions, which are easy to
// compare with the standard.
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

// Production returns a function that reports whether a text matches the regular expression
// expr. A fragment of xchars may follow, as in the URI draft.
func Production(expr string) func(text string) bool {
	return regexp.MustCompile("^(?:" + expr + ")(?:#" + Xchar + "*)?$").MatchString
}

// Invariants holds the properties that a scheme must have.
type Invariants struct {
	Scheme scheme.Scheme
	// Reference reports whether a text matches the scheme's production; see [Production].
	Reference func(text string) bool
	// Same compares the fields of a URL with the fields of its canonical form. If Same is nil,
	// the fields must be equal.
	Same func(a, b []scheme.Field) bool
	// Parse is the result of [Parser] for the scheme's function Parse. If nil, Parse is not
	// tested.
	Parse func(u locus.URL) (Locator, error)
	// Clean, if not nil, quickly reports whether a URL has no findings by RFC 1738. Thorough
	// returns the findings.
	Clean    func(u locus.URL) bool
	Thorough func(u locus.URL, p locus.Profile) []locus.Violation
}

// Random tests n texts. Each text is one of the seeds with a few random changes. The changes
// are the same in each run.
func (l Invariants) Random(t *testing.T, n int, seeds []string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1738, 5))
	good := 0
	for i := 0; i < n; {
		text := schemetest.Change(rnd, seeds)
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

// Text tests one text and returns the result of Reference. For a URL of another scheme, Text
// tests only Parse and Clean.
func (l Invariants) Text(t *testing.T, text string) bool {
	t.Helper()
	want := l.Reference(text)
	u, err := locus.Parse(text)
	if err != nil {
		// locus.Parse rejects a text with "//" that does not follow the syntax of section 3.1.
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
	list := l.Scheme.Syntax.Check(u, locus.RFC1738)
	got := !slices.ContainsFunc(list, func(v locus.Violation) bool { return v.Kind == locus.Ungrammatical })
	if got != want {
		t.Errorf("%q: Check says %v, the production %v: %v", text, got, want, list)
	}
	schemetest.URL(t, l.Scheme, u, schemetest.Config{Same: l.Same})
	return want
}

// clean compares the results of Clean and Thorough. Clean may return false for a URL without
// findings if [bnf.Sound] returns false.
func (l Invariants) clean(t *testing.T, u locus.URL) {
	t.Helper()
	if l.Clean == nil {
		return
	}
	clean, list := l.Clean(u), l.Thorough(u, locus.RFC1738)
	if clean && list != nil || !clean && list == nil && bnf.Sound(u) {
		t.Errorf("%q: Clean returns %v, Thorough %v", u, clean, list)
	}
}
