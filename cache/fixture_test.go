package cache_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

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

// get returns the body and Cache-Status without the remaining lifetime.
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

// A stored response does not replace a denial.
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

// The test uses a real server and the transport of package net/http.
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

	// The transport decoded the body, so the tag is weak.
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

// Bodies of any size reach a client through a server, complete, in ranges and during a
// fetch.
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
