package ftp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/internal/pool"
	"github.com/locus-url/locus/scheme"
)

// TLSMode is whether a URL of ftp is accessed with TLS (RFC 4217). One of ftps
// always is.
type TLSMode uint8

const (
	TLSOff     TLSMode = iota // never
	TLSTry                    // where the server offers it
	TLSRequire                // or not at all
)

// Options of a Client. The zero value is what RFC 1738 says.
type Options struct {
	// CWD is how url-paths become commands.
	CWD CWDMode
	// Active has the server connect for data (PORT, EPRT), which takes a
	// scheme.DataDialer that can listen. Otherwise data connections are passive.
	Active bool
	// TLS is whether TLS is asked for with AUTH TLS.
	TLS TLSMode
	// TLSConfig is for what the client asks of servers; nil: as crypto/tls has it.
	TLSConfig *tls.Config
	// AnonymousPassword is the password of an anonymous login: by section 3.2.1 the
	// e-mail address of who is there; empty: "anonymous@", which names nobody.
	AnonymousPassword string
	// IdleTime is how long a control connection is kept when nothing uses it; 0: 30
	// seconds, less than servers wait themselves.
	IdleTime time.Duration
	// IdleConns is how many are kept for one login on one server; 0: 8; less: none.
	IdleConns int
	// MaxReply is the most bytes of one reply, all its lines together; 0: 256 KiB.
	// More is a protocol error.
	MaxReply int
}

// Client accesses URLs of ftp and ftps. It may be used from many goroutines at
// once.
type Client struct {
	o    Options
	pool pool.Pool[login, *control]
}

// New returns a Client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	if c.o.AnonymousPassword == "" {
		c.o.AnonymousPassword = "anonymous@"
	}
	if c.o.IdleTime == 0 {
		c.o.IdleTime = 30 * time.Second
	}
	if c.o.IdleConns == 0 {
		c.o.IdleConns = 8
	}
	if c.o.MaxReply <= 0 {
		c.o.MaxReply = maxReply
	}
	c.pool.PerKey, c.pool.IdleTime = c.o.IdleConns, c.o.IdleTime
	return c
}

// Close takes leave of the connections that are kept. What is being read goes on,
// and what is opened afterwards uses connections of its own.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get dereferences u: a file is an Object; a directory, and what typecode "d"
// lists, is a Menu.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, u URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: u.URL(), Dial: d}, u)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Ending ctx ends the
// reading of what it returned too. For req.Probe no data connection is opened, if the
// server tells the size or time of the file, or lets us into the directory.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	u, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, u)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, u URL) (scheme.Resource, error) {
	plan, err := u.Plan(c.o.CWD)
	if err != nil {
		return nil, err
	}
	if u.u.Host() == "" {
		return nil, u.u.Errorf(u.u.HostOffset(), "host", "%w: there is none to connect to", locus.ErrValue)
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("ftp: %w without a dialer", scheme.ErrUnsupported)
	}
	j := job{client: c, req: req, url: u, plan: plan}
	for {
		res, err := j.attempt(ctx)
		if err == nil {
			return res, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("ftp: %w", context.Cause(ctx))
		}
		// A kept connection that had gone is followed by another, at last a new one.
		if stale := (staleError{}); !errors.As(err, &stale) {
			return nil, fmt.Errorf("ftp: %w", err)
		}
	}
}

// job is one URL to be accessed.
type job struct {
	client *Client
	req    *scheme.Request
	url    URL
	plan   Plan

	answer  *scheme.Credentials // what a person answered
	refused int                 // how many of the answers the server refused
}

// maxLogins is how often a person is asked for the password of one login.
const maxLogins = 3

// attempt does the job over one connection, kept or new.
func (j *job) attempt(ctx context.Context) (scheme.Resource, error) {
	l := j.login()
	if kept := j.client.kept(l, j.plan.CWD); kept != nil {
		x := newExchange(ctx, j, kept)
		if err := j.sameLogin(ctx, kept); err != nil {
			x.end(true)
			return nil, err
		}
		if kept.asked == nil || *kept.asked == *j.answer {
			return x.perform()
		}
		x.end(true) // it is for whoever answered otherwise
	}
	for {
		x, err := j.connect(ctx, l)
		if err == nil {
			return x.perform()
		}
		if j.answer == nil || !loginFailed(err) {
			return nil, err
		}
		if j.refused++; j.refused == maxLogins {
			return nil, err
		}
		j.answer = nil
	}
}

// login tells which connections will do.
func (j *job) login() login {
	u := j.url.u
	l := login{dial: j.req.Dial, host: strings.ToLower(strings.Trim(u.Host(), "[]")), port: Port, secure: j.url.Secure()}
	if l.secure {
		l.port = SecurePort
	}
	if port, ok := u.Port(); ok {
		l.port = port
	}
	l.user, l.hasUser = j.url.User()
	l.password, l.hasSecret = j.url.Password()
	return l
}

// sameLogin asks, if a person was asked when a connection was opened: who is
// asked now may be another.
func (j *job) sameLogin(ctx context.Context, kept *control) (err error) {
	if kept.asked != nil && j.answer == nil {
		j.answer, err = j.ask(ctx, kept.realm)
	}
	return err
}

// ask asks for the password of the URL's user (section 3.2.1: "should request one
// from the user").
func (j *job) ask(ctx context.Context, realm string) (*scheme.Credentials, error) {
	user, _ := j.url.User()
	missing := scheme.Hint(fmt.Errorf("%w: the server wants a password for the user %s", scheme.ErrAuth, locus.Quote(user)), "the URL has none, and there was nobody to ask")
	if j.req.Ask == nil {
		return nil, missing
	}
	answer, ok, err := j.req.Ask(ctx, scheme.Question{URL: j.url.u, Realm: realm, User: user, Attempt: j.refused})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, missing
	case answer.User == "":
		answer.User = user
	}
	return &answer, nil
}

// connect opens a control connection and logs in.
func (j *job) connect(ctx context.Context, l login) (*exchange, error) {
	conn, err := l.dial.DialContext(ctx, "tcp", net.JoinHostPort(l.host, strconv.Itoa(int(l.port))))
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	ctl := &control{link: link{raw: conn, conn: conn}, login: l, trace: j.req.Trace, maxReply: j.client.o.MaxReply}
	x := newExchange(ctx, j, ctl)
	if err := j.begin(ctx, ctl); err != nil {
		x.end(false)
		return nil, err
	}
	return x, nil
}

// begin takes a control connection from its first octet to the end of the login.
func (j *job) begin(ctx context.Context, ctl *control) error {
	o := &j.client.o
	if ctl.login.secure {
		if err := ctl.startTLS(ctx, o.TLSConfig); err != nil {
			return err
		}
	}
	ctl.readLines()
	if err := ctl.greet(); err != nil {
		return err
	}
	if o.TLS != TLSOff && ctl.tls == nil {
		if err := ctl.askTLS(ctx, o); err != nil {
			return err
		}
	}
	if err := j.authenticate(ctx, ctl); err != nil {
		return err
	}
	if ctl.tls != nil {
		return ctl.protect()
	}
	return nil
}

func (j *job) authenticate(ctx context.Context, ctl *control) error {
	l := &ctl.login
	known := scheme.Credentials{User: l.user, Password: l.password}
	ask := l.hasUser && !l.hasSecret
	if !l.hasUser {
		known.User = "anonymous"
	}
	if known.User == "anonymous" && !l.hasSecret {
		// Section 3.2.1's convention is about this very name.
		known.Password, ask = j.client.o.AnonymousPassword, false
	}
	err := ctl.authenticate(known.User, func(realm string) (scheme.Credentials, error) {
		if !ask {
			return known, nil
		}
		if j.answer == nil {
			answer, err := j.ask(ctx, realm)
			if err != nil {
				return scheme.Credentials{}, err
			}
			j.answer = answer
		}
		ctl.asked, ctl.realm = j.answer, realm
		return *j.answer, nil
	})
	if !errors.Is(err, scheme.ErrAuth) {
		return err
	}
	if !l.hasUser {
		return scheme.Hint(err, "this server takes no anonymous login: write a user before the host, ftp://user@host/")
	}
	if loginFailed(err) {
		return scheme.Hint(err, "the server refused this user and password")
	}
	return err
}

// link is what is below a control connection.
type link struct {
	raw  net.Conn    // as it was dialled
	conn net.Conn    // raw, or TLS over it
	tls  *tls.Config // of data connections; nil: there is no TLS

	protected bool // data connections have TLS
	noEPSV    bool // PASV is what works here
	noEPRT    bool // PORT is what works here
	noPassive bool // EPRT is what works here
}

// hangUp closes the connection, whatever state it is in, and whoever uses it.
func (l *link) hangUp() { l.raw.Close() }

func (c *control) readLines() { c.lines = line.NewReader(c.conn, c.maxReply) }

// Quit takes leave without waiting for an answer.
func (c *control) Quit() {
	c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	c.conn.Write([]byte("QUIT\r\n"))
	c.conn.Close()
}

// startTLS goes over to TLS.
func (c *control) startTLS(ctx context.Context, config *tls.Config) error {
	if config == nil {
		config = new(tls.Config)
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName = c.login.host
	}
	// Servers ask that a data connection resume the session of its control
	// connection, which shows that it comes from the same client. So each control
	// connection has a cache, and data connections only look into it.
	cache := new(sessions)
	config.ClientSessionCache = cache
	conn := tls.Client(c.raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		c.broken = true
		return fmt.Errorf("TLS: %w", scheme.Broken(err))
	}
	c.conn = conn
	c.tls = config.Clone()
	c.tls.ClientSessionCache = readOnly{cache}
	return nil
}

// askTLS asks for TLS (RFC 4217 section 4).
func (c *control) askTLS(ctx context.Context, o *Options) error {
	r, err := c.command("AUTH", "TLS")
	if err != nil {
		return err
	}
	if r.Code != 234 {
		if o.TLS == TLSTry {
			return nil
		}
		return scheme.Hint(&ReplyError{Command: "AUTH TLS", Reply: r, Kind: scheme.ErrUnsupported}, "without TLS the login would cross the network in clear, which was ruled out")
	}
	if c.lines.Buffered() > 0 {
		// Whatever it is, it did not come under TLS, and must not look as if.
		c.broken = true
		return fmt.Errorf("%w: something was sent in clear behind the reply to AUTH TLS", scheme.ErrProtocol)
	}
	if err := c.startTLS(ctx, o.TLSConfig); err != nil {
		return err
	}
	c.readLines()
	return nil
}

// protect asks for TLS on data connections (RFC 4217 section 9).
func (c *control) protect() error {
	for _, command := range [][2]string{{"PBSZ", "0"}, {"PROT", "P"}} {
		r, err := c.command(command[0], command[1])
		if err != nil {
			return err
		}
		if !r.completed() {
			return refusal(commandText(command[0], command[1]), r)
		}
	}
	c.protected = true
	return nil
}

// sessions remembers the newest TLS session.
type sessions struct {
	mu    sync.Mutex
	state *tls.ClientSessionState
}

func (s *sessions) Get(string) (*tls.ClientSessionState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.state != nil
}

func (s *sessions) Put(_ string, state *tls.ClientSessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

// readOnly is a session cache that nothing is put into.
type readOnly struct{ tls.ClientSessionCache }

func (readOnly) Put(string, *tls.ClientSessionState) {}

// channel is a data connection on its way: connected, or waited for.
type channel struct {
	conn     net.Conn
	listener net.Listener
	tls      *tls.Config // nil: none
}

// Close closes whatever there is.
func (ch *channel) Close() error {
	if ch.listener != nil {
		ch.listener.Close()
	}
	if ch.conn != nil {
		return ch.conn.Close()
	}
	return nil
}

// Read reads data.
func (ch *channel) Read(p []byte) (int, error) { return ch.conn.Read(p) }

// openChannel arranges a data connection with the server.
func (x *exchange) openChannel() (*channel, error) {
	ch := new(channel)
	if x.ctl.protected {
		ch.tls = x.ctl.tls
	}
	active := x.job.client.o.Active || x.ctl.noPassive
	if !active {
		conn, err := x.connectData()
		if err == nil {
			ch.conn = conn
			x.hold(conn)
			return ch, nil
		}
		var refused *ReplyError
		if !x.overIPv6() || x.ctl.broken || !errors.As(err, &refused) {
			return ch, err
		}
		// Over IPv6 only EPRT is left (RFC 2428).
		if _, ok := x.job.req.Dial.(scheme.DataDialer); !ok {
			return ch, err
		}
	}
	l, err := x.listen()
	if err != nil {
		return ch, err
	}
	ch.listener = l
	x.hold(l)
	x.ctl.noPassive = !x.job.client.o.Active
	return ch, nil
}

// overIPv6 reports whether the control connection is over IPv6.
func (x *exchange) overIPv6() bool {
	far, err := netip.ParseAddrPort(x.ctl.raw.RemoteAddr().String())
	return err == nil && far.Addr().Unmap().Is6()
}

// connectData connects to a port that the server names. EPSV names the port alone
// (RFC 2428). A server that does not know it, or whose answer leads nowhere, gets
// PASV; of its reply too only the port is used.
func (x *exchange) connectData() (net.Conn, error) {
	if x.ctl.noEPSV {
		return x.passive("PASV")
	}
	conn, err := x.passive("EPSV")
	if err == nil || x.ctl.broken || x.ctx.Err() != nil || x.overIPv6() && otherProtocol(err) {
		return conn, err
	}
	if conn, err = x.passive("PASV"); err == nil {
		x.ctl.noEPSV = true
	}
	return conn, err
}

// otherProtocol reports whether err is the reply 522 (RFC 2428 section 2): the
// server has no passive ports for this version of IP. PASV has none for IPv6.
func otherProtocol(err error) bool {
	var refused *ReplyError
	return errors.As(err, &refused) && refused.Reply.Code == 522
}

func (x *exchange) passive(verb string) (net.Conn, error) {
	r, err := x.ctl.command(verb)
	if err != nil {
		return nil, err
	}
	port, ok := passivePort(r)
	if !ok {
		return nil, refusal(verb, r)
	}
	conn, err := x.dialData(port)
	if err != nil {
		return nil, fmt.Errorf("data connection: %w", scheme.Unreachable(err))
	}
	return conn, nil
}

// dialData connects to a port of the host that the control connection is with.
func (x *exchange) dialData(port uint16) (net.Conn, error) {
	if d, ok := x.job.req.Dial.(scheme.DataDialer); ok {
		return d.DialData(x.ctx, x.ctl.raw, port)
	}
	host, _, err := net.SplitHostPort(x.ctl.raw.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	return x.job.req.Dial.DialContext(x.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
}

// listen names a port to the server: with EPRT, or PORT where that is not known.
func (x *exchange) listen() (net.Listener, error) {
	d, ok := x.job.req.Dial.(scheme.DataDialer)
	if !ok {
		return nil, fmt.Errorf("active mode: %w by this dialer, which can't listen", scheme.ErrUnsupported)
	}
	l, err := d.ListenData(x.ctx, x.ctl.raw)
	if err != nil {
		return nil, fmt.Errorf("data connection: %w", scheme.Unreachable(err))
	}
	if err := x.namePort(l.Addr().String()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (x *exchange) namePort(address string) error {
	near, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("data connection: %w", err)
	}
	ip := near.Addr().Unmap()
	ctl := x.ctl
	if !ctl.noEPRT || !ip.Is4() {
		argument := fmt.Sprintf("|1|%s|%d|", ip, near.Port())
		if !ip.Is4() {
			argument = fmt.Sprintf("|2|%s|%d|", ip.WithZone(""), near.Port())
		}
		r, err := ctl.command("EPRT", argument)
		if err != nil || r.completed() {
			return err
		}
		if !ip.Is4() {
			return refusal("EPRT "+argument, r)
		}
		ctl.noEPRT = true
	}
	b := ip.As4()
	argument := fmt.Sprintf("%d,%d,%d,%d,%d,%d", b[0], b[1], b[2], b[3], near.Port()>>8, near.Port()&0xFF)
	r, err := ctl.command("PORT", argument)
	if err == nil && !r.completed() {
		err = refusal("PORT "+argument, r)
	}
	return err
}

// acceptTime is how long a server that said it opens a data connection may take
// to do so.
const acceptTime = 60 * time.Second

// start makes a data connection ready to be read, after the server said that it
// opens it. A connection that is dialled is; TLS, and being connected to, come
// now.
func (ch *channel) start(x *exchange) error {
	if ch.listener != nil {
		late := time.AfterFunc(acceptTime, func() { ch.listener.Close() })
		conn, err := ch.listener.Accept()
		late.Stop()
		if err != nil {
			return fmt.Errorf("data connection: %w", scheme.Unreachable(err))
		}
		ch.listener.Close()
		ch.conn = conn
		x.hold(conn)
	}
	if ch.tls != nil {
		conn := tls.Client(ch.conn, ch.tls)
		if err := conn.HandshakeContext(x.ctx); err != nil {
			return fmt.Errorf("data connection: TLS: %w", scheme.Broken(err))
		}
		ch.conn = conn
	}
	return nil
}
