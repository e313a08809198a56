package http

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.3.txt", Scheme(nil)) }

// TestSame checks examples 1 and 2 of the URI draft. A URL with a "%" that does not begin an
// escape is invalid in every profile.
func TestSame(t *testing.T) {
	invariants.Pairs(t, []bnftest.Pair{
		{"http://info.cern.ch/albert/bertram/marie-claude", "http://info.cern.ch/albert/bertram/marie%2Dclaude", true},
		{"http://info.cern.ch/albert/bertram/marie-claude", "http://info.cern.ch/albert/bertram%2Fmarie-claude", false},
	})
	const bare = "http://info.cern.ch/RDB/EMP?*%20where%20name%%3Ddobbins"
	_, err := locus.Parse(bare)
	bnftest.Refused(t, bare, err, "escape", 44, locus.ErrEscape)
}

func TestFields(t *testing.T) {
	invariants.Fields(t, [][2]string{
		{"http://h", `path=<nil> searchpart=<nil>`},
		{"http://h/", `path="" searchpart=<nil>`},
		{"http://h?", `path=<nil> searchpart=""`},
		{"http://h/?", `path="" searchpart=""`},
		{"http://h?q", `path=<nil> searchpart="q"`},
		{"http://h:8080/a/b?c", `path="a/b" searchpart="c"`},
		{"http://h/a?b?c/d", `path="a" searchpart="b?c/d"`},
		{"http://h/%2525?%2525", `path="%25" searchpart="%25"`},
		{"http://h/a+b?c+d%2Be%20f", `path="a+b" searchpart="c+d+e f"`},
		{"http://h//a/../b", `path="/a/../b" searchpart=<nil>`},
		{"HTTP://H/%E9%00", `path="\xe9\x00" searchpart=<nil>`},
		{"http://h/a;b=c?d#e?f", `path="a;b=c" searchpart="d"`},
		{"http://u:p@[::1]:81/x", `path="x" searchpart=<nil>`},
		{"http://h:/x", `path="x" searchpart=<nil>`},
	})
	secureInvariants.Fields(t, [][2]string{{"https://h/a%2Fb", `path="a/b" searchpart=<nil>`}})
}

func TestParse(t *testing.T) {
	for _, row := range []struct {
		url   string
		port  uint16
		words []string
	}{
		{"http://h", 80, nil},
		{"http://h/", 80, nil},
		{"http://h?", 80, []string{""}},
		{"http://h/?", 80, []string{""}},
		{"http://h?q", 80, []string{"q"}},
		{"https://h/a%2Fb", 443, nil},
		{"http://h:8080/a/b?c", 8080, []string{"c"}},
		{"http://h/a?b?c/d", 80, []string{"b?c/d"}},
		{"http://h/%2525?%2525", 80, []string{"%25"}},
		{"http://h/a+b?c+d%2Be%20f", 80, []string{"c", "d+e f"}},
		{"http://h//a/../b", 80, nil},
		{"HTTP://H/%E9%00", 80, nil},
		{"http://h/a;b=c?d#e?f", 80, []string{"d"}},
		{"http://u:p@[::1]:81/x", 81, nil},
		{"http://h:/x", 80, nil},
	} {
		h := bnftest.MustParse(t, Parse, row.url)
		if got := h.Words(); !slices.Equal(got, row.words) {
			t.Errorf("%s: words %q, want %q", row.url, got, row.words)
		}
		if u := h.URL(); h.Port() != row.port || h.Secure() != (u.Scheme() == "https") || h.Host() != u.Host() {
			t.Errorf("%s: port %d, secure %v, host %q", row.url, h.Port(), h.Secure(), h.Host())
		}
	}
	if (URL{}).Secure() || (URL{}).Port() != 0 {
		t.Error("the zero URL has a scheme")
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"http:", "foo", "httpurl", locus.ErrForm},
		{"http://", "/x", "host", locus.ErrForm},
		{"http://u@", "/x", "host", locus.ErrForm},
		{"http://", ":80/x", "host", locus.ErrForm},
		{"http://h", "?a@b/", "hostport", locus.ErrForm},
		{"http://h:80", "?secret@b/", "hostport", locus.ErrForm},
		{"", "ftp://h/x", "httpurl", locus.ErrForm},
		{"", "httpx://h/x", "httpurl", locus.ErrForm},
	})
	secureInvariants.Refuses(t, []bnftest.Refusal{
		{"https:", "/h/x", "httpurl", locus.ErrForm},
		{"https://h", "?@b", "hostport", locus.ErrForm},
	})
	for _, text := range []string{"ftp://h/x", "httpx://h/x"} {
		_, _, err := Canonical(locus.MustParse(text))
		bnftest.Refused(t, text, err, "httpurl", 0, locus.ErrForm)
	}
}

// Errors and findings must not contain a text that may be a password.
func TestPasswordHidden(t *testing.T) {
	u := locus.MustParse("http://h:80?secret@b/")
	if _, err := Parse(u); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		for _, v := range Check(u, p) {
			if strings.Contains(v.String(), "secret") {
				t.Errorf("%v: %v", p, v)
			}
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		parts Parts
		url   string
	}{
		{Parts{Host: "h"}, "http://h"},
		{Parts{Host: "h", Segments: []string{""}}, "http://h/"},
		{Parts{Secure: true, Host: "h", Port: 8443, Segments: []string{"a b", "c/d", "", "~"}}, "https://h:8443/a%20b/c%2Fd//%7E"},
		{Parts{Host: "h", Search: new("")}, "http://h/?"},
		{Parts{Host: "h", Segments: []string{"x?y"}, Search: new("a=1&b=c+d/e?\xff")}, "http://h/x%3Fy?a=1&b=c%2Bd%2Fe%3F%FF"},
		{Parts{Host: "[::1]", Fragment: new("a#b")}, "http://[::1]#a%23b"},
	} {
		h, err := c.parts.URL()
		if err != nil || h.URL().String() != c.url {
			t.Errorf("%+v: %q, %v; want %q", c.parts, h.URL(), err, c.url)
			continue
		}
		if search, ok := h.Search(); ok != (c.parts.Search != nil) || ok && search != *c.parts.Search {
			t.Errorf("%s: search %q, %v", c.url, search, ok)
		}
		if path, ok := h.Path(); ok != (c.parts.Segments != nil || c.parts.Search != nil) || path != strings.Join(c.parts.Segments, "/") {
			t.Errorf("%s: path %q, %v", c.url, path, ok)
		}
	}
	for _, bad := range []Parts{{}, {Host: "h/x"}, {Host: "u@h"}, {Host: "h?"}, {Host: "a b"}} {
		if h, err := bad.URL(); bnftest.Made(t, bad, err) {
			t.Errorf("%+v makes %q", bad, h.URL())
		}
	}
}

func TestFindings(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"http://u@h/", "no-user@7"},
		{"http://u:p@h/", "no-user@7"},
		{"http://h?q", "missing-slash@8"},
		{"http://h/?a/b?c", "reserved-character@11 reserved-character@13"},
		{"http://h/~x|?\"", "unsafe-character@9 unsafe-character@11 unsafe-character@13"},
		{"HTTP://h/\xe9", "scheme-case@0 not-us-ascii@9"},
		{"http://h:/", "empty-port@8"},
		{"http://h:0/", "port-zero@9?"},
		{"http://256.1.1.1/", "address-octet@7?"},
		{"http://[::1]/", "ipv6-address@7"},
		{"http://h?a@b/", "no-user@7 form@8"},
		{"ftp://h/x", "form@0"},
	})
	invariants.Findings(t, locus.RFC1630, [][2]string{
		{"http://h?q", ""},
		{"http://h/a:b;c=d", "reserved-character@10 reserved-character@12 reserved-character@14"},
		{"http://h/a//b", "empty-segment@11"},
	})
}

func TestSpellings(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"http://h/", "http://h/", 0},
		{"http://h", "http://h/", locus.EmptyPath},
		{"http://h?q", "http://h/?q", locus.EmptyPath},
		{"http://h/?", "http://h/?", 0},
		{"http://h#", "http://h/", locus.EmptyPath | locus.VoidFragment},
		{"HTTP://WWW.H:80/", "http://www.h/", locus.SchemeCase | locus.HostCase | locus.DefaultPort},
		{"http://h:/", "http://h/", locus.PortZeros},
		{"http://h/a/./b/../c", "http://h/a/c", locus.DotSegments},
		{"http://h/../a", "http://h/a", locus.DotSegments},
		{"http://h/a/..", "http://h/", locus.DotSegments},
		{"http://h/a/.", "http://h/a/", locus.DotSegments},
		{"http://h/.", "http://h/", locus.DotSegments},
		{"http://h/a//../b", "http://h/a/b", locus.DotSegments},
		{"http://h/..//b", "http://h//b", locus.DotSegments},
		{"http://h/a/%2E%2e/b", "http://h/b", locus.DotSegments},
		{"http://h/a/.%2e", "http://h/", locus.DotSegments},
		{"http://h/a/...", "http://h/a/...", 0},
		{"http://h/a/..%2Fb", "http://h/a/..%2Fb", 0},
		{"http://h/?a/../b", "http://h/?a/../b", 0},
		{"http://h/%7e~", "http://h/%7E%7E", locus.EscapeCase | locus.MissingEscape},
		{"http://h/%2f%3f%3b%41", "http://h/%2F%3F%3BA", locus.EscapeCase | locus.NeedlessEscape},
		{"http://h/%2B?%2B+", "http://h/+?%2B+", locus.NeedlessEscape},
		{"http://h/\xc3\xa9", "http://h/%C3%A9", locus.MissingEscape},
		{"http://u:p@h", "http://u:p@h/", locus.EmptyPath},
		{"http://010.0.0.1/", "http://10.0.0.1/", locus.HostZeros},
	})
	secureInvariants.Spellings(t, []bnftest.Spelling{
		{"https://h:443/", "https://h/", locus.DefaultPort},
		{"https://h:80/", "https://h:80/", 0},
	})
}

func TestNoAllocations(t *testing.T) {
	invariants.Conforming(t,
		"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98",
		"http://info.my.org/AboutUs/Index/Phonebook?dobbins",
		"http://h", "http://h/a?b", "http://h/a:b;c=d", "http://h/a//b", "http://h/x#a")
	secureInvariants.Conforming(t, "https://h:8080")
	u := locus.MustParse("http://info.my.org/AboutUs/Index/Phonebook?dobbins")
	bnftest.NoAllocations(t, u, "Parse and Canonical", func() { Parse(u); Canonical(u) })
}

func BenchmarkCheck(b *testing.B) {
	u := locus.MustParse("http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98?a=b")
	for b.Loop() {
		Check(u, locus.RFC1738)
	}
}

func BenchmarkCanonical(b *testing.B) {
	u := locus.MustParse("http://www.library.my.town.va.us/Catalogue/76523471236/wen44--4.98?a=b")
	for b.Loop() {
		Canonical(u)
	}
}
