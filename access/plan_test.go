package access_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// fakeNet is an Internet in memory that records where requests go.
type fakeNet struct {
	log
	access.Options
	registry *scheme.Registry
}

// newFakeNet returns a fakeNet with schemes for each trait that decides where a request
// goes.
func newFakeNet(t *testing.T) *fakeNet {
	t.Helper()
	w := new(fakeNet)
	row := func(name string, port uint16, traits scheme.Traits, o scheme.Opener) scheme.Scheme {
		s := scheme.Generic(name, scheme.Standard)
		s.Port, s.Traits, s.Access.Opener = port, traits, o
		return s
	}
	local := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		w.add("open " + req.URL.String())
		return emptyObject(req, nil)
	})
	var err error
	w.registry, err = scheme.NewRegistry(row("http", 80, 0, fakeWeb{w}), row("https", 443, scheme.Secure, fakeOpener{w}),
		row("gopher", 70, 0, fakeOpener{w}), row("telnet", 23, scheme.Interactive, fakeOpener{w}), row("afs", 0, 0, nil),
		row("x-moved", 0, 0, scheme.OpenerFunc(moved)), row("file", 0, scheme.Local|scheme.Files, local), row("mid", 0, scheme.Local, local))
	if err != nil {
		t.Fatal(err)
	}
	w.Lookup, w.Dial = w.lookup, w.dial
	w.Observe = func(_ context.Context, a access.Attempt) func(access.AttemptResult) {
		for _, g := range a.Proxies {
			w.add("via " + g.String())
		}
		return nil
	}
	return w
}

// moved responds to x-moved:URL with a redirect to the URL.
func moved(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	to, err := locus.Parse(req.URL.SchemePart())
	return &scheme.Redirect{URL: req.URL, To: []locus.URL{to}}, err
}

func (w *fakeNet) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	address := map[string]string{"proxy.example": "10.0.0.9", "gw.example": "10.0.0.8", "inner.example": "10.0.0.1"}[host]
	return []netip.Addr{netip.MustParseAddr(cmp.Or(address, "1.1.1.1"))}, nil
}

// dial connects to a server that supports SOCKS and writes nothing else.
func (w *fakeNet) dial(_ context.Context, _, address string) (net.Conn, error) {
	w.add("dial " + address)
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		in := bufio.NewReader(far)
		if first, err := in.Peek(1); err != nil || first[0] != 5 {
			return
		}
		in.Discard(3) // offered authentication methods: one, without a login
		far.Write([]byte{5, 0})
		head := make([]byte, 5)
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		size := int(head[4]) + 2
		host := "its name"
		if head[3] == 1 {
			size, host = 5, "its address"
		}
		in.Discard(size)
		w.add("SOCKS to " + host)
		far.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	}()
	return near, nil
}

// fakeOpener connects to the server of a URL, or to the server in its search part:
// "server=ADDRESS" or "refer=URL".
type fakeOpener struct{ w *fakeNet }

func (o fakeOpener) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	o.w.add("open " + req.URL.String())
	return emptyObject(req, o.dial(ctx, req))
}

func (o fakeOpener) dial(ctx context.Context, req *scheme.Request) error {
	if _, server, ok := strings.Cut(req.URL.String(), "?server="); ok {
		return connect(ctx, req.Dial, server)
	}
	_, to, ok := strings.Cut(req.URL.String(), "?refer=")
	if !ok {
		return connect(ctx, req.Dial, o.w.address(req.URL))
	}
	u := locus.MustParse(to)
	d, err := req.DialerFor(u)
	if err != nil {
		return err
	}
	return connect(ctx, d, o.w.address(u))
}

func emptyObject(req *scheme.Request, err error) (scheme.Resource, error) {
	if err != nil {
		return nil, err
	}
	return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
}

func connect(ctx context.Context, d scheme.Dialer, address string) error {
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func (w *fakeNet) address(u locus.URL) string {
	port, ok := u.Port()
	if !ok {
		port = cmp.Or(w.registry.Scheme(u).Port, 7)
	}
	return net.JoinHostPort(u.Host(), fmt.Sprint(port))
}

// fakeWeb can also send requests to proxies.
type fakeWeb struct{ w *fakeNet }

func (o fakeWeb) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	return fakeOpener(o).Open(ctx, req)
}

func (o fakeWeb) OpenVia(ctx context.Context, req *scheme.Request, proxy locus.URL) (scheme.Resource, error) {
	o.w.add("ask for " + req.URL.String())
	return emptyObject(req, connect(ctx, req.Dial, o.w.address(proxy)))
}

func (o fakeWeb) Tunnel(ctx context.Context, d scheme.Dialer, proxy locus.URL, address string) (net.Conn, error) {
	o.w.add("CONNECT " + address)
	return d.DialContext(ctx, "tcp", o.w.address(proxy))
}

// keep is the opener of an archive. The archive contains redirects, redirect loops at loop.example,
// and the URLs of kept.example.
func (w *fakeNet) keep(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	if req.URL.Scheme() == "x-moved" {
		return moved(ctx, req)
	}
	w.add("archive " + req.URL.String())
	switch {
	case req.Dial != nil:
		return nil, errors.New("an archive must not dial")
	case req.URL.Host() == "loop.example":
		return &scheme.Redirect{URL: req.URL, To: []locus.URL{req.URL}}, nil
	case req.URL.Host() != "kept.example":
		return nil, scheme.ErrNotArchived
	}
	return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
}

// outcome returns the events since the last call, and the kind of err.
func (w *fakeNet) outcome(err error) string {
	list := w.takeEntries()
	var denied *policy.DeniedError
	switch {
	case errors.As(err, &denied):
		list = append(list, "denied by the rule "+denied.Rule)
	case errors.Is(err, scheme.ErrNotArchived):
		list = append(list, "not kept")
	case err != nil:
		list = append(list, string(access.KindOf(err)))
	}
	return strings.Join(list, ", ")
}

// client returns a client with the proxies in a text. The parameter archive is empty (no archive),
// "only", or "live" (other URLs are on the network).
func (w *fakeNet) client(t *testing.T, gateways, archive string) *access.Client {
	t.Helper()
	o := w.Options
	if o.Proxies = parseGateways(t, "x-moved=direct "+gateways); archive != "" {
		o.Archive, o.Live = scheme.OpenerFunc(w.keep), archive == "live"
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(w.registry, p, &o)
	t.Cleanup(func() { c.Close() })
	return c
}

// planCase is a request for a URL that is typed, found in a public page, or the target of a
// redirect.
type planCase struct {
	origin, url string
	do          string // resources and addresses that Do opens and dials, and its error
	dialer      string // the same for DialerFor and a connection
	check       string // the error of Check
}

func (s planCase) from() *access.Result {
	if s.origin == "found" {
		return &access.Result{URL: locus.MustParse("http://public.example/"), LinkOrigin: policy.FromPublic}
	}
	return nil
}

// open makes the request. The resource must have the requested URL, even if the client
// opened another URL.
func (s planCase) open(t *testing.T, w *fakeNet, c *access.Client) string {
	t.Helper()
	u := locus.MustParse(s.url)
	req := access.Request{URL: u, From: s.from()}
	if s.origin == "redirect" {
		req.URL = locus.MustParse("x-moved:" + s.url)
	}
	res, err := c.Do(t.Context(), req)
	if err != nil {
		return w.outcome(err)
	}
	res.Close()
	o, _ := res.Resource.(*scheme.Object)
	if res.URL != u || o == nil || o.URL != u {
		t.Errorf("%s: found %+v at %s", s.url, res.Resource, res.URL)
	}
	return w.outcome(nil)
}

// connect makes a connection with the dialer for the URL.
func (s planCase) connect(t *testing.T, w *fakeNet, c *access.Client) string {
	u := locus.MustParse(s.url)
	d, err := c.DialerFor(u, s.from())
	if err != nil || u.Host() == "" {
		return w.outcome(err)
	}
	return w.outcome(connect(t.Context(), d, w.address(u)))
}

// The scheme of a URL, the proxies and the archive decide where a request goes. Do,
// DialerFor and Check make the same decision.
func TestWhereRequestsGo(t *testing.T) {
	for _, s := range []struct {
		gateways, archive string
		cases             []planCase
	}{
		{"", "", []planCase{
			{"typed", "http://h.example/", "open http://h.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
			{"found", "https://h.example/", "open https://h.example/, dial 1.1.1.1:443", "dial 1.1.1.1:443", ""},
			{"redirect", "gopher://h.example/", "open gopher://h.example/, dial 1.1.1.1:70", "dial 1.1.1.1:70", ""},
			{"typed", "telnet://h.example", "open telnet://h.example, dial 1.1.1.1:23", "dial 1.1.1.1:23", ""},
			{"redirect", "telnet://h.example", "denied by the rule session", "dial 1.1.1.1:23", ""},
			{"typed", "afs://h.example/", "unsupported", "unsupported", "unsupported"},
			{"typed", "x-new://h.example/", "unsupported", "unsupported", "unsupported"},
			{"typed", "file:///x", "open file:///x", "", ""},
			{"found", "file:///x", "denied by the rule file", "denied by the rule file", "denied by the rule file"},
			{"typed", "mid:a@b", "open mid:a@b", "", ""},
			{"redirect", "mid:a@b", "denied by the rule referral", "", ""},
			{"typed", "http://inner.example/", "open http://inner.example/, dial 10.0.0.1:80", "dial 10.0.0.1:80", ""},
			{"redirect", "http://inner.example/", "open http://inner.example/, denied by the rule private", "dial 10.0.0.1:80", ""},
			{"found", "http://10.0.0.1/", "denied by the rule private", "denied by the rule private", "denied by the rule private"},
			{"typed", "http:///", "syntax", "syntax", "syntax"},
			{"typed", "http://h.example:25/", "denied by the rule port", "denied by the rule port", "denied by the rule port"},
			{"typed", "gopher://h.example/?refer=gopher://other.example/", "open gopher://h.example/?refer=gopher://other.example/, dial 1.1.1.1:70", "dial 1.1.1.1:70", ""},
			{"typed", "gopher://h.example/?refer=http://10.0.0.1/", "open gopher://h.example/?refer=http://10.0.0.1/, denied by the rule private", "dial 1.1.1.1:70", ""},
		}},
		{"all=http://proxy.example:3128", "", []planCase{
			{"typed", "http://h.example/", "via http://proxy.example:3128, ask for http://h.example/, dial 10.0.0.9:3128", "CONNECT h.example:80, dial 10.0.0.9:3128", ""},
			{"redirect", "http://h.example/", "via http://proxy.example:3128, ask for http://h.example/, dial 10.0.0.9:3128", "CONNECT h.example:80, dial 10.0.0.9:3128", ""},
			{"typed", "https://h.example/", "via http://proxy.example:3128, open https://h.example/, CONNECT h.example:443, dial 10.0.0.9:3128", "CONNECT h.example:443, dial 10.0.0.9:3128", ""},
			{"found", "gopher://h.example/", "via http://proxy.example:3128, ask for gopher://h.example/, dial 10.0.0.9:3128", "CONNECT h.example:70, dial 10.0.0.9:3128", ""},
			{"found", "telnet://h.example", "via http://proxy.example:3128, open telnet://h.example, CONNECT h.example:23, dial 10.0.0.9:3128", "CONNECT h.example:23, dial 10.0.0.9:3128", ""},
			{"typed", "afs://h.example/", "via http://proxy.example:3128, ask for afs://h.example/, dial 10.0.0.9:3128", "CONNECT h.example:7, dial 10.0.0.9:3128", ""},
			{"typed", "x-new:y", "via http://proxy.example:3128, ask for x-new:y, dial 10.0.0.9:3128", "", ""},
			{"typed", "file:///x", "open file:///x", "", ""},
			{"typed", "mid:a@b", "open mid:a@b", "", ""},
			{"found", "http://inner.example/", "via http://proxy.example:3128, ask for http://inner.example/, dial 10.0.0.9:3128", "CONNECT inner.example:80, dial 10.0.0.9:3128", ""},
			{"typed", "http://10.0.0.1/", "via http://proxy.example:3128, ask for http://10.0.0.1/, dial 10.0.0.9:3128", "CONNECT 10.0.0.1:80, dial 10.0.0.9:3128", ""},
			{"redirect", "http://10.0.0.1/", "denied by the rule private", "CONNECT 10.0.0.1:80, dial 10.0.0.9:3128", ""},
			{"typed", "gopher://h.example/?refer=gopher://other.example/", "via http://proxy.example:3128, ask for gopher://h.example/?refer=gopher://other.example/, dial 10.0.0.9:3128", "CONNECT h.example:70, dial 10.0.0.9:3128", ""},
		}},
		{"all=http://proxy.example except=h.example,kept.example,1.1.1.1", "", []planCase{
			{"typed", "http://h.example/", "open http://h.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
			{"typed", "gopher://h.example/?refer=gopher://other.example/", "open gopher://h.example/?refer=gopher://other.example/, unsupported", "dial 1.1.1.1:70", ""},
		}},
		{"all=http://proxy.example gopher=direct https=direct", "", []planCase{
			{"typed", "https://h.example/", "open https://h.example/, dial 1.1.1.1:443", "dial 1.1.1.1:443", ""},
			{"redirect", "gopher://h.example/", "open gopher://h.example/, dial 1.1.1.1:70", "dial 1.1.1.1:70", ""},
			{"typed", "http://h.example/", "via http://proxy.example, ask for http://h.example/, dial 10.0.0.9:80", "CONNECT h.example:80, dial 10.0.0.9:80", ""},
		}},
		{"all=socks5://proxy.example", "", []planCase{
			{"typed", "http://h.example/", "via socks5://proxy.example, open http://h.example/, dial 10.0.0.9:1080, SOCKS to its address", "dial 10.0.0.9:1080, SOCKS to its address", ""},
			{"typed", "http://inner.example/", "via socks5://proxy.example, open http://inner.example/, dial 10.0.0.9:1080, SOCKS to its address", "dial 10.0.0.9:1080, SOCKS to its address", ""},
			{"found", "http://inner.example/", "via socks5://proxy.example, open http://inner.example/, denied by the rule private", "denied by the rule private", ""},
			{"typed", "x-new://h.example/", "unsupported", "unsupported", "unsupported"},
			{"redirect", "http://10.0.0.1/", "denied by the rule private", "dial 10.0.0.9:1080, SOCKS to its address", ""},
		}},
		{"all=socks5h://proxy.example", "", []planCase{
			{"typed", "https://h.example/", "via socks5h://proxy.example, open https://h.example/, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"found", "http://inner.example/", "via socks5h://proxy.example, open http://inner.example/, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "telnet://h.example", "via socks5h://proxy.example, open telnet://h.example, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "file:///x", "open file:///x", "", ""},
			{"typed", "gopher://h.example/?refer=gopher://other.example/", "via socks5h://proxy.example, open gopher://h.example/?refer=gopher://other.example/, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
		}},
		{"all=socks5h://proxy.example except=other.example", "", []planCase{
			{"typed", "gopher://h.example/?server=other.example:70", "via socks5h://proxy.example, open gopher://h.example/?server=other.example:70, dial 1.1.1.1:70", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "gopher://h.example/?server=third.example:70", "via socks5h://proxy.example, open gopher://h.example/?server=third.example:70, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "gopher://h.example/", "via socks5h://proxy.example, open gopher://h.example/, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "gopher://h.example/?refer=gopher://other.example/", "via socks5h://proxy.example, open gopher://h.example/?refer=gopher://other.example/, dial 1.1.1.1:70", "dial 10.0.0.9:1080, SOCKS to its name", ""},
			{"typed", "gopher://other.example/", "open gopher://other.example/, dial 1.1.1.1:70", "dial 1.1.1.1:70", ""},
		}},
		{"all=http://gw.example/{url}", "", []planCase{
			{"typed", "http://h.example/", "via http://gw.example/{url}, open http://gw.example/http%3A%2F%2Fh.example%2F, dial 10.0.0.8:80", "unsupported", ""},
			{"found", "gopher://h.example/", "via http://gw.example/{url}, open http://gw.example/gopher%3A%2F%2Fh.example%2F, dial 10.0.0.8:80", "unsupported", ""},
			{"redirect", "gopher://h.example/", "via http://gw.example/{url}, open http://gw.example/gopher%3A%2F%2Fh.example%2F, dial 10.0.0.8:80", "unsupported", ""},
			{"typed", "telnet://h.example", "via http://gw.example/{url}, open http://gw.example/telnet%3A%2F%2Fh.example, dial 10.0.0.8:80", "unsupported", ""},
			{"redirect", "telnet://h.example", "denied by the rule session", "unsupported", ""},
			{"typed", "x-new:y", "via http://gw.example/{url}, open http://gw.example/x-new%3Ay, dial 10.0.0.8:80", "unsupported", ""},
			{"typed", "file:///x", "open file:///x", "", ""},
			{"found", "http://10.0.0.1/", "denied by the rule private", "denied by the rule private", "denied by the rule private"},
			{"typed", "http://gw.example/x", "open http://gw.example/x, dial 10.0.0.8:80", "dial 10.0.0.8:80", ""},
			{"typed", "gopher://u@h.example/", "via http://gw.example/{url}, open http://gw.example/gopher%3A%2F%2Fu%40h.example%2F, dial 10.0.0.8:80", "unsupported", ""},
		}},
		{"all=http://gw.example/{url} except=h.example", "", []planCase{
			{"typed", "http://h.example/", "open http://h.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
		}},
		{"all=http://gw.example/{+url} http=http://proxy.example", "", []planCase{
			{"typed", "gopher://h.example/", "via http://gw.example/{+url}, via http://proxy.example, ask for http://gw.example/gopher://h.example/, dial 10.0.0.9:80", "unsupported", ""},
			{"typed", "http://h.example/", "via http://proxy.example, ask for http://h.example/, dial 10.0.0.9:80", "CONNECT h.example:80, dial 10.0.0.9:80", ""},
		}},
		{"all=https://gw.example/{url} https=http://proxy.example", "", []planCase{
			{"typed", "gopher://h.example/", "via https://gw.example/{url}, via http://proxy.example, open https://gw.example/gopher%3A%2F%2Fh.example%2F, CONNECT gw.example:443, dial 10.0.0.9:80", "unsupported", ""},
		}},
		{"all=https://gw.example/{url} https=socks5h://proxy.example", "", []planCase{
			{"typed", "gopher://h.example/", "via https://gw.example/{url}, via socks5h://proxy.example, open https://gw.example/gopher%3A%2F%2Fh.example%2F, dial 10.0.0.9:1080, SOCKS to its name", "unsupported", ""},
		}},
		{"all=afs://gw.example/{url} afs=direct", "", []planCase{
			{"typed", "gopher://h.example/", "unsupported", "unsupported", "unsupported"},
		}},
		{"http=https://a.example/{url} https=http://b.example/{+url} except=b.example", "", []planCase{
			{"typed", "http://h.example/", "via https://a.example/{url}, via http://b.example/{+url}, open http://b.example/https://a.example/http%3A%2F%2Fh.example%2F, dial 1.1.1.1:80", "unsupported", ""},
			{"typed", "http://b.example/", "open http://b.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
		}},
		{"file=http://gw.example/{url} mid=http://gw.example/{url}", "", []planCase{
			{"typed", "file:///x", "open file:///x", "", ""},
			{"typed", "file://h.example/x", "via http://gw.example/{url}, open http://gw.example/file%3A%2F%2Fh.example%2Fx, dial 10.0.0.8:80", "unsupported", ""},
			{"typed", "mid:a@b", "via http://gw.example/{url}, open http://gw.example/mid%3Aa%40b, dial 10.0.0.8:80", "unsupported", ""},
			{"redirect", "file://h.example/x", "denied by the rule file", "unsupported", ""},
		}},
		{"", "only", []planCase{
			{"typed", "http://kept.example/", "archive http://kept.example/", "not kept", ""},
			{"redirect", "http://kept.example/", "archive http://kept.example/", "not kept", ""},
			{"typed", "http://h.example/", "archive http://h.example/, not kept", "not kept", ""},
			{"found", "http://10.0.0.1/", "archive http://10.0.0.1/, not kept", "not kept", "denied by the rule private"},
			{"found", "file://kept.example/x", "archive file://kept.example/x", "not kept", "denied by the rule file"},
			{"typed", "telnet://kept.example", "archive telnet://kept.example", "not kept", ""},
			{"redirect", "telnet://kept.example", "denied by the rule session", "not kept", ""},
			{"redirect", "http://h.example:25/", "archive http://h.example:25/, not kept", "not kept", "denied by the rule port"},
		}},
		{"all=http://gw.example/{url}", "only", []planCase{
			{"typed", "http://kept.example/", "archive http://kept.example/", "not kept", ""},
			{"typed", "gopher://h.example/", "archive gopher://h.example/, not kept", "not kept", ""},
		}},
		{"", "live", []planCase{
			{"typed", "http://kept.example/", "archive http://kept.example/", "dial 1.1.1.1:80", ""},
			{"typed", "http://h.example/", "archive http://h.example/, open http://h.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
			{"redirect", "http://h.example/", "archive http://h.example/, open http://h.example/, dial 1.1.1.1:80", "dial 1.1.1.1:80", ""},
			{"found", "http://10.0.0.1/", "archive http://10.0.0.1/, denied by the rule private", "denied by the rule private", "denied by the rule private"},
			{"redirect", "file:///x", "archive file:///x, denied by the rule file", "", ""},
			{"typed", "afs://h.example/", "archive afs://h.example/, unsupported", "unsupported", "unsupported"},
			{"typed", "http:///", "archive http:///, syntax", "syntax", "syntax"},
		}},
		{"all=http://proxy.example:3128", "live", []planCase{
			{"redirect", "http://kept.example/", "archive http://kept.example/", "CONNECT kept.example:80, dial 10.0.0.9:3128", ""},
			{"typed", "gopher://h.example/", "archive gopher://h.example/, via http://proxy.example:3128, ask for gopher://h.example/, dial 10.0.0.9:3128", "CONNECT h.example:70, dial 10.0.0.9:3128", ""},
			{"redirect", "https://h.example/", "archive https://h.example/, via http://proxy.example:3128, open https://h.example/, CONNECT h.example:443, dial 10.0.0.9:3128", "CONNECT h.example:443, dial 10.0.0.9:3128", ""},
		}},
		{"all=http://gw.example/{url}", "live", []planCase{
			{"typed", "gopher://h.example/", "archive gopher://h.example/, via http://gw.example/{url}, open http://gw.example/gopher%3A%2F%2Fh.example%2F, dial 10.0.0.8:80", "unsupported", ""},
			{"redirect", "telnet://h.example", "denied by the rule session", "unsupported", ""},
		}},
		{"all=socks5h://proxy.example", "live", []planCase{
			{"redirect", "gopher://h.example/", "archive gopher://h.example/, via socks5h://proxy.example, open gopher://h.example/, dial 10.0.0.9:1080, SOCKS to its name", "dial 10.0.0.9:1080, SOCKS to its name", ""},
		}},
	} {
		w := newFakeNet(t)
		c := w.client(t, s.gateways, s.archive)
		for _, one := range s.cases {
			if got := one.open(t, w, c); got != one.do {
				t.Errorf("%q %q, %s %s: %s, want %s", s.gateways, s.archive, one.origin, one.url, got, one.do)
			}
			if got := one.connect(t, w, c); got != one.dialer {
				t.Errorf("%q %q, a dialer for %s %s: %s, want %s", s.gateways, s.archive, one.origin, one.url, got, one.dialer)
			}
			if got := w.outcome(c.Check(locus.MustParse(one.url), one.from())); got != one.check {
				t.Errorf("%q %q, a check of %s %s: %s, want %s", s.gateways, s.archive, one.origin, one.url, got, one.check)
			}
		}
	}
}

// Redirects in an archive end at a loop or after 20 redirects, and preserve the fragment. The
// client dials nothing, so archived resources count as public, even files.
func TestArchiveRedirects(t *testing.T) {
	w := newFakeNet(t)
	for _, archive := range []string{"only", "live"} {
		c := w.client(t, "", archive)
		for _, s := range []struct{ url, want, fails string }{
			{"x-moved:http://kept.example/#f", "http://kept.example/#f", ""},
			{"file://kept.example/x", "file://kept.example/x", ""},
			{strings.Repeat("x-moved:", 20) + "http://kept.example/", "http://kept.example/", ""},
			{strings.Repeat("x-moved:", 21) + "http://kept.example/", "", "more than 20 redirects"},
			{"http://loop.example/#f", "", "redirect loop"},
		} {
			res, err := c.Open(t.Context(), s.url)
			if err != nil {
				if s.fails == "" || !strings.Contains(err.Error(), s.fails) {
					t.Errorf("%s, %s: %v", archive, s.url, err)
				}
				continue
			}
			res.Close()
			if res.URL.String() != s.want || res.LinkOrigin != policy.FromPublic {
				t.Errorf("%s, %s: %s, links are %v", archive, s.url, res.URL, res.LinkOrigin)
			}
		}
	}
}
