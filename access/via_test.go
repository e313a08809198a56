package access_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	lhttp "github.com/locus-url/locus/scheme/http"
)

// log records the requests to a server.
type log struct {
	mu   sync.Mutex
	list []string
}

func (l *log) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, text)
}

// takeEntries returns the entries since the last call.
func (l *log) takeEntries() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// join copies data between two connections until both have ended.
func join(a, b net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { io.Copy(a, b); a.Close() })
	both.Go(func() { io.Copy(b, a); b.Close() })
	both.Wait()
}

// dialHere connects to the loopback address, whatever the host.
func dialHere(address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(context.Background(), "tcp", "127.0.0.1:"+port)
}

// startProxy starts an HTTP proxy that resolves every name to the loopback address. It
// responds to GET with the request target, and makes tunnels.
func startProxy(t *testing.T) (address string, asked *log) {
	t.Helper()
	asked = new(log)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.add(strings.TrimSpace(r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization")))
		if to, ok := strings.CutPrefix(r.RequestURI, "gopher://away.example/0"); ok {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		if strings.Contains(r.RequestURI, "gopher://on.example/") {
			// Each response redirects to another URL.
			w.Header().Set("Location", "gopher://on.example/0x"+strconv.Itoa(len(r.RequestURI))+strings.Repeat("x", len(r.RequestURI)))
			w.WriteHeader(http.StatusFound)
			return
		}
		if r.Method != http.MethodConnect {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, r.RequestURI)
			return
		}
		up, err := dialHere(r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			up.Close()
			return
		}
		io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		join(down, up)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), asked
}

// startSOCKS starts a SOCKS proxy (RFC 1928) that replaces every name and address by the
// loopback address. It can require the login me:pw.
func startSOCKS(t *testing.T, login bool) (address string, asked *log) {
	t.Helper()
	asked = new(log)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer c.Close()
				serveSOCKS(c, login, asked)
			})
		}
	})
	t.Cleanup(func() { l.Close(); served.Wait() })
	return l.Addr().String(), asked
}

func serveSOCKS(c net.Conn, login bool, asked *log) {
	in := bufio.NewReader(c)
	take := func(n byte) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(in, b); err != nil {
			return make([]byte, n)
		}
		return b
	}
	methods := take(take(2)[1])
	if login {
		if !slices.Contains(methods, 2) {
			c.Write([]byte{5, 0xFF})
			return
		}
		c.Write([]byte{5, 2})
		user := string(take(take(2)[1]))
		password := string(take(take(1)[0]))
		if user != "me" || password != "pw" {
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
	} else {
		c.Write([]byte{5, 0})
	}
	var host string
	switch take(4)[3] {
	case 1:
		host = netip.AddrFrom4([4]byte(take(4))).String()
	case 3:
		host = string(take(take(1)[0]))
	case 4:
		host = netip.AddrFrom16([16]byte(take(16))).String()
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(take(2)))))
	asked.add(address)
	up, err := dialHere(address)
	if err != nil {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	join(c, up)
}

// gated is a client with proxies and real schemes.
type gated struct {
	*access.Client
	via     log // proxies of Options.Observe
	lookups log
}

// parseGateways parses proxies from a text such as "scheme=gateway all=gateway
// except=list", separated by spaces.
func parseGateways(t *testing.T, text string) *access.Proxies {
	t.Helper()
	rules := access.ProxyRules{Schemes: map[string]access.Proxy{}}
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		if name == "except" {
			rules.Except = value
			continue
		}
		g, err := access.ParseProxy(value)
		if err != nil {
			t.Fatal(err)
		}
		if name == "all" {
			rules.All = g
		} else {
			rules.Schemes[name] = g
		}
	}
	list, err := access.NewProxies(rules)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// newGated makes a client with the proxies in a text.
func newGated(t *testing.T, rules policy.Rules, config *tls.Config, gateways string) *gated {
	t.Helper()
	client := lhttp.New(&lhttp.Options{TLS: config})
	registry, err := all.Registry(lhttp.Scheme(client), lhttp.SecureScheme(client))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	c := new(gated)
	c.Client = access.New(registry, p, &access.Options{
		Proxies: parseGateways(t, gateways),
		Observe: func(_ context.Context, a access.Attempt) func(access.AttemptResult) {
			for _, g := range a.Proxies {
				c.via.add(a.URL + " " + g.String())
			}
			return nil
		},
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			c.lookups.add(host)
			if host == "public.example" {
				return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
			}
			if !strings.HasSuffix(host, ".example") {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	t.Cleanup(func() {
		c.Close()
		for _, s := range registry.All() {
			if opener, ok := s.Access.Opener.(io.Closer); ok {
				opener.Close()
			}
		}
	})
	return c
}

// openText opens u and returns its text.
func (c *gated) openText(t *testing.T, req access.Request) (string, *access.Result, error) {
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

func typed(u string) access.Request { return access.Request{URL: locus.MustParse(u)} }

// publicLink returns a request for a URL from a public page.
func publicLink(u string) access.Request {
	return access.Request{URL: locus.MustParse(u), From: &access.Result{URL: locus.MustParse("http://public.example/"), LinkOrigin: policy.FromPublic}}
}

// typedOnlyRules contains rules that allow only typed URLs to lead to this machine.
var typedOnlyRules = policy.Rules{TypedPrivate: true, Passwords: true}

func TestThroughProxy(t *testing.T) {
	address, asked := startProxy(t)
	c := newGated(t, typedOnlyRules, nil, "all=http://me:%70w@"+address+" except=127.0.0.1:1024,direct.example")
	shown := "http://me:***@" + address
	for _, u := range []string{"http://h.example/a?b#c", "gopher://h.example/1a%09b#c", "ftp://h.example//a;type=d", "news:a.b", "nntp://h.example/a.b/1",
		"wais://h.example/db?a", "prospero://h.example/a;b=c", "x-new:anything", "afs://h.example/"} {
		text, res, err := c.openText(t, typed(u))
		sent, _, _ := strings.Cut(u, "#")
		if text != sent || err != nil {
			t.Errorf("%s: %q, %v", u, text, err)
			continue
		}
		if res.URL.String() != u || res.LinkOrigin != policy.FromPublic || len(res.Hops) != 1 || res.Resource.(*scheme.Object).URL.String() != sent {
			t.Errorf("%s: %+v", u, res)
		}
		if got := asked.takeEntries(); !slices.Equal(got, []string{"GET " + sent + " Basic bWU6cHc="}) {
			t.Errorf("%s: the proxy was asked %q", u, got)
		}
		if got := c.via.takeEntries(); !slices.Equal(got, []string{sent + " " + shown}) {
			t.Errorf("%s: told of %q", u, got)
		}
	}
	if got := c.lookups.takeEntries(); len(got) > 0 {
		t.Errorf("looked up %q", got)
	}
	// A typed URL with a private address may lead to other private addresses.
	if _, res, err := c.openText(t, typed("http://10.1.2.3/")); err != nil || res.LinkOrigin != policy.FromPrivate {
		t.Errorf("%+v, %v", res, err)
	}
	asked.takeEntries()
	// These URLs do not go through the proxy.
	for u, kind := range map[string]access.Kind{
		"http://127.0.0.1:1024/": access.Unreachable, "file:///nothing-is-here": access.Denied, "mailto:a@b.example": access.Unsupported,
	} {
		if _, _, err := c.openText(t, typed(u)); access.KindOf(err) != kind || len(asked.takeEntries()) != 0 {
			t.Errorf("%s: %v", u, err)
		}
	}
	if _, _, err := c.openText(t, typed("http://direct.example:1024/")); access.KindOf(err) != access.Unreachable || len(asked.takeEntries()) != 0 || len(c.lookups.takeEntries()) != 1 {
		t.Errorf("an exception: %v", err)
	}
	req := typed("news:a.b")
	req.Items.Newest = 5
	var by *access.ProxyError
	if _, _, err := c.openText(t, req); access.KindOf(err) != access.Unsupported || !strings.Contains(err.Error(), "through "+shown) ||
		!errors.As(err, &by) || len(by.Proxies) != 1 || len(asked.takeEntries()) != 0 {
		t.Errorf("items: %v", err)
	}
	req = typed("wais://h.example/db?a")
	req.Like = []locus.URL{locus.MustParse("wais://h.example/db/TEXT/1=2;")}
	if _, _, err := c.openText(t, req); access.KindOf(err) != access.Unsupported || len(asked.takeEntries()) != 0 {
		t.Errorf("like: %v", err)
	}
}

// The policy judges a URL that goes through a proxy like any other URL.
func TestProxyPolicy(t *testing.T) {
	address, asked := startProxy(t)
	gw, gwAsked := startProxy(t)
	socks, socksAsked := startSOCKS(t, false)
	for _, gateways := range []string{"all=http://" + address, "all=http://" + gw + "/{url}", "all=socks5h://" + socks, "all=socks5://" + socks} {
		c := newGated(t, typedOnlyRules, nil, gateways)
		for _, s := range []struct {
			req  access.Request
			rule string
		}{
			{publicLink("http://10.0.0.1/"), "private"},
			{publicLink("gopher://[::1]/"), "private"},
			{publicLink("http://127.0.0.1:" + strings.Split(address, ":")[1] + "/"), "private"},
			{publicLink("http://localhost/"), "private"},
			{publicLink("gopher://10.0.0.1/"), "private"},
			{typed("http://h.example:25/"), "port"},
			{typed("gopher://0x7f.1/"), "host"},
			{publicLink("file:///etc/passwd"), "file"},
		} {
			_, _, err := c.openText(t, s.req)
			var denied *policy.DeniedError
			if !errors.As(err, &denied) || denied.Rule != s.rule {
				t.Errorf("%s, %s: %v", gateways, s.req.URL, err)
			}
		}
		if len(asked.takeEntries())+len(gwAsked.takeEntries())+len(socksAsked.takeEntries()) != 0 {
			t.Errorf("%s: the gateway was asked", gateways)
		}
	}
	// The policy judges the addresses that a SOCKS proxy receives.
	c := newGated(t, typedOnlyRules, nil, "all=socks5://"+socks)
	if _, _, err := c.openText(t, publicLink("http://inner.example/")); access.KindOf(err) != access.Denied || len(socksAsked.takeEntries()) != 0 {
		t.Errorf("a followed name of this machine: %v", err)
	}
	// A proxy may be on this machine.
	c = newGated(t, policy.Rules{}, nil, "http=http://"+address+" gopher=http://"+gw+"/{url} wais=socks5h://"+socks+" ftp=socks5://"+socks+" except="+gw)
	for _, u := range []string{"http://public.example/", "gopher://public.example/"} {
		if _, _, err := c.openText(t, publicLink(u)); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"wais://public.example:1/db?a", "wais://public.example:1024/db?a", "ftp://public.example:1024/"} {
		c.openText(t, publicLink(u))
	}
	if a, b, s := asked.takeEntries(), gwAsked.takeEntries(), socksAsked.takeEntries(); len(a) != 1 || len(b) != 1 || !slices.Equal(s, []string{"public.example:1024", "1.1.1.1:1024"}) {
		t.Errorf("asked %q, %q, %q", a, b, s)
	}
	for _, u := range []string{"http://127.0.0.1/", "gopher://localhost/", "wais://10.0.0.1/db", "ftp://inner.example/"} {
		if _, _, err := c.openText(t, typed(u)); access.KindOf(err) != access.Denied {
			t.Errorf("%s: %v", u, err)
		}
	}
	if len(asked.takeEntries())+len(gwAsked.takeEntries())+len(socksAsked.takeEntries()) != 0 {
		t.Error("a gateway was asked")
	}
}

// The policy judges a redirect from a proxy like any other redirect.
func TestProxyRedirects(t *testing.T) {
	proxy, asked := startProxy(t)
	for _, s := range []struct {
		gateways, to string
		kind         access.Kind
		says         string
	}{
		{"gopher=http://" + proxy, "http://10.0.0.1/", access.Denied, "private"},
		{"gopher=http://" + proxy, "http://127.0.0.1:9999/", access.Denied, "not a public address"},
		{"gopher=http://" + proxy, "http://localhost/", access.Denied, "not a public name"},
		{"gopher=http://" + proxy, "http://inner.example/", access.Denied, "it comes from a link or redirect"},
		{"gopher=http://" + proxy, "file:///etc/passwd", access.Denied, "file"},
		{"gopher=http://" + proxy, "telnet://h.example/", access.Denied, "session"},
		{"gopher=http://" + proxy, "gopher://away.example/0gopher://away.example/0x", access.Syntax, ""},
		{"gopher=http://" + proxy, "relative", access.Syntax, ""},
		{"all=http://" + proxy, "http://10.0.0.1/", access.Denied, "private"},
		{"all=http://" + proxy, "gopher://on.example/0", access.Denied, "more than 20 redirects"},
	} {
		c := newGated(t, typedOnlyRules, nil, s.gateways)
		_, _, err := c.openText(t, typed("gopher://away.example/0"+s.to))
		if access.KindOf(err) != s.kind || !strings.Contains(err.Error(), s.says) {
			t.Errorf("%s to %s: %v", s.gateways, s.to, err)
		}
		if n := len(asked.takeEntries()); n == 0 || n > 22 {
			t.Errorf("%s to %s: %d requests", s.gateways, s.to, n)
		}
	}
	// The client follows an allowed redirect through the proxy for the new URL.
	c := newGated(t, typedOnlyRules, nil, "all=http://"+proxy)
	text, res, err := c.openText(t, typed("gopher://away.example/0http://there.example/x#f"))
	if text != "http://there.example/x" || err != nil || res.URL.String() != "http://there.example/x#f" || len(res.Hops) != 2 {
		t.Errorf("%q, %+v, %v", text, res, err)
	}
}

func TestTemplate(t *testing.T) {
	gw, asked := startProxy(t)
	proxy, proxyAsked := startProxy(t)
	c := newGated(t, typedOnlyRules, nil, "gopher=http://"+gw+"/get?u={url}&v=1 ftp=http://"+gw+"/{+url} x-old=http://gw.example/{url} http=http://"+proxy+" except="+strings.Split(gw, ":")[0]+":"+strings.Split(gw, ":")[1])
	const escaped = "/get?u=gopher%3A%2F%2Fh.example%2F7a%2509%22b%22%3F%26&v=1"
	text, res, err := c.openText(t, typed("gopher://h.example/7a%09\"b\"?&#frag"))
	if text != escaped || err != nil || res.URL.String() != "gopher://h.example/7a%09\"b\"?&#frag" || res.LinkOrigin != policy.FromPublic {
		t.Fatalf("%q, %+v, %v", text, res, err)
	}
	if o := res.Resource.(*scheme.Object); o.URL.Scheme() != "gopher" || o.Type != "text/html" {
		t.Errorf("%+v", o)
	}
	if text, _, err := c.openText(t, typed("ftp://h.example//a%2Fb;type=i?c")); text != "/ftp://h.example//a%2Fb;type=i?c" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	asked.takeEntries()
	// The scheme of this template has its own proxy.
	if text, _, err := c.openText(t, typed("x-old:y")); text != "http://gw.example/x-old%3Ay" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if got := c.via.takeEntries(); len(got) != 4 || got[2] != "x-old:y http://gw.example/{url}" || got[3] != "x-old:y http://"+proxy {
		t.Errorf("told of %q", got)
	}
	if len(proxyAsked.takeEntries()) != 1 || len(asked.takeEntries()) != 0 {
		t.Error("who was asked")
	}
	// The client can't know whether the password is for the proxy.
	if _, _, err := c.openText(t, typed("ftp://u:s3cret@h.example/")); access.KindOf(err) != access.Denied || len(asked.takeEntries()) != 0 || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

// A proxy receives no password, even from a mistyped URL. A template receives no password
// at all, and a proxy receives no text that the scheme treats as a password.
func TestMistypedPasswordsAreNotSent(t *testing.T) {
	gw, asked := startProxy(t)
	for _, gateways := range []string{"all=http://" + gw + "/{url}", "all=http://" + gw + "/{+url}", "all=http://" + gw} {
		c := newGated(t, typedOnlyRules, nil, gateways)
		for _, text := range secrettest.URLs(secrettest.Password, "h.example") {
			u, err := locus.Parse(text)
			if err != nil || !strings.Contains(u.WithoutFragmentText(), secrettest.Half) {
				continue
			}
			_, _, err = c.openText(t, typed(text))
			if err != nil && strings.Contains(err.Error(), secrettest.Half) {
				t.Errorf("%s by %s: %v", text, gateways, err)
			}
			isTemplate := strings.Contains(gateways, "{")
			_, isKnown := c.Registry().Lookup(u.Scheme())
			if isTemplate && err == nil {
				t.Errorf("%s goes to %s", text, gateways)
			}
			for _, line := range asked.takeEntries() {
				// The server needs the search, path or selector of a URL.
				if strings.Contains(line, secrettest.Half) && (isTemplate || !isKnown || !strings.Contains(text, "://h.example/")) {
					t.Errorf("%s by %s is %q", text, gateways, line)
				}
			}
		}
	}
}

// For a URL that goes through a template, the client opens no other connection.
func TestTemplateAlone(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	strange := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		_, err := req.Dial.DialContext(ctx, "tcp", strings.TrimPrefix(other.URL, "http://"))
		return nil, err
	})
	row := scheme.Generic("x-gw", scheme.Extension)
	row.Access.Opener = strange
	registry, err := scheme.NewRegistry(row)
	if err != nil {
		t.Fatal(err)
	}
	g, err := access.ParseProxy("x-gw://gw.example/{url}")
	if err != nil {
		t.Fatal(err)
	}
	gateways, err := access.NewProxies(access.ProxyRules{All: g})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, &access.Options{Proxies: gateways})
	defer c.Close()
	_, err = c.Open(t.Context(), "gopher://h.example/")
	var denied *policy.DeniedError
	if !errors.As(err, &denied) || denied.Rule != "gateway" {
		t.Error(err)
	}
}

// Encrypted connections, such as https connections, go through a tunnel of the proxy.
func TestConnect(t *testing.T) {
	proxy, asked := startProxy(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host+r.RequestURI) }))
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	c := newGated(t, typedOnlyRules, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, "all=http://me:%70w@"+proxy)
	text, res, err := c.openText(t, typed("https://sub.example.com"+port+"/a"))
	if err == nil && res.LinkOrigin != policy.FromPublic {
		t.Errorf("origin %v", res.LinkOrigin)
	}
	want := []string{"CONNECT sub.example.com" + port + " Basic bWU6cHc="}
	if got := asked.takeEntries(); text != "" && err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, asked %q", text, err, got)
	}
	// httptest's certificate is valid for example.com and loopback.
	text, _, err = c.openText(t, typed("https://example.com"+port+"/a"))
	if text != "example.com"+port+"/a" || err != nil || len(c.lookups.takeEntries()) != 0 {
		t.Errorf("%q, %v", text, err)
	}
	asked.takeEntries()
	for _, u := range []string{"gophers://h.example:1/", "ftps://h.example:1/", "nntps://h.example:1/a.b", "telnet://h.example:1024/"} {
		_, _, err := c.openText(t, typed(u))
		if got := asked.takeEntries(); err == nil || len(got) != 1 && access.KindOf(err) != access.Denied || len(got) == 1 && !strings.HasPrefix(got[0], "CONNECT h.example:") {
			t.Errorf("%s: %v, asked %q", u, err, got)
		}
	}
}

// FTP goes through SOCKS with its data connections.
func TestSOCKS(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"pub/hello.txt": {Data: "Hello\n"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	port := server.Addr()[strings.LastIndexByte(server.Addr(), ':'):]
	for _, s := range []struct {
		gateway string
		login   bool
		host    string // host that the proxy receives
		looked  int
		origin  policy.Origin
	}{
		{"socks5h://", false, "h.example", 0, policy.FromPublic},
		{"socks5h://me:%70w@", true, "h.example", 0, policy.FromPublic},
		{"socks5://", false, "127.0.0.1", 1, policy.FromPrivate},
		{"socks5://me:pw@", true, "127.0.0.1", 1, policy.FromPrivate},
	} {
		address, asked := startSOCKS(t, s.login)
		c := newGated(t, typedOnlyRules, nil, "all="+s.gateway+address)
		text, res, err := c.openText(t, typed("ftp://h.example"+port+"/pub/hello.txt"))
		got := asked.takeEntries()
		if text != "Hello\n" || err != nil || len(got) != 2 || got[0] != s.host+port || !strings.HasPrefix(got[1], s.host+":") {
			t.Errorf("%s: %q, %v, asked %q", s.gateway, text, err, got)
			continue
		}
		if looked := c.lookups.takeEntries(); len(looked) != s.looked || res.LinkOrigin != s.origin {
			t.Errorf("%s: looked up %q, origin %v", s.gateway, looked, res.LinkOrigin)
		}
		// The client does not look up a literal address.
		if _, res, err := c.openText(t, typed("ftp://127.0.0.1"+port+"/pub/hello.txt")); err != nil || res.LinkOrigin != policy.FromPrivate {
			t.Errorf("%s: %+v, %v", s.gateway, res, err)
		}
		asked.takeEntries()
	}
}

func TestSOCKSRefuses(t *testing.T) {
	address, asked := startSOCKS(t, true)
	c := newGated(t, typedOnlyRules, nil, "all=socks5h://me:wrong@"+address+" except=direct.example")
	for _, s := range []struct {
		u    string
		kind access.Kind
		says string
	}{
		{"gopher://h.example/", access.Unreachable, "authentication failed"},
		{"prospero://h.example/a", access.Unsupported, "only TCP"},
		{"gopher://direct.example:1024/", access.Unreachable, "refused"},
	} {
		_, _, err := c.openText(t, typed(s.u))
		if access.KindOf(err) != s.kind || !strings.Contains(err.Error(), s.says) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%s: %v", s.u, err)
		}
	}
	if got := asked.takeEntries(); len(got) != 0 {
		t.Errorf("asked %q", got)
	}
	// A port without a server, and a server of another protocol.
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	strange, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer strange.Close()
	go func() {
		for {
			c, err := strange.Accept()
			if err != nil {
				return
			}
			go func() {
				io.WriteString(c, "220 mail.example ESMTP\r\n")
				io.Copy(io.Discard, c)
				c.Close()
			}()
		}
	}()
	for _, address := range []string{dead.LocalAddr().String(), strange.Addr().String()} {
		c := newGated(t, typedOnlyRules, nil, "all=socks5h://"+address)
		if _, _, err := c.openText(t, typed("gopher://h.example/")); access.KindOf(err) != access.Unreachable {
			t.Errorf("%s: %v", address, err)
		}
	}
	// No server can connect to the client for active FTP.
	open, _ := startSOCKS(t, false)
	server, err := ftptest.Start(ftptest.Files{"a": {Data: "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c = newGated(t, typedOnlyRules, nil, "all=socks5h://"+open)
	d := c.Dialer()
	control, err := d.DialContext(t.Context(), "tcp", server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	data := d.(scheme.DataDialer)
	if _, err := data.ListenData(t.Context(), control); access.KindOf(err) != access.Unsupported {
		t.Error(err)
	}
	if _, err := data.DialData(t.Context(), control, 25); access.KindOf(err) != access.Denied {
		t.Error(err)
	}
	if _, err := scheme.DialPacket(t.Context(), d, "udp", "h.example:191"); access.KindOf(err) != access.Unsupported {
		t.Error(err)
	}
}

// A closed client has no connections or tunnels, and makes no new connections.
func TestProxyClose(t *testing.T) {
	address, _ := startSOCKS(t, false)
	echo := httptest.NewServer(http.NotFoundHandler())
	defer echo.Close()
	c := newGated(t, typedOnlyRules, nil, "all=socks5h://"+address)
	conn, err := c.Dialer().DialContext(t.Context(), "tcp", strings.TrimPrefix(echo.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if _, err := c.Dialer().DialContext(t.Context(), "tcp", strings.TrimPrefix(echo.URL, "http://")); err == nil {
		t.Error("a closed client dials")
	}
}

// A proxy needs a scheme whose opener is a ProxyOpener.
func TestNoProxyOpener(t *testing.T) {
	g, err := access.ParseProxy("http://proxy.example")
	if err != nil {
		t.Fatal(err)
	}
	gateways, err := access.NewProxies(access.ProxyRules{All: g})
	if err != nil {
		t.Fatal(err)
	}
	row := scheme.Generic("http", scheme.Standard)
	row.Access.Opener = scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, errors.New("asked") })
	registry, err := scheme.NewRegistry(row)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*scheme.Registry{nil, registry} {
		c := access.New(r, policy.Policy{}, &access.Options{Proxies: gateways})
		if _, err := c.Open(t.Context(), "http://public.example/"); access.KindOf(err) != access.Unsupported {
			t.Error(err)
		}
		c.Close()
	}
}
