package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/scheme"
)

// proxyServer starts a proxy that requires a login, responds in place of all servers, and
// rejects tunnels. The function received returns the requests.
func proxyServer(t *testing.T, secure bool) (base string, o *Options, received func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	h := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		list = append(list, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("Proxy-Authorization")+r.Header.Get("Authorization"))
		mu.Unlock()
		switch {
		case r.Header.Get("Proxy-Authorization") == "":
			w.WriteHeader(http.StatusProxyAuthRequired)
		case strings.HasSuffix(r.RequestURI, "/away"):
			w.Header().Set("Location", "http://10.0.0.1/")
			w.WriteHeader(http.StatusFound)
		case strings.HasSuffix(r.RequestURI, "/near"):
			w.Header().Set("Location", "/x")
			w.WriteHeader(http.StatusFound)
		case strings.HasSuffix(r.RequestURI, "/login") && r.Header.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Basic realm="ftp"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/x-proxy")
			io.WriteString(w, "from the proxy")
		}
	}
	o = new(Options)
	if secure {
		s, config := secureServer(t, h, true)
		base, o.TLS = s.URL, config
	} else {
		base = serve(t, h)
	}
	return base, o, func() []string {
		mu.Lock()
		defer mu.Unlock()
		got := list
		list = nil
		return got
	}
}

// viaProxy opens u through a proxy, and reads the object.
func viaProxy(t *testing.T, c *Client, u, via string, change func(*scheme.Request)) (text string, r scheme.Resource, err error) {
	t.Helper()
	req := &scheme.Request{URL: locus.MustParse(u), Dial: new(dialer)}
	if change != nil {
		change(req)
	}
	r, err = c.OpenVia(t.Context(), req, locus.MustParse(via))
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	if o, ok := r.(*scheme.Object); ok {
		octets, err := io.ReadAll(o.Body)
		return string(octets), r, err
	}
	return "", r, nil
}

// The client must send the entire URI to a proxy, whatever the scheme, and must return the
// response as an object.
func TestOpenVia(t *testing.T) {
	for _, secure := range []bool{false, true} {
		base, o, seen := proxyServer(t, secure)
		c := newClient(t, o)
		via := strings.Replace(base, "://", "://me:%70w@", 1)
		const login = " Basic bWU6cHc="
		for _, s := range []struct{ url, want string }{
			{"http://far.example//x?y#z", "http://far.example//x?y far.example"},
			{"http://far.example", "http://far.example/ far.example"},
			{"http://far.example:80/%7e~\"", "http://far.example/%7e~%22 far.example"},
			{"http://far.example:8080/", "http://far.example:8080/ far.example:8080"},
			{"gopher://far.example/7find%09old%20maps", "gopher://far.example/7find%09old%20maps far.example"},
			{"GOPHER://Far.example:7070/0[x]", "GOPHER://Far.example:7070/0%5Bx%5D Far.example:7070"},
			{"gopher://[2001:db8::1]:70/", "gopher://[2001:db8::1]:70/ [2001:db8::1]:70"},
			{"wais://far.example/db?a+b#c", "wais://far.example/db?a+b far.example"},
			{"ftp://ann@far.example//etc;type=a", "ftp://ann@far.example//etc;type=a far.example"},
			{"news:a.b@c", "news:a.b@c " + strings.TrimPrefix(strings.TrimPrefix(base, "http://"), "https://")},
			{"prospero://far.example/a;b=c", "prospero://far.example/a;b=c far.example"},
		} {
			var trace []string
			text, r, err := viaProxy(t, c, s.url, via, func(req *scheme.Request) { req.Trace = func(_ bool, line string) { trace = append(trace, line) } })
			if got := seen(); text != "from the proxy" || err != nil || !slices.Equal(got, []string{"GET " + s.want + login}) {
				t.Errorf("%s: %q, %v, asked %q", s.url, text, err, got)
				continue
			}
			if o := r.(*scheme.Object); o.URL.String() != s.url || o.Type != "text/x-proxy" {
				t.Errorf("%s: %+v", s.url, o)
			}
			target, _, _ := strings.Cut(s.want, " ")
			if shown := strings.Join(trace, "\n"); !strings.Contains(shown, "GET "+target+" HTTP/1.1") || !strings.Contains(shown, "Proxy-Authorization: Basic ***") {
				t.Errorf("trace: %s", shown)
			}
		}

		// The request-target must not contain a password. RFC 1738 section 3.3 allows no
		// password in an http URL, so the client must send the password only after the server
		// requires one.
		for u, want := range map[string]string{
			"http://ann:s3cret@far.example/a":   "GET http://far.example/a far.example" + login,
			"ftp://ann:s3cret@far.example/a":    "GET ftp://ann@far.example/a far.example" + login + "Basic YW5uOnMzY3JldA==",
			"gopher://ann:s3cret@far.example/a": "GET gopher://ann@far.example/a far.example" + login + "Basic YW5uOnMzY3JldA==",
		} {
			_, _, err := viaProxy(t, c, u, via, nil)
			if got := seen(); err != nil || !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %v, asked %q", u, err, got)
			}
		}
		// If the URL contains no login, the client must call Ask.
		_, _, err := viaProxy(t, c, "ftp://far.example/login", via, func(req *scheme.Request) {
			req.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
				return scheme.Credentials{User: "ann", Password: "s3cret"}, true, nil
			}
		})
		if got := seen(); err != nil || len(got) != 2 || !strings.HasSuffix(got[1], "Basic YW5uOnMzY3JldA==") {
			t.Errorf("%v, asked %q", err, got)
		}

		// The client must return a redirect as a scheme.Redirect.
		_, r, err := viaProxy(t, c, "gopher://far.example/away", via, nil)
		if to, ok := r.(*scheme.Redirect); !ok || err != nil || to.To[0].String() != "http://10.0.0.1/" {
			t.Errorf("%+v, %v", r, err)
		}
		if _, _, err := viaProxy(t, c, "gopher://far.example/near", via, nil); !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("a relative redirect from gopher: %v", err)
		}
		_, r, err = viaProxy(t, c, "http://far.example/near", via, nil)
		if to, ok := r.(*scheme.Redirect); !ok || err != nil || to.To[0].String() != "http://far.example/x" {
			t.Errorf("%+v, %v", r, err)
		}
		seen()

		// If the proxy rejects the login, the open must fail after one request.
		_, _, err = viaProxy(t, c, "http://far.example/", base, nil)
		if got := seen(); !errors.Is(err, scheme.ErrAuth) || !strings.Contains(err.Error(), "407") || len(got) != 1 {
			t.Errorf("%v, asked %q", err, got)
		}
	}
}

func TestOpenViaRefuses(t *testing.T) {
	c := newClient(t, nil)
	for _, s := range []struct{ url, via, says string }{
		{"https://far.example/", "http://proxy.example", "tunnel"},
		{"http://far.example/", "socks5://proxy.example", "the proxy"},
		{"http://far.example/", "http://a_b/", "the proxy"},
		{"http://far.example/", "http://a:b%0A@h/", "the proxy"},
		{"http://a_b/", "http://proxy.example", "invalid hostname"},
		{"gopher://a_b/", "http://proxy.example", "invalid hostname"},
		{"ftp://a%0Ab:c@h/", "http://proxy.example", "cannot be sent"},
	} {
		d := new(dialer)
		_, _, err := viaProxy(t, c, s.url, s.via, func(req *scheme.Request) { req.Dial = d })
		if err == nil || !strings.Contains(err.Error(), s.says) || d.dialed.Load() != 0 {
			t.Errorf("%s through %s: %v", s.url, s.via, err)
		}
	}
	if _, _, err := viaProxy(t, c, "http://far.example/", "http://proxy.example", func(req *scheme.Request) { req.Dial = nil }); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
}

// The client must reject invalid responses from a proxy, as from any server.
func TestHostileProxy(t *testing.T) {
	endless := "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 4000)+"\r\n", 200)
	for name, answer := range map[string]string{
		"endless header": endless,
		"endless line":   "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 1<<20),
		"banner":         "220 mail.example ESMTP\r\n",
		"nothing":        "",
		"half":           "HTTP/1.1 200 OK\r\nX-A: b\r\n",
		"interim":        strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 50),
	} {
		base, _ := serveRaw(t, respondWith(answer))
		c := newClient(t, nil)
		if text, _, err := viaProxy(t, c, "gopher://h/", base, nil); !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		conn, err := c.Tunnel(t.Context(), new(dialer), locus.MustParse(base), "h:70")
		if err == nil {
			conn.Close()
		}
		if !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: a tunnel: %v", name, err)
		}
	}
}

func TestTunnel(t *testing.T) {
	for name, s := range map[string]struct {
		answer string
		want   string // data that arrives through the tunnel
		kind   error
		says   string
	}{
		"good":        {answer: "HTTP/1.1 200 Connection established\r\n\r\nhello", want: "hello"},
		"old":         {answer: "HTTP/1.0 200 OK\r\nProxy-Agent: x\r\n\r\nhello", want: "hello"},
		"interim":     {answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", want: "hello"},
		"with a body": {answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyhello", want: "bodyhello"},
		"silent":      {answer: "HTTP/1.1 204 No Content\r\n\r\n"},
		"407":         {answer: "HTTP/1.1 407 Who are you\r\nContent-Length: 4\r\n\r\nbody", kind: scheme.ErrAuth, says: "407"},
		"403":         {answer: "HTTP/1.1 403 Not that port\r\n\r\n", kind: scheme.ErrAuth, says: "Not that port"},
		"503":         {answer: "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n", kind: scheme.ErrProtocol, says: "wait 7s"},
		"escapes":     {answer: "HTTP/1.1 500 \x1b]0;x\x07\r\n\r\n", kind: scheme.ErrProtocol, says: `\x1b]0;x\a`},
		"strange":     {answer: "HTTP/1.1 2000 OK\r\n\r\n", kind: scheme.ErrProtocol},
		"redirect":    {answer: "HTTP/1.1 302 There\r\nLocation: http://10.0.0.1/\r\n\r\n", kind: scheme.ErrProtocol, says: "302"},
	} {
		base, requests := serveRaw(t, respondWith(s.answer))
		c := newClient(t, nil)
		via := locus.MustParse(strings.Replace(base, "://", "://me:%70w@", 1))
		conn, err := c.Tunnel(t.Context(), new(dialer), via, "far.example:443")
		if !errors.Is(err, s.kind) || err != nil && !strings.Contains(err.Error(), s.says) || err == nil && s.kind != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if text, err := io.ReadAll(conn); string(text) != s.want || err != nil {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			conn.Close()
		}
		want := "CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\nUser-Agent: " + agent.Name() + "\r\nProxy-Authorization: Basic bWU6cHc=\r\n\r\n"
		if got := requests(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: asked %q", name, got)
		}
	}
}

func TestTunnelRefuses(t *testing.T) {
	c := newClient(t, nil)
	d := new(dialer)
	for _, s := range []struct{ via, address string }{
		{"http://proxy.example", "h:1\r\nX: y"},
		{"http://proxy.example", "h\x00:1"},
		{"ftp://proxy.example", "h:1"},
	} {
		if _, err := c.Tunnel(t.Context(), d, locus.MustParse(s.via), s.address); err == nil || d.dialed.Load() != 0 {
			t.Errorf("%q through %s: %v", s.address, s.via, err)
		}
	}
	no := errors.New("no")
	if _, err := c.Tunnel(t.Context(), &failingDialer{no}, locus.MustParse("http://proxy.example"), "h:1"); !errors.Is(err, no) {
		t.Error(err)
	}
	// This proxy does not use TLS.
	base := serve(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := c.Tunnel(t.Context(), d, locus.MustParse(strings.Replace(base, "http:", "https:", 1)), "h:1"); !errors.Is(err, scheme.ErrUnreachable) {
		t.Error(err)
	}
}

// When ctx ends, the client must stop waiting for a silent proxy.
func TestTunnelCanceled(t *testing.T) {
	asked := make(chan struct{})
	base, _ := serveRaw(t, func(string) string { close(asked); <-t.Context().Done(); return "" })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := newClient(t, nil).Tunnel(ctx, new(dialer), locus.MustParse(base), "h:1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A proxy may send maxInterim interim responses.
func TestInterimResponses(t *testing.T) {
	for n, ok := range map[int]bool{0: true, maxInterim: true, maxInterim + 1: false} {
		answer := strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", n) + "HTTP/1.1 200 OK\r\n\r\nhello"
		early, err := connect(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(answer), io.Discard}, nil)
		if ok && (err != nil || string(early) != "hello") {
			t.Errorf("%d: %q, %v", n, early, err)
		}
		if !ok && (!errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "more than 8 interim responses")) {
			t.Errorf("%d: %q, %v", n, early, err)
		}
	}
}

// FuzzConnect checks that any response to CONNECT results in a connection or an error, and
// that no data after the header is lost.
func FuzzConnect(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 407 x\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200\n\n"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		var sent bytes.Buffer
		early, err := connect(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(answer), &sent}, []byte("CONNECT h:1 HTTP/1.1\r\n\r\n"))
		if err != nil && early != nil {
			t.Errorf("%q and %v", early, err)
		}
		if err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.")) || !bytes.HasSuffix(answer, early) && err == nil {
			t.Errorf("%q leads to %q", answer, early)
		}
	})
}

// The request-target for a proxy must not contain octets that could end the request-target.
func FuzzAbsolute(f *testing.F) {
	for _, text := range []string{"gopher://h/1a%09b", "news:a@b", "ftp://u:p@[::1]:21/a;type=i#x", "x:\"<>{}|\\^`", "wais://h/é", "http://h?x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		p := proxy{url: URL{url: locus.MustParse("http://proxy.example")}}
		w, err := p.destination(u)
		if err != nil {
			return
		}
		target := w.newRequest(t.Context(), "GET", nil, earlierTransfer{}, false).URL.RequestURI()
		if strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}#", r) }) {
			t.Errorf("%q: %q", text, target)
		}
		v, err := locus.Parse(target)
		if err != nil || v.Scheme() != u.Scheme() || hostKeyOf(v) != hostKeyOf(u) {
			t.Errorf("%q: %q, %v", text, target, err)
		}
		if password, ok := v.Password(); ok {
			t.Errorf("%q: %q has the password %q", text, target, password)
		}
	})
}

func hostKeyOf(u locus.URL) string { return strings.ToLower(u.Host()) }

var _ net.Conn = (*earlyConn)(nil)
