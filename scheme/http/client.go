package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Options are what a [Client] can be told. The zero value is fine.
type Options struct {
	// Raw asks for no compression, and leaves one that comes all the same:
	// Object.Encoding then has its name.
	Raw bool
	// TLS is the configuration for https and for proxies that are asked over TLS.
	// nil: that of package crypto/tls.
	TLS *tls.Config
}

// Client gets objects over HTTP. It may be used from many goroutines at once.
// Close it when it is no longer needed.
type Client struct {
	options Options

	mu     sync.Mutex
	doors  map[doorKey]*door
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
	c := &Client{doors: make(map[doorKey]*door)}
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
	for key, d := range c.doors {
		d.transport.CloseIdleConnections()
		if d.users == 0 {
			delete(c.doors, key)
		}
	}
	return nil
}

// doorKey is what connections are kept apart by: a dialer, and whether what is at
// the other end is a proxy.
type doorKey struct {
	dialer  scheme.Dialer
	isProxy bool
}

// door is the transport for one dialer. Connections are kept within it, so that
// none that one dialer let through serves another.
type door struct {
	transport *http.Transport
	users     int
	last      int64 // the turn of its last use
}

// enter returns the transport for key, and holds it until leave.
func (c *Client) enter(key doorKey) (*http.Transport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	d := c.doors[key]
	if d == nil {
		d = &door{transport: c.newTransport(key)}
		c.doors[key] = d
	}
	d.users++
	c.turn++
	d.last = c.turn
	c.shut()
	return d.transport, nil
}

// leave ends a use of key.
func (c *Client) leave(key doorKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.doors[key]
	d.users--
	if c.closed && d.users == 0 {
		d.transport.CloseIdleConnections()
		delete(c.doors, key)
	}
	c.shut()
}

// shut closes the door that was used longest ago while there are too many. One
// in use stays.
func (c *Client) shut() {
	for len(c.doors) > maxDoors {
		var oldest doorKey
		for key, d := range c.doors {
			if d.users == 0 && (oldest.dialer == nil || d.last < c.doors[oldest].last) {
				oldest = key
			}
		}
		if oldest.dialer == nil {
			return
		}
		c.doors[oldest].transport.CloseIdleConnections()
		delete(c.doors, oldest)
	}
}

func (c *Client) newTransport(key doorKey) *http.Transport {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := tied(ctx)
		defer cancel()
		conn, err := key.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	}
	config := c.tls(!key.isProxy)
	return &http.Transport{
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
		ForceAttemptHTTP2:      !key.isProxy,
		DisableCompression:     true, // done here, so that lengths can be checked
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
	}
}

// tls is the configuration for TLS. A request-target in absolute form is HTTP/1's.
func (c *Client) tls(http2 bool) *tls.Config {
	config := c.options.TLS.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	config.NextProtos = []string{"http/1.1"}
	if http2 {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return config
}

// tied returns ctx, ended with the request too. net/http lets a connection come
// about that nobody waits for any more, in case that another request wants it;
// here who is not waited for must stop.
func tied(ctx context.Context) (context.Context, context.CancelFunc) {
	asked, ok := ctx.Value(callKey{}).(context.Context)
	if !ok {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(asked, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// secure begins TLS on conn. HTTP/2 needs the *tls.Conn itself and checks lengths
// on its own; HTTP/1 gets a wire around it.
func secure(ctx context.Context, conn net.Conn, config *tls.Config, address string) (net.Conn, error) {
	ctx, cancel := tied(ctx)
	defer cancel()
	t, err := handshake(ctx, conn, config, address)
	if err != nil {
		return nil, err
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		return t, nil
	}
	return newWireConn(t), nil
}

// handshake begins TLS. On error it closes conn.
func handshake(ctx context.Context, conn net.Conn, config *tls.Config, address string) (*tls.Conn, error) {
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		config = config.Clone()
		config.ServerName = host
	}
	t := tls.Client(conn, config)
	if err := t.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &tlsError{err}
	}
	return t, nil
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

// callKey is the key, in the context of a request, of the context that its caller
// gave: net/http hands its own to the functions that it calls back.
type callKey struct{}

// Tunnel implements [scheme.ProxyOpener]: it asks by CONNECT (RFC 9110 section
// 9.3.6). Errors are as those of [Client.Open]: a proxy that wants another login, or
// does not connect to that port, is ErrAuth.
func (c *Client) Tunnel(ctx context.Context, d scheme.Dialer, via locus.URL, address string) (net.Conn, error) {
	p, err := parseProxy(via)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	request, err := p.connectRequest(address)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	conn, err := d.DialContext(ctx, "tcp", p.address())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	tunnel, err := c.tunnel(ctx, conn, p, request)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("http: the proxy: %w", explain(ctx, err))
	}
	return tunnel, nil
}

func (c *Client) tunnel(ctx context.Context, conn net.Conn, p proxy, request []byte) (net.Conn, error) {
	if p.url.Secure() {
		t, err := handshake(ctx, conn, c.tls(false), p.address())
		if err != nil {
			return nil, err
		}
		conn = t
	}
	early, err := connect(conn, request)
	if err != nil || len(early) == 0 {
		return conn, err
	}
	return &earlyConn{conn, early}, nil
}

// earlyConn is a connection on which something came along with the answer before.
type earlyConn struct {
	net.Conn
	early []byte
}

func (c *earlyConn) Read(p []byte) (int, error) {
	if len(c.early) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.early)
	c.early = c.early[n:]
	return n, nil
}

// NetConn returns the connection beneath.
func (c *earlyConn) NetConn() net.Conn { return c.Conn }

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
	v := newVisit(c, req)
	v.way = h.way()
	var err error
	if v.ofURL, err = loginOf(req.URL); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return v.run(ctx)
}

// visit is one [Client.Open] or [Client.OpenVia].
type visit struct {
	client    *Client
	req       *scheme.Request
	way       way
	transport *http.Transport

	from    resume
	probing bool   // with HEAD
	ofURL   *login // of the URL; nil: none
	login   *login // to be sent; nil: none
	asked   int    // how often Ask was asked
	refused int    // how many logins the server refused
}

func newVisit(c *Client, req *scheme.Request) *visit {
	v := &visit{client: c, req: req, probing: req.Probe, from: resume{offset: max(req.Offset, 0), time: req.ModTime}}
	if isStrong(req.Tag) {
		v.from.tag = req.Tag
	}
	return v
}

// run opens, and holds the transport as long as the resource needs it.
func (v *visit) run(ctx context.Context) (scheme.Resource, error) {
	if v.req.Dial == nil {
		return nil, errNoDialer
	}
	key := doorKey{v.req.Dial, v.way.isProxy}
	transport, err := v.client.enter(key)
	if err != nil {
		return nil, err
	}
	v.transport = transport
	resource, err := v.open(ctx)
	if err != nil {
		v.client.leave(key)
		return nil, fmt.Errorf("http: %w", err)
	}
	if object, ok := resource.(*scheme.Object); ok {
		object.Body = &held{ReadCloser: object.Body, leave: func() { v.client.leave(key) }}
	} else {
		v.client.leave(key)
	}
	return resource, nil
}

// errNoDialer is what a request comes to that brings no dialer.
var errNoDialer = fmt.Errorf("http: %w: there is no dialer, and so no way to the network", scheme.ErrUnsupported)

func (v *visit) open(ctx context.Context) (scheme.Resource, error) {
	for {
		a, err := v.send(ctx)
		if err != nil {
			if v.probing && isAnswer(err) && ctx.Err() == nil {
				v.probing = false
				continue
			}
			return nil, explain(ctx, err)
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
	ctx = context.WithValue(ctx, callKey{}, ctx)
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
	req := v.way.newRequest(ctx, method, v.from, v.client.options.Raw)
	if v.req.Accept != "" {
		req.Header.Set("Accept", v.req.Accept)
	}
	if v.req.AcceptLanguage != "" {
		req.Header.Set("Accept-Language", v.req.AcceptLanguage)
	}
	if v.login != nil {
		req.Header.Set("Authorization", v.login.header())
	}
	t := newTracer(v.req, req)
	t.hook(&hooks)
	resp, err := v.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &hooks)))
	t.end()
	if err != nil {
		return nil, err
	}
	t.received(resp)
	if r != nil && resp.ProtoMajor != 1 {
		// net/http accepts any version in a status line of HTTP/1.
		resp.Body.Close()
		return nil, fmt.Errorf("%w: the status line says %s, and the connection is one of HTTP/1", scheme.ErrProtocol, locus.Quote(resp.Proto))
	}
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

// ask finds a login for a server that wants one: that of the URL, then what
// Request.Ask gives. Without one the 401 is the answer.
func (v *visit) ask(ctx context.Context, a *answer) (bool, error) {
	realm, basic := a.basicRealm()
	if basic && v.login == nil && v.ofURL != nil {
		v.login = v.ofURL
		return true, nil
	}
	user := ""
	if v.login != nil {
		v.refused++
		user = v.login.user
	}
	if !basic || v.req.Ask == nil || v.asked == maxAsked {
		return false, nil
	}
	v.asked++
	given, ok, err := v.req.Ask(ctx, scheme.Question{URL: v.req.URL, Realm: realm, User: user, Attempt: v.refused})
	if err != nil || !ok {
		return false, err
	}
	v.login = &login{given.User, given.Password}
	if !v.login.sendable() {
		return false, fmt.Errorf(`%w: ":" in a user name and control characters can't be sent as Basic credentials`, scheme.ErrAuth)
	}
	return true, nil
}
