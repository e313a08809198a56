package ftp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
	"github.com/locus-url/locus/scheme/internal/lineconn"
	"github.com/locus-url/locus/scheme/internal/pool"
)

// TLSMode selects when the client sends AUTH TLS (RFC 4217). For ftps URLs, TLS begins without
// AUTH TLS.
type TLSMode uint8

const (
	TLSOff     TLSMode = iota // never use TLS
	TLSTry                    // use TLS if the server supports it
	TLSRequire                // always use TLS, and fail if the server does not support it
)

// Options configures a [Client]. With the zero Options, the client follows RFC 1738.
type Options struct {
	// CWD selects the commands that the client sends for a url-path.
	CWD CWDMode
	// Active selects active mode (PORT, EPRT), in which the server opens data connections. In
	// this mode, the request's Dial must be a scheme.DataDialer. The default is passive mode.
	Active bool
	// TLS selects when the client uses AUTH TLS.
	TLS TLSMode
	// TLSConfig is the TLS configuration. If TLSConfig is nil, the defaults of crypto/tls
	// apply.
	TLSConfig *tls.Config
	// AnonymousPassword is the password for anonymous logins. It should be the user's e-mail
	// address (RFC 1738 section 3.2.1). The default is "anonymous@".
	AnonymousPassword string
	// MaxReply is the maximum size of a reply in bytes, including all lines. A longer reply is
	// a protocol error. The default is 256 KiB.
	MaxReply int
}

// Client opens ftp and ftps URLs. Its methods may be called concurrently.
type Client struct {
	o    Options
	pool pool.Pool[lineconn.Key, *control]

	servers servers
	wait    time.Duration // timeout for each reply after the first, if commands were sent together
}

// New returns a Client. If o is nil, the client has the default options.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o.AnonymousPassword = cmp.Or(c.o.AnonymousPassword, "anonymous@")
	if c.o.MaxReply <= 0 {
		c.o.MaxReply = maxReply
	}
	c.wait = pipelineWait
	c.pool.PerKey, c.pool.IdleTime = 8, pool.IdleTime
	return c
}

// Close closes idle connections. Open resources stay open, and later calls of Open use new
// connections.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get opens u like [Client.Open], but takes no request options.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, u URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: u.URL(), Dial: d}, u)
}

// Open implements [scheme.Opener]. It returns a file as a [*scheme.Object]. It returns a
// directory, and any URL with typecode "d", as a [*scheme.Menu]. When ctx ends, reads from the
// resource fail. If req.Probe is set, Open usually needs no data connection: a file exists if
// the server reports its size or time, and a directory exists if the server accepts CWD.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	u, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, u)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, u URL) (scheme.Resource, error) {
	plan, err := u.plan(c.o.CWD)
	if err != nil {
		return nil, err
	}
	if u.u.Host() == "" {
		return nil, u.u.Errorf(u.u.HostOffset(), "host", "%w: missing host", locus.ErrValue)
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("ftp: %w without a dialer", scheme.ErrUnsupported)
	}
	x := &operation{client: c, ctx: ctx, req: req, url: u, plan: plan}
	for {
		res, err := x.attempt()
		if err == nil {
			return res, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("ftp: %w", context.Cause(ctx))
		}
		// These errors mean that the server closed a reused connection, or does not support
		// commands that are sent together. The next attempt uses another connection.
		if !lineconn.IsStale(err) && !errors.As(err, new(*pipelineError)) {
			return nil, fmt.Errorf("ftp: %w", err)
		}
	}
}

// maxLogins is the maximum number of calls of Request.Ask for one login.
const maxLogins = 3

// attempt opens the URL over one connection, which may be new or reused.
func (x *operation) attempt() (scheme.Resource, error) {
	port := uint16(Port)
	if x.url.Secure() {
		port = SecurePort
	}
	l := lineconn.NewKey(x.req.Dial, x.url.u, port, x.url.Secure())
	if kept, ok := x.takeIdle(l); ok {
		x.use(kept)
		err := kept.settle()
		if err == nil {
			err = x.sameLogin(kept)
		}
		if err != nil {
			x.End(true)
			return nil, err
		}
		if kept.asked == nil || *kept.asked == *x.answer {
			return x.perform()
		}
		x.End(true)
	}
	for {
		err := x.connect(l)
		if err == nil {
			return x.perform()
		}
		if x.answer == nil || !loginFailed(err) {
			return nil, err
		}
		if x.refused++; x.refused == maxLogins {
			return nil, err
		}
		x.answer = nil
	}
}

// sameLogin checks that a reused connection has the login that this operation would use. If
// the login came from Request.Ask, sameLogin calls Request.Ask again, because the result may
// have changed.
func (x *operation) sameLogin(kept *control) (err error) {
	if kept.asked != nil && x.answer == nil {
		x.answer, err = x.ask(kept.realm)
	}
	return err
}

// ask calls Request.Ask for the password of the URL's user. RFC 1738 section 3.2.1 says that a
// program "should request one from the user".
func (x *operation) ask(realm string) (*scheme.Credentials, error) {
	user, _ := x.url.User()
	missing := scheme.Hint(fmt.Errorf("%w: the server requires a password for user %s", scheme.ErrAuth, locus.Quote(user)), "the URL has no password, and none was given")
	return lineconn.Ask(x.ctx, x.req, scheme.Question{URL: x.url.u, Realm: realm, User: user, Attempt: x.refused}, missing)
}

func (x *operation) connect(l lineconn.Key) error {
	conn, err := lineconn.Dial(x.ctx, l)
	if err != nil {
		return err
	}
	x.use(&control{Conn: conn, maxReply: x.client.o.MaxReply, wait: x.client.wait, habits: x.client.servers.of(l)})
	if err := x.begin(); err != nil {
		x.End(false)
		return err
	}
	return nil
}

// begin prepares a new control connection: it begins TLS, reads the greeting and logs in.
func (x *operation) begin() error {
	o, ctl := &x.client.o, x.ctl
	if ctl.Login.Secure {
		if err := ctl.startTLS(x.ctx, o.TLSConfig); err != nil {
			return err
		}
	}
	ctl.readLines()
	if err := ctl.greet(); err != nil {
		return err
	}
	if o.TLS != TLSOff && ctl.tls == nil {
		if err := ctl.askTLS(x.ctx, o); err != nil {
			return err
		}
	}
	if err := x.authenticate(); err != nil {
		return err
	}
	if ctl.tls != nil {
		return ctl.protect()
	}
	return nil
}

func (x *operation) authenticate() error {
	l := &x.ctl.Login
	known := scheme.Credentials{User: l.User, Password: l.Password}
	ask := l.HasUser && !l.HasPassword
	if !l.HasUser {
		known.User = "anonymous"
	}
	if known.User == "anonymous" && !l.HasPassword {
		// RFC 1738 section 3.2.1 defines the password for the user "anonymous".
		known.Password, ask = x.client.o.AnonymousPassword, false
	}
	err := x.ctl.authenticate(known.User, func(realm string) (scheme.Credentials, error) {
		if !ask {
			return known, nil
		}
		if x.answer == nil {
			answer, err := x.ask(realm)
			if err != nil {
				return scheme.Credentials{}, err
			}
			x.answer = answer
		}
		x.ctl.asked, x.ctl.realm = x.answer, realm
		return *x.answer, nil
	})
	if !errors.Is(err, scheme.ErrAuth) {
		return err
	}
	if !l.HasUser {
		return scheme.Hint(err, "this server accepts no anonymous login: write a user before the host, ftp://user@host/")
	}
	if loginFailed(err) {
		return scheme.Hint(err, "the server refused this user and password")
	}
	return err
}

// takeIdle returns an idle connection on which the client has sent only CWD commands with which
// the plan begins. It prefers the connection with the most such commands. If no connection
// qualifies, it returns a connection that can return to the login directory.
func (x *operation) takeIdle(l lineconn.Key) (ctl *control, ok bool) {
	return x.client.pool.Take(l, func(ctl *control) int {
		switch {
		case ctl.extends(x.plan.cwd):
			return len(ctl.cwd) + 1
		case x.req.More && ctl.home != "" && !ctl.habits.noReturn.Load():
			return 0
		}
		return -1
	})
}

// control is a control connection, with the known state of the session.
type control struct {
	lineconn.Conn
	tls *tls.Config // TLS configuration for data connections; nil means no TLS

	maxReply int    // the value of Options.MaxReply
	secret   string // password to remove from the next reply; empty if none

	asked *scheme.Credentials // login from Request.Ask; nil if Request.Ask was not called
	realm string              // realm in the question to Request.Ask

	cwd      []string // arguments of the CWD commands that succeeded
	home     string   // name of the login directory; empty if not known
	dataType string   // argument of the last TYPE; empty if none
	listVerb string   // LIST or MLSD; empty if not known yet

	protected bool // data connections use TLS
	noEPSV    bool // the server rejected EPSV, so the client sends PASV
	noEPRT    bool // the server rejected EPRT, so the client sends PORT
	noPassive bool // the server does not support passive mode, so the client sends EPRT
	noSize    bool // the server does not support SIZE
	noTime    bool // the server does not support MDTM
	telnet    bool // the client must double the octet FF

	habits *habits
	wait   time.Duration // the value of Client.wait
	offer  *offer        // data port that the server has opened for the next transfer; nil if none
	ahead  string        // passive command that the client has already sent for the next transfer; empty if none
}

func (c *control) readLines() { c.Lines = line.NewReader(c.Received(), c.maxReply) }

func (c *control) startTLS(ctx context.Context, config *tls.Config) error {
	config = c.Config(config)
	// Some servers require that a data connection resumes the TLS session of the control
	// connection, which proves that both connections belong to the same client. Therefore,
	// each control connection has its own session cache. Data connections only read the cache.
	cache := tls.NewLRUClientSessionCache(1)
	config.ClientSessionCache = cache
	if err := c.StartTLS(ctx, config); err != nil {
		return err
	}
	c.tls = config.Clone()
	c.tls.ClientSessionCache = readOnly{cache}
	return nil
}

// askTLS sends AUTH TLS (RFC 4217 section 4).
func (c *control) askTLS(ctx context.Context, o *Options) error {
	r, err := c.command("AUTH", "TLS")
	if err != nil {
		return err
	}
	if r.code != 234 {
		if o.TLS == TLSTry {
			return nil
		}
		return scheme.Hint(&lineconn.ReplyError{Command: "AUTH TLS", Code: r.code, Text: r.text(), Kind: scheme.ErrUnsupported}, "TLS is required: without it the login would not be encrypted")
	}
	if err := c.startTLS(ctx, o.TLSConfig); err != nil {
		return err
	}
	c.readLines()
	return nil
}

// protect turns on TLS for data connections (RFC 4217 section 9).
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

// readOnly is a session cache that ignores Put.
type readOnly struct{ tls.ClientSessionCache }

func (readOnly) Put(string, *tls.ClientSessionState) {}

// channel is a data connection. In active mode, it is first a listener that waits for the
// server's data connection.
type channel struct {
	conn     net.Conn
	listener net.Listener
	tls      *tls.Config // TLS configuration; nil if none
}

func (ch *channel) Close() error {
	if ch.listener != nil {
		ch.listener.Close()
	}
	if ch.conn != nil {
		return ch.conn.Close()
	}
	return nil
}

func (ch *channel) Read(p []byte) (int, error) { return ch.conn.Read(p) }

func (x *operation) openChannel() (*channel, error) {
	ch := new(channel)
	if x.ctl.protected {
		ch.tls = x.ctl.tls
	}
	if x.passiveMode() {
		conn, err := x.connectData()
		if err == nil {
			ch.conn = conn
			x.Hold(conn)
			return ch, nil
		}
		var refused *lineconn.ReplyError
		if !x.overIPv6() || x.ctl.Broken || !errors.As(err, &refused) {
			return ch, err
		}
		// For IPv6, EPRT is the only alternative to EPSV (RFC 2428).
		if _, ok := x.req.Dial.(scheme.DataDialer); !ok {
			return ch, err
		}
	}
	l, err := x.listen()
	if err != nil {
		return ch, err
	}
	ch.listener = l
	x.Hold(l)
	x.ctl.noPassive = !x.client.o.Active
	return ch, nil
}

func (x *operation) passiveMode() bool { return !x.client.o.Active && !x.ctl.noPassive }

func (x *operation) overIPv6() bool {
	far, err := netip.ParseAddrPort(x.ctl.Raw.RemoteAddr().String())
	return err == nil && far.Addr().Unmap().Is6()
}

// connectData opens a passive data connection. It sends EPSV, and connects to the port in the
// reply, which contains no host (RFC 2428). If EPSV fails, connectData sends PASV and uses
// only the port in the reply.
func (x *operation) connectData() (net.Conn, error) {
	if x.ctl.noEPSV {
		return x.passive("PASV")
	}
	conn, err := x.passive("EPSV")
	if err == nil || x.ctl.Broken || x.ctx.Err() != nil || x.overIPv6() && otherProtocol(err) {
		return conn, err
	}
	if conn, err = x.passive("PASV"); err == nil {
		x.ctl.noEPSV = true
	}
	return conn, err
}

// otherProtocol reports whether err is a reply 522 (RFC 2428 section 2), which means that the
// server opens no passive ports for this IP version.
func otherProtocol(err error) bool {
	var refused *lineconn.ReplyError
	return errors.As(err, &refused) && refused.Code == 522
}

func (x *operation) passive(verb string) (net.Conn, error) {
	r, old, err := x.ctl.askPort(verb)
	if err != nil {
		return nil, err
	}
	port, ok := passivePort(r)
	if !ok {
		return nil, refusal(verb, r)
	}
	conn, err := x.dialData(port)
	if err != nil && old {
		return x.passive(verb) // the server may have closed the port since the offer
	}
	if err != nil {
		return nil, fmt.Errorf("data connection: %w", scheme.Unreachable(err))
	}
	return conn, nil
}

// dialData connects to the given port on the remote host of the control connection.
func (x *operation) dialData(port uint16) (net.Conn, error) {
	if d, ok := x.req.Dial.(scheme.DataDialer); ok {
		return d.DialData(x.ctx, x.ctl.Raw, port)
	}
	host, _, err := net.SplitHostPort(x.ctl.Raw.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	return x.req.Dial.DialContext(x.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
}

// listen listens for a data connection and sends the port to the server.
func (x *operation) listen() (net.Listener, error) {
	d, ok := x.req.Dial.(scheme.DataDialer)
	if !ok {
		return nil, fmt.Errorf("active mode: %w by this dialer, which cannot listen", scheme.ErrUnsupported)
	}
	l, err := d.ListenData(x.ctx, x.ctl.Raw)
	if err != nil {
		return nil, fmt.Errorf("data connection: %w", scheme.Unreachable(err))
	}
	if err := x.namePort(l.Addr().String()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// namePort sends the client's data port with EPRT. If the server does not support EPRT, it
// sends PORT.
func (x *operation) namePort(address string) error {
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

// acceptTime is the maximum time between the preliminary reply and the server's data connection.
const acceptTime = 60 * time.Second

// start prepares a data connection for reading, after the preliminary reply. In active mode,
// start first accepts the server's connection. If data connections use TLS, start begins TLS.
func (ch *channel) start(x *operation) error {
	if ch.listener != nil {
		late := time.AfterFunc(acceptTime, func() { ch.listener.Close() })
		conn, err := ch.listener.Accept()
		late.Stop()
		if err != nil {
			return fmt.Errorf("data connection: %w", scheme.Unreachable(err))
		}
		ch.listener.Close()
		ch.conn = conn
		x.Hold(conn)
	}
	if ch.tls != nil {
		conn := tls.Client(ch.conn, ch.tls)
		if err := conn.HandshakeContext(x.ctx); err != nil {
			return fmt.Errorf("data connection: TLS: %w", scheme.ProtocolError(err))
		}
		ch.conn = conn
	}
	ch.conn = x.req.Recorded(ch.conn, "data")
	return nil
}
