// Package schemetest tests that a [scheme.Scheme] satisfies the contract of package scheme. It
// uses examples, random variants of the examples, and misbehaving servers.
//
// The package tests only whether the results of a scheme are consistent. The scheme's own tests
// must cover its grammar.
package schemetest

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Config holds the test data of a scheme.
type Config struct {
	// Good lists URLs that conform to RFC 1738, without notes. At least one URL is required.
	Good []string

	// Bad lists texts that locus.Parse accepts, but that Fields and Canonical reject because
	// the texts are not valid URLs of the scheme.
	Bad []string

	// Same reports whether the fields of a URL and the fields of its canonical form are
	// equivalent. If Same is nil, the test compares the fields with reflect.DeepEqual.
	Same func(before, after []scheme.Field) bool

	// New returns a new scheme for each test that opens URLs. The test closes the scheme's
	// opener if the opener is an io.Closer. New should be set if the opener stores
	// connections. If New is nil, all tests share one scheme.
	New func() scheme.Scheme

	// Open is the URL that the tests open. If Open is empty, the tests use the first URL of
	// Good.
	Open string

	// Local means that the opener never dials.
	Local bool

	// Unsendable lists URLs that a request cannot contain, such as a URL with an encoded line
	// end. Opening such a URL must fail before the opener dials.
	Unsendable []string
}

// Run tests the scheme s with the defaults that a registry sets. If s has an opener, Run also
// tests opening URLs.
func Run(t *testing.T, s scheme.Scheme, c Config) {
	t.Helper()
	hasCheck := s.Syntax.Check != nil
	s = registered(t, s)
	if fresh := c.New; fresh != nil {
		c.New = func() scheme.Scheme { return registered(t, fresh()) }
	}
	t.Run("row", func(t *testing.T) { row(t, s) })
	t.Run("good", func(t *testing.T) { good(t, s, c, hasCheck) })
	t.Run("bad", func(t *testing.T) { bad(t, s, c) })
	t.Run("changed", func(t *testing.T) { changed(t, s, c) })
	if s.Access.Opener != nil {
		t.Run("access", func(t *testing.T) { access(t, s, c) })
	}
}

// registered returns the scheme s with the default values that a registry sets.
func registered(t *testing.T, s scheme.Scheme) scheme.Scheme {
	t.Helper()
	r, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = r.Lookup(s.Name)
	return s
}

// row tests the fields of the scheme s.
func row(t *testing.T, s scheme.Scheme) {
	if s.Section == "" || s.Syntax.Form == "" || s.Syntax.Fields == nil || s.Syntax.Canonical == nil || s.Syntax.Check == nil {
		t.Errorf("a field is missing: %+v", s)
	}
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		if locus.Conforms(s.Syntax.Check(locus.URL{}, p)) {
			t.Errorf("the zero URL conforms to %v", p)
		}
	}
	if s.Access.Opener != nil && s.Access.Protocol == "" {
		t.Error("Opener is set, but Access is not")
	}
}

// good tests the conforming URLs. If hasCheck is true, the scheme s has its own Check function,
// which must not allocate.
func good(t *testing.T, s scheme.Scheme, c Config, hasCheck bool) {
	if len(c.Good) == 0 {
		t.Fatal("no examples")
	}
	for _, text := range c.Good {
		u := parse(t, s, text)
		URL(t, s, u, c)
		if list := s.Syntax.Check(u, locus.RFC1738); list != nil {
			t.Errorf("%q: %v", u, list)
		}
		if _, err := s.Syntax.Fields(u); err != nil {
			t.Errorf("%q: %v", u, err)
		}
		if n := testing.AllocsPerRun(10, func() { s.Syntax.Check(u, locus.RFC1738) }); hasCheck && n != 0 {
			t.Errorf("%q: Check of a URL that conforms makes %v allocations", u, n)
		}
	}
}

func bad(t *testing.T, s scheme.Scheme, c Config) {
	for _, text := range c.Bad {
		u := parse(t, s, text)
		URL(t, s, u, c)
		if fields, err := s.Syntax.Fields(u); err == nil {
			t.Errorf("%q has the fields %v", u, fields)
		}
	}
}

func parse(t *testing.T, s scheme.Scheme, text string) locus.URL {
	t.Helper()
	u, err := locus.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme() != s.Name {
		t.Fatalf("%q is not a URL of %s", u, s.Name)
	}
	return u
}

// changed tests random variants of the example URLs. Each run uses the same variants.
func changed(t *testing.T, s scheme.Scheme, c Config) {
	r := rand.New(rand.NewPCG(1738, uint64(len(s.Name))))
	examples := append(append([]string(nil), c.Good...), c.Bad...)
	for range 2000 {
		u, err := locus.Parse(Change(r, examples))
		if err == nil && u.Scheme() == s.Name {
			URL(t, s, u, c)
		}
		if t.Failed() {
			return
		}
	}
}

// pieces lists the texts that Change inserts.
var pieces = []string{
	"a", "Z", "0", "9", "-", ".", "..", "_", "+", "$", "*", "'", "(", ",", ";", "/", "//", "/./", "?", ":", "@", "&", "=",
	"%41", "%7e", "%2e", "%2F", "%2f", "%40", "%3b", "%3F", "%25", "%00", "%09", "%0D%0A", "%22", "%3C", "%C3%BC", "%", "%4", "#", "#x", "~", "|", "\"", "<", "\\", "[", "]", "é", "\xe9",
	":80", ":0", ":65536", "00", "256", "1.2.3.4", "localhost", "u@", "u:p@", ";type=A", "type",
}

// Change returns a random element of texts with one to four small random changes.
func Change(r *rand.Rand, texts []string) string {
	text := texts[r.IntN(len(texts))]
	for range 1 + r.IntN(4) {
		i := r.IntN(len(text) + 1)
		j := i + r.IntN(len(text)-i+1)
		piece := pieces[r.IntN(len(pieces))]
		switch r.IntN(6) {
		case 0, 1:
			text = text[:i] + piece + text[i:]
		case 2:
			text = text[:i] + piece + text[min(i+1, len(text)):]
		case 3:
			text = text[:i] + text[j:]
		case 4:
			text = text[:j] + text[i:j] + text[j:]
		case 5:
			other := texts[r.IntN(len(texts))]
			text = text[:i] + other[r.IntN(len(other)+1):]
		}
		text = text[:min(len(text), 300)]
	}
	return text
}

// URL tests the contract of package scheme for a URL of the scheme s. Fuzz tests should call URL.
func URL(t *testing.T, s scheme.Scheme, u locus.URL, c Config) {
	t.Helper()
	if again, err := locus.Parse(u.String()); again != u || err != nil {
		t.Errorf("%q: its text parses to %q, %v", u, again, err)
	}
	fields, err := s.Syntax.Fields(u)
	canonical, change, canonicalErr := s.Syntax.Canonical(u)
	if (err == nil) != (canonicalErr == nil) {
		t.Errorf("%q: Fields says %v, Canonical %v", u, err, canonicalErr)
		return
	}
	findings(t, s, u, err != nil)
	if err != nil {
		refusal(t, u, err)
		refusal(t, u, canonicalErr)
		if !canonical.IsZero() {
			t.Errorf("%q: canonical form %q beside an error", u, canonical)
		}
		return
	}
	if (change == 0) != (canonical == u) {
		t.Errorf("%q: canonical form %q, changes %q", u, canonical, change)
	}
	if canonical.Scheme() != s.Name {
		t.Errorf("%q: canonical form %q is of another scheme", u, canonical)
	}
	if again, err := locus.Parse(canonical.String()); again != canonical || err != nil {
		t.Errorf("%q: canonical form %q parses to %q, %v", u, canonical, again, err)
	}
	if again, change, err := s.Syntax.Canonical(canonical); again != canonical || change != 0 || err != nil {
		t.Errorf("%q: canonical form %q, and of that %q, %q, %v", u, canonical, again, change, err)
	}
	same := c.Same
	if same == nil {
		same = func(a, b []scheme.Field) bool { return reflect.DeepEqual(a, b) }
	}
	if after, err := s.Syntax.Fields(canonical); err != nil || !same(fields, after) {
		t.Errorf("%q: fields %q; of the canonical form %q %q, %v", u, fields, canonical, after, err)
	}
	if locus.Conforms(s.Syntax.Check(u, locus.RFC1738)) && !locus.Conforms(s.Syntax.Check(canonical, locus.RFC1738)) {
		t.Errorf("%q conforms, and its canonical form %q does not: %v", u, canonical, s.Syntax.Check(canonical, locus.RFC1738))
	}
}

// refusal tests an error from Fields or Canonical.
func refusal(t *testing.T, u locus.URL, err error) {
	t.Helper()
	e, ok := err.(*locus.SyntaxError)
	if !ok {
		t.Errorf("%q: the error is a %T", u, err)
		return
	}
	if e.Offset < 0 || e.Offset > u.Len() || e.Part == "" || e.Err == nil || len(e.Input) != u.Len() {
		t.Errorf("%q: %+v", u, e)
	}
	hidden(t, u, "the error", err.Error()+e.Input)
}

// hidden tests that a text about the URL u does not contain the URL's password. It ignores short
// passwords, which may match by chance.
func hidden(t *testing.T, u locus.URL, where, text string) {
	t.Helper()
	password, _ := u.Password()
	if len(password) > 4 && strings.Contains(text, password) && strings.Count(u.String(), password) == 1 {
		t.Errorf("%q: %s shows the password: %s", u, where, text)
	}
}

// findings tests the findings of Check. The argument refused is true if Fields rejects the URL u.
func findings(t *testing.T, s scheme.Scheme, u locus.URL, refused bool) {
	t.Helper()
	r, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		list := s.Syntax.Check(u, p)
		if got := r.Check(u, p); !reflect.DeepEqual(got, list) {
			t.Errorf("%q, %v: Check finds %v, and a registry %v: is Clean right?", u, p, list, got)
		}
		if refused && locus.Conforms(list) {
			t.Errorf("%q, %v: refused, and Check finds only %v", u, p, list)
		}
		last := 0
		for _, v := range list {
			if v.Rule == "" || v.Section == "" || v.Help == "" || v.Kind > locus.Note {
				t.Errorf("%q, %v: %+v", u, p, v)
			}
			if v.Offset < last || v.Offset+len(v.Text) > u.Len() {
				t.Errorf("%q, %v: out of order or of range: %v", u, p, list)
				break
			}
			last = v.Offset
			if v.Text != "*" && u.String()[v.Offset:v.Offset+len(v.Text)] != v.Text {
				t.Errorf("%q, %v: no %q at octet %d", u, p, v.Text, v.Offset)
			}
			hidden(t, u, "a finding", v.Text+" "+v.Help)
		}
	}
}
