package verify

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/profile/whatwg"
)

// The Verifier requests a "%" outside an escape as "%25", as browsers do, and reports a warning.
func TestLonePercent(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/100%" && r.URL.Path != "/ecma" && r.URL.Path != "/a b%" {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<p id="sec-%typedarray%.prototype.find">x</p>`)
	})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "operator%.html"), []byte(`<p id="a%">`), 0o600); err != nil {
		t.Fatal(err)
	}
	const missing = "a lone % must be written as %25"
	for _, c := range []struct{ name, text, want, detail string }{
		{"a.html", `<a href="operator%.html">x</a>`, "warning", missing},
		{"a.md", "[x](operator%.html)", "warning", missing},
		{"a.md", "[x](operator%.html#a%)", "warning", missing},
		{"a.md", "[x](operator%.html#b%)", "fragment", "no such fragment"},
		{"a.md", "[x](operator%25.html)", "alive", ""},
		{"a.md", "[x](other%.html)", "dead", "no such file"},
		{"a.md", "[x](http://a.example/ecma#sec-%typedarray%.prototype.find)", "warning", missing},
		{"a.md", "[x](http://a.example/ecma#sec-%typed%)", "fragment", "no such fragment"},
		{"a.html", `<a href="http://a.example/100%">x</a>`, "warning", missing},
		{"a.html", `<a href="http://a.example/a b%">x</a>`, "warning", "a space must be written as %20; " + missing},
		{"a.html", `<a href="http://a.example/zero%">x</a>`, "dead", "Not Found"},
		{"a.html", `<a href="http://a%.example/">x</a>`, "malformed", "offset 8"},
		{"a.html", `<a href="http://u%@a.example/">x</a>`, "malformed", "offset 8"},
		{"a.html", `<a href="mailto:100%@a.example">x</a>`, "malformed", ""},
		{"a.html", `<img src="data:image/svg+xml,<svg width='100%'/>">`, "warning", "browsers may still accept it"},
	} {
		s := textDoc(c.name, c.text)
		s.URL = locus.MustParse("file://" + filepath.ToSlash(dir) + "/" + c.name)
		got := w.run(s)
		if len(got) != 1 || got[0].Verdict.String() != c.want || !strings.Contains(got[0].Detail, c.detail) {
			t.Errorf("%s: %+v, want %s, %q", c.text, got, c.want, c.detail)
			continue
		}
		if r := got[0]; (r.Cause == Escaped) != strings.Contains(r.Detail, "must be written") || c.detail == missing && !strings.Contains(c.text, r.Written) {
			t.Errorf("%s: cause %d, written %q", c.text, r.Cause, r.Written)
		}
	}
}

// hostileHosts contains links in which programs find different ends of the host.
var hostileHosts = []string{
	"http://good?@evil/", "http://good#@evil/", `http://good\@evil/`, "http://a@b?@c/", "//good?@evil", "//good#@evil", `//good\@evil`, `\\good?@evil`,
	"http://good:80?@evil/", "http://good:80#@evil/", `http://good:80\@evil/`, "http://u:p@good?@evil/", "http://u@good?x:y@evil", "http://good?a/b@evil",
	"http://good?q=a:b@evil", "http://good:9?u=joe@evil", "http://good?@evil?@other/", "http://good?@evil#@other", "http://?@evil/", "http://#@evil/",
	"http://good%3F@evil/", "http://good%23@evil/", "http://good%2F@evil/", "http://good%5C@evil/", "http://good;@evil/", "http://good,@evil/", "http://good&@evil",
	"http://good@evil?@other", "http://good?%40evil/", "http://good\uff1f@evil/", "http://good\uff03@evil/", "http://good\uff0f@evil/", "http://good:@evil/",
	"http://[::1]?@evil/", "http:/good?@evil/", "http:good?@evil/", "http:///good?@evil/", "ftp://good?@evil/x", "ftp://us?er:p@good/x", "gopher://good?@evil/1",
	"http://good?q", "http://good#f", "http://good:8080?q#f", "https://good?@evil", "ftp://u:?@good/", "ftp://u:1?@good/", "http://good ?@evil/", "http://good?@evil/%",
}

// dialed verifies a document with one link. It returns the results, the hosts that the policy
// checked, and the hosts that were looked up.
func dialed(t testing.TB, name, text string) (results []Result, judged, looked []string) {
	w := newFixture(t, policy.Rules{AllowPrivate: true, Passwords: true})
	p, err := policy.New(policy.Rules{AllowPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	c := access.New(w.client.Registry(), p, &access.Options{Dial: w.dial, Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		mu.Lock()
		looked = append(looked, host)
		mu.Unlock()
		return []netip.Addr{netip.MustParseAddr("1.1.1.250")}, nil
	}, Check: func(u locus.URL) error {
		mu.Lock()
		judged = append(judged, u.Host())
		mu.Unlock()
		return nil
	}})
	defer c.Close()
	w.o.Retry = access.None
	s := textDoc(name, text)
	s.URL = locus.MustParse("http://base.example/" + name)
	for r := range New(c, &w.o).Run(t.Context(), slices.Values([]Source{s})) {
		results = append(results, r)
	}
	return results, judged, looked
}

// The host in the report is the host that the policy checked and that the client dialed, and
// browsers find no other host.
func TestOneHost(t *testing.T) {
	base, err := whatwg.Parse("http://base.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range hostileHosts {
		for name, text := range map[string]string{
			"a.html": `<a href="` + link + `">x</a>`,
			"a.md":   "[x](" + link + ")",
			"a.txt":  "<URL:" + link + ">",
			"b.html": `<base href="` + link + `"><a href="">x</a>`,
		} {
			results, judged, looked := dialed(t, name, text)
			for _, r := range results {
				checkOneHost(t, link, text, &r, judged, looked)
				browser, err := whatwg.Parse(link, &base)
				if r.Verdict == Malformed || r.URL.IsZero() || !strings.HasPrefix(name, "a.h") || link[0] == '\\' || !strings.HasPrefix(r.URL.Scheme(), "http") {
					continue
				}
				if host := browser.Hostname(); err != nil || host != r.URL.Host() {
					t.Errorf("%s: %s; a browser: %v, %v", link, r.URL, browser, err)
				}
			}
		}
	}
}

func checkOneHost(t testing.TB, link, text string, r *Result, judged, looked []string) {
	t.Helper()
	for _, host := range slices.Concat(judged, looked) {
		if r.Verdict == Malformed || host != strings.Trim(r.URL.Host(), "[]") && host != r.URL.Host() {
			t.Errorf("%s: %s (%s), judged %q, looked up %q", text, line(*r), r.URL, judged, looked)
			break
		}
	}
	if r.Verdict != Malformed && r.Written != "" && strings.Contains(link, "?@") && r.Verdict == Alive {
		t.Errorf("%s: no note: %+v", text, r)
	}
}

// The policy also checks the same host of a redirect target as the client dials.
func TestOneHostRedirect(t *testing.T) {
	for _, link := range hostileHosts {
		if strings.ContainsAny(link, " \uff1f\uff03\uff0f") {
			continue
		}
		w := newFixture(t, policy.Rules{AllowPrivate: true})
		w.serve("a.example", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Location", link)
			rw.WriteHeader(302)
		})
		for _, r := range w.run(textDoc("d", "http://a.example/")) {
			if strings.Contains(r.Detail, `"evil"`) && !strings.Contains(link, "good@evil") || r.To.Host() == "evil" && strings.Contains(link, "?@evil") {
				t.Errorf("%s: %s, %s", link, line(r), r.Detail)
			}
		}
	}
}

// For every link text, the Verifier rejects the link or finds exactly one host.
func FuzzOneHost(f *testing.F) {
	for _, link := range hostileHosts {
		f.Add(link)
	}
	f.Add("http://h/100%#%zz")
	e := NewChecker(newFixture(f, policy.Rules{}).client, nil, nil)
	base, err := whatwg.Parse("http://base.example/", nil)
	if err != nil {
		f.Fatal(err)
	}
	s := &Source{URL: locus.MustParse("http://base.example/")}
	f.Fuzz(func(t *testing.T, text string) {
		found := document.Link{Ref: text, Element: "a href"}
		l := e.link(&found, s)
		if l.url.IsZero() || l.detail != "" {
			return
		}
		u, err := locus.Parse(l.url.String())
		if err != nil || u != l.url {
			t.Fatalf("%q: %q does not parse: %v", text, l.url, err)
		}
		asked, _, fixed := e.urlToCheck(&l, nil)
		if fixed != nil || u.Scheme() != "http" && u.Scheme() != "https" {
			return
		}
		if asked.url.Host() != u.Host() && policy.CanonicalHost(asked.url.Host()) != policy.CanonicalHost(u.Host()) {
			t.Fatalf("%q: %q asks %q", text, u, asked.url)
		}
		// A browser finds the same host in the reported URL, or rejects the URL.
		browser, err := whatwg.Parse(u.String(), &base)
		host := browser.Hostname()
		if err == nil && locus.IsHost(u.Host()) && policy.CanonicalHost(host) != policy.CanonicalHost(u.Host()) {
			t.Fatalf("%q: %q has the host %q in a browser", text, u, host)
		}
	})
}
