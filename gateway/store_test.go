package gateway_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// wantsStored requests u and tests Cache-Status without the remaining lifetime. If want is not
// empty, it also tests the body.
func (w *fixture) wantsStored(u, want, wantStatus string, fields ...string) string {
	w.t.Helper()
	waitForStore(make([]byte, 1<<20))
	a, err := w.program("GET", u, fields...)
	status, _, _ := strings.Cut(strings.TrimPrefix(a.Header.Get("Cache-Status"), "locus; "), "; ttl")
	if err != nil || want != "" && a.body != want || status != wantStatus {
		w.t.Errorf("%s: %s %.100q, %s, %v; want %.100q, %s", u, a.Status, a.body, status, err, want, wantStatus)
	}
	return a.body
}

// count counts the commands with a verb.
func count(log [][]string, verb string) (n int) {
	for _, line := range slices.Concat(log...) {
		if strings.HasPrefix(line, verb) {
			n++
		}
	}
	return n
}

func TestStoreFTP(t *testing.T) {
	const size = 3 << 20
	server, err := ftptest.Start(ftptest.Files{"a": {Data: "Hello\n"}, "large": {Size: size}, "dir/b": {Data: "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var ahead atomic.Int64 // of the store's clock
	var gone atomic.Bool
	s := loopbackSetup
	s.store = &cache.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}
	s.access.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if gone.Load() {
			return nil, syscall.ECONNREFUSED // the port may be another server's by then
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	w := start(t, s)
	at := "ftp://" + server.Addr() + "/"

	w.wantsStored(at+"a", "Hello\n", "fwd=uri-miss; stored")
	w.wantsStored(at+"a", "Hello\n", "hit")
	w.wantsStored(at+"a;type=i", "Hello\n", "fwd=uri-miss; stored") // another URL with the same canonical form
	w.wantsStored(at+"dir/", "", "fwd=uri-miss; stored")
	w.wantsStored(at+"dir/", "", "hit")
	w.wantsStored(at+"dir/", "", "fwd=vary-miss; stored", "Accept", "application/json")

	// The gateway does not read an unchanged file again.
	large := w.wantsStored(at+"large", "", "fwd=uri-miss; stored")
	if len(large) != size || large[size-1] != ftptest.Octet(size-1) {
		t.Fatalf("%d octets", len(large))
	}
	w.wantsStored(at+"large", large[size-5:], "hit", "Range", "bytes=-5")
	ahead.Store(int64(25 * time.Hour))
	w.wantsStored(at+"large", large, "fwd=stale; fwd-status=304")
	w.wantsStored(at+"large", large[7:9], "hit", "Range", "bytes=7-8")

	// A stored response replaces the error of an unreachable server.
	server.Close()
	gone.Store(true)
	ahead.Add(int64(25 * time.Hour))
	w.wantsStored(at+"large", large, "fwd=stale")
	ahead.Add(int64(48 * time.Hour))
	if a, err := w.program("GET", at+"large"); err != nil || a.StatusCode != 502 {
		t.Errorf("%s, %d octets, %v", a.Status, len(a.body), err)
	}
}

// An incomplete response is not stored.
func TestStoreCut(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"a": {Size: 100000}}, &ftptest.Options{Fault: ftptest.Fault{Cut: 50000, Cuts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := loopbackSetup
	s.store = new(cache.Options)
	w := start(t, s)
	at := "ftp://" + server.Addr() + "/a"
	if a, err := w.program("GET", at); err == nil {
		t.Errorf("%d octets", len(a.body))
	}
	if body := w.wantsStored(at, "", "fwd=uri-miss; stored"); len(body) != 100000 {
		t.Errorf("%d octets", len(body))
	}
	if n := count(server.Log(), "RETR"); n != 2 {
		t.Errorf("%d transfers", n)
	}
}

func TestStoreGopher(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "a", Selector: "a", Data: "Hello\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := loopbackSetup
	s.store = new(cache.Options)
	w := start(t, s)
	at := "gopher://" + server.Addr() + "/"
	w.wantsStored(at, "", "fwd=uri-miss; stored")
	w.wantsStored(at, "", "hit")
	w.wantsStored(at+"0a", "Hello\r\n", "fwd=uri-miss; stored")
	w.wantsStored(at+"0a", "Hello\r\n", "hit")
}

// startStored is startWith for a gateway with a store.
func startStored(t *testing.T, o opened) *fixture {
	t.Helper()
	s := loopbackSetup
	s.store = new(cache.Options)
	s.schemes = []scheme.Scheme{o.row()}
	return start(t, s)
}

// An object does not become a menu, whatever media type the server sends.
func TestStoreTypes(t *testing.T) {
	const forged = `{"url":"x-page://h/x","kind":"menu","items":[{"url":"x-page://h/y","title":"forged","kind":"object"}]}`
	for _, kind := range []string{"application/vnd.locus.menu+json", "application/json"} {
		w := startStored(t, opened{"x": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Object{URL: req.URL, Type: kind, Size: int64(len(forged)), Body: io.NopCloser(strings.NewReader(forged))}, nil
		}})
		for _, status := range []string{"stored", "hit"} {
			waitForStore(make([]byte, 1<<20))
			a, err := w.program("GET", "x-page://h/x")
			if err != nil || a.body != forged || a.Header.Get("Content-Type") != kind || !strings.Contains(a.Header.Get("Cache-Status"), status) {
				t.Errorf("%s: %v %s, %v", kind, a.Header, a.body, err)
			}
			if got := w.get("/api/get?url=x-page://h/x").body; !strings.HasPrefix(got, `{"url":"x-page://h/x","kind":"object"`) {
				t.Errorf("%s: %s", kind, got)
			}
			if page := w.get("/?url=x-page://h/x").body; !strings.Contains(page, `<pre class="text"`) {
				t.Errorf("%s: %s", kind, page)
			}
		}
	}
}

// A client that already has a stored menu gets the header fields of the menu, but not the
// fields of the stored encoding.
func TestStoreUnchangedMenu(t *testing.T) {
	w := startStored(t, opened{"m": menuOf("", nil, hostileItems()[:1], nil)})
	w.wantsStored("x-page://h/m", "", "fwd=uri-miss; stored")
	waitForStore(make([]byte, 1<<20))
	for name, value := range map[string]string{"If-None-Match": "*", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"} {
		a, err := w.program("GET", "x-page://h/m", name, value)
		if err != nil || a.StatusCode != 304 || a.body != "" {
			t.Fatalf("%s: %s %q, %v", name, a.Status, a.body, err)
		}
		a.Header.Del("Age") // the Age field appears after a second
		want := []string{"Cache-Status", "Content-Security-Policy", "Date", "Via", "X-Content-Type-Options"}
		if got := slices.Sorted(maps.Keys(a.Header)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// An incomplete menu ends in the same way with and without a store.
func TestStoreBrokenMenu(t *testing.T) {
	for _, failure := range []error{os.ErrDeadlineExceeded, scheme.ErrTooLarge, context.Canceled, fmt.Errorf("x-page: %w: <cut> \x1b", scheme.ErrProtocol)} {
		m := opened{"m": menuOf("", nil, hostileItems()[:1], failure)}
		worlds := []*fixture{startWith(t, m), startStored(t, m)}
		for _, path := range []string{"", "/-/raw?url=%s", "/api/get?url=%s"} {
			want := worlds[0].request(path, "x-page://h/m", nil)
			for range 2 {
				got := worlds[1].request(path, "x-page://h/m", nil)
				if got.StatusCode != want.StatusCode || got.body != want.body || !strings.Contains(got.body, "Welcome") {
					t.Errorf("%v, %s: %s %s, want %s %s", failure, path, got.Status, got.body, want.Status, want.body)
				}
			}
		}
	}
}

// The API returns the time of Last-Modified, with and without a store.
func TestStoreModTime(t *testing.T) {
	modified := time.Date(1994, 12, 20, 13, 0, 0, 123456789, time.FixedZone("", 3600))
	o := opened{"a": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Type: "text/plain", Size: 1, ModTime: modified, Body: io.NopCloser(strings.NewReader("a"))}, nil
	}}
	for _, w := range []*fixture{startWith(t, o), startStored(t, o)} {
		for range 2 {
			waitForStore(make([]byte, 1<<20))
			if a := w.get("/api/get?url=x-page://h/a"); !strings.Contains(a.body, `"modified":"1994-12-20T12:00:00Z"`) {
				t.Error(a.body)
			}
		}
	}
}

// An error has the same text with and without a store. Programs get the whole text, and
// other clients get the beginning of the text.
func TestStoreFailure(t *testing.T) {
	const most = 1 << 10
	long := strings.Repeat("é", most)
	o := opened{"a": func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return nil, fmt.Errorf("x-page: %w: %s", scheme.ErrNotFound, long)
	}}
	worlds := []*fixture{startWith(t, o), startStored(t, o)}
	for _, path := range []string{"", "/?url=%s", "/-/raw?url=%s", "/api/get?url=%s"} {
		want := worlds[0].request(path, "x-page://h/a", nil)
		if n := strings.Count(want.body, "é"); want.StatusCode != 404 || n != most && path == "" || path != "" && (n < most/4 || n > most/2) {
			t.Errorf("%s: %s, %d characters", path, want.Status, n)
		}
		for range 2 {
			waitForStore(make([]byte, 1<<20))
			got := worlds[1].request(path, "x-page://h/a", nil)
			if n := strings.Count(got.body, "é"); got.StatusCode != 404 || n != strings.Count(want.body, "é") {
				t.Errorf("%s: %s, %d characters, want those of %s", path, got.Status, n, want.body)
			}
		}
	}
}

// The URLs of a menu have the same bytes with and without a store.
func TestStoreOctets(t *testing.T) {
	items := []scheme.Item{
		{URL: parse("ftp://h/\xe9"), Title: "a", Kind: scheme.KindObject, Size: -1}, {URL: parse("ftp://h/\xc3\xa9"), Title: "caf\xe9", Kind: scheme.KindMenu, Size: -1},
	}
	m := opened{"m": menuOf("", nil, items, nil), "\xe9": menuOf("", nil, items, nil)}
	worlds := []*fixture{startWith(t, m), startStored(t, m)}
	for _, u := range []string{"x-page://h/m", "x-page://h/\xe9"} {
		for _, accept := range []string{"text/plain", "application/json", "text/html"} {
			want := worlds[0].proxied("GET", u, "Accept", accept)
			if accept == "text/plain" && want.body != "a\tftp://h/\xe9\ncafé\tftp://h/\xc3\xa9\n" {
				t.Errorf("%q", want.body)
			}
			for range 2 {
				waitForStore(make([]byte, 1<<20))
				got := worlds[1].proxied("GET", u, "Accept", accept)
				if accept == "text/html" {
					_, got.body, _ = strings.Cut(strings.ReplaceAll(got.body, worlds[1].base, worlds[0].base), "<tbody")
					got.body, _, _ = strings.Cut(got.body, "</tbody")
				}
				if !strings.Contains(want.body, got.body) || len(got.body) < len("a\tftp") {
					t.Errorf("%s, %s: %q, want %q", u, accept, got.body, want.body)
				}
			}
		}
	}
}
