package scheme

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus"
)

// Conn is the connection that an opener uses for one request. It closes when the context
// passed to [Connect] ends. Read and Write return the cause of the context after the context
// ends, and fs.ErrClosed after Close. They return timeouts unchanged; all other errors wrap
// [ErrProtocol].
type Conn struct {
	net.Conn        // the connection, which an opener may wrap in TLS
	Address  string // the dialed address, as host:port

	dialed net.Conn
	ctx    context.Context
	stop   func() bool // unregisters the function that closes the connection when ctx ends
	closed atomic.Bool
}

// Connect connects to the host of req.URL. If the URL has no port, Connect uses the parameter
// port.
func Connect(ctx context.Context, req *Request, port uint16) (*Conn, error) {
	u := req.URL
	host := strings.Trim(u.Host(), "[]")
	switch {
	case host == "":
		return nil, u.Errorf(u.HostOffset(), "host", "%w: missing host", locus.ErrValue)
	case req.Dial == nil:
		return nil, fmt.Errorf("%w: the request has no dialer", ErrUnsupported)
	}
	if n, ok := u.Port(); ok {
		port = n
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	dialed, err := req.Dial.DialContext(ctx, "tcp", address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, Unreachable(err)
	}
	return &Conn{Conn: dialed, Address: address, dialed: dialed, ctx: ctx, stop: context.AfterFunc(ctx, func() { dialed.Close() })}, nil
}

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.reason(err)
}

func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.reason(err)
}

func (c *Conn) reason(err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case c.closed.Load():
		return fs.ErrClosed
	}
	return ProtocolError(err)
}

// Close closes the connection. It may be called more than once, and concurrently with Read.
func (c *Conn) Close() error {
	c.stop()
	c.closed.Store(true)
	if err := c.dialed.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
