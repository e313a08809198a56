package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus"
)

// natsTime limits connecting to one NATS server.
const natsTime = 5 * time.Second

// natsServers holds the servers in the flag --nats.
type natsServers struct {
	urls    []string
	visible string // without user names, passwords and tokens
}

// parseServers parses the URLs of NATS servers, separated by commas. Its errors contain no part
// of a password or token. If the list contains "@" and an invalid URL, the error omits the URL,
// because any part of it may be secret.
func parseServers(text string) (s natsServers, err error) {
	var shown []string
	for i, one := range strings.Split(text, ",") {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err == nil {
			err = checkServer(u)
		}
		switch {
		case err != nil && strings.Contains(text, "@"):
			return s, fmt.Errorf("--nats: server %d: the URL is invalid: write nats://HOST:4222, and \"@\", \"/\" and \",\" in a password as %%40, %%2F and %%2C", i+1)
		case err != nil:
			return s, fmt.Errorf("--nats: server %d: the URL %s is invalid: write nats://HOST:4222 or tls://HOST:4222", i+1, locus.Quote(one))
		}
		s.urls = append(s.urls, one)
		shown = append(shown, u.Scheme+"://"+u.Host)
	}
	// Without the spaces, notes would mask a port and the next URL as a password.
	s.visible = locus.Quote(strings.Join(shown, ", "))
	return s, nil
}

// checkServer returns an error if u is not the URL of a NATS server.
func checkServer(u *url.URL) error {
	invalid := errors.New("invalid")
	if !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) || u.Hostname() == "" {
		return invalid
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return invalid
	}
	if user := u.User.Username(); user == "nats" || user == "tls" { // nats:user:password@host
		return invalid
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
		return invalid
	}
	return nil
}

// dialNATS connects to one of the servers. The end of ctx interrupts only the connecting, not the
// connection. After closing the connection, the caller must call release.
func dialNATS(ctx context.Context, s natsServers, options []nats.Option) (nc *nats.Conn, release func(), err error) {
	life, release := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, release)
	nc, err = nats.Connect(strings.Join(s.urls, ","), append(options, nats.SetCustomDialer(natsDialer{life}))...)
	stop()
	if err == nil && ctx.Err() != nil {
		nc.Close()
		err = ctx.Err()
	}
	if err != nil {
		release()
		return nil, nil, connectError(s.visible, err)
	}
	return nc, release, nil
}

// connectError explains why connecting failed.
func connectError(shown string, err error) error {
	timeout := net.Error(nil)
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return temporaryError{fmt.Errorf("no NATS server responds at %s: check the address, and that the server is running", shown)}
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return errors.New("the NATS server rejected the login: check the user in --nats, --creds, or --tls-cert and --tls-key")
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("the NATS server at %s does not use TLS: write nats:// instead of tls://, or omit --tls-ca and --tls-cert", shown)
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return fmt.Errorf("the certificate of the NATS server at %s is signed by an unknown authority: add its certificate with --tls-ca", shown)
	case errors.Is(err, errGreeting), errors.Is(err, nats.ErrNoInfoReceived), errors.As(err, new(*json.SyntaxError)), errors.As(err, new(*json.UnmarshalTypeError)):
		return fmt.Errorf("the server at %s is not a NATS server: check the port", shown)
	case errors.As(err, &timeout) && timeout.Timeout():
		return temporaryError{fmt.Errorf("no NATS server responded at %s within %s: check the address, and that the server is running", shown, natsTime)}
	case errors.As(err, new(*net.DNSError)), isDial(err), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return temporaryError{fmt.Errorf("the NATS server at %s: %w", shown, err)}
	}
	return fmt.Errorf("the NATS server at %s: %w", shown, err)
}

// isDial reports whether err is a failure to connect to a host, for example because there is no
// route to it.
func isDial(err error) bool {
	dial := (*net.OpError)(nil)
	return errors.As(err, &dial) && dial.Op == "dial"
}

// checkFile returns an error if the file of an option is unusable. The command calls it before it
// connects. The parameter contents describes the required contents of the file, for the error.
func checkFile(flag, name, contents string, option nats.Option) error {
	o := nats.GetDefaultOptions()
	err := option(&o)
	if err == nil && o.UserJWT != nil {
		if _, err = o.UserJWT(); err == nil {
			_, err = o.SignatureCB([]byte("nonce"))
		}
	}
	file := (*fs.PathError)(nil)
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("%s: %w", flag, file)
	case err != nil:
		return fmt.Errorf("%s: %s does not contain %s", flag, locus.Quote(name), contents)
	}
	return nil
}

// natsDialer is a [nats.CustomDialer]. Its connections are closed when ctx ends.
type natsDialer struct{ ctx context.Context }

// Dial implements [nats.CustomDialer].
func (d natsDialer) Dial(network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: natsTime}).DialContext(d.ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &natsConn{Conn: c, remaining: maxGreeting, stop: context.AfterFunc(d.ctx, func() { c.Close() })}, nil
}

// maxGreeting limits the size in bytes of a server's first line, because package nats has no
// limit.
const maxGreeting = 64 << 10

var errGreeting = errors.New("the server's first line is too long")

// natsConn is a connection that limits the size of the server's first line.
type natsConn struct {
	net.Conn
	remaining int // remaining bytes for the first line; 0 after the end of the line
	stop      func() bool
}

// Read implements [net.Conn].
func (c *natsConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.remaining > 0 {
		if slices.Contains(b[:n], '\n') {
			c.remaining = 0
		} else if c.remaining -= n; c.remaining <= 0 {
			c.remaining = 1
			return 0, errGreeting
		}
	}
	return n, err
}

// Close implements [net.Conn].
func (c *natsConn) Close() error {
	c.stop()
	return c.Conn.Close()
}
