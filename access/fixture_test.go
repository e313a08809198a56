package access

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is an Internet in memory: names with addresses, and one server at each address. The
// server reads a line with a URL and responds with a line about the resource.
type fixture struct {
	// names maps hosts to addresses, separated by spaces. The character "|" separates the
	// results of consecutive lookups. The last result is repeated.
	names map[string]string
	// pages maps URLs to responses: "object TEXT", "referral URL...", "menu URL...",
	// "session", "silent" or "cut TEXT".
	pages map[string]string
	// dead lists the addresses that refuse connections.
	dead map[string]bool

	mu      sync.Mutex
	lookups map[string]int
	dials   []string // the addresses that were dialed
	asked   []string // the URLs that were requested
	servers sync.WaitGroup
}

func (w *fixture) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok := w.names[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	answers := strings.Split(text, "|")
	if w.lookups == nil {
		w.lookups = make(map[string]int)
	}
	n := min(w.lookups[host], len(answers)-1)
	w.lookups[host]++
	var list []netip.Addr
	for _, a := range strings.Fields(answers[n]) {
		list = append(list, netip.MustParseAddr(a))
	}
	return list, nil
}

func (w *fixture) dial(_ context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dials = append(w.dials, address)
	a := netip.MustParseAddrPort(address) // never a name
	if w.dead[a.Addr().String()] {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	client, server := net.Pipe()
	w.servers.Go(func() {
		defer server.Close()
		w.serve(server)
	})
	return client, nil
}

func (w *fixture) serve(c net.Conn) {
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		url := strings.TrimSuffix(line, "\n")
		w.mu.Lock()
		w.asked = append(w.asked, url)
		page, ok := w.pages[url]
		w.mu.Unlock()
		if !ok {
			page = "missing"
		}
		if page == "silent" {
			continue
		}
		if _, err := fmt.Fprintln(c, page); err != nil {
			return
		}
	}
}

// lines is the opener for the server of a fixture. It optionally reuses connections.
type lines struct {
	keep bool

	mu   sync.Mutex
	idle map[idleKey][]net.Conn
}

type idleKey struct {
	dial scheme.Dialer
	host string
}

func (l *lines) connect(ctx context.Context, req *scheme.Request) (net.Conn, idleKey, error) {
	port, ok := req.URL.Port()
	if !ok {
		port = 80
	}
	key := idleKey{req.Dial, net.JoinHostPort(hostKey(req.URL), fmt.Sprint(port))}
	l.mu.Lock()
	defer l.mu.Unlock()
	if list := l.idle[key]; len(list) > 0 {
		l.idle[key] = list[1:]
		return list[0], key, nil
	}
	c, err := req.Dial.DialContext(ctx, "tcp", key.host)
	if err != nil {
		// Some openers return ErrUnreachable for any failure.
		err = fmt.Errorf("%w: %w", scheme.ErrUnreachable, err)
	}
	return c, key, err
}

func (l *lines) done(c net.Conn, key idleKey) {
	if !l.keep {
		c.Close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle == nil {
		l.idle = make(map[idleKey][]net.Conn)
	}
	l.idle[key] = append(l.idle[key], c)
}

func (l *lines) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	c, key, err := l.connect(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("lines: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	if _, err := fmt.Fprintln(c, req.URL.String()); err != nil {
		c.Close()
		return nil, fmt.Errorf("lines: %w", err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("lines: %w", err)
	}
	kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	if kind == "session" {
		stop()
		return &scheme.Session{URL: req.URL, Conn: scheme.PlainTerminal(c)}, nil
	}
	stop()
	l.done(c, key)
	return page(req.URL, kind, rest)
}

// page returns the resource for a page of a fixture.
func page(u locus.URL, kind, rest string) (scheme.Resource, error) {
	var urls []locus.URL
	for _, text := range strings.Fields(rest) {
		if next, err := locus.Parse(text); err == nil {
			urls = append(urls, next)
		}
	}
	switch kind {
	case "object":
		return &scheme.Object{URL: u, Size: -1, Body: io.NopCloser(strings.NewReader(rest))}, nil
	case "cut":
		body := io.MultiReader(strings.NewReader(rest), errorReader{io.ErrUnexpectedEOF})
		return &scheme.Object{URL: u, Size: -1, Body: io.NopCloser(body)}, nil
	case "referral":
		return &scheme.Redirect{URL: u, To: urls}, nil
	case "menu":
		return &scheme.Menu{URL: u, Items: func(yield func(scheme.Item, error) bool) {
			for _, next := range urls {
				if !yield(scheme.Item{URL: next}, nil) {
					return
				}
			}
		}}, nil
	}
	return nil, fmt.Errorf("lines: %w: %s", scheme.ErrNotFound, kind)
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// traits maps the schemes in tests to their traits.
var traits = map[string]scheme.Traits{
	"https": scheme.Secure, "ftps": scheme.Secure, "gophers": scheme.Secure, "nntps": scheme.Secure,
	"file": scheme.Local | scheme.Files, "mid": scheme.Local, "cid": scheme.Local, "mailto": scheme.Local | scheme.Composes,
	"telnet": scheme.Interactive,
}

// registry returns a registry with schemes that use the opener o, and schemes without an
// opener.
func registry(t testing.TB, o scheme.Opener) *scheme.Registry {
	t.Helper()
	row := func(name string, port uint16, o scheme.Opener) scheme.Scheme {
		s := scheme.Generic(name, scheme.Standard)
		s.Port, s.Access.Opener, s.Policy.Encoded = port, o, name == "http" || name == "https"
		s.Traits = traits[name]
		return s
	}
	mailto := row("mailto", 0, nil)
	mailto.Section = "RFC 1738 3.5"
	afs := scheme.Generic("afs", scheme.Reserved)
	afs.Section = "RFC 1738 4"
	wais := row("wais", 210, nil)
	wais.Access.Protocol = "Z39.50"
	r, err := scheme.NewRegistry(row("http", 80, o), row("https", 443, o), row("ftp", 21, o), row("gopher", 70, o), row("telnet", 23, o),
		row("x-session", 80, o), row("file", 0, o), row("mid", 0, o), mailto, afs, wais)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files opens file URLs from the pages of w without a connection. It passes other URLs to
// the opener o.
func files(w *fixture, o scheme.Opener) scheme.Opener {
	return scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		if s := req.URL.Scheme(); s != "file" && s != "mid" {
			return o.Open(ctx, req)
		}
		kind, rest, _ := strings.Cut(w.pages[req.URL.String()], " ")
		return page(req.URL, kind, rest)
	})
}

// client returns a client for w. The client is closed when the test ends.
func (w *fixture) client(t testing.TB, r policy.Rules, o *Options, l *lines) *Client {
	t.Helper()
	p, err := policy.New(r)
	if err != nil {
		t.Fatal(err)
	}
	if o == nil {
		o = new(Options)
	}
	o.Lookup, o.Dial = w.lookup, w.dial
	if l == nil {
		l = new(lines)
	}
	c := New(registry(t, files(w, l)), p, o)
	t.Cleanup(func() {
		c.Close()
		w.servers.Wait()
	})
	return c
}

// dialed returns the hosts that were dialed since the last call.
func (w *fixture) dialed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.dials
	w.dials = nil
	return list
}

// openText opens u and returns the text of the object.
func openText(t *testing.T, c *Client, req Request) (string, *Result, error) {
	t.Helper()
	res, err := c.Do(t.Context(), req)
	if err != nil {
		return "", nil, err
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return fmt.Sprintf("%T", res.Resource), res, nil
	}
	text, err := io.ReadAll(o.Body)
	return string(text), res, err
}

// deniedBy returns the rule of the denial err, or "".
func deniedBy(err error) string {
	var denied *policy.DeniedError
	if errors.As(err, &denied) {
		return denied.Rule
	}
	return ""
}

func texts(list []locus.URL) string {
	var b []string
	for _, u := range list {
		b = append(b, u.String())
	}
	return strings.Join(b, " ")
}

var parse = locus.MustParse

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
