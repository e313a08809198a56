package relative_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

// example is one line of a table of an RFC.
type example struct{ ref, target string }

func testExamples(t *testing.T, base string, o relative.Options, list []example) {
	t.Helper()
	for _, e := range list {
		got, _, err := relative.MustParse(e.ref).ResolveWith(locus.MustParse(base), o)
		if err != nil || got.String() != e.target {
			t.Errorf("%q in %s: %q, %v; want %q", e.ref, base, got, err, e.target)
		}
	}
}

// RFC 3986 section 5.4.1, "Normal Examples".
func TestRFC3986Normal(t *testing.T) {
	testExamples(t, "http://a/b/c/d;p?q", relative.Options{}, []example{
		{"g:h", "g:h"},
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g"},
		{"?y", "http://a/b/c/d;p?y"},
		{"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"},
		{"g#s", "http://a/b/c/g#s"},
		{"g?y#s", "http://a/b/c/g?y#s"},
		{";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"},
		{"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{"", "http://a/b/c/d;p?q"},
		{".", "http://a/b/c/"},
		{"./", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../..", "http://a/"},
		{"../../", "http://a/"},
		{"../../g", "http://a/g"},
	})
}

// RFC 3986 section 5.4.2, "Abnormal Examples".
func TestRFC3986Abnormal(t *testing.T) {
	testExamples(t, "http://a/b/c/d;p?q", relative.Options{}, []example{
		{"../../../g", "http://a/g"},
		{"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"},
		{"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."},
		{"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"},
		{"g?y/../x", "http://a/b/c/g?y/../x"},
		{"g#s/./x", "http://a/b/c/g#s/./x"},
		{"g#s/../x", "http://a/b/c/g#s/../x"},
		{"http:g", "http:g"}, // for strict parsers
	})
	testExamples(t, "http://a/b/c/d;p?q", relative.Options{SameScheme: true}, []example{
		{"http:g", "http://a/b/c/g"}, // for backward compatibility
		{"HTTP:?y#s", "http://a/b/c/d;p?y#s"},
		{"http:", "http://a/b/c/d;p?q"},
		{"ftp:g", "ftp:g"},
		{"http:a:b", "http:a:b"},
		{"http://g", "http://g"},
		{"http:/g", "http://a/g"},
		{"http:/../g?y#s", "http://a/g?y#s"},
		{"http:///g", "http:///g"},
	})
	testExamples(t, "http://a/b/c/d;p?q", relative.Options{SameScheme: true, Rules: relative.RFC1630}, []example{
		{"http:/g", "http://a/g"},
		{"http:g", "http://a/b/c/g"},
	})
}

// RFC 1808 section 5.1, "Normal Examples", and 5.2, "Abnormal Examples", with a base that contains
// a fragment. The results in RFC 3986 differ for "?y" and for ".." above the root. The variable
// rfc1808Changed contains these lines.
func TestRFC1808(t *testing.T) {
	const base = "http://a/b/c/d;p?q#f"
	testExamples(t, base, relative.Options{}, []example{
		{"g:h", "g:h"},
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g"},
		{"g?y", "http://a/b/c/g?y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"},
		{"#s", "http://a/b/c/d;p?q#s"},
		{"g#s", "http://a/b/c/g#s"},
		{"g#s/./x", "http://a/b/c/g#s/./x"},
		{"g?y#s", "http://a/b/c/g?y#s"},
		{"g;x", "http://a/b/c/g;x"},
		{"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{".", "http://a/b/c/"},
		{"./", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../..", "http://a/"},
		{"../../", "http://a/"},
		{"../../g", "http://a/g"},
		{"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."},
		{"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"},
		{"http:g", "http:g"},
		{"http:", "http:"},
	})
	for _, changed := range []struct{ ref, rfc1808, rfc3986 string }{
		{"?y", "http://a/b/c/d;p?y", "http://a/b/c/d;p?y"},
		{";x", "http://a/b/c/d;x", "http://a/b/c/;x"},
		{"", "http://a/b/c/d;p?q#f", "http://a/b/c/d;p?q"},
		{"../../../g", "http://a/../g", "http://a/g"},
		{"../../../../g", "http://a/../../g", "http://a/g"},
		{"/./g", "http://a/./g", "http://a/g"},
		{"/../g", "http://a/../g", "http://a/g"},
	} {
		testExamples(t, base, relative.Options{}, []example{{changed.ref, changed.rfc3986}})
	}
}

// URI draft, "Partial (relative) form", Examples: the partial URIs in the
// context of either URI.
func TestDraftExamples(t *testing.T) {
	for _, context := range []string{"magic://a/b/c//d/e/f", "magic://a/b/c//d/e/"} {
		testExamples(t, context, relative.Options{Rules: relative.RFC1630, FirstSlash: true}, []example{
			{"g", "magic://a/b/c//d/e/g"},
			{"/g", "magic://a/g"},
			{"//g", "magic://g"},
			{"../g", "magic://a/b/c//d/g"},
			{"g:a", "g:a"},
		})
		// The rule in RFC 1630 contradicts one of the five examples in RFC 1630.
		testExamples(t, context, relative.Options{Rules: relative.RFC1630}, []example{
			{"g", "magic://a/b/c//d/e/g"},
			{"/g", "magic://a/b/c//d/g"},
			{"//g", "magic://g"},
			{"../g", "magic://a/b/c//d/g"},
			{"g:a", "g:a"},
		})
		// RFC 3986 agrees with all five examples.
		testExamples(t, context, relative.Options{}, []example{
			{"g", "magic://a/b/c//d/e/g"},
			{"/g", "magic://a/g"},
			{"//g", "magic://g"},
			{"../g", "magic://a/b/c//d/g"},
			{"g:a", "g:a"},
		})
	}
}

func TestDraftRules(t *testing.T) {
	draft := relative.Options{Rules: relative.RFC1630}
	testExamples(t, "http://h/a/b/c?q/r#s", draft, []example{
		{"", "http://h/a/b/c?q/r"},
		{"#t", "http://h/a/b/c?q/r#t"},
		{"?y", "http://h/a/b/?y"},
		{"/x/../g", "http://h/g"},
		{"..", "http://h/a/"},
		{".", "http://h/a/b/"},
		{"g/.", "http://h/a/b/g/"},
		{"../../../../g", "http://h/g"},
		{"//g?y#z", "http://g?y#z"},
		{"http:g", "http:g"},
		{"http://g/../x", "http://g/../x"},
	})
	testExamples(t, "http://h", draft, []example{{"/g", "http://h/g"}, {"g", "http://h/g"}})
	testExamples(t, "http://h//a", draft, []example{{"/g", "http://h/g"}, {"//g", "http://g"}})
	testExamples(t, "x:/a/b", draft, []example{{"/g", "x:/g"}, {"//g", "x://g"}, {"..//g", "x:/.//g"}})
	testExamples(t, "file:///a/b", draft, []example{{"///g", "file:///g"}, {"/g", "file:///a/g"}, {"//g/h", "file://g/h"}})
	_, _, err := relative.MustParse("///g").ResolveWith(locus.MustParse("http://h/a"), draft)
	if !errors.Is(err, relative.ErrBase) || !strings.Contains(err.Error(), "3 consecutive slashes") {
		t.Errorf("three slashes: %v", err)
	}
}

func TestResolveEdges(t *testing.T) {
	testExamples(t, "http://h", relative.Options{}, []example{
		{"g", "http://h/g"}, {"../g", "http://h/g"}, {"?y", "http://h?y"}, {".", "http://h/"}, {"#s", "http://h#s"},
	})
	testExamples(t, "http://h", relative.Options{}, []example{{"?x@evil", "http://h/?x@evil"}, {"?x@evil#s", "http://h/?x@evil#s"}, {"#x@evil", "http://h#x@evil"}})
	testExamples(t, "http://h?q", relative.Options{}, []example{{"g", "http://h/g"}, {"", "http://h?q"}, {"?y", "http://h?y"}})
	testExamples(t, "http://h/a?b/c", relative.Options{}, []example{{"g", "http://h/g"}, {"?", "http://h/a?"}, {"#", "http://h/a?b/c#"}})
	testExamples(t, "x:/a/b", relative.Options{}, []example{{"g", "x:/a/g"}, {"..//g", "x:/.//g"}, {"//h", "x://h"}, {"/..", "x:/"}})
	testExamples(t, "ftp://u:p@h:2121/a/b;type=i", relative.Options{}, []example{
		{"g", "ftp://u:p@h:2121/a/g"}, {"//g", "ftp://g"}, {"g;type=a", "ftp://u:p@h:2121/a/g;type=a"}, {"%2E%2E/g", "ftp://u:p@h:2121/a/%2E%2E/g"},
	})
	testExamples(t, "ftp://u?v:p?q@h/a", relative.Options{}, []example{{"g", "ftp://u?v:p?q@h/g"}})
	testExamples(t, "HTTP://H/a", relative.Options{}, []example{{"g", "HTTP://H/g"}, {"Http://H/b", "Http://H/b"}})
	testExamples(t, "http://h/a//b", relative.Options{}, []example{{"../g", "http://h/a/g"}, {"..//g", "http://h/a//g"}, {".", "http://h/a//"}})
	testExamples(t, "http://h/", relative.Options{}, []example{{"http://h/a/../b", "http://h/b"}, {"mailto:a/../b@h", "mailto:a/../b@h"}})
}

// hierarchyOf returns the hierarchy of some schemes, as in a registry.
func hierarchyOf(base locus.URL) relative.Hierarchy {
	return map[string]relative.Hierarchy{
		"news": relative.Names, "snews": relative.Names, "mailto": relative.Opaque, "mid": relative.Opaque, "cid": relative.Opaque,
		"gopher": relative.Data, "telnet": relative.None,
	}[base.Scheme()]
}

func TestBaseWithoutHierarchy(t *testing.T) {
	for text, h := range map[string]relative.Hierarchy{
		"mailto:a@b": relative.Opaque, "mailto:a/b@h": relative.Opaque, "urn:x:a/b": relative.Opaque, "data:text/html,x/y": relative.Opaque,
		"telnet://h/": relative.None, "gopher://h/1/a": relative.Data,
	} {
		base := locus.MustParse(text)
		for _, ref := range []string{"g", "/g", "//g", "?y", ".", "..", "g#s", "./a:b"} {
			for _, rules := range []relative.Rules{relative.RFC3986, relative.RFC1630} {
				u, _, err := relative.MustParse(ref).ResolveWith(base, relative.Options{Rules: rules, Hierarchy: h})
				if !errors.Is(err, relative.ErrBase) || !strings.Contains(fmt.Sprint(err), "write the whole URL") {
					t.Errorf("%q in %s by %s: %q, %v", ref, base, rules, u, err)
				}
			}
		}
		testExamples(t, text, relative.Options{Hierarchy: h}, []example{
			{"", text}, {"#s", text + "#s"}, {"http://h/", "http://h/"},
		})
	}
	if _, err := relative.MustParse("g").Resolve(locus.URL{}); !errors.Is(err, relative.ErrBase) {
		t.Errorf("the zero URL as base: %v", err)
	}
}

// The draft, "News": within an article, the name of a group or of another article is
// a relative reference.
func TestNews(t *testing.T) {
	for _, rules := range []relative.Rules{relative.RFC3986, relative.RFC1630} {
		for _, base := range []string{"news:x@y.z", "news:comp.infosystems.www", "news:a/b@h", "snews:x@y.z"} {
			scheme, _, _ := strings.Cut(base, ":")
			testExamples(t, base, relative.Options{Rules: rules, Hierarchy: relative.Names}, []example{
				{"alt.test", scheme + ":alt.test"}, {"c@d.e", scheme + ":c@d.e"}, {"c/d@e", scheme + ":c/d@e"},
				{"*", scheme + ":*"}, {"", base}, {"#s", base + "#s"}, {"http://h/", "http://h/"},
			})
		}
		testExamples(t, "news://h/x@y.z", relative.Options{Rules: rules, Hierarchy: relative.Names}, []example{{"alt.test", "news://h/alt.test"}})
	}
}

// An unknown scheme has a hierarchy if its URLs contain "/" (draft,
// "Hierarchical forms").
func TestUnregistered(t *testing.T) {
	testExamples(t, "x-foo:a/b/c", relative.Options{}, []example{
		{"d", "x-foo:a/b/d"}, {"./d", "x-foo:a/b/d"}, {"../d", "x-foo:a/d"}, {".", "x-foo:a/b/"}, {"..", "x-foo:a/"}, {"d?y#s", "x-foo:a/b/d?y#s"},
		{"/d", "x-foo:/d"}, {"//h/d", "x-foo://h/d"}, {"?y", "x-foo:a/b/c?y"}, {"", "x-foo:a/b/c"},
		// In the pseudocode of section 5.2.4, a path without remaining segments becomes "/".
		{"../../d", "x-foo:/d"}, {"../../../d", "x-foo:/d"}, {"../..", "x-foo:/"},
	})
	testExamples(t, "x-foo:a/b/c", relative.Options{Rules: relative.RFC1630}, []example{
		{"d", "x-foo:a/b/d"}, {"../d", "x-foo:a/d"}, {"..", "x-foo:a/"}, {"/d", "x-foo:a/d"}, {"//h/d", "x-foo://h/d"}, {"?y", "x-foo:a/b/?y"},
		{"../../d", "x-foo:d"}, {"../../../d", "x-foo:d"}, {"../..", "x-foo:"},
	})
	testExamples(t, "x-foo:a", relative.Options{}, []example{{"d", "x-foo:d"}, {"../d", "x-foo:d"}, {"./d", "x-foo:d"}, {"..", "x-foo:"}, {".//d", "x-foo:/d"}, {"..//d", "x-foo:/d"}})
	testExamples(t, "x-foo:a", relative.Options{Rules: relative.RFC1630}, []example{{"d", "x-foo:d"}, {"../d", "x-foo:d"}, {"/d", "x-foo:/d"}})
}

func TestNotes(t *testing.T) {
	for _, test := range []struct {
		base, ref string
		rules     relative.Rules
		want      relative.Notes
	}{
		{"http://a/b/c/d", "../../g", relative.RFC3986, 0},
		{"http://a/b/c/d", "../../../g", relative.RFC3986, relative.Clamped},
		{"http://a/b/c/d", "/../g", relative.RFC3986, relative.Clamped},
		{"http://a/b/c/d", "http://a/../g", relative.RFC3986, relative.Clamped},
		{"http://a/b/c/d", "//g/..", relative.RFC3986, relative.Clamped},
		{"http://a", "..", relative.RFC3986, relative.Clamped},
		{"x-foo:a", "../d", relative.RFC3986, relative.Clamped},
		{"http://a/b/c/d", "..", relative.RFC3986, 0},
		{"http://a/b/c/d", "../../../g", relative.RFC1630, relative.Clamped},
		{"x-foo:a/b", "../../g", relative.RFC1630, relative.Clamped},
		{"http://a/b/c/d", "..", relative.RFC1630, relative.FinalDots},
		{"http://a/b/c/d", "../../..", relative.RFC1630, relative.FinalDots | relative.Clamped},
		{"http://a/b/c/d", "g/.", relative.RFC1630, relative.SlashKept},
		{"http://a/b/c/d", "g/./", relative.RFC1630, 0},
	} {
		u, notes, err := relative.MustParse(test.ref).ResolveWith(locus.MustParse(test.base), relative.Options{Rules: test.rules})
		if notes != test.want || err != nil {
			t.Errorf("%q in %s by %s: %q, notes %v, %v", test.ref, test.base, test.rules, u, notes.Texts(), err)
		}
	}
}

// RFC 3986 sections 3.1 and 4.2: a text that begins with a digit and contains a ":" in its first
// segment is neither a URI nor a relative reference.
func TestHostAndPort(t *testing.T) {
	base := locus.MustParse("http://h/a/b")
	for _, text := range []string{"10.0.0.7:8080/foo", "1.2.3.4:", "7:b", "+a:b", "-a:b", ".a:b"} {
		_, err := relative.MustParse(text).Resolve(base)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || e.Offset != 0 || !errors.Is(err, locus.ErrNoScheme) || !strings.Contains(err.Error(), `write "./" before a relative reference`) {
			t.Errorf("%q: %v", text, err)
		}
		u, _, err := relative.MustParse(text).ResolveWith(base, relative.Options{Rules: relative.RFC1630})
		if err != nil || u.String() != text {
			t.Errorf("%q by rfc1630: %q, %v", text, u, err)
		}
	}
	testExamples(t, "http://h/a/b", relative.Options{}, []example{{"./10.0.0.7:8080/foo", "http://h/a/10.0.0.7:8080/foo"}, {"//10.0.0.7:8080/foo", "http://10.0.0.7:8080/foo"}})
}

func TestSameSchemeNeedsHierarchy(t *testing.T) {
	testExamples(t, "mailto:a@b", relative.Options{SameScheme: true, Hierarchy: relative.Opaque}, []example{{"mailto:c@d", "mailto:c@d"}})
}

func TestGopherWhenAsked(t *testing.T) {
	testExamples(t, "gopher://h/1/a/b", relative.Options{Hierarchy: relative.Data, Data: true}, []example{
		{"c", "gopher://h/1/a/c"}, {"../c", "gopher://h/1/c"}, {"/0/x", "gopher://h/0/x"},
	})
}

func TestResultTooLong(t *testing.T) {
	base := locus.MustParse("http://h/" + strings.Repeat("a/", 20000))
	_, err := relative.MustParse(strings.Repeat("b", 30000)).Resolve(base)
	if !errors.Is(err, locus.ErrTooLong) {
		t.Errorf("error %v", err)
	}
}

func TestRulesByName(t *testing.T) {
	for _, rules := range []relative.Rules{relative.RFC3986, relative.RFC1630} {
		if got, err := relative.ParseRules(rules.String()); got != rules || err != nil {
			t.Errorf("ParseRules(%q) = %v, %v", rules, got, err)
		}
	}
	if _, err := relative.ParseRules("rfc1738"); err == nil {
		t.Error("rfc1738 has rules for partial forms")
	}
}
