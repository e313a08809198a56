package cache_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// clock is one that a test turns on.
type clock struct{ ahead time.Duration }

func (c *clock) now() time.Time { return time.Now().Add(c.ahead) }

// world is a client with a store around an access client.
func world(t *testing.T, o cache.Options, rules policy.Rules) *http.Client {
	t.Helper()
	return dialling(t, o, rules, nil)
}

// dialling is world with a dialer.
func dialling(t *testing.T, o cache.Options, rules policy.Rules, ao *access.Options) *http.Client {
	t.Helper()
	ftpClient, gopherClient := ftp.New(nil), gopher.New(nil)
	registry, err := scheme.NewRegistry(ftp.Scheme(ftpClient), gopher.Scheme(gopherClient))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	a := access.New(registry, p, ao)
	s := open(t, registry, o)
	t.Cleanup(func() {
		s.Close()
		ftpClient.Close()
		a.Close()
	})
	return &http.Client{Transport: s.Transport(roundtrip.New(a, nil))}
}

func allSchemes(t *testing.T) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, registry *scheme.Registry, o cache.Options) *cache.Store {
	t.Helper()
	o.Note = func(err error) { t.Errorf("note: %v", err) }
	s, err := cache.Open(t.TempDir(), registry, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// get returns the body and what Cache-Status says, less how long it is fresh.
func get(t *testing.T, c *http.Client, url string, header ...string) (body, status string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	octets, err := io.ReadAll(resp.Body)
	status, _, _ = strings.Cut(strings.TrimPrefix(resp.Header.Get("Cache-Status"), "locus; "), "; ttl")
	return string(octets), status, err
}

func wants(t *testing.T, c *http.Client, url, want, wantStatus string, header ...string) {
	t.Helper()
	body, status, err := get(t, c, url, header...)
	if err != nil || want != "" && body != want || status != wantStatus {
		t.Errorf("%s: %.100q, %s, %v; want %.100q, %s", url, body, status, err, want, wantStatus)
	}
}

// count counts the commands of a verb.
func count(log [][]string, verb string) (n int) {
	for _, line := range slices.Concat(log...) {
		if strings.HasPrefix(line, verb) {
			n++
		}
	}
	return n
}

func TestFTP(t *testing.T) {
	const size = 3 << 20
	server, err := ftptest.Start(ftptest.Files{"a": {Data: "Hello\n"}, "large": {Size: size}, "dir/b": {Data: "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var turned clock
	var gone atomic.Bool
	c := dialling(t, cache.Options{Now: turned.now}, policy.Rules{TypedPrivate: true}, &access.Options{
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if gone.Load() {
				return nil, syscall.ECONNREFUSED // the port may be another server's by then
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	})
	at := "ftp://" + server.Addr() + "/"

	wants(t, c, at+"a", "Hello\n", "fwd=uri-miss; stored")
	wants(t, c, at+"a", "Hello\n", "hit")
	wants(t, c, at+"a;type=i", "Hello\n", "fwd=uri-miss; stored") // another URL, until it is made canonical
	wants(t, c, at+"dir/", "", "fwd=uri-miss; stored")
	wants(t, c, at+"dir/", "", "hit")
	wants(t, c, at+"dir/", "", "fwd=vary-miss; stored", "Accept", "application/json")

	// A file that did not change is not read again.
	large, _, err := get(t, c, at+"large")
	if err != nil || len(large) != size || large[size-1] != ftptest.Octet(size-1) {
		t.Fatalf("%d octets, %v", len(large), err)
	}
	wants(t, c, at+"large", large[size-5:], "hit", "Range", "bytes=-5")
	turned.ahead = 25 * time.Hour
	wants(t, c, at+"large", large, "fwd=stale; fwd-status=304")
	wants(t, c, at+"large", large[7:9], "hit", "Range", "bytes=7-8")

	// A server that is gone is stood in for.
	server.Close()
	gone.Store(true)
	turned.ahead += 25 * time.Hour
	wants(t, c, at+"large", large, "fwd=stale")
	turned.ahead += 48 * time.Hour
	if body, status, err := get(t, c, at+"large"); err == nil {
		t.Errorf("%d octets, %s", len(body), status)
	}
}

// What breaks off on the way is not stored.
func TestFTPCut(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"a": {Size: 100000}}, &ftptest.Options{Fault: ftptest.Fault{Cut: 50000, Cuts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := world(t, cache.Options{}, policy.Rules{TypedPrivate: true})
	at := "ftp://" + server.Addr() + "/a"
	if body, _, err := get(t, c, at); err == nil {
		t.Errorf("%d octets", len(body))
	}
	body, status, err := get(t, c, at)
	if len(body) != 100000 || status != "fwd=uri-miss; stored" || err != nil {
		t.Errorf("%d octets, %s, %v", len(body), status, err)
	}
	if n := count(server.Log(), "RETR"); n != 2 {
		t.Errorf("%d transfers", n)
	}
}

func TestGopher(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "a", Selector: "a", Data: "Hello\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := world(t, cache.Options{}, policy.Rules{TypedPrivate: true})
	at := "gopher://" + server.Addr() + "/"
	wants(t, c, at, "", "fwd=uri-miss; stored")
	wants(t, c, at, "", "hit")
	wants(t, c, at+"0a", "Hello\r\n", "fwd=uri-miss; stored")
	wants(t, c, at+"0a", "Hello\r\n", "hit")
}

// A denial is nothing that a stored answer stands in for.
func TestDenied(t *testing.T) {
	denied := false
	next := roundTripper(func(req *http.Request) (*http.Response, error) {
		if denied {
			return nil, fmt.Errorf("dial: %w", &policy.DeniedError{})
		}
		return &http.Response{StatusCode: 200, Header: http.Header{"Cache-Control": {"max-age=0, stale-if-error=100"}, "Etag": {`"1"`}}, Body: io.NopCloser(strings.NewReader("x"))}, nil
	})
	c := &http.Client{Transport: open(t, allSchemes(t), cache.Options{}).Transport(next)}
	wants(t, c, "http://h/", "x", "fwd=uri-miss; stored")
	denied = true
	if _, _, err := get(t, c, "http://h/"); !errors.Is(err, policy.ErrDenied) {
		t.Error(err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A real server and the transport of package net/http.
func TestHTTP(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20000)
	mux := http.NewServeMux()
	mux.HandleFunc("/chunked", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=1000")
		for i := 0; i < len(long); i += 40000 {
			io.WriteString(w, long[i:i+40000])
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "max-age=1000")
		h.Set("Vary", "Accept-Encoding")
		h.Set("Content-Encoding", "gzip")
		h.Set("Etag", `"g"`)
		z := gzip.NewWriter(w)
		io.WriteString(z, long)
		z.Close()
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=1000")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "not so much")
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=1000")
		http.ServeContent(w, r, "f.txt", time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC), strings.NewReader(long))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	s := open(t, allSchemes(t), cache.Options{})
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: s.Transport(transport)}

	wants(t, c, server.URL+"/chunked", long, "fwd=uri-miss; stored")
	wants(t, c, server.URL+"/chunked", long, "hit")
	wants(t, c, server.URL+"/chunked", long[100:201], "hit", "Range", "bytes=100-200")

	// Decoded by the transport: the tag is then no strong one.
	wants(t, c, server.URL+"/gzip", long, "fwd=uri-miss; stored")
	wants(t, c, server.URL+"/gzip", long, "hit", "Range", "bytes=100-200", "If-Range", `"g"`)
	body, status, err := get(t, c, server.URL+"/gzip", "Accept-Encoding", "gzip")
	if len(body) >= len(long) || status != "fwd=vary-miss; stored" || err != nil {
		t.Errorf("%d octets, %s, %v", len(body), status, err)
	}

	for range 2 {
		if body, status, err := get(t, c, server.URL+"/cut"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q, %s, %v", body, status, err)
		}
	}
	wants(t, c, server.URL+"/file", long, "fwd=uri-miss; stored")
	wants(t, c, server.URL+"/file", long, "fwd=request; fwd-status=304", "Cache-Control", "no-cache")
	wants(t, c, server.URL+"/file", long[5:], "hit", "Range", "bytes=5-")
}

// What the store gives reaches a client through a server, whatever its size, whole,
// in part and while it is fetched.
func TestServed(t *testing.T) {
	for _, size := range []int{0, 1, 1000, 70000, 3 << 20} {
		text := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		s := open(t, allSchemes(t), cache.Options{})
		rt := s.Transport(roundTripper(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Cache-Control": {"max-age=1000"}}, Body: io.NopCloser(strings.NewReader(text))}, nil
		}))
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			req := r.Clone(r.Context())
			req.URL.Scheme, req.URL.Host, req.Host = "http", "h", ""
			resp, err := rt.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			for name, values := range resp.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(resp.StatusCode)
			if _, err := io.Copy(w, resp.Body); err != nil {
				t.Error(err)
			}
		}))
		client := front.Client()
		wants(t, client, front.URL, text, "fwd=uri-miss; stored")
		wants(t, client, front.URL, text, "hit")
		if size > 10 {
			wants(t, client, front.URL, text[5:size-2], "hit", "Range", fmt.Sprintf("bytes=5-%d", size-3))
		}
		front.Close()
	}
}
