package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/scheme"
)

// discardLog discards the log of test servers.
var discardLog = log.New(io.Discard, "", 0)

// readOnce opens u and reads the whole object.
func readOnce(t *testing.T, c *Client, u string, d scheme.Dialer) *scheme.Object {
	t.Helper()
	r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(u), Dial: d})
	if err != nil {
		t.Fatal(err)
	}
	o := r.(*scheme.Object)
	if _, err := io.Copy(io.Discard, o.Body); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

// The client must not use a connection of one dialer for a request with another dialer.
func TestConnectionsAreSeparate(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	c := newClient(t, nil)
	a, b := new(dialer), new(dialer)
	for range 3 {
		readOnce(t, c, base, a)
		readOnce(t, c, base, b)
	}
	if a.dialed.Load() != 1 || b.dialed.Load() != 1 {
		t.Errorf("dialed %d and %d times", a.dialed.Load(), b.dialed.Load())
	}
}

func TestTransportsAreBounded(t *testing.T) {
	var mu sync.Mutex
	open := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }))
	closed := make(chan bool, 100)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateNew:
			open++
		case http.StateClosed:
			open--
			closed <- true
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := newClient(t, nil)
	first := new(dialer)
	held, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(s.URL), Dial: first})
	if err != nil {
		t.Fatal(err)
	}
	const more = 2 * maxTransports
	for range more {
		readOnce(t, c, s.URL, new(dialer))
	}
	if n := len(c.transports); n != maxTransports {
		t.Errorf("%d transports", n)
	}
	for range more - maxTransports {
		<-closed
	}
	if text, err := io.ReadAll(held.(*scheme.Object).Body); string(text) != "x" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	held.Close()
	held.Close() // a second Close has no effect
	<-closed     // the client had already dropped its transport
	c.Close()
	for range maxTransports {
		<-closed
	}
	mu.Lock()
	defer mu.Unlock()
	if len(c.transports) != 0 || open != 0 {
		t.Errorf("after Close: %d transports, %d connections", len(c.transports), open)
	}
	if _, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(s.URL), Dial: first}); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// More than maxTransports transports must be usable concurrently.
func TestManyTransportsInUse(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	c := newClient(t, nil)
	var open []scheme.Resource
	for range maxTransports + 3 {
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base), Dial: new(dialer)})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, r)
	}
	for _, r := range open {
		if text, err := io.ReadAll(r.(*scheme.Object).Body); string(text) != "x" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		r.Close()
	}
	if len(c.transports) != maxTransports {
		t.Errorf("%d transports are left", len(c.transports))
	}
}

// Data after a response must cause an error. The client must not read the data as the next
// response, and must use another connection for the next request.
func TestExcessIsNotTheNextResponse(t *testing.T) {
	base, requests := serveRaw(t, respondWith("HTTP/1.1 200 OK", "Content-Length: 1", "", "xHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
	c := newClient(t, nil)
	d := new(dialer)
	for range 2 {
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base), Dial: d})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.(*scheme.Object).Body)
		if string(text) != "x" || !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%q, %v", text, err)
		}
		r.Close()
	}
	if len(requests()) != 2 || d.dialed.Load() != 2 {
		t.Errorf("%d requests over %d connections", len(requests()), d.dialed.Load())
	}
}

func secureServer(t *testing.T, h http.HandlerFunc, h2 bool) (*httptest.Server, *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = h2
	s.Config.ErrorLog = discardLog
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func TestSecure(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		var mu sync.Mutex
		var protos []string
		s, config := secureServer(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			protos = append(protos, r.Proto+" "+r.Host+" "+r.RequestURI)
			mu.Unlock()
			switch r.URL.Path {
			case "/short":
				w.Header().Set("Content-Length", "10")
				io.WriteString(w, "12345")
			case "/trailer":
				w.Header().Set("Trailer", "X-Sum")
				io.WriteString(w, "12345")
				if r.URL.RawQuery == "" {
					w.Header().Set("X-Sum", "1")
				}
			default:
				io.WriteString(w, "12345")
			}
		}, h2)
		c := newClient(t, &Options{TLS: config})
		d := new(dialer)
		open := func(path string) (string, error) {
			r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(s.URL + path), Dial: d})
			if err != nil {
				return "", err
			}
			defer r.Close()
			text, err := io.ReadAll(r.(*scheme.Object).Body)
			return string(text), err
		}
		for _, path := range []string{"//x/../%2f?a|", "/trailer"} {
			if text, err := open(path); text != "12345" || err != nil {
				t.Errorf("h2 %v %s: %q, %v", h2, path, text, err)
			}
		}
		for _, path := range []string{"/short", "/trailer?missing"} {
			if text, err := open(path); text != "12345" || !errors.Is(err, scheme.ErrProtocol) {
				t.Errorf("h2 %v %s: %q, %v", h2, path, text, err)
			}
		}
		proto := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[h2]
		if want := proto + " " + strings.TrimPrefix(s.URL, "https://") + " //x/../%2f?a%7C"; protos[0] != want {
			t.Errorf("got %q, want %q", protos[0], want)
		}
		if n := d.dialed.Load(); n > 2 {
			t.Errorf("h2 %v: %d connections", h2, n)
		}
	}
}

func TestFailuresOfTLS(t *testing.T) {
	s, _ := secureServer(t, func(http.ResponseWriter, *http.Request) {}, true)
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	for url, text := range map[string]string{
		s.URL: "certificate is not trusted",
		strings.Replace(plain, "http:", "https:", 1): "write http instead",
	} {
		if _, err := openURL(t, url, nil); !errors.Is(err, scheme.ErrUnreachable) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := openURL(t, strings.Replace(s.URL, "https:", "http:", 1), nil); !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("http to a TLS port: %v", err)
	}
}

func TestTrace(t *testing.T) {
	s, config := secureServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Set-Cookie", "secret=1")
		w.Header().Set("Content-Location", "http://u:secret@h/")
		w.Header().Set("Location", "http://u:secret@h/")
		io.WriteString(w, "x")
	}, true)
	base := serve(t, s.Config.Handler.ServeHTTP)
	for url, want := range map[string][]string{
		base + "/a?b": {
			"> GET /a?b HTTP/1.1", "> Host: HOST", "> User-Agent: " + agent.Name(), "> Accept: */*", "> Accept-Encoding: gzip",
			"< HTTP/1.1 200 OK", "< Content-Length: 1", "< Content-Location: http://u:******@h/", "< Content-Type: text/plain; charset=utf-8", "< Location: http://u:******@h/", "< Set-Cookie: ***",
		},
		s.URL + "/a?b": {
			"> :authority: HOST", "> :method: GET", "> :path: /a?b", "> :scheme: https", "> user-agent: " + agent.Name(), "> accept: */*", "> accept-encoding: gzip",
			"< HTTP/2.0 200 OK", "< Content-Length: 1", "< Content-Location: http://u:******@h/", "< Content-Type: text/plain; charset=utf-8", "< Location: http://u:******@h/", "< Set-Cookie: ***",
		},
	} {
		var got []string
		c := newClient(t, &Options{TLS: config})
		u := locus.MustParse(url)
		r, err := c.Open(t.Context(), &scheme.Request{URL: u, Dial: new(dialer), Trace: func(sent bool, line string) {
			mark := map[bool]string{true: "> ", false: "< "}[sent]
			host := u.Host()
			if port, ok := u.PortText(); ok {
				host += ":" + port
			}
			got = append(got, mark+strings.ReplaceAll(line, host, "HOST"))
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		// The package net/http determines the order of header fields on the wire.
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", url, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// The client must not use a proxy from the environment variables.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	_, err := openURL(t, "http://far.example/", func(r *scheme.Request) { r.Dial = &addressErrorDialer{} })
	if err == nil || !strings.Contains(err.Error(), "far.example:80") {
		t.Error(err)
	}
}

// addressErrorDialer is a dialer that fails with an error that contains the address.
type addressErrorDialer struct{ _ int }

func (*addressErrorDialer) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	return nil, errors.New(address)
}

func TestScheme(t *testing.T) {
	if s := Scheme(nil); s.Access.Opener == nil || s.Name != "http" || s.Port != 80 || s.Status != scheme.Standard {
		t.Errorf("%+v", s)
	}
	c := newClient(t, nil)
	s := SecureScheme(c)
	if s.Access.Opener == nil || s.Name != "https" || s.Port != 443 || s.Status != scheme.Extension {
		t.Errorf("%+v", s)
	}
	list, err := s.Syntax.Fields(locus.MustParse("https://h/a%20b"))
	if err != nil || len(list) != 2 || list[0].Value != "a b" || list[1].Value != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestGet(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	h, err := Parse(locus.MustParse(base))
	if err != nil {
		t.Fatal(err)
	}
	r, err := newClient(t, nil).Get(t.Context(), new(dialer), h)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}
