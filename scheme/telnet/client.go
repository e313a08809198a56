package telnet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Options of a Client. The zero value is sensible.
type Options struct {
	// TerminalTypes are the names of what the person has for a terminal, the best
	// first (RFC 1091). Empty: "VT100" and "UNKNOWN". For rlogin the first alone.
	TerminalTypes []string
	// Columns and Rows are the size of the person's window at first; 0: 80 and 24.
	Columns, Rows int
	// Charsets are the character sets that the person's terminal has, the best first
	// (RFC 2066). Empty: "UTF-8" and "US-ASCII".
	Charsets []string
	// Environment is what a host is told if it asks for it, as "NAME=value" (RFC
	// 1572). No name of a user is among it: one that a host takes for granted, and
	// for a command's argument, has let people in. Empty: nothing is told.
	Environment []string
	// LocalUser is who rlogin says that the person is here; empty: the same as there.
	LocalUser string
	// TLSConfig is for hosts that offer to begin TLS; nil: as crypto/tls has it. One
	// whose certificate is not good ends the session.
	TLSConfig *tls.Config
	// TN3270 are for tn3270 alone.
	TN3270 TN3270Options
}

// Client opens sessions by telnet, rlogin and tn3270. It may be used from many
// goroutines at once.
type Client struct{ o Options }

// New returns a Client. o may be nil.
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

// Get opens a session.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, t URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: t.url, Dial: d}, t)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Ending ctx ends the
// session. The user and password of the URL are in the Session for whoever shows
// them; neither is sent, but for the user whom rlogin begins with. A user that
// [URL.Advice] refuses is an error.
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
		return nil, t.url.Errorf(offset, "password", "%w: a password that is typed has no control characters", locus.ErrValue)
	}
	name := t.url.Scheme()
	j := &opener{client: c, ctx: ctx, req: req, url: t, user: user}
	conn, err := j.begin(name)
	switch {
	case err == nil:
		return &scheme.Session{URL: t.url, User: user, Password: t.password, Conn: conn}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case errors.As(err, new(*locus.SyntaxError)), strings.HasPrefix(err.Error(), name+": "):
		// It says already what it is about.
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7F }

// job is one session to be opened.
type opener struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	user   string
}

// begin opens the session as its scheme has it.
func (j *opener) begin(name string) (scheme.Terminal, error) {
	if j.req.Dial == nil {
		return nil, fmt.Errorf("%w without a dialer", scheme.ErrUnsupported)
	}
	switch name {
	case "rlogin":
		return j.rlogin()
	case "tn3270":
		return j.tn3270()
	}
	return j.telnet()
}

// dial connects to the host, as dial does it.
func (j *opener) dial(defaultPort uint16, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*session, error) {
	u := j.url.url
	port, ok := u.Port()
	if !ok {
		port = defaultPort
	}
	conn, err := dial(j.ctx, "tcp", net.JoinHostPort(hostName(u), strconv.Itoa(int(port))))
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	return &session{Conn: conn, ctx: j.ctx, name: u.Scheme(), stop: context.AfterFunc(j.ctx, func() { conn.Close() })}, nil
}

func hostName(u locus.URL) string { return strings.Trim(u.Host(), "[]") }

// session is the connection of a session, which ends with the context.
type session struct {
	net.Conn
	ctx  context.Context
	name string
	stop func() bool
}

// Read reads urgent data where it is in the stream: Telnet's servers send half a
// command so (RFC 854, "The Telnet Synch signal").
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

// broken says why the connection is no more.
func (s *session) broken(err error) error {
	switch {
	case err == nil, isEOF(err):
		return err
	case s.ctx.Err() != nil:
		return fmt.Errorf("%s: %w", s.name, context.Cause(s.ctx))
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return fmt.Errorf("%s: %w", s.name, scheme.Broken(err))
}

func (s *session) Close() error {
	s.stop()
	return s.Conn.Close()
}

// overTLS begins TLS with the host, and makes sure that it is the host.
func (j *opener) overTLS(plain net.Conn) (net.Conn, error) {
	config := j.client.o.TLSConfig.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	if config.ServerName == "" {
		config.ServerName = hostName(j.url.url)
	}
	over := tls.Client(plain, config)
	if err := over.HandshakeContext(j.ctx); err != nil {
		return nil, fmt.Errorf("%s: TLS: %w", j.url.url.Scheme(), scheme.Broken(err))
	}
	return over, nil
}

// upgrade is what a negotiation calls to begin TLS.
func (j *opener) upgrade(to interface {
	Upgrade(func(net.Conn) (net.Conn, error))
}) {
	to.Upgrade(j.overTLS)
}
