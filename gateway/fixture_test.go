package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func TestMain(m *testing.M) { // net/http waits for half a second after a response that closes a connection
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// fixture is a gateway on loopback.
type fixture struct {
	t    testing.TB
	g    *gateway.Gateway
	addr string
	base string // "http://127.0.0.1:1738"
	http *http.Client
	log  *safeBuffer
	end  func() error // shuts down the server
	// server serves g.
	server *gateway.Server
	rows   *scheme.Registry
}

// safeBuffer is a buffer for concurrent writes.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// setup holds the options of a fixture.
type setup struct {
	rules   policy.Rules
	access  access.Options
	schemes []scheme.Scheme // schemes that replace the defaults
	gateway gateway.Options
	server  gateway.ServerOptions
	listen  func() (net.Listener, error)      // makes a listener that replaces the loopback listener; may be nil
	row     func(scheme.Scheme) scheme.Scheme // changes each row of the registry; may be nil
	store   *cache.Options                    // options of a store; nil for no store
}

// loopbackSetup allows the test servers, which all use loopback.
var loopbackSetup = setup{rules: policy.Rules{AllowPrivate: true, Passwords: true}}

func start(t testing.TB, s setup) *fixture {
	t.Helper()
	registry, err := all.Registry(s.schemes...)
	if err != nil {
		t.Fatal(err)
	}
	if s.row != nil {
		rows := registry.All()
		for i := range rows {
			rows[i] = s.row(rows[i])
		}
		if registry, err = scheme.NewRegistry(rows...); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := policy.New(s.rules)
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, rules, &s.access)
	if s.store != nil {
		store, err := cache.Open(t.TempDir(), registry, s.store)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		s.gateway.Cache = store
	}
	w := &fixture{t: t, log: new(safeBuffer), rows: registry}
	if s.gateway.Log == nil {
		s.gateway.Log = slog.New(slog.NewTextHandler(w.log, nil))
	}
	w.g, err = gateway.New(client, &s.gateway)
	if err != nil {
		t.Fatal(err)
	}
	if s.listen == nil {
		s.listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	l, err := s.listen()
	if err != nil {
		t.Fatal(err)
	}
	server := gateway.NewServer(w.g, &s.server)
	w.server = server
	w.end = func() error { return server.Shutdown(context.Background()) }
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	w.addr = l.Addr().String()
	w.base = "http://" + w.addr
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	w.http = &http.Client{Transport: transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // aborts running requests
		if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		w.closeIdle()
		client.Close()
	})
	return w
}

// closeIdle closes idle connections to servers.
func (w *fixture) closeIdle() {
	w.g.Close()
	for _, s := range w.rows.All() {
		if opener, ok := s.Access.Opener.(io.Closer); ok {
			opener.Close()
		}
	}
}

// answer is a response with its whole body.
type answer struct {
	*http.Response
	body string
}

// exchange sends a request to the gateway. The path may be a whole URL. The parameter fields contains
// header names and values in turns.
func (w *fixture) exchange(method, path, body string, fields ...string) answer {
	w.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = w.base + path
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "Host" {
			req.Host = fields[i+1]
			continue
		}
		req.Header.Add(fields[i], fields[i+1])
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp, string(text)}
}

func (w *fixture) get(path string, fields ...string) answer {
	w.t.Helper()
	return w.exchange("GET", path, "", fields...)
}

// browser holds header fields of browsers.
var browser = []string{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

// raw sends octets to the gateway and returns all bytes that it receives until the
// connection is closed.
func (w *fixture) raw(octets string) string {
	w.t.Helper()
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, octets); err != nil {
		w.t.Fatal(err)
	}
	text, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, net.ErrClosed) && len(text) == 0 {
		w.t.Fatalf("%q: %v", octets, err)
	}
	return string(text)
}

// proxied uses the gateway as a proxy, with HTTP/1.0 as old browsers do.
func (w *fixture) proxied(method, u string, fields ...string) answer {
	w.t.Helper()
	var b strings.Builder
	b.WriteString(method + " " + u + " HTTP/1.0\r\n")
	for i := 0; i < len(fields); i += 2 {
		b.WriteString(fields[i] + ": " + fields[i+1] + "\r\n")
	}
	text := w.raw(b.String() + "\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("%s: %v: %q", u, err, text)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s: %v: %q", u, err, text)
	}
	return answer{resp, string(body)}
}

// listen serves f on loopback to one connection after the other.
func listen(t testing.TB, f func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				f(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

// outside changes a setup so that every host name resolves to a public address, and every
// connection leads to the test server.
func outside(s setup, server string) setup {
	s.access.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "inward.example" {
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	s.access.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server)
	}
	return s
}

func query(u string) string { return url.QueryEscape(u) }

var parse = locus.MustParse

// field returns the value of a form field in a page.
func field(t testing.TB, body, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(body, `name="`+name+`" value="`)
	value, _, ok2 := strings.Cut(rest, `"`)
	if !ok || !ok2 {
		t.Fatalf("there is no %s in %s", name, body)
	}
	return strings.NewReplacer("&amp;", "&", "&#43;", "+", "&#39;", "'", "&#34;", `"`).Replace(value)
}
