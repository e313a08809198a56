package all_test

import (
	"math/rand/v2"
	"testing"

	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/schemetest"
)

// cleanTexts are ordinary URLs that the Clean functions of the current standards accept, so that
// they need no full check.
var cleanTexts = []string{
	"http://www.example.com/?q=a%20b#top", "https://www.example.com/a/b.html", "ws://example.com/chat", "wss://example.com:8443/",
	"ftp://user@ftp.example.com/pub/a%20b", "ftp://ftp.example.com/pub/readme.txt;type=i", "file:///etc/fstab", "file://host.example.com/share/doc",
	"gopher://gopher.example.com/11/about", "gopher://gopher.example.com/7find%09word%0A", "telnet://melvyl.example.edu/", "tn3270://host.example.com",
	"wais://wais.example.com/db?word", "prospero://host.example.com/pros/name", "nfs://server.example.com/a/b",
	"mailto:chris@example.com", "mid:960830.1639@XIson.com", "cid:foo4.25foo1@bar.example.net",
	"news:comp.lang.c++", "news:b8p9a.42@example.com", "news://news.example.com/comp.lang.c", "nntp://news.example.com/comp.lang.c/12345",
	"tel:+1-201-555-0123", "tel:+441632960123;ext=22", "tel:7042;phone-context=example.com", "urn:isbn:0451450523", "urn:ietf:rfc:2648#a",
}

// dirtyTexts are URLs with findings that look like URLs without findings.
var dirtyTexts = []string{
	"http:///a", "http://u@h/", "ws://h/#a", "ftp://h/a;type=x", "ftp://h/a;type=a;type=x", "ftp:///a", "file:///c:/a", "file:////a", "file:///%00", "file://h",
	"gopher://h/0%0D", "telnet://h/a", "wais://h/./", "wais://h/..", "wais://h/a/b", "prospero://h/a;b", "nfs://h//a", "nfs://h/%ff", "mailto:a..b@h", "mailto:a@b@c", "mid:a/b@c", "news:a..b",
	"snews:a", "nntp://h/a/0", "nntp:///a", "tel:+-", "tel:1", "tel:+1;ext=-", "tel:1;phone-context=a..b", "urn:urn:a", "urn:ab:c", "urn:abc-:d", "urn:abc:%ff", "urn:abc:/",
}

// checkClean tests that a URI has no findings if the Clean function of its scheme accepts it. It
// reports whether Clean accepted the URI.
func checkClean(t *testing.T, r *scheme.Registry, text string) bool {
	t.Helper()
	u := rfc3986.Parse(text)
	name, _ := u.Scheme()
	s, ok := r.Lookup(name)
	if !ok || s.Syntax.Current.Clean == nil || len(u.Check()) > 0 || !s.Syntax.Current.Clean(u) {
		return false
	}
	if list := s.Syntax.Current.Check(u); len(list) > 0 {
		t.Errorf("%q is clean, and has findings: %v", text, list)
	}
	return true
}

func TestClean(t *testing.T) {
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, text := range cleanTexts {
		if !checkClean(t, r, text) {
			t.Errorf("%q is not clean", text)
		}
		name, _ := rfc3986.Parse(text).Scheme()
		tested[name] = true
	}
	for _, text := range dirtyTexts {
		if len(r.CheckURI(rfc3986.Parse(text))) == 0 {
			t.Errorf("%q has no findings", text)
		}
	}
	for _, s := range r.All() {
		if s.Syntax.Current.Clean != nil && !tested[s.Name] && !tested[s.Name[1:]] && !tested[s.Name[:len(s.Name)-1]] {
			t.Errorf("%s: no test", s.Name)
		}
	}
	rnd := rand.New(rand.NewPCG(3986, 7))
	seeds := append(append([]string{}, cleanTexts...), dirtyTexts...)
	clean := 0
	for range 100_000 {
		if checkClean(t, r, schemetest.Change(rnd, seeds)) {
			clean++
		}
	}
	if clean < 1000 {
		t.Errorf("%d of the changed texts are clean", clean)
	}
}

func FuzzClean(f *testing.F) {
	r, err := all.Registry()
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range append(append([]string{}, cleanTexts...), dirtyTexts...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkClean(t, r, text) })
}
