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

// TLSMode selects when the client sends AUTH TLS (RFC 4217). An ftps URL uses TLS without AUTH TLS.
type TLSMode uint8

const (
	TLSOff     TLSMode = iota // never use TLS
	TLSTry                    // use TLS if the server supports it
	TLSRequire                // always use TLS; if the server does not support it, the open fails
)

// Options configure a [Client]. The zero value follows RFC 1738.
type Options struct {
	// CWD selects the commands for a url-path.
	CWD CWDMode
	// Active selects active mode (PORT, EPRT): the server opens data connections. The
	// Dialer of the request must be a scheme.DataDialer. The default is passive mode.
	Active bool
	// TLS selects when the client uses AUTH TLS.
	TLS TLSMode
	// TLSConfig is the TLS configuration. If nil, the defaults of crypto/tls apply.
	TLSConfig *tls.Config
	// AnonymousPassword is the password of anonymous logins. It should be the user's
	// e-mail address (section 3.2.1). The default is "anonymous@".
	AnonymousPassword string
	// MaxReply is the maximum length of a reply in bytes, over all its lines. A longer
	// reply is a protocol error. The default is 256 KiB.
	MaxReply int
}

// Client opens ftp and ftps URLs. It may be used concurrently.
type Client struct {
	o    Options
	pool pool.Pool[lineconn.Key, *control]

	servers servers
	wait    time.Duration // timeout for each reply after the first to commands that were sent together
}

// New returns a Client. o may be nil.
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

// Close closes idle connections. Resources that are open stay open, and later opens
// use new connections.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get opens u with default options.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, u URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: u.URL(), Dial: d}, u)
}

// Open implements [scheme.Opener]. It returns a file as a [*scheme.Object]. It returns
// a directory, and any URL with typecode "d", as a [*scheme.Menu]. When ctx ends,
// reading the resource fails. A probe opens no data connection if the server reports
// the size or time of the file, or accepts CWD to the directory.
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
		// The server closed a reused connection, or requires commands one by one. The
		// next attempt uses another connection.
		if !lineconn.IsStale(err) && !errors.As(err, new(*pipelineError)) {
			return nil, fmt.Errorf("ftp: %w", err)
		}
	}
}

// maxLogins is the maximum number of calls of Request.Ask for one login.
const maxLogins = 3

// attempt opens the URL over one connection, new or reused.
func (x *operation) attempt() (scheme.Resource, error) {
	port := uint16(Port)
	if x.url.Secure() {
		port = SecurePort
	}
	l := lineconn.NewKey(x.req.Dial, x.url.u, port, x.url.Secure())
	if kept, ok := x.client.takeIdle(l, x.plan.cwd); ok {
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

// sameLogin calls Request.Ask again if it supplied the login of the reused
// connection, because the answer may have changed.
func (x *operation) sameLogin(kept *control) (err error) {
	if kept.asked != nil && x.answer == nil {
		x.answer, err = x.ask(kept.realm)
	}
	return err
}

// ask requests the password of the URL's user (section 3.2.1: "should request one
// from the user").
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

// begin starts a control connection: it begins TLS, reads the greeting and logs in.
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
		// Section 3.2.1 defines the password of exactly this user.
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

// takeIdle returns an idle connection on which the client has already sent the first CWD
// commands of the list cwd. It prefers the connection with the most of these commands.
func (c *Client) takeIdle(l lineconn.Key, cwd []string) (ctl *control, ok bool) {
	return c.pool.Take(l, func(ctl *control) int {
		if !ctl.extends(cwd) {
			return -1
		}
		return len(ctl.cwd)
	})
}

// control is a control connection and the state of the server.
type control struct {
	lineconn.Conn
	tls *tls.Config // TLS configuration for data connections; nil means no TLS

	maxReply int    // limit of Options.MaxReply
	secret   string // password that the next reply must not show; empty if none

	asked *scheme.Credentials // the answer of Request.Ask; nil if Request.Ask was not called
	realm string              // realm in the question to Request.Ask

	cwd      []string // arguments of the CWD commands that succeeded
	dataType string   // argument of the last TYPE; empty if none
	listVerb string   // verb LIST or MLSD; empty if not known yet

	protected bool // data connections use TLS
	noEPSV    bool // the server rejects EPSV, so the client sends PASV
	noEPRT    bool // the server rejects EPRT, so the client sends PORT
	noPassive bool // the server has no passive mode, so the client sends EPRT
	noSize    bool // the server does not support SIZE
	noTime    bool // the server does not support MDTM
	telnet    bool // the client must double the octet FF

	habits *habits
	wait   time.Duration // timeout of Client.wait
	offer  *offer        // an offered data port that no transfer has used; nil if none
	ahead  string        // passive command of the next transfer that was already sent; empty if none
}

func (c *control) readLines() { c.Lines = line.NewReader(c.Received(), c.maxReply) }

func (c *control) startTLS(ctx context.Context, config *tls.Config) error {
	config = c.Config(config)
	// Some servers require that a data connection resumes the TLS session of its control
	// connection, which proves that both connections belong to the same client. So each
	// control connection owns a session cache, which its data connections only read.
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

// channel is a data connection, or the listener that waits for the server's data
// connection.
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
		// Over IPv6 the only alternative is EPRT (RFC 2428).
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

// connectData connects to the port in the server's reply to EPSV, which contains no host
// (RFC 2428). If EPSV fails, connectData sends PASV and uses only the port in the reply to
// PASV.
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

// otherProtocol reports whether err is the reply 522 (RFC 2428 section 2), which means that
// the server offers no passive ports for this IP version. PASV does not support IPv6.
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
		return x.passive(verb) // the server may have closed the port of the old offer
	}
	if err != nil {
		return nil, fmt.Errorf("data connection: %w", scheme.Unreachable(err))
	}
	return conn, nil
}

// dialData connects to a port of the host at the other end of the control connection.
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

// namePort sends EPRT. If the server does not support EPRT, it sends PORT.
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

// start makes a data connection ready for reading after the preliminary reply. If the
// transfer is active, start accepts the server's connection. It then begins TLS.
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
