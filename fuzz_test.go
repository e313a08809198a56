package locus_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// seeds are texts for all parts of the grammar.
var seeds = []string{
	"http://www.my.work.com/", "http://h", "http://h/", "http://h?q", "http://h/?q#f", "HTTP://H:080/%7e",
	"ftp://us?er:p@h/x", "ftp://@h/", "ftp://:@h:/", "ftp://u:p:q@h/", "ftp://u@v@h/", "ftp://h:65535", "ftp://h:65536",
	"ftp://h:0/", "ftp://h:00/", "ftp://h:1:2/", "ftp://h:x/", "http://[::1]/", "http://[::1]:80", "http://[::1", "http://[]/", "http://[::1]x/",
	"http://[1:2:3:4:5:6:7:8]/", "http://[::ffff:1.2.3.4]:8/", "http://[1::2::3]/", "http://[12345::]/", "http://[::1.2.3]/",
	"http://u@[::1]/", "http://1.2.3.4/", "http://256.1.1.1/", "http://01.2.3.4/", "http://1.2.3/", "http://a-.b/", "http://-a.b/", "http://a.-b/",
	"http://a..b/", "http://.a/", "http://a./", "http://a.1/", "http://a.1b/", "http://a--b.c/", "http://a_b/", "http://ABC.def/",
	"http://" + strings.Repeat("a", 63) + ".b/", "http://" + strings.Repeat("a", 64) + ".b/", "http://" + strings.Repeat("a.", 126) + "a/", "http://" + strings.Repeat("a.", 127) + "a/",
	"mailto:a%25b@c", "news:*", "x:", ":", "", "%", "http:", "//h", "http:%", "http:%4", "http:%zz", "http://h%4/", "http://h/#%", "http://h#f#g",
	"http://h\\@i/", "http://h/\\", `C:\a b`, `\\h\a`, "C:/a", "1:\\", "http://h/a b", "http://h /", "http://h/\x00", "http://h/\x7f", "http://h/é", "http://h/\xff", "http://é/", "h ttp://h/", "h\xc3ttp:",
	"http://h/#a b", "http://u p@h/", "ftp://u%4@h/", "a1+-.:x", "1:x", "prospero://h//a;b=c", "http://h/a|b", "http://h/{}", "http://h/#~", "file:///a/b", "x-y://h", "http://abcdefg", "http://abcdefgh", "http://abcdefghi/abcdefgh", "http://h/abcdefgh%20", "gopher://h/7a%09b", "x:%7f%7E%20%1F",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkParse(t, text) })
}

// checkParse compares Parse with its slow implementation.
func checkParse(t *testing.T, text string) {
	t.Helper()
	u, err := locus.Parse(text)
	slow, faults := slowParse(text)
	if err != nil {
		var e *locus.SyntaxError
		if !errors.As(err, &e) {
			t.Fatalf("Parse(%q): %T is no *SyntaxError", text, err)
		}
		if !hasFault(faults, e) {
			t.Fatalf("Parse(%q): %v; the grammar has %v", text, err, faults)
		}
		if e.Offset < 0 || e.Offset > len(text) || len(e.Input) != len(text) || e.Part == "" {
			t.Fatalf("Parse(%q): offset %d of %d, part %q", text, e.Offset, len(e.Input), e.Part)
		}
		if u != (locus.URL{}) {
			t.Fatalf("Parse(%q) = %v beside an error", text, u)
		}
		return
	}
	if len(faults) > 0 {
		t.Fatalf("Parse(%q) accepts it; the grammar has %v", text, faults)
	}
	checkWithoutPassword(t, u)
	checkParts(t, text, u, slow)
	if got, want := u.Facts(), slow.facts(text); got != want {
		t.Fatalf("Parse(%q).Facts() = %016b, want %016b", text, got, want)
	}
	checkGeneric(t, u)
	checkRoundTrip(t, u)
}

// checkGeneric compares Check, for a scheme that is not registered, with the production
// genericurl, which has no fragment.
func checkGeneric(t *testing.T, u locus.URL) {
	t.Helper()
	bare := u.WithoutFragment()
	grammatical := !slices.ContainsFunc(new(scheme.Registry).Check(bare, locus.RFC1738), func(v locus.Violation) bool {
		return v.Kind == locus.Ungrammatical
	})
	if grammatical != isGenericurl.MatchString(bare.String()) {
		t.Fatalf("%q: grammatical: %v; the production genericurl says otherwise", bare, grammatical)
	}
}

func checkParts(t *testing.T, text string, u locus.URL, slow slowURL) {
	t.Helper()
	same := func(name, got, want string) {
		t.Helper()
		if got != want {
			t.Fatalf("Parse(%q): %s is %q, want %q", text, name, got, want)
		}
	}
	optional := func(name string) func(string, bool, *string) {
		return func(got string, ok bool, want *string) {
			t.Helper()
			if ok != (want != nil) {
				t.Fatalf("Parse(%q): %s is there: %v, want %v", text, name, ok, want != nil)
			}
			if ok {
				same(name, got, *want)
			}
		}
	}
	same("String", u.String(), text)
	same("Scheme", u.Scheme(), slow.scheme)
	same("SchemePart", u.SchemePart(), slow.schemePart)
	same("Host", u.Host(), slow.host)
	got, ok := u.User()
	optional("User")(got, ok, slow.user)
	got, ok = u.Password()
	optional("Password")(got, ok, slow.password)
	got, ok = u.PortText()
	optional("PortText")(got, ok, slow.portText)
	got, ok = u.Path()
	optional("Path")(got, ok, slow.path)
	got, ok = u.Fragment()
	optional("Fragment")(got, ok, slow.fragment)
	if u.MissingSlash() != slow.missingSlash {
		t.Fatalf("Parse(%q).MissingSlash() = %v", text, u.MissingSlash())
	}
	same("text put together", slow.join(text), text)

	// The offsets must be those of the parts.
	if slow.internet {
		same("text at HostOffset", text[u.HostOffset():][:len(slow.host)], slow.host)
	}
	rest := slow.schemePart
	if slow.internet {
		rest = ""
		if slow.path != nil {
			rest = *slow.path
		}
	}
	same("text at PathOffset", text[u.PathOffset():][:len(rest)], rest)
}

// join joins the parts of u, with the scheme as written in text.
func (u slowURL) join(text string) string {
	var b strings.Builder
	b.WriteString(text[:len(u.scheme)] + ":")
	if u.internet {
		b.WriteString("//")
		if u.user != nil {
			b.WriteString(*u.user)
			if u.password != nil {
				b.WriteString(":" + *u.password)
			}
			b.WriteString("@")
		}
		b.WriteString(u.host)
		if u.portText != nil {
			b.WriteString(":" + *u.portText)
		}
		if u.path != nil && !u.missingSlash {
			b.WriteString("/")
		}
		if u.path != nil {
			b.WriteString(*u.path)
		}
	} else {
		b.WriteString(u.schemePart)
	}
	if u.fragment != nil {
		b.WriteString("#" + *u.fragment)
	}
	return b.String()
}

// checkRoundTrip builds a URL from the parts of u. It skips spellings that Parts
// cannot express: of a port, or a missing "/".
func checkRoundTrip(t *testing.T, u locus.URL) {
	t.Helper()
	v, err := u.Parts().URL()
	switch text, written := u.PortText(); {
	case !u.Facts().Has(locus.SchemeLower), u.MissingSlash(), written && (text == "" || text[0] == '0'):
		return
	case err != nil:
		t.Fatalf("Parse(%q).Parts().URL(): %v", u, err)
	case u != v:
		t.Fatalf("Parse(%q).Parts().URL() = %q", u, v)
	}
}

// checkWithoutPassword tests that WithoutPassword changes nothing else.
func checkWithoutPassword(t *testing.T, u locus.URL) {
	t.Helper()
	v, want := u.WithoutPassword(), u.Parts()
	want.Password = nil
	if !reflect.DeepEqual(v.Parts(), want) {
		t.Fatalf("%q without its password: %q", u, v)
	}
	if _, ok := u.Password(); !ok && v != u {
		t.Fatalf("%q has no password, and loses %q", u, v)
	}
}
