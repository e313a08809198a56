package news

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
	"github.com/locus-url/locus/scheme/internal/lineconn"
	"github.com/locus-url/locus/scheme/internal/pool"
)

// TLSMode selects when the client sends STARTTLS (RFC 4642). For snews and nntps URLs, TLS
// begins without STARTTLS.
type TLSMode uint8

const (
	TLSLogin   TLSMode = iota // use TLS before a login, if the server supports it
	TLSOff                    // never use TLS
	TLSRequire                // always use TLS, and fail if the server does not support it
)

// Options configures a [Client]. With the zero Options, a Client opens only URLs that name a
// server.
type Options struct {
	// Server is the server for URLs that do not name one: "nntp://host:port" or
	// "nntps://host:port", optionally with user and password. The zero URL means
	// no server.
	Server locus.URL
	// Received opens an article that was already received (URI draft, "News"). The argument
	// messageID has no "<" and ">". If Received returns an error that wraps
	// scheme.ErrNotFound, the client requests the article from the server. The client does not
	// call Received for URLs that name a server. The function may be nil.
	Received func(ctx context.Context, req *scheme.Request, messageID string) (*scheme.Object, error)
	// ClearLogin allows the client to send logins without TLS.
	ClearLogin bool
	// StartTLS selects when the client uses STARTTLS.
	StartTLS TLSMode
	// TLSConfig is the TLS configuration. If TLSConfig is nil, the defaults of crypto/tls
	// apply.
	TLSConfig *tls.Config
	// Limits bounds the size of lists.
	Limits Limits
}

// Limits bounds the data that a server may send. A zero field selects the default.
type Limits struct {
	Line   int   // maximum line length in a list, in bytes; default 64 KiB
	Items  int64 // maximum number of items in a menu; default 1 Mi
	Octets int64 // maximum size of a list in bytes; default 512 MiB
}

// Client opens news, snews, nntp and nntps URLs. Its methods may be called concurrently.
type Client struct {
	o    Options
	pool pool.Pool[lineconn.Key, *conn]
}

// New returns a Client. If o is nil, the client has the default options.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	l := &c.o.Limits
	*l = Limits{Line: cmp.Or(l.Line, 64<<10), Items: cmp.Or(l.Items, 1<<20), Octets: cmp.Or(l.Octets, 512<<20)}
	c.pool.PerKey, c.pool.IdleTime = 4, pool.IdleTime // servers usually allow 4 connections per client
	return c
}

// Close closes idle connections. Open resources stay open, and later calls of Open use new
// connections.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get opens n like [Client.Open], but takes no request options.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, n URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: n.url, Dial: d}, n)
}

// Open implements [scheme.Opener]. It returns an article as a [*scheme.Object]. It returns a
// newsgroup as a [*scheme.Menu] of its newest articles, or of the articles that req.Items
// selects. It returns the list of all newsgroups as a Menu. The URLs of items have the scheme
// of req.URL, and name a server if req.URL does. When ctx ends, reads from the resource fail.
//
// If req.Probe is set, Open sends STAT for an article, and for a newsgroup only the command
// that selects it. Open ignores req.Offset, because NNTP cannot resume the transfer of an
// article.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	n, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, n)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, n URL) (scheme.Resource, error) {
	if err := n.sendable(); err != nil {
		return nil, err
	}
	if n.messageID != "" && n.url.Host() == "" && c.o.Received != nil {
		o, err := c.o.Received(ctx, req, n.messageID)
		switch {
		case err == nil:
			return o, nil
		case !errors.Is(err, scheme.ErrNotFound):
			return nil, fmt.Errorf("news: %w", err)
		case c.o.Server.IsZero():
			return nil, fmt.Errorf("news: %w, and no news server is known", err)
		}
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("news: %w without a dialer", scheme.ErrUnsupported)
	}
	server, err := c.server(n)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(req.Dial, server)
	if err != nil {
		return nil, err
	}
	x := &operation{client: c, ctx: ctx, req: req, url: n, server: server, key: key, source: archived.For(req)}
	res, err := x.run()
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("news: %w", context.Cause(ctx))
	}
	return nil, fmt.Errorf("news: %w", err)
}

// server returns the URL of the server to use for n, with the scheme nntp or nntps. If n names
// no server, this is the server in the options. For snews and nntps URLs, the server's scheme
// is nntps. If that requires changing the scheme of the server in the options, the port also
// changes to the default port of nntps.
func (c *Client) server(n URL) (locus.URL, error) {
	named := n.url.Host() != ""
	p := n.url.Parts()
	if !named {
		p = c.o.Server.Parts()
	}
	switch {
	case named:
		p.Scheme = "nntp"
		if n.Secure() {
			p.Scheme = "nntps"
		}
	case c.o.Server.IsZero():
		return locus.URL{}, scheme.HintFor(fmt.Errorf("news: %w: no news server is known, and the URL names none", scheme.ErrUnsupported),
			scheme.ReasonNoServer, "write a URL with a server, nntp://host/newsgroup, or configure a server")
	case !isNNTP(c.o.Server) || p.Host == "":
		return locus.URL{}, fmt.Errorf("news: %w: invalid news server %s: write nntp://host:port or nntps://host:port", locus.ErrValue, locus.Quote(c.o.Server.Shown()))
	case n.Secure() && p.Scheme == "nntp":
		p.Scheme, p.Port = "nntps", 0
	}
	p.Path, p.Fragment = nil, nil
	return p.URL()
}

// keyOf returns the pool key for the given server URL. The URL must be a result of
// Client.server.
func keyOf(d scheme.Dialer, server locus.URL) (lineconn.Key, error) {
	k := lineconn.NewKey(d, server, defaultPort(server), isSecure(server))
	if line.Index(k.User) >= 0 || line.Index(k.Password) >= 0 {
		return k, server.Errorf(len(server.Scheme())+len("://"), "user", "%w: CR, LF or NUL would end the command that contains it", locus.ErrValue)
	}
	return k, nil
}

// conn is a connection to a server, with the known state of the session.
type conn struct {
	lineconn.Conn
	tls          bool
	login        *scheme.Credentials // the login that the server accepted; nil if none
	loginFromAsk bool                // Request.Ask returned the login
	realm        string              // the realm in the question to Request.Ask, if loginFromAsk is true

	group  group           // selected newsgroup; zero if none
	caps   capabilities    // capabilities; nil if unknown, or if the server does not list them
	over   string          // the command that lists articles; empty if unknown
	format *overviewFormat // format of overview lines; nil if unknown

	source   *archived.Buffer // buffer for the replies that form a list; nil if the caller needs no source
	archived bool             // the replies come from an archive
}

// takeIdle returns an idle connection. It prefers a connection on which the given newsgroup
// is selected.
func (c *Client) takeIdle(key lineconn.Key, newsgroup string) (kept *conn, ok bool) {
	return c.pool.Take(key, func(c *conn) int {
		if c.group.name == newsgroup {
			return 1
		}
		return 0
	})
}

// connect opens a connection, reads the greeting, and performs the steps that must precede the
// first command, such as STARTTLS and MODE READER.
func (x *operation) connect() error {
	c, err := lineconn.Dial(x.ctx, x.key)
	if err != nil {
		return err
	}
	x.use(&conn{Conn: c})
	if err := x.begin(); err != nil {
		x.End(false)
		return err
	}
	return nil
}

func (x *operation) begin() error {
	if x.key.Secure {
		if err := x.handshake(); err != nil {
			return err
		}
	} else {
		x.readLines()
	}
	if err := x.conn.readGreeting(); err != nil {
		return err
	}
	if x.client.o.StartTLS == TLSRequire && !x.conn.tls {
		switch done, err := x.startTLS(); {
		case err != nil:
			return err
		case !done:
			return scheme.Hint(fmt.Errorf("%w: the server does not offer STARTTLS", scheme.ErrUnsupported), "TLS is required: try nntps:")
		}
	}
	return x.conn.becomeReader()
}

func (x *operation) readLines() {
	x.conn.Lines = line.NewReader(x.conn.Received(), x.client.o.Limits.Line)
}

func (x *operation) handshake() error {
	if err := x.conn.StartTLS(x.ctx, x.conn.Config(x.client.o.TLSConfig)); err != nil {
		return err
	}
	x.conn.tls = true
	x.readLines()
	return nil
}

// startTLS sends STARTTLS if the server supports it (RFC 4642 section 2). After the TLS
// handshake, the client discards the known state of the server, as section 2.2.2 requires.
func (x *operation) startTLS() (done bool, err error) {
	c := x.conn
	caps, err := c.capabilities()
	if err != nil || !caps.has("STARTTLS") {
		return false, err
	}
	r, err := c.sendCommand("STARTTLS")
	if err != nil || r.code != 382 {
		return false, err
	}
	if err := x.handshake(); err != nil {
		return false, err
	}
	c.discardState()
	c.over, c.format = "", nil
	return true, nil
}
