package bnf_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// canonicalize canonicalizes a URL like a scheme with a login and no production of its own.
func canonicalize(u locus.URL, port uint16) (locus.URL, locus.Change, error) {
	if bnf.Spelled(u, port) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	c.Login(port)
	if path, ok := u.Path(); ok {
		c.Raw("/")
		c.Text(path, escape.Unreserved())
	}
	return c.End()
}

func TestCanon(t *testing.T) {
	for _, row := range []struct {
		text, want string
		change     locus.Change
	}{
		{"x://h/a", "x://h/a", 0},
		{"x://h", "x://h", 0},
		{"X-Y://h", "x-y://h", locus.SchemeCase},
		{"x://A.B/C", "x://a.b/C", locus.HostCase},
		{"x://A\xe9\xffB/", "x://a\xe9\xffb/", locus.HostCase},
		{"x://%43%7C/", "x://%43%7C/", 0},
		{"x://A%c3%7c/", "x://a%C3%7C/", locus.HostCase | locus.EscapeCase},
		{"x://a%7c%aA/", "x://a%7C%AA/", locus.EscapeCase},
		{"x://[2001:DB8::A]/", "x://[2001:db8::a]/", locus.HostCase},
		{"x://h:80/", "x://h/", locus.DefaultPort},
		{"x://h:080/", "x://h/", locus.DefaultPort},
		{"x://h:081/", "x://h:81/", locus.PortZeros},
		{"x://h:81/", "x://h:81/", 0},
		{"x://h:/", "x://h/", locus.PortZeros},
		{"x://h:0/", "x://h:0/", 0},
		{"x://01.002.0.000/", "x://1.2.0.0/", locus.HostZeros},
		{"x://01.2.3/", "x://01.2.3/", 0},
		{"x://01.2.3./", "x://01.2.3./", 0},
		{"x://01.2.3.4a/", "x://01.2.3.4a/", 0},
		{"x://0256.1.1.1/", "x://256.1.1.1/", locus.HostZeros},
		{"x://%55:%7e@h/", "x://U:%7E@h/", locus.NeedlessEscape | locus.EscapeCase},
		{"x://@h/", "x://@h/", 0},
		{"x://:@h/", "x://:@h/", 0},
		{"x://h/%41%2d%2F%2f", "x://h/A-%2F%2F", locus.NeedlessEscape | locus.EscapeCase},
		{"x://h/~\xe9\"", "x://h/%7E%E9%22", locus.MissingEscape},
		{"x://h/%25%00", "x://h/%25%00", 0},
		{"x://h/#", "x://h/", locus.VoidFragment},
		{"x://h/#%41~", "x://h/#A%7E", locus.NeedlessEscape | locus.MissingEscape},
		{"x://h/#a#b", "x://h/#a%23b", locus.MissingEscape},
		{"x://h#a", "x://h#a", 0},
	} {
		u := locus.MustParse(row.text)
		got, change, err := canonicalize(u, 80)
		if err != nil || got.String() != row.want || change != row.change {
			t.Errorf("%q: %q, %q, %v; want %q, %q", row.text, got, change, err, row.want, row.change)
		}
		again, change, err := canonicalize(got, 80)
		if again != got || change != 0 || err != nil {
			t.Errorf("%q: again %q, %q, %v", got, again, change, err)
		}
	}
}

// A canonical URL must cost no allocation, and any other URL must cost only the allocation of
// the new text.
func TestCanonAllocs(t *testing.T) {
	for text, want := range map[string]float64{"x://h:81/a/b;c?d": 0, "x:a/b": 0, "x://u:p@h:81/a%20b~%2Fc#d%25": 1, "x://u:p@h:81/a%20b%2Fc#d%25": 0, "x://[2001:db8::1]/": 2, "x://h/%41#b": 1} {
		u := locus.MustParse(text)
		if n := testing.AllocsPerRun(100, func() { canonicalize(u, 80) }); n > want {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}
