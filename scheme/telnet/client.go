package telnet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/scheme"
)

// Options configure a [Client]. The zero value selects the defaults.
type Options struct {
	// TerminalTypes lists the names of the user's terminal, best first (RFC 1091). The default
	// is "VT100" and "UNKNOWN". Rlogin uses only the first element.
	TerminalTypes []string
	// Columns and Rows are the initial size of the user's window. The default is 80 and 24.
	Columns, Rows int
	// Charsets lists the character sets of the user's terminal, best first (RFC 2066). The
	// default is "UTF-8" and "US-ASCII".
	Charsets []string
	// Environment lists variables in the form "NAME=value" for hosts that request variables
	// (RFC 1572). The client never sends a user name, because attackers have exploited hosts
	// that trusted such a name or passed it to a command.
	Environment []string
	// LocalUser is the local user name that rlogin sends. The default is the user of the URL.
	LocalUser string
	// TLSConfig is the TLS configuration for hosts that offer START-TLS. If nil, the defaults
	// of crypto/tls apply. An invalid certificate ends the session.
	TLSConfig *tls.Config
	TN3270    TN3270Options
}

// Client opens telnet, rlogin and tn3270 sessions. A Client may be used concurrently.
type Client struct{ o Options }

// New returns a Client. The options o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	if len(c.o.TerminalTypes) == 0 {
		c.o.TerminalTypes = []string{"VT100", "UNKNOWN"}
	}
	if c.o.Columns == 0 || c.o.Rows == 0 {
		c.o.Columns, c.o.Rows = 80, 24
	}
	if len(c.o.Charsets) == 0 {
		c.o.Charsets = []string{"UTF-8", "US-ASCII"}
	}
	return c
}

// Get opens a session with the host that the URL t names.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, t URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: t.url, Dial: d}, t)
}

// Open implements [scheme.Opener] and returns the same results as Get. When ctx is canceled, the
// session ends. The Session contains the URL's user and password for display. The client never
// sends the password, and sends the user only in rlogin, which begins with a user name. Open
// returns an error if [URL.Advice] rejects the user.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	t, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, t)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, t URL) (scheme.Resource, error) {
	user, err := t.Advice()
	if err != nil {
		return nil, err
	}
	if i := strings.IndexFunc(t.password, isControl); i >= 0 {
		written, _ := t.url.User()
		offset := len(t.url.Scheme()) + len("://") + len(written) + len(":")
		return nil, t.url.Errorf(offset, "password", "%w: a password has no control characters, because it is typed", locus.ErrValue)
	}
	name := t.url.Scheme()
	op := &opener{client: c, ctx: ctx, req: req, url: t, user: user}
	conn, err := op.begin(name)
	switch {
	case err == nil:
		return &scheme.Session{URL: t.url, User: user, Password: t.password, Conn: conn}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case errors.As(err, new(*locus.SyntaxError)), strings.HasPrefix(err.Error(), name+": "):
		// The error already names the scheme or the part.
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7F }

type opener struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	user   string
}

func (op *opener) begin(name string) (scheme.Terminal, error) {
	if op.req.Dial == nil {
		return nil, fmt.Errorf("%w without a dialer", scheme.ErrUnsupported)
	}
	switch name {
	case "rlogin":
		return op.rlogin()
	case "tn3270":
		return op.tn3270()
	}
	return op.telnet()
}

func (op *opener) dial(defaultPort uint16, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*session, error) {
	u := op.url.url
	port, ok := u.Port()
	if !ok {
		port = defaultPort
	}
	conn, err := dial(op.ctx, "tcp", net.JoinHostPort(hostName(u), strconv.Itoa(int(port))))
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	return &session{Conn: conn, ctx: op.ctx, name: u.Scheme(), stop: context.AfterFunc(op.ctx, func() { conn.Close() })}, nil
}

func hostName(u locus.URL) string { return strings.Trim(u.Host(), "[]") }

// session is a connection that is closed when the context is canceled.
type session struct {
	net.Conn
	ctx  context.Context
	name string
	stop func() bool

	closed atomic.Bool // the caller has closed the connection, so the server is not at fault
}

// Read returns urgent data as a part of the stream. Telnet servers send a part of a command as
// urgent data (RFC 854, "The Telnet Synch signal").
func (s *session) Read(p []byte) (int, error) {
	n, _, err := s.ReadUrgent(p)
	return n, err
}

// ReadUrgent implements [scheme.UrgentConn].
func (s *session) ReadUrgent(p []byte) (n int, urgent bool, err error) {
	if c, ok := s.Conn.(scheme.UrgentConn); ok {
		n, urgent, err = c.ReadUrgent(p)
	} else {
		n, err = s.Conn.Read(p)
	}
	return n, urgent, s.broken(err)
}

func (s *session) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	return n, s.broken(err)
}

func (s *session) broken(err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case s.ctx.Err() != nil:
		return fmt.Errorf("%s: %w", s.name, context.Cause(s.ctx))
	case s.closed.Load():
		return fmt.Errorf("%s: %w", s.name, net.ErrClosed)
	}
	return fmt.Errorf("%s: %w", s.name, scheme.ProtocolError(err))
}

func (s *session) Close() error {
	s.closed.Store(true)
	s.stop()
	return s.Conn.Close()
}

func (op *opener) overTLS(plain net.Conn) (net.Conn, error) {
	config := op.client.o.TLSConfig.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	if config.ServerName == "" {
		config.ServerName = hostName(op.url.url)
	}
	over := tls.Client(plain, config)
	err := over.HandshakeContext(op.ctx)
	switch {
	case err == nil:
		return over, nil
	case op.ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", op.url.url.Scheme(), context.Cause(op.ctx))
	case errors.Is(err, scheme.ErrProtocol), errors.Is(err, net.ErrClosed):
		return nil, err // the session has already reported this error
	}
	return nil, fmt.Errorf("%s: TLS: %w", op.url.url.Scheme(), scheme.ProtocolError(err))
}

// startTLS returns the option START-TLS for conn. When both sides have agreed on TLS, the option
// calls started and then starts TLS.
func (op *opener) startTLS(conn interface {
	Enabled(us bool, code byte) bool
	SubLast(code byte, data []byte) error
	Upgrade(func(net.Conn) (net.Conn, error))
}, started func()) nvt.Option {
	return nvt.Option{
		Code: nvt.StartTLS,
		Us:   true,
		Changed: func(us, on bool) {
			if us && on {
				conn.SubLast(nvt.StartTLS, []byte{nvt.Follows})
			}
		},
		Sub: func(data []byte) {
			if len(data) == 1 && data[0] == nvt.Follows && conn.Enabled(true, nvt.StartTLS) {
				started()
				conn.Upgrade(op.overTLS)
			}
		},
	}
}

type observer struct{ f atomic.Pointer[func()] }

// OnChange implements [scheme.Terminal].
func (o *observer) OnChange(f func()) { o.f.Store(&f) }

func (o *observer) notify() {
	if f := o.f.Load(); f != nil && *f != nil {
		(*f)()
	}
}
