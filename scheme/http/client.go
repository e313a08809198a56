package http

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/scheme"
)

// Options configures a [Client]. The zero Options selects the defaults.
type Options struct {
	// Raw means that the client does not request compression. If the server compresses the
	// body anyway, the client does not decode the body, and Object.Encoding names the coding.
	Raw bool
	// TLS is the TLS configuration for https and for proxies over TLS. If TLS is nil, the
	// defaults of crypto/tls apply.
	TLS *tls.Config
	// Certificate returns the client certificate for a server, or nil if there is none. The
	// argument host is in lower case and has no brackets. The client sends the certificate
	// only if the server requests one. The function may be nil.
	Certificate func(host string, port uint16) *tls.Certificate
	// Jar provides the cookies for requests, and stores the cookies of responses. If Jar is
	// nil, the client ignores cookies.
	Jar http.CookieJar
	// Single means that the client opens a new connection for each request, so that the dialer
	// is called for every request.
	Single bool
}

// Client opens http and https URLs. Its methods may be called concurrently. The caller should
// close the client when it is no longer needed.
type Client struct {
	options Options

	mu         sync.Mutex
	transports []dialerTransport // transports, the most recently used last
	closed     bool
}

var _ scheme.Opener = (*Client)(nil)

const (
	// maxTransports is the maximum number of dialers with idle connections. A program uses one
	// dialer, or one dialer for each zone of its policy.
	maxTransports = 16
	// maxHeader is the maximum length of a response header in bytes.
	maxHeader = 256 << 10
	// idleTime is the timeout of an idle connection.
	idleTime = 90 * time.Second
	// idlePerHost is the maximum number of idle connections per host.
	idlePerHost = 8
	// maxAskCalls is the maximum number of calls of Request.Ask for one URL.
	maxAskCalls = 3
)

// errClosed also matches net.ErrClosed in errors.Is, because the error is not the server's
// fault.
var errClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string        { return "http: the client is closed" }
func (closedError) Is(target error) bool { return target == net.ErrClosed }

// New returns a client. If o is nil, the client has the default options.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.options = *o
	}
	return c
}

// Close closes idle connections. Open resources stay open. Later calls of Open fail.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
	c.transports = nil
	return nil
}

// transportKey identifies the requests that may share a connection. Requests share connections
// only if they have the same dialer. Requests through a proxy and recorded requests use other
// connections than the rest.
type transportKey struct {
	dialer   scheme.Dialer
	isProxy  bool
	recorded bool // the client records the connection, and uses HTTP/1, which a recording can show as text
}

// dialerTransport is the transport for one key, with its idle connections.
// Transports are separate because one dialer may deny a connection that another
// allows.
type dialerTransport struct {
	*http.Transport
	key transportKey
}

// transport returns the transport for the given key. If there are too many transports, the
// method drops the least recently used one. Requests in progress continue, and net/http closes
// their connections when they become idle.
func (c *Client) transport(key transportKey) (*http.Transport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	i := slices.IndexFunc(c.transports, func(t dialerTransport) bool { return t.key == key })
	var t dialerTransport
	if i >= 0 {
		t = c.transports[i]
	} else {
		t = dialerTransport{c.newTransport(key), key}
		if len(c.transports) == maxTransports {
			i = 0
			c.transports[0].CloseIdleConnections()
		}
	}
	if i >= 0 {
		c.transports = slices.Delete(c.transports, i, i+1)
	}
	c.transports = append(c.transports, t)
	return t.Transport, nil
}

func (c *Client) newTransport(key transportKey) *http.Transport {
	http2 := !key.isProxy && !key.recorded
	config := c.tlsConfig(http2)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := key.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := withRequest(ctx)
			defer cancel()
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return newWireConn(conn), nil
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := withRequest(ctx)
			defer cancel()
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return startTLS(ctx, conn, c.withCertificate(config, address), address)
		},
		ForceAttemptHTTP2:      http2,
		DisableCompression:     true, // the client decompresses the body itself, because it must check the transferred length
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
		DisableKeepAlives:      c.options.Single,
	}
}

// tlsConfig returns the TLS configuration. If http2 is true, the configuration offers HTTP/2.
// The client uses HTTP/1 for proxies, because only HTTP/1 supports request-targets in absolute
// form.
func (c *Client) tlsConfig(http2 bool) *tls.Config {
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

// withCertificate returns the given TLS configuration, with the client certificate for the
// host in address.
func (c *Client) withCertificate(config *tls.Config, address string) *tls.Config {
	if c.options.Certificate == nil {
		return config
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return config
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return config
	}
	certificate := c.options.Certificate(strings.ToLower(host), uint16(port))
	if certificate == nil {
		return config
	}
	config = config.Clone()
	config.Certificates = []tls.Certificate{*certificate}
	return config
}

// withRequest returns a context that ends with ctx or with the request, whichever ends first.
// Without this, net/http would finish a dial whose request was canceled, and use the
// connection for other requests.
func withRequest(ctx context.Context) (context.Context, context.CancelFunc) {
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

// startTLS begins TLS on conn. For HTTP/2, it returns the *tls.Conn, because net/http requires
// that type, and itself rejects excess data. For HTTP/1, startTLS returns a connection that
// reads through a [wire].
func startTLS(ctx context.Context, conn net.Conn, config *tls.Config, address string) (net.Conn, error) {
	t, err := handshake(ctx, conn, config, address)
	if err != nil {
		return nil, err
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		return t, nil
	}
	return newWireConn(t), nil
}

// handshake performs the TLS handshake. If the handshake fails, it closes conn.
func handshake(ctx context.Context, conn net.Conn, config *tls.Config, address string) (*tls.Conn, error) {
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		config = config.Clone()
		// Host names in certificates and in the TLS server name have no final dot (RFC 6066
		// section 3).
		config.ServerName = strings.TrimSuffix(host, ".")
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
	tap  httpwire.Tap
}

func newWireConn(conn net.Conn) *wireConn { return &wireConn{Conn: conn, wire: newWire(conn)} }

func (c *wireConn) Read(p []byte) (int, error) {
	n, err := c.wire.Read(p)
	c.tap.Received(p[:n])
	return n, err
}

func (c *wireConn) Write(p []byte) (int, error) {
	if err := c.wire.beforeWrite(); err != nil {
		return 0, err
	}
	c.tap.Sent(p)
	return c.Conn.Write(p)
}

func (c *wireConn) Close() error {
	err := c.Conn.Close()
	c.wire.release()
	return err
}

// dialError marks an error of the dialer, so that Open returns the error unchanged.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

// tlsError is the error of a TLS handshake.
type tlsError struct{ error }

func (e *tlsError) Unwrap() error { return e.error }

// callKey is the key under which the context of a request stores the caller's context. The
// dial functions need it, because net/http calls them with a different context.
type callKey struct{}

// Tunnel implements [scheme.ProxyOpener] with CONNECT (RFC 9110 section 9.3.6). Its errors are
// the same as those of [Client.Open]. If the proxy rejects the login or the port, the error
// wraps ErrAuth.
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
		t, err := handshake(ctx, conn, c.tlsConfig(false), p.address())
		if err != nil {
			return nil, err
		}
		conn = t
	}
	early, err := connect(conn, request)
	if err != nil || len(early) == 0 {
		return conn, err
	}
	return &earlyConn{conn, io.MultiReader(bytes.NewReader(early), conn)}, nil
}

// earlyConn is a tunnel whose first bytes arrived together with the proxy's response.
type earlyConn struct {
	net.Conn
	in io.Reader
}

func (c *earlyConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// NetConn returns the underlying connection.
func (c *earlyConn) NetConn() net.Conn { return c.Conn }

// Get opens h like [Client.Open], but takes no request options.
func (c *Client) Get(ctx context.Context, dialer scheme.Dialer, h URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: h.URL(), Dial: dialer}, h)
}

// Open implements [scheme.Opener] with one GET. If the server requires a login, Open repeats
// the GET with a login. If a transfer cannot be resumed, Open requests the whole object. For
// req.Probe, Open sends HEAD, and repeats the request with GET if the server may have rejected
// only the method. The resource is a [*scheme.Object] or, for a redirect, a
// [*scheme.Redirect].
//
// When ctx ends, reads from the body fail. Errors wrap a [*locus.SyntaxError], an error of the
// dialer, or an error of package scheme. These errors are scheme.ErrNotFound (404, 410),
// ErrAuth (401, 403, 407), ErrTooLarge, ErrUnreachable (TLS) and ErrProtocol (other failures).
// For a response status, the error also wraps a [*textproto.Error].
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	h, err := Parse(req.URL)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return c.open(ctx, req, h)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, h URL) (scheme.Resource, error) {
	if err := h.checkReachable(); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	v := newOperation(c, req)
	v.to = h.destination()
	var err error
	if v.urlLogin, err = loginOf(req.URL); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return v.run(ctx)
}

// operation is one call of [Client.Open] or [Client.OpenVia].
type operation struct {
	client    *Client
	req       *scheme.Request
	to        destination
	transport *http.Transport

	from     earlierTransfer
	probing  bool   // the request uses HEAD
	urlLogin *login // the login in the URL; nil if none
	login    *login // the login to send; nil if none
	askCount int    // number of calls of Request.Ask
	refused  int    // number of logins that the server rejected
}

func newOperation(c *Client, req *scheme.Request) *operation {
	v := &operation{client: c, req: req, probing: req.Probe, from: earlierTransfer{offset: max(req.Offset, 0), time: req.ModTime}}
	if isStrong(req.Tag) {
		v.from.tag = req.Tag
	}
	return v
}

func (v *operation) run(ctx context.Context) (resource scheme.Resource, err error) {
	if v.req.Dial == nil {
		return nil, errNoDialer
	}
	if v.transport, err = v.client.transport(transportKey{v.req.Dial, v.to.isProxy, v.req.Record != nil}); err != nil {
		return nil, err
	}
	if resource, err = v.open(ctx); err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return resource, nil
}

var errNoDialer = fmt.Errorf("http: %w: the request has no dialer", scheme.ErrUnsupported)

func (v *operation) open(ctx context.Context) (scheme.Resource, error) {
	for {
		a, err := v.send(ctx)
		if err != nil {
			if v.probing && isResponse(err) && ctx.Err() == nil {
				v.probing = false
				continue
			}
			return nil, explain(ctx, err)
		}
		again, err := v.mustRepeat(ctx, a)
		if err == nil && !again {
			return v.resource(a)
		}
		if again {
			a.exchange.Repeated()
		}
		a.discard()
		if err != nil {
			return nil, err
		}
	}
}

func (v *operation) send(ctx context.Context) (*response, error) {
	ctx = context.WithValue(ctx, callKey{}, ctx)
	method := http.MethodGet
	if v.probing {
		method = http.MethodHead
	}
	var r *framing
	x := httpwire.New(v.req.Record)
	var hooks httptrace.ClientTrace
	hooks.GotConn = func(info httptrace.GotConnInfo) {
		r = nil
		if conn, ok := info.Conn.(*wireConn); ok {
			r = newFraming()
			r.head = method == http.MethodHead
			conn.wire.setFraming(r)
			conn.tap.Begin(x)
			x.Begin(v.serverAddr(conn.Conn))
		}
	}
	req := v.to.newRequest(ctx, method, v.req.Header, v.from, v.client.options.Raw)
	if v.req.Accept != "" {
		req.Header.Set("Accept", v.req.Accept)
	}
	if v.req.AcceptLanguage != "" {
		req.Header.Set("Accept-Language", v.req.AcceptLanguage)
	}
	if v.login != nil {
		req.Header.Set("Authorization", v.login.header())
	}
	v.addCookies(req)
	t := newTracer(v.req, req)
	t.hook(&hooks)
	resp, err := v.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, &hooks)))
	t.stopTracing()
	if err != nil {
		x.End(err)
		return nil, err
	}
	t.received(resp)
	v.storeCookies(resp)
	if r != nil && resp.ProtoMajor != 1 {
		// The package net/http accepts any version in an HTTP/1 status line.
		resp.Body.Close()
		x.End(scheme.ErrProtocol)
		return nil, fmt.Errorf("%w: the status line of an HTTP/1 connection says %s", scheme.ErrProtocol, locus.Quote(resp.Proto))
	}
	return &response{Response: resp, framing: r, exchange: x}, nil
}

// serverAddr returns the address of the server. If only the address of a proxy is known, it
// returns nil.
func (v *operation) serverAddr(conn net.Conn) net.Addr {
	if v.to.isProxy {
		return nil
	}
	return scheme.ServerAddr(conn)
}

// addCookies adds the cookies in the client's jar to a request. If the client has no jar,
// addCookies adds the cookies in Request.Cookies.
func (v *operation) addCookies(req *http.Request) {
	if jar, site := v.jar(); jar != nil {
		for _, cookie := range jar.Cookies(site) {
			req.AddCookie(cookie)
		}
		return
	}
	if v.req.Cookies == nil || defaultPort(v.req.URL) == 0 {
		return
	}
	if text := v.req.Cookies.Header(v.req.URL); text != "" {
		if own := req.Header.Get("Cookie"); own != "" {
			text = own + "; " + text
		}
		req.Header.Set("Cookie", text)
	}
}

// storeCookies stores the cookies of a response in the jar. It also stores them in
// Request.Cookies, because a redirect to the same URL is a loop only if the cookies are the
// same.
func (v *operation) storeCookies(resp *http.Response) {
	if jar, site := v.jar(); jar != nil {
		jar.SetCookies(site, resp.Cookies())
	}
	if v.req.Cookies != nil && defaultPort(v.req.URL) != 0 {
		v.req.Cookies.Set(v.req.URL, resp.Header.Values("Set-Cookie"))
	}
}

// jar returns the cookie jar and the URL to pass to the jar. If the request must have no
// cookies, it returns nil.
func (v *operation) jar() (http.CookieJar, *url.URL) {
	if v.client.options.Jar == nil || defaultPort(v.req.URL) == 0 {
		return nil, nil
	}
	u, err := v.req.URL.WithoutPassword().NetURL()
	if err != nil {
		return nil, nil
	}
	return v.client.options.Jar, u
}

// mustRepeat reports whether the client must repeat the request with a login, with GET, or for
// the whole object. It prepares the next request.
func (v *operation) mustRepeat(ctx context.Context, a *response) (bool, error) {
	switch {
	case a.StatusCode == http.StatusUnauthorized:
		if again, err := v.chooseLogin(ctx, a); again || err != nil || !v.probing {
			return again, err
		}
		// The server may require a login only for HEAD.
		v.probing = false
		return true, nil
	case v.probing && !a.isVerdict():
		// The object may exist even if the server does not support HEAD.
		v.probing = false
		return true, nil
	case v.from.offset > 0 && v.mustRestart(a):
		v.from = earlierTransfer{}
		return true, nil
	}
	return false, nil
}

// chooseLogin sets the login for the next request, and reports whether there is one. It first
// uses the login in the URL, and then calls Request.Ask.
func (v *operation) chooseLogin(ctx context.Context, a *response) (bool, error) {
	realm, basic := a.basicRealm()
	if basic && v.login == nil && v.urlLogin != nil {
		v.login = v.urlLogin
		return true, nil
	}
	user := ""
	if v.login != nil {
		v.refused++
		user = v.login.user
	}
	if !basic || v.req.Ask == nil || v.askCount == maxAskCalls {
		return false, nil
	}
	v.askCount++
	given, ok, err := v.req.Ask(ctx, scheme.Question{URL: v.req.URL, Realm: realm, User: user, Attempt: v.refused})
	if err != nil || !ok {
		v.askCount = maxAskCalls // so that a GET after a HEAD does not call Request.Ask again
		return false, err
	}
	v.login = &login{given.User, given.Password}
	if !v.login.sendable() {
		return false, fmt.Errorf(`%w: ":" in a user name and control characters cannot be sent as Basic credentials`, scheme.ErrAuth)
	}
	return true, nil
}
