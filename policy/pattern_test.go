package policy

import (
	"errors"
	"math/rand"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/locus-url/locus"
)

// wellKnown lists the default ports of the URLs below.
var wellKnown = map[string]uint16{"http": 80, "https": 443, "ftp": 21, "gopher": 70, "telnet": 23, "nntp": 119}

func portOf(u locus.URL) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	return wellKnown[u.Scheme()]
}

// The URLs are in canonical form, as Matches requires.
func TestPattern(t *testing.T) {
	for _, c := range []struct{ pattern, yes, may, no string }{
		{"*", "http://h/ mailto:a@b file:///x", "", ""},
		{"*:25", "http://h:25/", "", "http://h/ mailto:a@b file:///x"},
		{"telnet:", "telnet://h/ telnet://u@h:99/", "", "http://telnet/"},
		{"TELNET:", "telnet://h/", "", "http://h/"},
		{"h", "http://h/ gopher://H:7070/ ftp://u@h/a http://h./", "", "http://a.h/ http://hh/ mailto:h news:h file:///h"},
		{"h:70", "gopher://h/ gopher://h:70/1 http://h:70/", "", "gopher://h:7070/ http://h/ gopher://hh/"},
		{".example.com", "http://example.com/ http://a.b.EXAMPLE.com./", "", "http://notexample.com/ http://example.com.x/"},
		{"*.example.com", "http://a.example.com/ http://a.b.example.com:99/", "", "http://example.com/ http://h/?.example.com"},
		{"*.example.com:80", "http://a.example.com/", "", "https://a.example.com/"},
		{"192.0.2.0/24", "http://192.0.2.7/ http://[::ffff:192.0.2.7]/", "", "http://192.0.3.7/ http://h/"},
		{"192.0.2.7", "http://192.0.2.7:99/ http://[::ffff:c000:207]/", "", "http://192.0.2.8/"},
		{"192.0.2.7:80", "http://192.0.2.7/", "", "https://192.0.2.7/"},
		{"2001:db8::1", "http://[2001:db8:0::1]/", "", "http://[2001:db8::2]/"},
		{"[2001:DB8::1]:80", "http://[2001:db8::1]/", "", "https://[2001:db8::1]/"},

		{"gopher://h/1/pub", "gopher://h/1/pub gopher://h/1/public gopher://h/1/%70ub/a", "gopher://u@h/1/pub gopher://h//1/pub gopher://h/1//pub gopher://h/1/a/../x gopher://h/%31%2Fpub", "gopher://h/1/a gopher://h:71/1/pub gopher://hh/1/pub ftp://h/1/pub"},
		{"gopher://h/1/pub$", "gopher://h/1/pub", "gopher://h/1%2Fpub", "gopher://h/1/public gopher://h/1/pub/"},
		{"ftp://bob@h/a", "ftp://bob@h/ab ftp://bob:pw@h/a ftp://b%6Fb@h/a", "ftp://h/a ftp://x@h/a", "ftp://bob@h/b"},
		{"http://h", "http://h/ http://h http://h/a?b", "", "http://h:81/ http://h.x/"},
		{"http://h$", "http://h", "", "http://h/a"},
		{"http://H.:80/", "http://h/", "", "http://h:81/"},
		{"http://h:*/", "http://h/ http://h:81/", "", "https://h/"},
		{"*://h/", "http://h/ gopher://h/", "", "http://x/ mailto:h"},
		{"http*://h/", "http://h/ https://h/", "", "ftp://h/"},
		{"http://localhost*", "http://localhost/ http://localhost:8080/a http://localhost.x/", "", "http://h/localhost"},
		{"https://*.example.net/*", "https://a.example.net/ https://a.b.example.net/x", "", "https://example.net/ https://h/a.example.net/ https://a.example.net:444/"},
		{"http://h/*.png$", "http://h/a.png http://h/a/b.p%6Eg", "", "http://h/a.png?x http://h/a"},
		{"*/private/", "http://h/private/ ftp://u@h/a/private/b", "", "http://private/ http://h/private mailto:private"},
		{"*#gone", "http://h/a#gone http://h/#gone2", "", "http://h/gone http://h/#x"},
		{"http://h/a#b$", "http://h/a#b", "", "http://h/a http://h/a#bc"},
		{"http://h/a$", "http://h/a http://h/a#b", "", "http://h/ab"},
		{"mailto:*@example.com$", "mailto:a@example.com", "", "mailto:a@example.com.x http://a@example.com/"},
		{"news:comp.", "news:comp.lang", "", "news:rec.x nntp://h/comp.x"},
		{"file:///tmp/", "file:///tmp/a", "file:////tmp/a file:///%2Ftmp/a", "file:///tmpa file://h/tmp/a"},
		{"http://h/a%2Fb", "http://h/a%2fb", "http://h/a/b", "http://h/a"},
		{"http://h/a%2A", "http://h/a*b", "", "http://h/ab"},
	} {
		p := MustParsePattern(c.pattern)
		if p.String() != c.pattern {
			t.Errorf("%q is printed as %q", c.pattern, p)
		}
		for i, list := range []string{c.yes, c.may, c.no} {
			for _, text := range strings.Fields(list) {
				u := locus.MustParse(text)
				if got := p.Matches(u, portOf(u)); got != (i == 0) {
					t.Errorf("%s matches %s: %t", p, text, got)
				}
				if got := p.MayMatch(u, portOf(u)); got != (i < 2) {
					t.Errorf("%s may match %s: %t", p, text, got)
				}
			}
		}
	}
	if u := locus.MustParse("http://h/"); (Pattern{}).Matches(u, 80) || (Pattern{}).MayMatch(u, 80) {
		t.Error("the zero Pattern matches")
	}
}

func TestPatternErrors(t *testing.T) {
	known := func(name string) bool { _, ok := wellKnown[name]; return ok }
	for text, offset := range map[string]int{
		"": 0, ":": 1, "a b": 1, "a\nb": 1, "x..y": 0, "1.2.3.4/99": 0, "ftp://h/a/../b": 7, "ftp://h/%2e%2e/b": 7, "http://h:99999/": 9, "http://h:x/": 9, "h:0": 2, "h:99999": 2,
		"gofer:": 0, "gofer://h/": 0, "telnet": 0, "HTTP": 0, "[::1": 0, "http://": 7, "http://a_b/": 7, "ftp://u:p@h/": 6, "*.": 0, ".": 0, "*a": 0, ".1.2.3.4": 0, "fe80::1%eth0": 7,
		"example.com:8o": 12, "é": 0,
	} {
		_, err := ParsePattern(text, known)
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
		} else if syntax.Offset != offset {
			t.Errorf("%q: offset %d, want %d: %v", text, syntax.Offset, offset, err)
		}
	}
	if _, err := ParsePattern("gofer://h/", nil); err != nil {
		t.Error(err)
	}
	if err := new(Pattern).UnmarshalText([]byte("a b")); err == nil {
		t.Error("a blank is accepted")
	}
}

func TestPatternAddr(t *testing.T) {
	for _, c := range []struct {
		pattern, address string
		want             bool
	}{
		{"192.0.2.0/24", "192.0.2.9:80", true}, {"192.0.2.0/24", "[::ffff:192.0.2.9]:80", true}, {"192.0.2.0/24", "192.0.3.9:80", false},
		{"[2001:db8::1]:70", "[2001:db8::1]:70", true}, {"[2001:db8::1]:70", "[2001:db8::1]:71", false}, {"2001:db8::1", "[2001:db8::1%eth0]:71", true},
		{"h:80", "192.0.2.9:80", false}, {"*", "192.0.2.9:80", false}, {"http://192.0.2.9/", "192.0.2.9:80", false},
	} {
		if got := MustParsePattern(c.pattern).MatchesAddr(netip.MustParseAddrPort(c.address)); got != c.want {
			t.Errorf("%s, %s: %t", c.pattern, c.address, got)
		}
	}
}

// glob gives the same results as its definition.
func TestGlob(t *testing.T) {
	var slow func(pattern, text string) bool
	slow = func(pattern, text string) bool {
		switch {
		case pattern == "":
			return text == ""
		case pattern[0] == '*':
			return slow(pattern[1:], text) || text != "" && slow(pattern, text[1:])
		}
		return text != "" && text[0] == pattern[0] && slow(pattern[1:], text[1:])
	}
	of := func(octets []byte, alphabet string) string {
		var b strings.Builder
		for _, c := range octets[:min(len(octets), 10)] {
			b.WriteByte(alphabet[int(c)%len(alphabet)])
		}
		return b.String()
	}
	if err := quick.CheckEqual(
		func(p, s []byte) bool { return matchesGlob(of(p, "ab*"), of(s, "ab")) },
		func(p, s []byte) bool { return slow(of(p, "ab*"), of(s, "ab")) }, &quick.Config{MaxCount: 5000, Rand: rand.New(rand.NewSource(1738))}); err != nil {
		t.Error(err)
	}
}

// A pattern is printed as written. If Matches returns true, MayMatch also does. A URL is a
// pattern for itself.
func FuzzPattern(f *testing.F) {
	for _, c := range []struct{ pattern, url string }{
		{"*.example.com:80", "http://a.example.com/"}, {"http*://*.h:*/*a%2F*#b$", "https://x.h:8/ba%2fc#b"}, {"*/private/", "ftp://u@h/private/x"},
		{"mailto:*@h$", "mailto:a@h"}, {"192.0.2.0/24", "http://[::ffff:192.0.2.1]/"},
	} {
		f.Add(c.pattern, c.url)
	}
	f.Fuzz(func(t *testing.T, text, url string) {
		u, err := locus.Parse(url)
		if err != nil {
			return
		}
		if p, err := ParsePattern(text, nil); err == nil {
			if p.String() != text {
				t.Errorf("%q is printed as %q", text, p)
			}
			if p.Matches(u, portOf(u)) && !p.MayMatch(u, portOf(u)) {
				t.Errorf("%q matches %q, but may not", text, url)
			}
		} else if e := (*locus.SyntaxError)(nil); !errors.As(err, &e) || e.Offset > len(text) {
			t.Errorf("%q: %v", text, err)
		}
		if _, secret := u.Password(); secret || slices.Contains([]string{"*", "$"}, url[len(url)-1:]) || !strings.Contains(url, "://") || strings.HasPrefix(strings.ToLower(url), "url:") {
			return
		}
		if n, written := u.Port(); written && n == 0 {
			return // no pattern has port 0
		}
		p, err := ParsePattern(u.String(), nil)
		if path, _ := u.Path(); err != nil {
			if !HasDots(path) && locus.IsHost(u.Host()) {
				t.Errorf("%q: %v", url, err)
			}
		} else if !p.Matches(u, portOf(u)) {
			t.Errorf("%q does not match itself", url)
		}
	})
}
