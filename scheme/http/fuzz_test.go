package http

import (
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func FuzzURL(f *testing.F)       { invariants.Fuzz(f, seeds, checkTarget) }
func FuzzSecureURL(f *testing.F) { secureInvariants.Fuzz(f, httpsSeeds(), checkTarget) }

// checkTarget checks that net/http sends the request-target of the URL.
func checkTarget(t *testing.T, u locus.URL) {
	t.Helper()
	h, _ := Parse(u)
	if h.checkReachable() != nil {
		return
	}
	req := h.destination().newRequest(t.Context(), "GET", nil, earlierTransfer{}, false)
	want := string(h.AppendTarget(nil))
	if got := req.URL.RequestURI(); got != want {
		t.Errorf("%q: net/http would send %q, and not %q", u, got, want)
	}
	if got := req.URL.Hostname(); got != strings.Trim(h.Host(), "[]") {
		t.Errorf("%q: net/http would ask %q, and not %q", u, got, h.Host())
	}
	path, _ := u.Path()
	for i, j := 0, 1; i < len(path); i, j = i+1, j+1 {
		// The request-target may differ from the URL only in escapes.
		if want[j] == path[i] {
			continue
		}
		if got, err := url.PathUnescape(want[j : j+3]); err != nil || got != path[i:i+1] {
			t.Fatalf("%q: target %q differs at octet %d", u, want, j)
		}
		j += 2
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Basic realm="a, b", charset="UTF-8", Digest realm="c\"d"`)
	f.Add(`Negotiate abc==, Basic realm=x`)
	f.Fuzz(func(t *testing.T, value string) {
		for _, c := range parseChallenges([]string{value}) {
			if c.scheme == "" || len(c.realm) > maxText {
				t.Errorf("%q: %+v", value, c)
			}
		}
	})
}

func FuzzResolve(f *testing.F) {
	f.Add("http://h/a/b?c", "../d?e#f")
	f.Add("http://h", "//x/y")
	f.Add("https://u:p@h:8/a/", "?q")
	f.Add("http://h/a", "#f")
	f.Add("http://h/a", "http://good?@evil/")
	f.Add("http://h/a", "//good:9?x@evil")
	f.Fuzz(func(t *testing.T, base, location string) {
		u, err := locus.Parse(base)
		if err != nil {
			return
		}
		if h, err := Parse(u); err != nil || h.checkReachable() != nil {
			return
		}
		got, err := resolve(u, location)
		if err != nil {
			return
		}
		if login, _ := got.Login(); strings.Contains(login, "?") {
			t.Fatalf("%q in %q: %q has a host that some programs end at the question mark", location, base, got)
		}
		// If no character needs an escape, net/url must resolve the location in the same way.
		if strings.ContainsAny(base+location, "%@[]\\") || !isPlain(base+location) {
			return
		}
		// Unlike RFC 3986, net/url treats "//" at the beginning as one "/".
		if u.MissingSlash() || location == "" || strings.Contains(strings.TrimPrefix(base, u.Scheme()+"://")+location, "//") || hasPort(u) {
			return
		}
		if _, err := locus.Parse(location); err == nil {
			return
		}
		b, err := url.Parse(u.String())
		if err != nil {
			return
		}
		ref, err := url.Parse(location)
		if err != nil || ref.Scheme != "" {
			return
		}
		want := b.ResolveReference(ref)
		if want.Path == "" {
			want.Path = "/"
		}
		theirs, err := locus.Parse(want.String())
		if err != nil {
			return
		}
		// The results may differ in dot segments that no rule resolves, and this package
		// preserves empty searchparts and fragments.
		a, _, _ := Canonical(got)
		c, _, _ := Canonical(theirs)
		if strings.TrimRight(a.String(), "?#") != strings.TrimRight(c.String(), "?#") {
			t.Errorf("%q and %q: %q, and net/url says %q", base, location, a, c)
		}
	})
}

func hasPort(u locus.URL) bool { _, ok := u.PortText(); return ok }

func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
