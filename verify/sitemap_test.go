package verify

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

const sitemapHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// servePages serves a text for each path. The text is HTML unless the path has a file extension.
func (w *fixture) servePages(name string, pages map[string]string) {
	w.serve(name, func(rw http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			rw.WriteHeader(http.StatusNotFound)
			return
		}
		switch {
		case strings.HasSuffix(r.URL.Path, ".xml"):
			rw.Header().Set("Content-Type", "application/xml")
		case strings.HasSuffix(r.URL.Path, ".gz"):
			rw.Header().Set("Content-Type", "application/gzip")
		case strings.HasSuffix(r.URL.Path, ".txt"):
			rw.Header().Set("Content-Type", "text/plain")
		default:
			rw.Header().Set("Content-Type", "text/html")
		}
		io.WriteString(rw, text)
	})
}

// The Verifier finds pages that only the sitemaps in robots.txt list. The sitemaps are in an
// index, compressed, or plain text.
func TestSitemapsOfRobots(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.o.Site.Sitemaps = true
	w.servePages("a.example", map[string]string{
		"/":            "<p>home",
		"/robots.txt":  "User-agent: *\nDisallow: /hidden\nSitemap: http://a.example/index.xml\nSitemap: http://a.example/none.xml\nSitemap: http://a.example/list.txt\n",
		"/index.xml":   sitemapHead + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.example/one.xml.gz</loc></sitemap></sitemapindex>`,
		"/one.xml.gz":  packed(sitemapHead + "<urlset xmlns=\"x\" xmlns:xhtml=\"y\">\n<url><loc> http://a.example/alone </loc>\n<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://a.example/de\"/></url>\n<url><loc>http://a.example/gone</loc></url>\n<url><loc>http://a.example/hidden</loc></url></urlset>"),
		"/list.txt":    "http://a.example/text\n",
		"/alone":       `<a href="/missing">x</a>`,
		"/text":        "<p>text",
		"/sitemap.xml": "never read",
	})
	var got []string
	for _, r := range w.run(sourceAt("http://a.example/")) {
		got = append(got, strings.ReplaceAll(line(r), "http://a.example", ""))
	}
	slices.Sort(got)
	want := []string{
		":0 / alive", "/alone:1 /missing dead 404", "/list.txt:1 /text alive", "/one.xml.gz:3 /alone alive", "/one.xml.gz:4 /de dead 404",
		"/one.xml.gz:5 /gone dead 404", "/one.xml.gz:6 /hidden ignored", "/index.xml:2 /one.xml.gz alive", "/robots.txt:0 /index.xml alive",
		"/robots.txt:0 /list.txt alive", "/robots.txt:0 /none.xml dead 404",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// If robots.txt lists no sitemap, the Verifier reads /sitemap.xml if it exists and is a sitemap.
func TestGuessedSitemap(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"it exists":           {sitemapHead + "<urlset><url><loc>http://a.example/x</loc></url></urlset>", []string{":0 http://a.example/ alive", "http://a.example/sitemap.xml:2 http://a.example/x dead 404"}},
		"it is a page":        {"<!doctype html><p>not found", []string{":0 http://a.example/ alive"}},
		"it is missing":       {"", []string{":0 http://a.example/ alive"}},
		"it ends too early":   {sitemapHead + "<urlset><url><loc>http://a.example/x</loc></url><url><lo", []string{":0 http://a.example/ alive", "http://a.example/sitemap.xml:2 http://a.example/x dead 404"}},
		"its entry is no URL": {"<urlset><url><loc>http://a.example:x/</loc></url></urlset>", []string{":0 http://a.example/ alive", "http://a.example/sitemap.xml:1 http://a.example:*/ malformed"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, policy.Rules{})
			w.o.Site.Sitemaps = true
			pages := map[string]string{"/": "<p>home"}
			if c.text != "" {
				pages["/sitemap.xml"] = c.text
			}
			w.servePages("a.example", pages)
			w.want(w.run(sourceAt("http://a.example/")), c.want...)
		})
	}
}

// The Verifier reads sitemaps only if the option is set.
func TestNoSitemaps(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.servePages("a.example", map[string]string{"/": "<p>home", "/robots.txt": "Sitemap: http://a.example/s.xml\n"})
	w.run(sourceAt("http://a.example/"))
	if got := w.requestedURLs(); !slices.Equal(got, []string{"GET http://a.example/"}) {
		t.Errorf("%q", got)
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add(sitemapHead + "<urlset><url><loc>http://a.example/x</loc></url></urlset>")
	f.Add("<sitemapindex><sitemap><loc>http://a.example/x</loc></sitemap></sitemapindex>")
	f.Add("http://a.example/\nhttp://b.example/\n")
	f.Add("<urlset><url><xhtml:link href='/x'/>&#0;<loc>\n\n")
	f.Add(packed("<urlset/>"))
	w := newFixture(f, policy.Rules{})
	e := NewChecker(w.client, &w.o, nil)
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := readUnpacked(strings.NewReader(text), 1<<16)
		if len(raw) > 1<<16 {
			t.Fatalf("%d octets", len(raw))
		}
		if err != nil {
			return
		}
		lines := int64(bytes.Count(raw, []byte("\n")) + 1)
		list, _, _ := e.sitemapLinks(raw, locus.MustParse("http://a.example/sitemap.xml"))
		for _, l := range list {
			if l.line < 1 || l.line > lines || l.column < 1 || l.url.IsZero() && l.detail == "" {
				t.Errorf("%+v in %d lines", l, lines)
			}
		}
	})
}

// Canonical and hreflang links are links of a page.
func TestHeadLinks(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.servePages("a.example", map[string]string{
		"/": `<link rel="canonical" href="/old"><link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/rss+xml" href="/feed.xml">`,
	})
	w.o.Depth = FirstPage
	w.want(w.run(sourceAt("http://a.example/")), ":0 http://a.example/ alive", "http://a.example/:1 http://a.example/old dead 404",
		"http://a.example/:1 http://a.example/de dead 404", "http://a.example/:1 http://a.example/feed.xml dead 404")
}

// A link to another site is requested once, even if several pages contain the link with different
// fragments.
func TestOutsideOnce(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.servePages("a.example", map[string]string{"/": `<a href="/2">x</a><a href="http://b.example/x">b</a>`, "/2": `<a href="http://b.example/x">b</a><a href="http://B.example:80/%78">b</a>`})
	w.servePages("b.example", map[string]string{"/x": "<p>x"})
	w.run(sourceAt("http://a.example/"))
	if got := w.requestedURLs(); !slices.Equal(got, []string{"GET http://a.example/", "GET http://a.example/2", "HEAD http://b.example/x"}) {
		t.Errorf("%q", got)
	}
}

// If a host returns the same page for any path, links that return this page get warnings.
func TestSoftNotFound(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("soft.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/", "/real":
			io.WriteString(rw, "<h1>Real</h1>")
		case "/gone":
			rw.WriteHeader(http.StatusGone)
		default:
			fmt.Fprintf(rw, "<h1>Sorry</h1><p>There is no %s here at 12:34:%d", r.URL.Path, len(w.requestedURLs()))
		}
	})
	w.serve("home.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/real" {
			http.Redirect(rw, r, "/", http.StatusFound)
		}
	})
	w.serve("hard.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/real" {
			rw.WriteHeader(http.StatusNotFound)
		}
	})
	doc := textDoc("d", "http://soft.example/ http://soft.example/real http://soft.example/none http://soft.example/gone http://home.example/real http://home.example/none http://hard.example/real http://hard.example/none")
	want := func(soft, home string) {
		t.Helper()
		w.want(w.run(doc), "d:1 http://soft.example/ alive", "d:1 http://soft.example/real alive", "d:1 http://soft.example/none "+soft, "d:1 http://soft.example/gone dead 410",
			"d:1 http://home.example/real alive", "d:1 http://home.example/none "+home+" -> http://home.example/", "d:1 http://hard.example/real alive", "d:1 http://hard.example/none dead 404")
	}
	want("alive", "moved")
	w.o.Site.SoftNotFound = true
	w.requests = nil
	want("warning", "warning")
	n := 0
	for _, r := range w.requestedURLs() {
		if strings.HasPrefix(r, "GET http://hard.example/") && !strings.HasSuffix(r, "/none") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d requests for paths that do not exist: %q", n, w.requestedURLs())
	}
}

// If scripts create a page, its fragments and links are unknown.
func TestScriptedPages(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	const shell = `<!doctype html><title>App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id="root">Loading...</div><script src="/a.js"></script>`
	w.servePages("a.example", map[string]string{
		"/app": shell, "/a.js": "", "/": shell,
		"/text": `<script>x</script><p>This page has a text of its own, and more than a few words.`,
		"/menu": `<script>x</script><a href="/text">t</a>`,
	})
	w.want(w.run(textDoc("d", "http://a.example/app http://a.example/app#root http://a.example/app#part http://a.example/text#part http://a.example/menu#part")),
		"d:1 http://a.example/app alive", "d:1 http://a.example/app#root alive", "d:1 http://a.example/app#part warning",
		"d:1 http://a.example/text#part fragment", "d:1 http://a.example/menu#part fragment")
	got := w.run(sourceAt("http://a.example/"))
	if w.want(got, ":0 http://a.example/ warning", "http://a.example/:1 http://a.example/a.js alive"); !strings.Contains(got[0].Detail, "the page has only scripts") {
		t.Errorf("%q", got[0].Detail)
	}
}

// If a page that uses TLS loads a part without TLS, the part gets a warning. Links to other pages
// do not.
func TestMixedContent(t *testing.T) {
	e := NewChecker(newFixture(t, policy.Rules{}).client, nil, nil)
	page, clear := locus.MustParse("https://a.example/"), locus.MustParse("http://b.example/x")
	for _, c := range []struct {
		page    locus.URL
		u       locus.URL
		element string
		want    bool
	}{
		{page, clear, "script src", true}, {page, clear, "img src", true}, {page, clear, "a href", false}, {page, clear, "link href", false},
		{page, locus.MustParse("http://b.example/x.css"), "link href", true}, {page, locus.MustParse("http://b.example/x.ico?1"), "link href", true},
		{page, page, "script src", false}, {clear, clear, "script src", false}, {page, locus.MustParse("gopher://b.example/"), "img src", false},
		{locus.MustParse("file:///x.html"), clear, "img src", false}, {locus.URL{}, clear, "img src", false}, {page, locus.URL{}, "img src", false},
	} {
		if got := e.isMixed(c.page, c.u, c.element); got != c.want {
			t.Errorf("%s in %s, %s: %v", c.element, c.page, c.u, got)
		}
	}
}

// In a run, a part that is loaded without TLS gets a warning, and is still requested.
func TestMixedContentOfSite(t *testing.T) {
	w := secureFixture(t, map[string]tls.Certificate{"a.example": testCertificate(t, "a.example", -time.Hour, time.Hour)}, "", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<script src="http://b.example/x.js"></script><img src="http://b.example/none.png"><a href="http://b.example/x.js">x</a><a href="http://b.example/">b</a>`)
	})
	w.servePages("b.example", map[string]string{"/x.js": "", "/": "<p>b"})
	w.o.NoRobots = true
	got := w.run(sourceAt("https://a.example/"))
	w.want(got, ":0 https://a.example/ alive", "https://a.example/:1 http://b.example/x.js warning", "https://a.example/:1 http://b.example/none.png dead 404",
		"https://a.example/:1 http://b.example/x.js alive", "https://a.example/:1 http://b.example/ alive")
}
