package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Options are what a [Client] can be told. The zero value is fine.
type Options struct {
	// Proxy returns the proxy to ask for a URL, an http or https URL, and whether
	// there is one. nil: no proxy, whatever the environment says.
	Proxy func(locus.URL) (locus.URL, bool)
	// Raw asks for no compression, and leaves one that comes all the same:
	// Object.Encoding then has its name.
	Raw bool
	// TLS is the configuration for https. nil: that of package crypto/tls.
	TLS *tls.Config
}

// Client gets objects over HTTP. It may be used from many goroutines at once.
// Close it when it is no longer needed.
type Client struct {
	options Options

	mu     sync.Mutex
	doors  map[scheme.Dialer]*door
	turn   int64 // counts the uses of doors
	closed bool
}

var _ scheme.Opener = (*Client)(nil)

const (
	// maxDoors is how many dialers have connections kept for them. A program has
	// one, or one for each zone of its policy.
	maxDoors = 16
	// maxHeader is the most octets of a response's header.
	maxHeader = 256 << 10
	// idleTime is how long a connection is kept for the next request.
	idleTime = 90 * time.Second
	// idlePerHost is how many connections to a host are kept.
	idlePerHost = 8
	// maxAsked is how often Request.Ask is asked for one URL.
	maxAsked = 3
)

// errClosed is what a client says that was closed.
var errClosed = errors.New("http: the client is closed")

// New returns a client. o may be nil.
func New(o *Options) *Client {
	c := &Client{doors: make(map[scheme.Dialer]*door)}
	if o != nil {
		c.options = *o
	}
	return c
}

// Close closes the connections that are kept for later. What is being read goes on.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for dialer, d := range c.doors {
		d.transport.CloseIdleConnections()
		if d.users == 0 {
			delete(c.doors, dialer)
		}
	}
	return nil
}

// door is the transport for one dialer. Connections are kept within it, so that
// none that one dialer let through serves another.
type door struct {
	transport *http.Transport
	users     int
	last      int64 // the turn of its last use
}

// enter returns the transport for dialer, and holds it until leave.
func (c *Client) enter(dialer scheme.Dialer) (*http.Transport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	d := c.doors[dialer]
	if d == nil {
		d = &door{transport: c.newTransport(dialer)}
		c.doors[dialer] = d
	}
	d.users++
	c.turn++
	d.last = c.turn
	c.shut()
	return d.transport, nil
}

// leave ends a use of dialer.
func (c *Client) leave(dialer scheme.Dialer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.doors[dialer]
	d.users--
	if c.closed && d.users == 0 {
		d.transport.CloseIdleConnections()
		delete(c.doors, dialer)
	}
	c.shut()
}

// shut closes the door that was used longest ago while there are too many. One
// in use stays.
func (c *Client) shut() {
	for len(c.doors) > maxDoors {
		var oldest scheme.Dialer
		for dialer, d := range c.doors {
			if d.users == 0 && (oldest == nil || d.last < c.doors[oldest].last) {
				oldest = dialer
			}
		}
		if oldest == nil {
			return
		}
		c.doors[oldest].transport.CloseIdleConnections()
		delete(c.doors, oldest)
	}
}

func (c *Client) newTransport(dialer scheme.Dialer) *http.Transport {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := tied(ctx)
		defer cancel()
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	}
	config := c.options.TLS.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	return &http.Transport{
		Proxy: c.proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return newWireConn(conn), nil
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return secure(ctx, conn, config, address)
		},
		// DialTLSContext does without; this is for https through a proxy.
		TLSClientConfig:        config.Clone(),
		OnProxyConnectResponse: proxyAnswer,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // done here, so that lengths can be checked
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
	}
}

// tied returns ctx, ended with the request too. net/http lets a connection come
// about that nobody waits for any more, in case that another request wants it;
// here who is not waited for must stop.
func tied(ctx context.Context) (context.Context, context.CancelFunc) {
	c, ok := ctx.Value(callKey{}).(call)
	if !ok {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// secure begins TLS on conn. HTTP/2 needs the *tls.Conn itself and checks lengths
// on its own; HTTP/1 gets a wire around it.
func secure(ctx context.Context, conn net.Conn, config *tls.Config, address string) (net.Conn, error) {
	config = config.Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		config.ServerName = host
	}
	ctx, cancel := tied(ctx)
	defer cancel()
	t := tls.Client(conn, config)
	if err := t.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &tlsError{err}
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		return t, nil
	}
	return newWireConn(t), nil
}

// wireConn is a connection that is read through a [wire].
type wireConn struct {
	net.Conn
	wire *wire
}

func newWireConn(conn net.Conn) *wireConn { return &wireConn{Conn: conn, wire: newWire(conn)} }

func (c *wireConn) Read(p []byte) (int, error) { return c.wire.Read(p) }

func (c *wireConn) Write(p []byte) (int, error) {
	if err := c.wire.wrote(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *wireConn) Close() error {
	err := c.Conn.Close()
	c.wire.release()
	return err
}

// dialError is what a dialer said, to be handed on as it is.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

// tlsError is why no secure connection came about.
type tlsError struct{ error }

func (e *tlsError) Unwrap() error { return e.error }

// callKey is the key of the call in the context of a request.
type callKey struct{}

// call is what net/http is asked for, kept in the context for the functions that
// it calls back.
type call struct {
	ctx context.Context
	url locus.URL
}

// proxy is http.Transport.Proxy.
func (c *Client) proxy(r *http.Request) (*url.URL, error) {
	asked, _ := r.Context().Value(callKey{}).(call)
	return c.proxyFor(asked.url)
}

// proxyFor returns the proxy for u in the form that net/http wants, nil if there
// is none.
func (c *Client) proxyFor(u locus.URL) (*url.URL, error) {
	if c.options.Proxy == nil {
		return nil, nil
	}
	via, ok := c.options.Proxy(u)
	if !ok {
		return nil, nil
	}
	p, err := Parse(via)
	if err == nil {
		err = p.reachable()
	}
	if err != nil {
		return nil, fmt.Errorf("http: proxy: %w", err)
	}
	to := &url.URL{Scheme: via.Scheme(), Host: p.hostport()}
	if user, ok := via.User(); ok {
		password, _ := via.Password()
		to.User = url.UserPassword(bnf.Decode(user), bnf.Decode(password))
	}
	return to, nil
}

// proxyAnswer is http.Transport.OnProxyConnectResponse: it keeps the status of a
// proxy that makes no tunnel.
func proxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy: %w", (&answer{Response: resp}).failure())
}

// Get dereferences h through dialer: [Client.Open] without a limit, and with
// nobody to ask.
func (c *Client) Get(ctx context.Context, dialer scheme.Dialer, h URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: h.URL(), Dial: dialer}, h)
}

// Open sends one GET for req.URL, and more only for a login that the server
// wants, or where a part can't be gone on with. For req.Probe it sends a HEAD, and
// the GET only after an answer that may be about the HEAD alone. It gives a [*scheme.Object] or, for
// a redirect, a [*scheme.Referral].
//
// The context governs the reading of the body too. Errors wrap a
// [*locus.SyntaxError] or one of scheme's: ErrNotFound (404, 410), ErrAuth (401,
// 403, 407), ErrProtocol (all other answers that bring no object; with the
// [*textproto.Error] of the answer), ErrTooLarge, ErrUnreachable (TLS), and what
// the dialer said.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	h, err := Parse(req.URL)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return c.open(ctx, req, h)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, h URL) (scheme.Resource, error) {
	if err := h.reachable(); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("http: %w: there is no dialer, and so no way to the network", scheme.ErrUnsupported)
	}
	v := &visit{client: c, req: req, url: h, probing: req.Probe, from: resume{offset: max(req.Offset, 0), time: req.ModTime}}
	if isStrong(req.Tag) {
		v.from.tag = req.Tag
	}
	var err error
	if v.login, v.hasLogin, err = h.login(); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	transport, err := c.enter(req.Dial)
	if err != nil {
		return nil, err
	}
	v.transport = transport
	resource, err := v.open(ctx)
	if err != nil {
		c.leave(req.Dial)
		return nil, fmt.Errorf("http: %w", err)
	}
	if object, ok := resource.(*scheme.Object); ok {
		object.Body = &held{ReadCloser: object.Body, leave: func() { c.leave(req.Dial) }}
	} else {
		c.leave(req.Dial)
	}
	return resource, nil
}

// visit is one [Client.Open].
type visit struct {
	client    *Client
	req       *scheme.Request
	url       URL
	transport *http.Transport

	from     resume
	probing  bool // with HEAD
	login    login
	hasLogin bool
	asked    int // how often Ask was asked
	refused  int // how many logins the server refused
}

func (v *visit) open(ctx context.Context) (scheme.Resource, error) {
	for {
		a, err := v.send(ctx)
		if err != nil {
			if v.probing && isAnswer(err) && ctx.Err() == nil {
				v.probing = false
				continue
			}
			return nil, v.explain(ctx, err)
		}
		again, err := v.again(ctx, a)
		if err == nil && !again {
			return v.resource(a)
		}
		a.discard()
		if err != nil {
			return nil, err
		}
	}
}

// send sends one request.
func (v *visit) send(ctx context.Context) (*answer, error) {
	u := v.req.URL
	ctx = context.WithValue(ctx, callKey{}, call{ctx, u})
	proxy, err := v.client.proxyFor(u)
	if err != nil {
		return nil, err
	}
	method := http.MethodGet
	if v.probing {
		method = http.MethodHead
	}
	var r *reply
	var hooks httptrace.ClientTrace
	hooks.GotConn = func(info httptrace.GotConnInfo) {
		r = nil
		if conn, ok := info.Conn.(*wireConn); ok {
			r = newReply()
			r.head = method == http.MethodHead
			conn.wire.expect(r)
		}
	}
	req := v.url.newRequest(ctx, method, v.from, v.client.options.Raw)
	if v.req.Accept != "" {
		req.Header.Set("Accept", v.req.Accept)
	}
	if v.req.AcceptLanguage != "" {
		req.Header.Set("Accept-Language", v.req.AcceptLanguage)
	}
	if v.hasLogin {
		req.Header.Set("Authorization", v.login.header())
	}
	t := newTracer(v.req, req, proxy != nil)
	t.hook(&hooks)
	resp, err := v.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &hooks)))
	t.end()
	if err != nil {
		return nil, err
	}
	t.received(resp)
	return &answer{Response: resp, wire: r}, nil
}

// again reports whether the request must be sent once more: with a login, or for
// the whole object.
func (v *visit) again(ctx context.Context, a *answer) (bool, error) {
	switch {
	case a.StatusCode == http.StatusUnauthorized:
		return v.ask(ctx, a)
	case v.probing && !isVerdict(a.StatusCode):
		// A page that its server has may lack a HEAD all the same.
		v.probing = false
		return true, nil
	case v.from.offset > 0 && v.mustRestart(a):
		v.from = resume{}
		return true, nil
	}
	return false, nil
}

// ask asks for a login, if the server takes one that can be given and there is
// somebody to ask. When there is not, the 401 is the answer.
func (v *visit) ask(ctx context.Context, a *answer) (bool, error) {
	realm, basic := a.basicRealm()
	if v.hasLogin {
		v.refused++
	}
	if !basic || v.req.Ask == nil || v.asked == maxAsked {
		return false, nil
	}
	v.asked++
	given, ok, err := v.req.Ask(ctx, scheme.Question{URL: v.req.URL, Realm: realm, User: v.login.user, Attempt: v.refused})
	if err != nil || !ok {
		return false, err
	}
	v.login, v.hasLogin = login{given.User, given.Password}, true
	if !v.login.sendable() {
		return false, fmt.Errorf(`%w: ":" in a user name and control characters can't be sent as Basic credentials`, scheme.ErrAuth)
	}
	return true, nil
}
