package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
)

// serveBelowPrefix serves w's gateway below "/old" of another server, and sends the requests of w
// there.
func serveBelowPrefix(t *testing.T, w *fixture, mount func(g http.Handler) http.Handler) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/old/", mount(w.g))
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusTeapot)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(w.http.CloseIdleConnections)
	w.base, w.addr = server.URL, server.Listener.Addr().String()
}

// mounts lists the ways to serve a gateway below "/old".
var mounts = map[string]func(g http.Handler) http.Handler{
	"StripPrefix": func(g http.Handler) http.Handler { return http.StripPrefix("/old", g) },
	"as it is":    func(g http.Handler) http.Handler { return g },
	"a proxy that strips": func(g http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.RequestURI = strings.TrimPrefix(r.RequestURI, "/old")
			g.ServeHTTP(w, r)
		})
	},
}

// ownLinks returns the links of a page that lead to its own server. Each link must be below
// "/old/".
func ownLinks(t *testing.T, w *fixture, body, where string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(w.base)
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "src", "action", "data-socket", "data-explain":
			default:
				continue
			}
			to, err := base.Parse(a.Val)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(a.Val, "#") || to.Host != base.Host {
				continue
			}
			if !strings.HasPrefix(a.Val, "/old/") {
				t.Errorf("%s: %s=%q of <%s> is not below the prefix", where, a.Key, a.Val, n.Data)
			}
			if a.Key == "href" || a.Key == "src" {
				list = append(list, a.Val)
			}
		}
	}
	return list
}

// All links, forms, redirects, files and cookies stay below the prefix.
func TestPrefix(t *testing.T) {
	for name, mount := range mounts {
		t.Run(name, func(t *testing.T) {
			s := loopbackSetup
			s.gateway.Prefix = "/old"
			w, m := museum(t, s)
			serveBelowPrefix(t, w, mount)
			pages := []string{"/old/", "/old/-/schemes", "/old/?url=www.example.com", "/old/?url=cid:a@h", "/old/?url=mailto:a@h.example"}
			for _, stop := range m.Stops() {
				if u := stop.URL; u.Scheme() != "cid" && u.Scheme() != "file" && !isTLS(u) {
					pages = append(pages, "/old/?url="+query(u.String()))
				}
			}
			links := 0
			for seen := map[string]bool{}; len(pages) > 0; pages = pages[1:] {
				path := pages[0]
				if seen[path] || len(seen) > 400 {
					continue
				}
				seen[path] = true
				a := w.get(path, browser...)
				if to := a.Header.Get("Location"); to != "" && !strings.HasPrefix(to, "/old/") {
					t.Errorf("%s redirects to %s", path, to)
				}
				for _, c := range a.Cookies() {
					if c.Path != "/old/" {
						t.Errorf("%s: the cookie's path is %s", path, c.Path)
					}
				}
				if a.StatusCode == http.StatusTeapot || a.StatusCode == http.StatusNotFound && (strings.Contains(a.body, "page not found") || strings.Contains(a.body, "file not found")) {
					t.Errorf("%s: %s", path, a.Status)
				}
				if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || strings.Contains(path, "/-/raw") {
					continue
				}
				for _, link := range ownLinks(t, w, a.body, path) {
					links++
					// The test follows links one level deep, and all links to assets.
					if link, _, _ = strings.Cut(link, "#"); strings.Contains(link, "/-/") || len(seen) < 40 {
						pages = append(pages, link)
					}
				}
			}
			if links < 300 {
				t.Errorf("only %d links", links)
			}
		})
	}
}

// Forms, terminals and the API work below a prefix, with the cookie of their page.
func TestPrefixTools(t *testing.T) {
	s := loopbackSetup
	s.gateway.Prefix = "/old"
	w, m := museum(t, s)
	serveBelowPrefix(t, w, mounts["StripPrefix"])
	for _, stop := range m.Stops() {
		switch u := stop.URL.String(); {
		case stop.URL.Scheme() == "gopher" && strings.Contains(u, "/7") && !strings.Contains(u, "%09"):
			form := w.get("/old/?url="+query(u), browser...)
			values := url.Values{"url": {field(t, form.body, "url")}, "token": {field(t, form.body, "token")}, "f0": {"map"}}
			a := w.exchange("POST", "/old/-/submit", values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
			if to := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/old/gopher/") {
				t.Errorf("%s: %s to %q: %.200s", u, a.Status, to, a.body)
			}
		case stop.URL.Scheme() == "telnet":
			base := w.base
			w.base += "/old"
			screen, _, err := w.dial(t, u, base)
			w.base = base
			if err != nil {
				t.Fatal(err)
			}
			if !screen.readMessage() {
				t.Error("the terminal says nothing")
			}
			screen.conn.CloseNow()
		}
	}
	if a := w.get("/old/api/parse?url=gopher://h/"); a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"scheme":"gopher"`) {
		t.Errorf("the API: %s %s", a.Status, a.body)
	}
	// A path that the other server would clean is in a query.
	for u, want := range map[string]string{
		"gopher://h/0/x": "/old/gopher/h/0/x", "gopher://h/0//x": "/old/?url=gopher%3A%2F%2Fh%2F0%2F%2Fx",
		"ftp://h/a%2F/b/": "/old/?url=ftp%3A%2F%2Fh%2Fa%252F%2Fb%2F", // "a//b" for servers that decode first
	} {
		if got := pageLink(t, w, u); got != want {
			t.Errorf("%s: %s, want %s", u, got, want)
		}
	}
}

// pageLink returns the link to the page of u from the page of a text that contains u.
func pageLink(t *testing.T, w *fixture, u string) string {
	t.Helper()
	text := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		rw.Write([]byte("see <URL:" + u + ">\n"))
	}))
	defer text.Close()
	_, rest, _ := strings.Cut(w.get("/old/?url="+query(text.URL+"/"), browser...).body, "see &lt;URL:<a href=\"")
	link, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(link)
}

// A gateway with a prefix does not act as a proxy. It serves only its own pages.
func TestPrefixIsNoProxy(t *testing.T) {
	s := loopbackSetup
	s.gateway.Prefix = "/old"
	w := start(t, s)
	serveBelowPrefix(t, w, mounts["StripPrefix"])
	for request, want := range map[string]string{
		"GET http://other.example/old/healthz HTTP/1.1\r\nHost: other.example\r\n": "421",
		"GET http://localhost/old/healthz HTTP/1.1\r\nHost: localhost\r\n":         "200",
		"GET gopher://other.example/old/healthz HTTP/1.1\r\nHost: localhost\r\n":   "421",
		"GET /old/healthz HTTP/1.1\r\nHost: other.example\r\n":                     "421",
		"GET /old/healthz HTTP/1.1\r\nHost: localhost\r\n":                         "200",
		"CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n":                "404",
		"GET /older HTTP/1.1\r\nHost: localhost\r\n":                               "418",
	} {
		if a := w.raw(request + "Connection: close\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.1 "+want) {
			t.Errorf("%q: %.300q, want %s", request, a, want)
		}
	}
}

// New rejects invalid prefixes.
func TestPrefixRefused(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, rules, nil)
	defer client.Close()
	for prefix, ok := range map[string]bool{
		"/old": true, "/a/b-c": true, "": true, "old": false, "/old/": false, "/": false, "/a//b": false, "/a/../b": false, "/a?b": false, "/a b": false, "/a%2fb#c": false, "/é": false,
	} {
		if _, err := gateway.New(client, &gateway.Options{Prefix: prefix}); (err == nil) != ok {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

// deadlines records the last deadline for writing of a connection.
type deadlines struct {
	http.ResponseWriter
	last time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.last = t
	return nil
}

// A deadline for a page does not remain for the other server's requests on the connection.
func TestPrefixDeadline(t *testing.T) {
	s := loopbackSetup
	s.gateway.Prefix = "/old"
	w := start(t, s)
	d := &deadlines{ResponseWriter: httptest.NewRecorder(), last: time.Now()}
	w.g.ServeHTTP(d, httptest.NewRequest("GET", "http://localhost/old/", nil))
	if !d.last.IsZero() {
		t.Errorf("the deadline %v remains", d.last)
	}
}
