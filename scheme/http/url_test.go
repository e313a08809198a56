package http

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// vectors returns the lines of a file of the standards' examples: a URL and
// where it stands.
func vectors(t testing.TB, name string) (list [][2]string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if url, place, ok := strings.Cut(lines.Text(), "\t"); ok {
			list = append(list, [2]string{url, place})
		}
	}
	if len(list) == 0 || lines.Err() != nil {
		t.Fatalf("%s: no vectors: %v", name, lines.Err())
	}
	return list
}

func TestExamplesOfTheTexts(t *testing.T) {
	for _, v := range vectors(t, "../../testdata/rfc1738-3.3.txt") {
		u, err := locus.Parse(v[0])
		if err != nil {
			t.Errorf("%s: %v", v[1], err)
			continue
		}
		if _, err := Parse(u); err != nil {
			t.Errorf("%s: %v", v[1], err)
		}
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if list := Check(u, p); list != nil {
				t.Errorf("%s: %v, %v: %v", v[1], u, p, list)
			}
		}
	}
}

func TestSamenessOfTheDraftsExamples(t *testing.T) {
	const base = "http://info.cern.ch/albert/bertram"
	canonical := func(text string) locus.URL {
		c, _, err := Canonical(locus.MustParse(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if a, b := canonical(base+"/marie-claude"), canonical(base+"/marie%2Dclaude"); a != b {
		t.Errorf("example 1: %v and %v are identical", a, b)
	}
	if a, b := canonical(base+"/marie-claude"), canonical(base+"%2Fmarie-claude"); a == b {
		t.Errorf("example 2: %v and %v are not identical", a, b)
	}
	// A "%" that implies no encoding is no URL in any profile.
	_, err := locus.Parse("http://info.cern.ch/RDB/EMP?*%20where%20name%%3Ddobbins")
	var syntax *locus.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset != 44 || !errors.Is(err, locus.ErrEscape) {
		t.Errorf("a bare %%: %v", err)
	}
}

func TestParse(t *testing.T) {
	absent := "\x00absent"
	for _, c := range []struct {
		url, path, search string
		port              uint16
		words             []string
	}{
		{"http://h", absent, absent, 80, nil},
		{"http://h/", "", absent, 80, nil},
		{"http://h?", absent, "", 80, []string{""}},
		{"http://h/?", "", "", 80, []string{""}},
		{"http://h?q", absent, "q", 80, []string{"q"}},
		{"https://h/a%2Fb", "a/b", absent, 443, nil},
		{"http://h:8080/a/b?c", "a/b", "c", 8080, []string{"c"}},
		{"http://h/a?b?c/d", "a", "b?c/d", 80, []string{"b?c/d"}},
		{"http://h/%2525?%2525", "%25", "%25", 80, []string{"%25"}},
		{"http://h/a+b?c+d%2Be%20f", "a+b", "c+d+e f", 80, []string{"c", "d+e f"}},
		{"http://h//a/../b", "/a/../b", absent, 80, nil},
		{"HTTP://H/%E9%00", "\xe9\x00", absent, 80, nil},
		{"http://h/a;b=c?d#e?f", "a;b=c", "d", 80, []string{"d"}},
		{"http://u:p@[::1]:81/x", "x", absent, 81, nil},
		{"http://h:/x", "x", absent, 80, nil},
	} {
		u := locus.MustParse(c.url)
		h, err := Parse(u)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		get := func(octets string, ok bool) string {
			if !ok {
				return absent
			}
			return octets
		}
		if got := get(h.Path()); got != c.path {
			t.Errorf("%s: path %q, want %q", c.url, got, c.path)
		}
		if got := get(h.Search()); got != c.search {
			t.Errorf("%s: search %q, want %q", c.url, got, c.search)
		}
		if got := h.Words(); !slices.Equal(got, c.words) {
			t.Errorf("%s: words %q, want %q", c.url, got, c.words)
		}
		if h.Port() != c.port || h.Secure() != (u.Scheme() == "https") || h.Host() != u.Host() {
			t.Errorf("%s: port %d, secure %v, host %q", c.url, h.Port(), h.Secure(), h.Host())
		}
		if again, err := Parse(h.URL()); again != h || err != nil {
			t.Errorf("%s: Parse(URL()) is %v, %v", c.url, again, err)
		}
	}
	if (URL{}).Secure() || (URL{}).Port() != 0 {
		t.Error("the zero URL has a scheme")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		url    string
		offset int
		part   string
	}{
		{"http:foo", 5, "httpurl"},
		{"https:/h/x", 6, "httpurl"},
		{"http:///x", 7, "host"},
		{"http://u@/x", 9, "host"},
		{"http://:80/x", 7, "host"},
		{"http://h?a@b/", 8, "hostport"},
		{"https://h?@b", 9, "hostport"},
		{"http://h:80?secret@b/", 11, "hostport"},
		{"ftp://h/x", 0, "httpurl"},
		{"httpx://h/x", 0, "httpurl"},
	} {
		u := locus.MustParse(c.url)
		_, err := Parse(u)
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != c.offset || syntax.Part != c.part || !errors.Is(err, locus.ErrForm) {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is in the error: %v", c.url, err)
		}
		if _, _, err := Canonical(u); err == nil {
			t.Errorf("%s: Canonical takes it", c.url)
		}
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			list := Check(u, p)
			if locus.Conforms(list) {
				t.Errorf("%s, %v: no violation", c.url, p)
			}
			for _, v := range list {
				if strings.Contains(v.String(), "secret") {
					t.Errorf("%s: the password is in a finding: %v", c.url, v)
				}
			}
		}
	}
}

func TestParts(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		parts Parts
		url   string
	}{
		{Parts{Host: "h"}, "http://h"},
		{Parts{Host: "h", Segments: []string{""}}, "http://h/"},
		{Parts{Secure: true, Host: "h", Port: 8443, Segments: []string{"a b", "c/d", "", "~"}}, "https://h:8443/a%20b/c%2Fd//%7E"},
		{Parts{Host: "h", Search: text("")}, "http://h/?"},
		{Parts{Host: "h", Segments: []string{"x?y"}, Search: text("a=1&b=c+d/e?\xff")}, "http://h/x%3Fy?a=1&b=c%2Bd%2Fe%3F%FF"},
		{Parts{Host: "[::1]", Fragment: text("a#b")}, "http://[::1]#a%23b"},
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
		if h, err := bad.URL(); err == nil {
			t.Errorf("%+v makes %q", bad, h.URL())
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		url  string
		p    locus.Profile
		want string // rule@offset
	}{
		{"http://h/a?b", locus.RFC1738, ""},
		{"http://h", locus.RFC1738, ""},
		{"http://u@h/", locus.RFC1738, "no-user@7"},
		{"http://u:p@h/", locus.RFC1738, "no-user@7"},
		{"http://h?q", locus.RFC1738, "missing-slash@8"},
		{"http://h?q", locus.RFC1630, ""},
		{"http://h/?a/b?c", locus.RFC1738, "reserved-character@11 reserved-character@13"},
		{"http://h/~x|?\"", locus.RFC1738, "unsafe-character@9 unsafe-character@11 unsafe-character@13"},
		{"HTTP://h/\xe9", locus.RFC1738, "scheme-case@0 not-us-ascii@9"},
		{"http://h:/", locus.RFC1738, "empty-port@8"},
		{"http://h:0/", locus.RFC1738, "port-zero@9"},
		{"http://256.1.1.1/", locus.RFC1738, "address-octet@7"},
		{"http://[::1]/", locus.RFC1738, "ipv6-address@7"},
		{"http://h?a@b/", locus.RFC1738, "no-user@7 form@8"},
		{"http://h/a:b;c=d", locus.RFC1738, ""},
		{"http://h/a:b;c=d", locus.RFC1630, "reserved-character@10 reserved-character@12 reserved-character@14"},
		{"http://h/a//b", locus.RFC1738, ""},
		{"http://h/a//b", locus.RFC1630, "empty-segment@11"},
		{"http://h/x#a b"[:12], locus.RFC1738, ""},
		{"ftp://h/x", locus.RFC1738, "form@0"},
	} {
		var got []string
		for _, v := range Check(locus.MustParse(c.url), c.p) {
			got = append(got, v.Rule+"@"+itoa(v.Offset))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s, %v: %s, want %s", c.url, c.p, s, c.want)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		url, want string
		change    locus.Change
	}{
		{"http://h/", "http://h/", 0},
		{"http://h", "http://h/", locus.EmptyPath},
		{"http://h?q", "http://h/?q", locus.EmptyPath},
		{"http://h/?", "http://h/?", 0},
		{"http://h#", "http://h/", locus.EmptyPath | locus.VoidFragment},
		{"HTTP://WWW.H:80/", "http://www.h/", locus.SchemeCase | locus.HostCase | locus.DefaultPort},
		{"https://h:443/", "https://h/", locus.DefaultPort},
		{"https://h:80/", "https://h:80/", 0},
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
	} {
		u := locus.MustParse(c.url)
		got, change, err := Canonical(u)
		if err != nil || got.String() != c.want || change != c.change {
			t.Errorf("%s: %v (%v), %v; want %s (%v)", c.url, got, change, err, c.want, c.change)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	for _, text := range []string{
		"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98",
		"http://info.my.org/AboutUs/Index/Phonebook?dobbins",
		"https://h:8080",
	} {
		u := locus.MustParse(text)
		if n := testing.AllocsPerRun(100, func() { Check(u, locus.RFC1738) }); n != 0 {
			t.Errorf("Check(%s): %v allocations", text, n)
		}
	}
	u := locus.MustParse("http://info.my.org/AboutUs/Index/Phonebook?dobbins")
	if n := testing.AllocsPerRun(100, func() { Canonical(u) }); n != 0 {
		t.Errorf("Canonical(%s): %v allocations", u, n)
	}
	if n := testing.AllocsPerRun(100, func() { Parse(u) }); n != 0 {
		t.Errorf("Parse(%s): %v allocations", u, n)
	}
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
