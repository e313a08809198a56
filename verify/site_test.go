package verify

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// site1 serves the page for each path.
func site1(pages map[string]string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.RequestURI]
		if to, moved := strings.CutPrefix(text, "-> "); moved {
			http.Redirect(rw, r, to, http.StatusMovedPermanently)
			return
		}
		if !ok {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, text)
	}
}

func TestSite(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", site1(map[string]string{
		"/robots.txt":        "User-agent: *\nDisallow: /docs/secret\n\nUser-agent: locus\nDisallow: /docs/private\n",
		"/docs/":             `<a href="one.html">1</a> <a href="two#part">2</a> <a href="/above.html">up</a> <a href="http://b.example/x">b</a> <a href="private/x">p</a>`,
		"/docs/one.html":     `<a href="./">home</a> <a href="two">2</a> <a href="../docs/two#none">2</a> <a href="three">3</a> <a href="secret">s</a>`,
		"/docs/two":          `<h1 id=part>Two</h1> <a href="one.html#x">1</a> <a href="image.png">i</a>`,
		"/docs/three":        "-> /docs/four/",
		"/docs/four/":        `<a href="gone">g</a>`,
		"/docs/secret":       `<a href="/docs/one.html">1</a>`,
		"/docs/private/x":    `never`,
		"/docs/image.png":    `<a href="never">`,
		"/above.html":        `<a href="/never">never</a>`,
		"/docs/never":        "",
		"/docs/unlinked.htm": "",
	}))
	w.serve("b.example", site1(map[string]string{"/x": `<a href="/y">never</a>`}))
	w.want(w.run(sourceAt("http://a.example/docs/")),
		":0 http://a.example/docs/ alive",
		"http://a.example/docs/:1 http://a.example/docs/one.html alive",
		"http://a.example/docs/:1 http://a.example/docs/two#part alive",
		"http://a.example/docs/:1 http://a.example/above.html alive",
		"http://a.example/docs/:1 http://b.example/x alive",
		"http://a.example/docs/:1 http://a.example/docs/private/x ignored",
		"http://a.example/docs/one.html:1 http://a.example/docs/ alive",
		"http://a.example/docs/one.html:1 http://a.example/docs/two alive",
		"http://a.example/docs/one.html:1 http://a.example/docs/two#none fragment",
		"http://a.example/docs/one.html:1 http://a.example/docs/three moved -> http://a.example/docs/four/ for good",
		"http://a.example/docs/one.html:1 http://a.example/docs/secret alive",
		"http://a.example/docs/two:1 http://a.example/docs/one.html#x fragment",
		"http://a.example/docs/two:1 http://a.example/docs/image.png alive",
		"http://a.example/docs/three:1 http://a.example/docs/four/gone dead 404",
		"http://a.example/docs/secret:1 http://a.example/docs/one.html alive",
	)
	// The Verifier requests each page once. For URLs outside the site and URLs that are not pages,
	// it sends HEAD.
	want := []string{
		"GET http://a.example/docs/", "GET http://a.example/docs/four/", "GET http://a.example/docs/four/gone", "GET http://a.example/docs/one.html",
		"GET http://a.example/docs/secret", "GET http://a.example/docs/three", "GET http://a.example/docs/two",
		"HEAD http://a.example/above.html", "HEAD http://a.example/docs/image.png", "HEAD http://b.example/x",
	}
	if got := w.requestedURLs(); !slices.Equal(got, want) {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(slices.DeleteFunc(slices.Clone(w.requests), func(r string) bool { return !strings.HasSuffix(r, "/robots.txt") })); n != 1 {
		t.Errorf("robots.txt was asked for %d times", n)
	}
}

// tree serves pages that form a binary tree: the page /N contains links to /2N and /2N+1.
func tree(rw http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil || n < 1 || n > 1023 {
		rw.WriteHeader(404)
		return
	}
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(rw, `<a href="/1.html">home</a><a href="/%d.html">left</a><a href="%d.html">right</a>`, 2*n, 2*n+1)
}

func TestSiteLimits(t *testing.T) {
	for _, c := range []struct {
		depth, pages int
		want         int // pages
	}{
		{0, 0, 1023},
		{-1, 0, 1},
		{1, 0, 3},
		{3, 0, 15},
		{0, 5, 5},
		{2, 6, 6},
	} {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", tree)
		w.o.Depth, w.o.MaxPages, w.o.PerHost = c.depth, c.pages, 8
		pages := 0
		seen := map[string]bool{}
		for _, r := range w.run(Source{Name: "x", URL: locus.MustParse("http://a.example/1.html")}) {
			if r.Document != "" && !seen[r.Document] {
				seen[r.Document] = true
				pages++
			}
		}
		if pages != c.want {
			t.Errorf("%+v: %d pages", c, pages)
		}
	}
}

func TestRobots(t *testing.T) {
	for _, c := range []struct {
		name, robots string
		status       int
		noRobots     bool
		want         []string
	}{
		{"none", "", 404, false, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x alive"}},
		{"no entry", "User-agent: *\nDisallow: /\n", 200, false, []string{":0 http://a.example/ ignored"}},
		{"not for us", "User-agent: other\nDisallow: /\n", 200, false, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x alive"}},
		{"trouble", "", 500, false, []string{":0 http://a.example/ warning 500"}},
		{"too often", "", 429, false, []string{":0 http://a.example/ warning 429"}},
		{"no answer", "", 0, false, []string{":0 http://a.example/ warning"}},
		{"trouble at first", "User-agent: *\nDisallow: /x\n", -503, false, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x ignored"}},
		{"trouble, and never mind", "", 500, true, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x alive"}},
		{"nonsense", "\x00\xff<html>", 200, false, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x alive"}},
		{"exceptions", "User-agent: *\nDisallow: /\nAllow: /$\n", 200, false, []string{":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x ignored"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newFixture(t, policy.Rules{})
			w.o.NoRobots = c.noRobots
			w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					switch {
					case c.status == 0:
						panic(http.ErrAbortHandler)
					case c.status < 0:
						rw.WriteHeader(-c.status)
						c.status = 200
						return
					}
					rw.WriteHeader(c.status)
					io.WriteString(rw, c.robots)
					return
				}
				rw.Header().Set("Content-Type", "text/html")
				if r.URL.Path == "/" {
					io.WriteString(rw, `<a href="x">x</a>`)
				}
			})
			w.want(w.run(sourceAt("http://a.example/")), c.want...)
		})
	}
}

// The Verifier reads the links in a site's style sheet, which has no fragments.
func TestSiteStyle(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			rw.Header().Set("Content-Type", "text/html")
			io.WriteString(rw, `<link rel=stylesheet href="css/a.css#x">`)
		case "/css/a.css":
			rw.Header().Set("Content-Type", "text/css; charset=utf-8")
			io.WriteString(rw, "@import 'b.css';\np { background: url(../image.png), url(none.png) }")
		case "/css/b.css", "/image.png":
			rw.Header().Set("Content-Type", "text/css")
		default:
			rw.WriteHeader(404)
		}
	})
	w.want(w.run(sourceAt("http://a.example/")),
		":0 http://a.example/ alive",
		"http://a.example/:1 http://a.example/css/a.css#x alive",
		"http://a.example/css/a.css:1 http://a.example/css/b.css alive",
		"http://a.example/css/a.css:2 http://a.example/image.png alive",
		"http://a.example/css/a.css:2 http://a.example/css/none.png dead 404",
	)
}

// If a link target in a document is missing, it is not requested again as a page.
func TestSiteKnown(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			for !slices.Contains(w.requestedURLs(), "GET http://a.example/none") {
				time.Sleep(time.Millisecond)
			}
			fallthrough
		case "/page":
			rw.Header().Set("Content-Type", "text/html")
			io.WriteString(rw, `<a href="none">1</a><a href="page">2</a>`)
		default:
			rw.WriteHeader(404)
		}
	})
	w.o.Parallel, w.o.PerHost = 2, 2
	w.want(w.run(textDoc("d", "http://a.example/none"), sourceAt("http://a.example/")),
		"d:1 http://a.example/none dead 404",
		":0 http://a.example/ alive",
		"http://a.example/:1 http://a.example/none dead 404",
		"http://a.example/:1 http://a.example/page alive",
		"http://a.example/page:1 http://a.example/none dead 404",
		"http://a.example/page:1 http://a.example/page alive",
	)
	if n := strings.Count(strings.Join(w.requestedURLs(), " "), "/none"); n != 2 {
		t.Errorf("asked %q", w.requestedURLs())
	}
}

// If the first page redirects, the URL of the site changes.
func TestSiteMoves(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", site1(map[string]string{"/": "-> http://b.example/en/", "/x": "-> /y"}))
	w.serve("b.example", site1(map[string]string{
		"/en/":     `<a href="page">1</a><a href="/de/page">2</a><a href="back">3</a>`,
		"/en/page": `<a href="page">1</a><a href="none">2</a>`,
		"/de/page": `<a href="never">1</a>`,
		"/en/back": "-> /de/page",
	}))
	w.want(w.run(sourceAt("http://a.example/")),
		":0 http://a.example/ moved -> http://b.example/en/ for good",
		"http://a.example/:1 http://b.example/en/page alive",
		"http://a.example/:1 http://b.example/de/page alive",
		"http://a.example/:1 http://b.example/en/back moved -> http://b.example/de/page for good",
		"http://b.example/en/page:1 http://b.example/en/page alive",
		"http://b.example/en/page:1 http://b.example/en/none dead 404",
	)
}

// A robots.txt is read once for all sites of a host.
func TestRobotsOnce(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	var requests atomic.Int32
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			requests.Add(1)
			io.WriteString(rw, "User-agent: *\nDisallow: /c\n")
		}
	})
	w.want(w.run(sourceAt("http://a.example/a/"), sourceAt("http://a.example/b/"), sourceAt("http://a.example/c/")),
		":0 http://a.example/a/ alive", ":0 http://a.example/b/ alive", ":0 http://a.example/c/ ignored")
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for the robots.txt", n)
	}
}

// If a site has moved to another host, the robots.txt of the new host applies.
func TestRobotsOfMovedSite(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", site1(map[string]string{"/": "-> http://b.example/", "/robots.txt": "User-agent: *\nDisallow: /x\n"}))
	w.serve("b.example", site1(map[string]string{"/": `<a href="x">1</a><a href="y">2</a>`, "/x": "", "/y": "", "/robots.txt": "User-agent: *\nDisallow: /y\n"}))
	w.want(w.run(sourceAt("http://a.example/")),
		":0 http://a.example/ moved -> http://b.example/ for good",
		"http://a.example/:1 http://b.example/x alive",
		"http://a.example/:1 http://b.example/y ignored",
	)
}

func TestSiteOf(t *testing.T) {
	e := NewChecker(newFixture(t, policy.Rules{}).client, nil, nil)
	for _, c := range []struct{ first, has, not string }{
		{"http://h/", "http://h/ http://h/a http://h/a/b?c http://h/a.html http://h/a.b.php", "http://h/a.png https://h/ http://i/ http://h:81/"},
		{"http://h/docs/", "http://h/docs/ http://h/docs/a", "http://h/docs http://h/doc http://h/"},
		{"http://h/docs", "http://h/docs http://h/docs/a", "http://h/docs2 http://h/"},
		{"http://h/docs/index.html?x=/y", "http://h/docs/index.html?x=/y http://h/docs/a", "http://h/"},
		{"ftp://h/pub/", "ftp://h/pub/ ftp://h/pub/a/ ftp://h/pub/a.html", "ftp://h/ ftp://h/pub/a.zip"},
		{"gopher://h/", "gopher://h/ gopher://h/1/sub", "gopher://h/0/text gopher://i/1/sub gopher://h/7/find%09x"},
		{"gopher://h/1/sub", "gopher://h/1/sub gopher://h/1/sub/sub", "gopher://h/ gopher://h/1/other"},
	} {
		s := e.newSite(locus.MustParse(c.first))
		for _, text := range strings.Fields(c.has) {
			if !s.mayContain(locus.MustParse(text)) {
				t.Errorf("%s has no %s", c.first, text)
			}
		}
		for _, text := range strings.Fields(c.not) {
			if s.mayContain(locus.MustParse(text)) {
				t.Errorf("%s has %s", c.first, text)
			}
		}
	}
}
