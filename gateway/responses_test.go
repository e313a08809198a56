package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

var update = flag.Bool("update", false, "write testdata/responses.txt again")

// opened maps the path of an x-page URL to a function that returns its resource.
type opened map[string]func(ctx context.Context, req *scheme.Request) (scheme.Resource, error)

func (o opened) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	path, _ := req.URL.Path()
	if open, ok := o[path]; ok {
		return open(ctx, req)
	}
	return nil, fmt.Errorf("x-page: %w", scheme.ErrNotFound)
}

// row returns the scheme x-page.
func (o opened) row() scheme.Scheme {
	row := scheme.Generic("x-page", scheme.Experimental)
	row.Access.Opener, row.Port = o, 1738
	row.Crawl.Freshness = func(u locus.URL) scheme.Freshness {
		if path, _ := u.Path(); path == "unstored" {
			return scheme.Freshness{}
		}
		return scheme.Freshness{For: time.Hour}
	}
	return row
}

const digits = "0123456789"

// resources returns one resource of each kind.
func resources() opened {
	modified := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
	object := func(o scheme.Object) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			o, start := o, req.Offset
			if req.Tag != "" && req.Tag != o.Tag || !req.ModTime.IsZero() && !req.ModTime.Equal(o.ModTime) || start > int64(len(digits)) {
				start = 0
			}
			o.URL, o.Start, o.Body = req.URL, start, io.NopCloser(strings.NewReader(digits[start:]))
			return &o, nil
		}
	}
	refuse := func(err error) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, err }
	}
	menu := func() func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Menu{URL: req.URL, Title: "A caf\xe9", Items: func(yield func(scheme.Item, error) bool) {
				_ = yield(scheme.Item{Title: "Welcome", Kind: scheme.KindInfo, Size: -1}, nil) &&
					yield(scheme.Item{URL: parse("x-page://me:secret@h/all"), Title: "All <caf\xe9>\x1b", Kind: scheme.KindObject, Size: 10, ModTime: modified, Type: "text/plain", Note: "a note"}, nil)
			}}, nil
		}
	}
	form := &scheme.Form{URL: parse("x-page://h/form"), Title: "Who are you", Submit: func([]string) (locus.URL, error) { return parse("x-page://h/all"), nil }, Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Be honest"}, {Kind: scheme.FieldText, Prompt: "Name", Default: "caf\xe9"}, {Kind: scheme.FieldChoice, Prompt: "Color", Choices: []string{"red", "blue"}},
	}}
	return opened{
		"all":      object(scheme.Object{Type: "text/plain; charset=us-ascii", Size: 10, ModTime: modified, Tag: `"v1"`}),
		"unstored": object(scheme.Object{Type: "text/plain; charset=us-ascii", Size: 10, ModTime: modified, Tag: `"v1"`}),
		"coded":    object(scheme.Object{Type: "text/plain", Encoding: "gzip", Size: 10, ModTime: modified}),
		"unknown":  object(scheme.Object{Size: -1, Tag: "10-1994"}),
		"moved": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{To: []locus.URL{parse("x-page://h/all#there")}}, nil
		},
		"movedmenu": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{To: []locus.URL{parse("x-page://h/menu")}}, nil
		},
		"menu": menu(),
		"form": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Menu{URL: req.URL, Form: form, Items: func(func(scheme.Item, error) bool) {}}, nil
		},
		"session": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return nil, fmt.Errorf("%w: a session", scheme.ErrUnsupported)
		},
		"auth": refuse(fmt.Errorf("x-page: %w: \x1b[2J", scheme.ErrAuth)),
		"cut":  refuse(fmt.Errorf("x-page: %w", scheme.ErrProtocol)),
		"big":  refuse(scheme.ErrTooLarge),
		"net":  refuse(fmt.Errorf("%w: nobody there", scheme.ErrUnreachable)),
	}
}

// webResources returns the handler of an HTTP server.
func webResources() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Own", "kept")
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/page?x", http.StatusFound)
		case "/page", "/fresh":
			if r.URL.Path == "/fresh" {
				h.Set("Cache-Control", "max-age=1000")
			}
			h.Set("Content-Type", "text/html")
			h.Set("Etag", `"w1"`)
			http.ServeContent(w, r, "", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), strings.NewReader("<title>T</title><p>"+digits))
		case "/locked":
			h.Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		case "/teapot":
			h.Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, "short and stout")
		default:
			http.NotFound(w, r)
		}
	})
}

// ways lists the ways to request a URL, each with header fields.
var ways = []struct {
	name, path string // %s is the URL; empty: by way of the proxy
	fields     [][]string
}{
	{"page", "/?url=%s", [][]string{{}, {"HEAD"}, {"Cache-Control", "no-cache"}, {"Range", "bytes=2-"}}},
	{"api", "/api/get?url=%s", [][]string{{}, {"HEAD"}}},
	{"raw", "/-/raw?url=%s", [][]string{{}, {"HEAD"}, {"Range", "bytes=2-"}, {"Range", "bytes=1-3"}, {"Range", "bytes=5000-"}, {"If-None-Match", `"v1"`}, {"If-None-Match", `"w1"`}, {"Sec-Fetch-Dest", "script"}}},
	{"proxy", "", [][]string{
		{}, {"HEAD"}, {"Range", "bytes=2-"}, {"Range", "bytes=1-3"}, {"Range", "bytes=-2"}, {"Range", "bytes=0-"}, {"Range", "bytes=5000-"}, {"Range", "bytes=2-", "If-Range", `"v1"`}, {"Range", "bytes=2-", "If-Range", `"v2"`},
		{"If-None-Match", `"v1"`}, {"If-None-Match", `"w1"`}, {"If-Modified-Since", "Sat, 01 Jan 2022 00:00:00 GMT"}, {"Cache-Control", "no-cache"}, {"Cache-Control", "only-if-cached"},
		{"Accept", "application/json"}, {"Accept", "text/plain"}, {"Accept", "image/gif"}, {"Accept", "text/html;q=2"}, {"Accept-Language", ";"}, {"POST"},
	}},
	{"browser", "", [][]string{browser, append([]string{"HEAD"}, browser...)}},
}

// shownFields lists the header fields that the test compares.
var shownFields = []string{
	"Content-Type", "Content-Length", "Content-Range", "Content-Encoding", "Content-Location", "Content-Disposition", "Content-Security-Policy", "Last-Modified", "Etag", "Location", "Cache-Status",
	"Cache-Control", "Allow", "Www-Authenticate", "X-Content-Type-Options", "X-Own", "Memento-Datetime", "Vary", "Link",
}

var (
	tags   = regexp.MustCompile(`<(?:script|style|svg)[^>]*>.*?</(?:script|style|svg)>|<[^>]*>`)
	blanks = regexp.MustCompile(`\s+`)
	ttl    = regexp.MustCompile(`; ttl=-?\d+`)
	ports  = regexp.MustCompile(`\b\d{5}\b`)
)

// summary returns the text of a response that the test compares.
func summary(a answer, page bool) string {
	var b strings.Builder
	fmt.Fprint(&b, a.StatusCode)
	for _, name := range shownFields {
		value := strings.Join(a.Header.Values(name), " & ")
		switch {
		case name == "Content-Security-Policy" && len(value) > 24:
			value = value[:24] + "..."
		case name == "Content-Length" && a.StatusCode == 200 && a.body != "":
			value = "" // package net/http adds it to short bodies that come at once
		case name == "Cache-Status":
			value = ttl.ReplaceAllString(value, "")
		}
		if value != "" {
			fmt.Fprintf(&b, " | %s: %s", name, value)
		}
	}
	text := a.body
	if page {
		if _, main, ok := strings.Cut(text, "<main"); ok {
			text = "<" + main
		}
		text, more, _ := strings.Cut(blanks.ReplaceAllString(tags.ReplaceAllString(text, " "), " "), " Parts of this URL")
		text = text[:min(len(text), 100)]
		if strings.Contains(more, "Requests and responses") {
			text += " Requests and responses"
		}
		return b.String() + fmt.Sprintf(" | %q", text)
	}
	fmt.Fprintf(&b, " | %q", text)
	return b.String()
}

// request requests u in one way. The text of an incomplete response ends with "(broken)".
func (w *fixture) request(path, u string, fields []string) answer {
	w.t.Helper()
	method := "GET"
	if len(fields)%2 == 1 {
		method, fields = fields[0], fields[1:]
	}
	if path == "" {
		return w.proxied(method, u, fields...)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.base+fmt.Sprintf(path, query(u)), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Add(fields[i], fields[i+1])
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		text = append(text, "(broken)"...)
	}
	return answer{resp, string(text)}
}

// waitForStore waits until no store has a running fetch. stacks is a buffer.
func waitForStore(stacks []byte) {
	for bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("cache.(*fetch).run(")) {
		runtime.Gosched()
	}
}

// For each way to request a resource of each kind, the response is the same without a
// store, with an empty store, and from the store.
func TestResponses(t *testing.T) {
	g, err := gophertest.Start(gophertest.Item{Name: "Hole", Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome <here>"},
		{Name: "About", Selector: "/about", Views: []gophertest.View{
			{Type: "Text/plain", Language: "En_US", Data: "About\n"}, {Type: "application/postscript", Data: "%!PS"}}},
		{Name: "Words", Selector: "/words", Search: func(words string) []gophertest.Item {
			return []gophertest.Item{{Type: 'i', Name: "You said " + words}}
		}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	f, err := ftptest.Start(ftptest.Files{"pub/a.txt": {Data: digits}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	far := httptest.NewServer(webResources())
	defer far.Close()
	silent := listen(t, func(net.Conn) {})
	urls := []string{"ftp://" + f.Addr() + "/pub/a.txt", "ftp://" + f.Addr() + "/pub/", "ftp://" + f.Addr() + "/none", "gopher://" + g.Addr() + "/", "gopher://" + g.Addr() + "/0/about", "gopher://" + g.Addr() + "/7/words", "gopher://" + g.Addr() + "/7/words%09two", "telnet://" + silent + "/", "mailto:a@b.example", "x-none://h/"}
	for _, path := range []string{"moved", "page", "fresh", "locked", "teapot", "none"} {
		urls = append(urls, far.URL+"/"+path)
	}
	pages := resources()
	for path := range pages {
		urls = append(urls, "x-page://h/"+path)
	}
	slices.Sort(urls[16:])
	stacks := make([]byte, 1<<20)
	var b strings.Builder
	worlds := map[string]*fixture{}
	names := strings.NewReplacer(g.Addr(), "GOPHER", f.Addr(), "FTP", strings.TrimPrefix(far.URL, "http://"), "WEB", query(g.Addr()), "GOPHER", query(f.Addr()), "FTP", silent, "TELNET", query(silent), "TELNET")
	for _, name := range []string{"none", "store"} {
		s := loopbackSetup
		s.schemes = []scheme.Scheme{pages.row()}
		if name == "store" {
			s.store = new(cache.Options)
		}
		worlds[name] = start(t, s)
	}
	for _, u := range urls {
		for _, way := range ways {
			for _, fields := range way.fields {
				fmt.Fprintf(&b, "== %s %s %q\n", way.name, names.Replace(u), fields)
				last := ""
				for _, name := range []string{"none", "store", "store"} {
					w := worlds[name]
					if w == worlds["store"] {
						waitForStore(stacks)
					}
					said := ports.ReplaceAllString(strings.NewReplacer(w.addr, "GATEWAY").Replace(names.Replace(summary(w.request(way.path, u, fields), way.name == "page" || way.name == "browser"))), "PORT")
					if said != last {
						fmt.Fprintf(&b, "%s\n", said)
					}
					last = said
				}
			}
		}
	}
	compareResponses(t, "responses.txt", b.String())
}

// Archived resources are also available in each way.
func TestArchivedResponses(t *testing.T) {
	for _, live := range []bool{false, true} {
		s := archivedGateway(t, live)
		w := &fixture{t: t, addr: strings.TrimPrefix(s.URL, "http://"), base: s.URL, http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		var b strings.Builder
		for _, u := range []string{"http://h.example/", "http://h.example/moved", "http://h.example/gone", "gopher://g.example/", "gopher://g.example/0/about", "gopher://g.example/7/find", "http://evil.example/a.js", "file:///etc/motd"} {
			for _, way := range ways {
				for _, fields := range [][]string{{}, {"HEAD"}, {"Range", "bytes=2-"}, {"Accept-Datetime", "Tue, 01 May 2001 00:00:00 GMT"}, {"Accept-Datetime", "x"}} {
					if way.name == "browser" {
						fields = append(slices.Clone(fields), browser...)
					}
					said := summary(w.request(way.path, u, fields), way.name == "page" || way.name == "browser")
					fmt.Fprintf(&b, "== %s %s %q\n%s\n", way.name, u, fields, ports.ReplaceAllString(strings.ReplaceAll(said, w.addr, "GATEWAY"), "PORT"))
				}
			}
		}
		compareResponses(t, "archived.txt", b.String())
	}
}

// compareResponses compares responses with a file in testdata.
func compareResponses(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(name, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	octets, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(octets), "\n")
	about, differences := "", 0
	for i, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "== ") {
			about = line
		}
		if i < len(want) && line == want[i] {
			continue
		}
		if t.Errorf("%s:%d: %s\ngot  %s\nwant %s", name, i+1, about, line, want[min(i, len(want)-1)]); differences == 20 {
			t.Fatal("there are more differences: -update shows them")
		}
		differences++
	}
}
