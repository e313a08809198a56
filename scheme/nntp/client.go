package nntp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/internal/pool"
	"github.com/locus-url/locus/scheme"
)

// TLSMode is when STARTTLS is used on a URL of nntp (RFC 4642). One of nntps has
// TLS without it.
type TLSMode uint8

const (
	TLSLogin   TLSMode = iota // when there is a login to protect, where the server offers it
	TLSOff                    // never
	TLSRequire                // at once, or not at all
)

// Options of a Client. The zero value is sensible.
type Options struct {
	// Server is the one for URLs that name none: "nntp://host:port" or
	// "nntps://host:port". The zero URL: there is none.
	Server locus.URL
	// ClearLogin lets user and password cross the network without TLS.
	ClearLogin bool
	// StartTLS is when STARTTLS is used.
	StartTLS TLSMode
	// TLSConfig is for what the client asks of servers; nil: as crypto/tls has it.
	TLSConfig *tls.Config
	// Limits bound lists.
	Limits Limits
	// IdleTime is how long a connection is kept when nothing uses it; 0: 30 seconds,
	// less than servers wait themselves.
	IdleTime time.Duration
	// IdleConns is how many are kept for one server; 0: 4, as many as servers let
	// one client have; less: none.
	IdleConns int
}

// Limits bound what is taken from a server. Zero fields are sensible.
type Limits struct {
	Line   int   // octets of a line of a list; 64 KiB
	Items  int64 // of a menu; 1 Mi
	Octets int64 // of a list; 512 MiB
}

func (l Limits) orDefault() Limits {
	return Limits{Line: cmp.Or(l.Line, 64<<10), Items: cmp.Or(l.Items, 1<<20), Octets: cmp.Or(l.Octets, 512<<20)}
}

// Client accesses URLs of nntp and nntps, and does for others what has no nntp
// URL: articles by message-id, and the list of newsgroups. It may be used from
// many goroutines at once.
type Client struct {
	o    Options
	pool pool.Pool[place, *conn]
}

// New returns a Client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o.Limits = c.o.Limits.orDefault()
	c.pool.PerKey, c.pool.IdleTime = cmp.Or(c.o.IdleConns, 4), cmp.Or(c.o.IdleTime, 30*time.Second)
	return c
}

// Close takes leave of the connections that are kept. What is being read goes on,
// and what is opened afterwards uses connections of its own.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get dereferences n: an article is an Object, and a newsgroup a Menu of the
// newest of its articles.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, n URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: n.url, Dial: d}, n)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Request.Items
// chooses articles by their numbers. Ending ctx ends the reading of what it
// returned too. For req.Probe an article is asked for with STAT, and of a newsgroup
// nothing but whether there is one.
//
// NNTP can't begin in the middle of an article, so req.Offset is of no use here.
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
	number, ok := n.ArticleNumber()
	if !ok {
		base := n.url.Scheme() + n.url.WithoutFragmentText()[len(n.url.Scheme()):] + "/"
		return c.run(ctx, req, c.serverOf(n), n.newsgroup, func(x *exchange) (scheme.Resource, error) {
			return x.listGroup(n.newsgroup, base)
		})
	}
	return c.run(ctx, req, c.serverOf(n), n.newsgroup, func(x *exchange) (scheme.Resource, error) {
		return x.numbered(n.newsgroup, number)
	})
}

// serverOf is the URL whose host, port and login are asked.
func (c *Client) serverOf(n URL) locus.URL {
	if n.url.Host() == "" {
		return c.o.Server
	}
	return n.url
}

// Stat asks whether what req.URL names is there, without getting it. The error is
// that of Open; nil: it is.
func (c *Client) Stat(ctx context.Context, req *scheme.Request) error {
	n, err := Parse(req.URL)
	if err == nil {
		err = n.sendable()
	}
	if err != nil {
		return err
	}
	_, err = c.run(ctx, req, c.serverOf(n), n.newsgroup, func(x *exchange) (scheme.Resource, error) {
		return nil, x.stat(n)
	})
	return err
}

// OpenArticle opens an article by its message-id, which is without "<" and ">".
// server is as in [Options].
func (c *Client) OpenArticle(ctx context.Context, req *scheme.Request, server locus.URL, messageID string) (*scheme.Object, error) {
	if err := checkMessageID(messageID); err != nil {
		return nil, fmt.Errorf("nntp: %w", err)
	}
	res, err := c.run(ctx, req, server, "", func(x *exchange) (scheme.Resource, error) {
		return x.article(bracketed(messageID))
	})
	if err != nil {
		return nil, err
	}
	return res.(*scheme.Object), nil
}

// OpenGroup lists a newsgroup, as Open does. The items have nntp URLs.
func (c *Client) OpenGroup(ctx context.Context, req *scheme.Request, server locus.URL, newsgroup string) (*scheme.Menu, error) {
	n, err := groupURL(server, newsgroup)
	if err == nil {
		err = n.sendable()
	}
	if err != nil {
		return nil, err
	}
	res, err := c.run(ctx, req, server, newsgroup, func(x *exchange) (scheme.Resource, error) {
		return x.listGroup(newsgroup, n.url.String()+"/")
	})
	if err != nil {
		return nil, err
	}
	return res.(*scheme.Menu), nil
}

// groupURL is the URL of a newsgroup on a server.
func groupURL(server locus.URL, newsgroup string) (URL, error) {
	port, _ := server.Port()
	return Parts{Secure: isSecure(server), Host: server.Host(), Port: port, Newsgroup: newsgroup}.URL()
}

// OpenGroups lists the newsgroups that a server has. The items have nntp URLs, and
// the names of the newsgroups as titles; for req.Probe nothing is asked about them.
func (c *Client) OpenGroups(ctx context.Context, req *scheme.Request, server locus.URL) (*scheme.Menu, error) {
	res, err := c.run(ctx, req, server, "", func(x *exchange) (scheme.Resource, error) {
		return x.listGroups(server)
	})
	if err != nil {
		return nil, err
	}
	return res.(*scheme.Menu), nil
}

// place returns the place that a server's URL names.
func (c *Client) place(d scheme.Dialer, server locus.URL) (place, error) {
	if server.IsZero() {
		return place{}, scheme.Hint(fmt.Errorf("nntp: %w: the URL names no server", scheme.ErrUnsupported),
			"write nntp://host/, or say which server is meant")
	}
	if server.Scheme() != name && !isSecure(server) || server.Host() == "" {
		return place{}, fmt.Errorf("nntp: %w: %s is no server: it is written nntp://host:port or nntps://host:port", locus.ErrValue, locus.Quote(server.Redacted()))
	}
	at := place{dial: d, host: strings.ToLower(strings.Trim(server.Host(), "[]")), port: defaultPort(server), secure: isSecure(server)}
	if port, ok := server.Port(); ok {
		at.port = port
	}
	at.user, at.hasUser = decoded(server.User())
	at.password, at.hasSecret = decoded(server.Password())
	if line.Index(at.user) >= 0 || line.Index(at.password) >= 0 {
		return place{}, server.Errorf(len(server.Scheme())+len("://"), "user", "%w: CR, LF or NUL would end the command that it is sent in", locus.ErrValue)
	}
	return at, nil
}

// decoded is a user or password as octets.
func decoded(text string, ok bool) (string, bool) { return bnf.Decode(text), ok }

// job is one thing to be done at a server.
type job struct {
	client *Client
	req    *scheme.Request
	server locus.URL
	place  place
	// do is done over a connection, perhaps again after a login. It leaves the
	// exchange to end to the resource that it returns, if that reads on.
	do func(*exchange) (scheme.Resource, error)

	answer  *scheme.Credentials // what a person answered
	refused int                 // how many of the answers the server refused
}

// run does a job over a connection, kept or new. newsgroup is the one that is
// best selected.
func (c *Client) run(ctx context.Context, req *scheme.Request, server locus.URL, newsgroup string, do func(*exchange) (scheme.Resource, error)) (scheme.Resource, error) {
	if req.Dial == nil {
		return nil, fmt.Errorf("nntp: %w without a dialer", scheme.ErrUnsupported)
	}
	at, err := c.place(req.Dial, server)
	if err != nil {
		return nil, err
	}
	j := &job{client: c, req: req, server: server, place: at, do: do}
	res, err := j.attempt(ctx, newsgroup)
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("nntp: %w", context.Cause(ctx))
	}
	return nil, fmt.Errorf("nntp: %w", err)
}

// attempt does the job over a kept connection, if there is one, and over a new one
// if that had gone.
func (j *job) attempt(ctx context.Context, newsgroup string) (scheme.Resource, error) {
	if kept := j.client.kept(j.place, newsgroup); kept != nil {
		x := newExchange(ctx, j, kept)
		same, err := j.sameLogin(ctx, kept)
		if err != nil || !same {
			x.end(true) // it is for whoever answers otherwise
		} else {
			res, err := x.perform()
			if stale := (staleError{}); !errors.As(err, &stale) {
				return res, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
	x, err := j.connect(ctx)
	if err != nil {
		return nil, err
	}
	return x.perform()
}

// sameLogin reports whether a kept connection is logged in as it would be by this
// job: who is asked now may be another than the one who was.
func (j *job) sameLogin(ctx context.Context, kept *conn) (bool, error) {
	if !kept.asked {
		return true, nil
	}
	if j.req.Ask == nil {
		return false, nil
	}
	if err := j.ask(ctx, kept.realm); err != nil {
		return false, err
	}
	return *j.answer == *kept.login, nil
}

// connect opens a connection and gets it ready for commands.
func (j *job) connect(ctx context.Context) (*exchange, error) {
	raw, err := j.place.dial.DialContext(ctx, "tcp", net.JoinHostPort(j.place.host, strconv.Itoa(int(j.place.port))))
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	c := &conn{link: link{raw: raw, conn: raw}, place: j.place}
	x := newExchange(ctx, j, c)
	if err := x.begin(); err != nil {
		x.end(false)
		return nil, err
	}
	return x, nil
}

// begin takes a connection from its first octet to where commands can be sent.
func (x *exchange) begin() error {
	c := x.conn
	if c.place.secure {
		if err := x.handshake(); err != nil {
			return err
		}
	}
	x.readLines()
	if err := c.greet(); err != nil {
		return err
	}
	if x.job.client.o.StartTLS == TLSRequire && !c.tls {
		switch done, err := x.startTLS(); {
		case err != nil:
			return err
		case !done:
			return scheme.Hint(fmt.Errorf("%w: the server does not begin TLS", scheme.ErrUnsupported), "TLS was asked for; nntps: may work")
		}
	}
	return c.becomeReader()
}

// link is what is below a connection.
type link struct {
	raw  net.Conn // as it was dialled
	conn net.Conn // raw, or TLS over it
	tls  bool
}

// hangUp closes the connection, whatever state it is in, and whoever uses it.
func (l *link) hangUp() { l.raw.Close() }

// Quit takes leave without waiting for an answer.
func (l *link) Quit() {
	l.conn.SetWriteDeadline(time.Now().Add(time.Second))
	l.conn.Write([]byte("QUIT\r\n"))
	l.conn.Close()
}

func (x *exchange) readLines() {
	x.conn.lines = line.NewReader(x.conn.conn, x.job.client.o.Limits.Line)
}

// handshake goes over to TLS.
func (x *exchange) handshake() error {
	config := new(tls.Config)
	if own := x.job.client.o.TLSConfig; own != nil {
		config = own.Clone()
	}
	config.ServerName = cmp.Or(config.ServerName, x.conn.place.host)
	secure := tls.Client(x.conn.raw, config)
	if err := secure.HandshakeContext(x.ctx); err != nil {
		x.conn.broken = true
		return fmt.Errorf("TLS: %w", scheme.Broken(err))
	}
	x.conn.conn, x.conn.tls = secure, true
	return nil
}

// startTLS asks for TLS, if the server offers it (RFC 4642 section 2). What was
// known of the server is forgotten then, as it has to be.
func (x *exchange) startTLS() (done bool, err error) {
	c := x.conn
	caps, err := c.capabilities()
	if err != nil || !caps.has("STARTTLS") {
		return false, err
	}
	r, err := c.command("STARTTLS")
	if err != nil || r.Code != 382 {
		return false, err
	}
	if c.lines.Buffered() > 0 {
		// Whatever it is, it did not come under TLS, and must not look as if.
		c.broken = true
		return false, fmt.Errorf("%w: something was sent in clear behind the reply to STARTTLS", scheme.ErrProtocol)
	}
	if err := x.handshake(); err != nil {
		return false, err
	}
	x.readLines()
	c.forget()
	c.over, c.format = "", nil
	return true, nil
}
