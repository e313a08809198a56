package access_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// anyAddress returns a policy that allows the addresses of test servers.
func anyAddress(t testing.TB) policy.Policy {
	t.Helper()
	p, err := policy.New(policy.Rules{AllowPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// httpClient returns a client with a transport for the options o. The client is closed when
// the test ends.
func httpClient(t testing.TB, o *access.TransportOptions) *http.Client {
	t.Helper()
	c := &http.Client{Transport: access.NewTransport(o)}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// echo describes each request in its response.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		body = []byte(err.Error())
	}
	h := w.Header()
	h["Date"] = nil
	h.Add("X-Answer", "one")
	h.Add("X-Answer", "two")
	h.Set("Trailer", "X-Sum")
	switch r.URL.Path {
	case "/status":
		var status int
		fmt.Sscan(r.URL.RawQuery, &status)
		w.WriteHeader(status)
	case "/redirect":
		var status int
		fmt.Sscan(r.URL.RawQuery, &status)
		http.Redirect(w, r, "/there", status)
		return
	}
	fmt.Fprintf(w, "%s %s %s %.20q %d %v %q", r.Proto, r.Method, r.RequestURI, body, r.ContentLength, r.TransferEncoding, r.Header["X-Ask"])
	for _, name := range slices.Sorted(maps.Keys(r.Trailer)) {
		fmt.Fprintf(w, " %s=%s", name, r.Trailer.Get(name))
	}
	h.Set("X-Sum", fmt.Sprint(len(body)))
}

// A transport behaves like the transport of package net/http, over HTTP/1 and HTTP/2.
func TestTransportIsARoundTripper(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(echo))
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	config := secure.Client().Transport.(*http.Transport).TLSClientConfig
	ours := httpClient(t, &access.TransportOptions{Policy: anyAddress(t), TLS: config, UserAgent: "test"})
	theirs := &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}}
	defer theirs.CloseIdleConnections()
	requests := map[string]func(base string) *http.Request{}
	add := func(name, method, path string, body func() io.Reader, set func(*http.Request)) {
		requests[name] = func(base string) *http.Request {
			var b io.Reader
			if body != nil {
				b = body()
			}
			req, err := http.NewRequestWithContext(t.Context(), method, base+path, b)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("User-Agent", "test")
			if set != nil {
				set(req)
			}
			return req
		}
	}
	text := func() io.Reader { return strings.NewReader("a body") }
	stream := func() io.Reader { return io.MultiReader(strings.NewReader("a "), strings.NewReader("stream")) }
	for _, method := range []string{"GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND"} {
		add(method, method, "/a%2Fb?c=%20", nil, nil)
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		add(method+" with a body", method, "/", text, nil)
	}
	add("POST chunked", "POST", "/", stream, nil)
	add("large", "POST", "/", func() io.Reader { return bytes.NewReader(make([]byte, 300<<10)) }, nil)
	add("empty body", "POST", "/", func() io.Reader { return http.NoBody }, nil)
	add("fields", "GET", "/", nil, func(r *http.Request) { r.Header["X-Ask"] = []string{"one", "", "two"} })
	add("trailers", "POST", "/", stream, func(r *http.Request) { r.Trailer = http.Header{"X-End": {"yes"}} })
	add("continue", "PUT", "/", text, func(r *http.Request) { r.Header.Set("Expect", "100-continue") })
	add("another Host", "GET", "/", nil, func(r *http.Request) { r.Host = "virtual.example" })
	add("opaque", "GET", "/", nil, func(r *http.Request) { r.URL.Opaque = "//elsewhere.example/x" })
	add("login", "GET", "/", nil, func(r *http.Request) { r.URL.User = url.UserPassword("me", "secret") })
	for _, status := range []int{200, 201, 204, 301, 304, 400, 403, 404, 410, 418, 429, 500, 503} {
		add(fmt.Sprint("status ", status), "GET", fmt.Sprint("/status?", status), nil, nil)
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		add(fmt.Sprint("redirect ", status), "POST", fmt.Sprint("/redirect?", status), text, nil)
	}
	add("bad field", "GET", "/", text, func(r *http.Request) { r.Header["X-Ask"] = []string{"a\nb"} })
	for _, base := range []string{plain.URL, secure.URL} {
		for _, name := range slices.Sorted(maps.Keys(requests)) {
			got, want := outcome(ours, requests[name](base)), outcome(theirs, requests[name](base))
			if got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
	}
	resp, err := ours.Get(secure.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.TLS == nil || resp.Request.URL.String() != secure.URL {
		t.Errorf("%s, %v, %s", resp.Proto, resp.TLS, resp.Request.URL)
	}
}

// outcome describes the response to a request.
func outcome(c *http.Client, req *http.Request) string {
	resp, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprintln(resp.Status, resp.Proto, resp.ContentLength, resp.TransferEncoding, resp.Header, resp.Trailer, string(body), err, resp.Request.URL)
}

// The transport adds its fields to a copy of the request.
func TestTransportHeader(t *testing.T) {
	var seen []http.Header
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	first, second := httptest.NewServer(record), httptest.NewServer(record)
	defer first.Close()
	defer second.Close()
	c := httpClient(t, &access.TransportOptions{Policy: anyAddress(t), Header: http.Header{"authorization": {"Bearer x"}, "X-Mine": {"1", "2"}}})
	req, err := http.NewRequestWithContext(t.Context(), "GET", first.URL+"?to="+url.QueryEscape(first.URL+"?to="+url.QueryEscape(second.URL)), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(seen) != 3 || len(req.Header) != 0 {
		t.Fatalf("%d requests, %v", len(seen), req.Header)
	}
	for i, want := range []string{"Bearer x", "Bearer x", ""} {
		if h := seen[i]; h.Get("Authorization") != want || len(h["X-Mine"]) != 2 || !strings.HasPrefix(h.Get("User-Agent"), "locus/") || !strings.HasSuffix(h.Get("User-Agent"), " (+https://github.com/locus-url/locus)") {
			t.Errorf("request %d: %v", i, h)
		}
	}
	req.Header = http.Header{"User-Agent": {"mine"}, "X-Mine": {"3"}}
	req.URL.RawQuery = ""
	if resp, err = c.Do(req); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if h := seen[3]; h.Get("User-Agent") != "mine" || len(h["X-Mine"]) != 1 {
		t.Errorf("%v", h)
	}
}

// After a redirect from https to http at the same host, the client sends no secret.
func TestTransportHeaderDowngrade(t *testing.T) {
	var seen []http.Header
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		if r.TLS != nil {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	c := httpClient(t, &access.TransportOptions{
		Policy: anyAddress(t), TLS: secure.Client().Transport.(*http.Transport).TLSClientConfig, Header: http.Header{"Cookie": {"a=b"}, "X-Mine": {"1"}},
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			server := plain
			if strings.HasSuffix(address, ":443") {
				server = secure
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	})
	resp, err := c.Get("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(seen) != 2 || seen[0].Get("Cookie") != "a=b" || seen[1].Get("Cookie") != "" || seen[1].Get("X-Mine") != "1" {
		t.Errorf("%v", seen)
	}
}

// The end of a context ends a request before the header arrives, and reading after that.
func TestTransportCancel(t *testing.T) {
	release := make(chan struct{})
	arrived := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			io.WriteString(w, "begin")
			w.(http.Flusher).Flush()
		}
		arrived <- struct{}{}
		<-release
	}))
	defer s.Close()
	defer close(release)
	c := httpClient(t, &access.TransportOptions{Policy: anyAddress(t)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	if _, err := c.Do(req); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	req, _ = http.NewRequestWithContext(ctx, "GET", s.URL+"/body", nil)
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-arrived
	cancel()
	if text, err := io.ReadAll(resp.Body); string(text) != "begin" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", text, err)
	}
	c.Timeout = time.Millisecond
	var late net.Error
	if _, err := c.Get(s.URL); !errors.As(err, &late) || !late.Timeout() {
		t.Error(err)
	}
}

func TestTransportConcurrent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	c := httpClient(t, &access.TransportOptions{Policy: anyAddress(t)})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			body := fmt.Sprint("body ", i)
			resp, err := c.Post(s.URL, "text/plain", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), fmt.Sprintf("%q", body)) {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
	all.Wait()
	var reused atomic.Bool
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused.Store(i.Reused) }})
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if !reused.Load() {
		t.Error("connections are not kept")
	}
}

// closeCounter is a body that counts calls of Close.
type closeCounter struct {
	io.Reader
	n atomic.Int32
}

func (c *closeCounter) Close() error { c.n.Add(1); return nil }

// hostile lists URLs that a service must not request for its customers.
var hostile = []string{
	// These are loopback, private and link-local addresses, and the cloud metadata address.
	"http://127.0.0.1/", "http://127.8.8.8:8080/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/",
	"http://100.64.0.1/", "http://0.0.0.0/", "http://255.255.255.255/", "http://224.0.0.1/", "http://198.18.0.1/", "http://192.0.0.192/",
	// Programs read these spellings differently.
	"http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://017700000001/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/",
	"http://127.0.0.1./", "http://1270.0.0.1/", "http://%31%32%37.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/", "http://127。0。0。1/",
	// IPv6, and IPv4 within it.
	"http://[::1]/", "http://[::]/", "http://[fe80::1]/", "http://[fe80::1%25lo]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
	"http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::10.0.0.1]/", "http://[64:ff9b:1::1]/",
	"http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/", "http://[2001:db8::1]/", "http://[fe80::5efe:127.0.0.1]/",
	// Names.
	"http://localhost/", "http://LOCALHOST:8080/", "http://a.localhost/", "http://localhost./", "http://printer.local/", "http://metadata.google.internal/", "http://router.home.arpa/",
	"http://private.example/", "http://mixed6.example/",
	// Ports, logins and schemes.
	"http://8.8.8.8:22/", "http://8.8.8.8:25/", "http://8.8.8.8:6379/", "https://8.8.8.8:11211/", "http://8.8.8.8:0/", "http://me:secret@8.8.8.8/",
	"http://8.8.8.8\\@127.0.0.1/", "http://8.8.8.8@127.0.0.1/", "http:///",
}

// lookup is a resolver for tests.
func lookup(_ context.Context, host string) ([]netip.Addr, error) {
	address, ok := map[string]string{
		"public.example": "8.8.8.8", "private.example": "10.0.0.1", "mixed6.example": "::ffff:192.168.0.1",
	}[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(address)}, nil
}

// dialServer returns a dial function that connects to the server s instead of the given address. It
// fails the test if the address is not public.
func dialServer(t *testing.T, s *httptest.Server) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if a := netip.MustParseAddrPort(address); !policy.IsPublic(a.Addr()) {
			t.Errorf("%s was dialed", address)
		}
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}
}

// The transport dials no URL of the list, neither for a request nor for a redirect.
func TestTransportHostile(t *testing.T) {
	target := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "public.example" {
			t.Errorf("a request for %s%s", r.Host, r.RequestURI)
		}
		w.Header().Set("Location", target)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	c := httpClient(t, &access.TransportOptions{Dial: dialServer(t, s), Lookup: lookup})
	for _, text := range hostile {
		body := &closeCounter{Reader: strings.NewReader("x")}
		req, err := http.NewRequestWithContext(t.Context(), "POST", text, body)
		if err != nil {
			continue // net/url rejects this URL
		}
		resp, err := c.Transport.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
			t.Errorf("%s: %s", text, resp.Status)
		}
		if body.n.Load() == 0 {
			t.Errorf("%s: the body is still open", text)
		}
		if kind := access.KindOf(err); kind != access.Denied && kind != access.Syntax {
			t.Errorf("%s: %s: %v", text, kind, err)
		}
		if kind := access.KindOf(err); kind == access.Denied && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", text, err)
		}
		if strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range append(hostile, "file:///etc/passwd", "gopher://8.8.8.8/") {
		target = text
		resp, err := c.Post("http://public.example/", "text/plain", strings.NewReader("x"))
		if err == nil {
			resp.Body.Close()
			t.Errorf("redirect to %s: %s", text, resp.Status)
		}
	}
}

// A name can't bypass the policy by changing its address between two requests, or between
// the lookup and the connection.
func TestTransportRebinding(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") }))
	defer s.Close()
	asked := 0
	c := httpClient(t, &access.TransportOptions{Dial: dialServer(t, s), Lookup: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr([]string{"8.8.8.8", "127.0.0.1"}[(asked-1)%2])}, nil
	}})
	for range 4 {
		resp, err := c.Get("http://rebinding.example/")
		if odd := asked%2 == 1; odd != (err == nil) || !odd && !errors.Is(err, policy.ErrDenied) {
			t.Errorf("lookup %d: %v", asked, err)
		}
		if err == nil {
			resp.Body.Close()
		}
	}
}

// A redirect from a public server must not lead to a private server, even if typed URLs
// may.
func TestTransportOrigins(t *testing.T) {
	var inner *httptest.Server
	inner = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		if r.Host == "public.example" {
			http.Redirect(w, r, inner.URL, http.StatusFound)
		}
	}))
	defer inner.Close()
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := httpClient(t, &access.TransportOptions{Policy: p, Lookup: lookup, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, inner.Listener.Addr().String())
	}})
	for _, path := range []string{"/", "/again", "/"} {
		resp, err := c.Get(inner.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	// There is an idle connection to the private server, but the transport does not reuse
	// it.
	if _, err := c.Get("http://public.example/"); !errors.Is(err, policy.ErrDenied) {
		t.Error(err)
	}
}

// The kind of an error distinguishes a URL that is never requested from a server failure.
func TestTransportKinds(t *testing.T) {
	c := httpClient(t, &access.TransportOptions{Policy: anyAddress(t)})
	for text, want := range map[string]access.Kind{
		"http://169.254.169.254/": access.Denied, "http://127.1/": access.Denied, "http://127.0.0.1:25/": access.Denied,
		"ftp://127.0.0.1/": access.Unsupported, "file:///etc/passwd": access.Unsupported, "gopher://127.0.0.1/": access.Unsupported,
		"http://[fe80::1%25lo]/": access.Syntax, "http:127.0.0.1": access.Syntax,
		"http:///x": access.Syntax, "http://:80/": access.Syntax, "https://": access.Syntax,
		"http://127.0.0.1:1024/": access.Unreachable,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(&http.Request{URL: u})
		if err == nil {
			resp.Body.Close()
		}
		if got := access.KindOf(err); got != want || errors.Is(err, fs.ErrPermission) != (want == access.Denied) {
			t.Errorf("%s: kind %q, want %q: %v", text, got, want, err)
		}
	}
}

// Reading a body fails at the limit with the same error as for an object of a client.
func TestTransportLimit(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := "0123456789"
		switch r.URL.Path {
		case "/stream":
			w.(http.Flusher).Flush()
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			g := gzip.NewWriter(w)
			defer g.Close()
			io.WriteString(g, strings.Repeat(text, 1000))
			return
		case "/moved":
			w.Header().Set("Location", "/")
			w.WriteHeader(http.StatusFound)
		}
		io.WriteString(w, text)
	}))
	defer s.Close()
	for _, c := range []struct {
		path  string
		limit int64
		read  int // bytes that are read; 10 if there is no error
	}{
		{"/", 0, 10}, {"/", -1, 10}, {"/", 10, 10}, {"/", 11, 10}, {"/", 9, 9}, {"/", 1, 1},
		{"/stream", 10, 10}, {"/stream", 9, 9}, {"/gzip", 9, 9}, {"/gzip", 5000, 5000}, {"/moved", 9, 9}, {"/moved", 10, 10},
	} {
		client := httpClient(t, &access.TransportOptions{Policy: anyAddress(t), Limit: c.limit})
		resp, err := client.Get(s.URL + c.path)
		if err != nil {
			t.Errorf("%s, limit %d: %v", c.path, c.limit, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := c.read < 10 || c.read > 10; len(body) != c.read || (access.KindOf(err) == access.TooLarge) != want || (err != nil) != want {
			t.Errorf("%s, limit %d: %d bytes, %v", c.path, c.limit, len(body), err)
		}
	}
}

// The transport checks TLS handshakes as net/http does.
func TestTransportTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	s.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := httpClient(t, &access.TransportOptions{Policy: anyAddress(t)}).Get(s.URL)
	var unknown *tls.CertificateVerificationError
	if !errors.As(err, &unknown) {
		t.Error(err)
	}
}
