package finger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// Client opens finger URLs. The zero Client is ready, and may be used from many
// goroutines at once.
type Client struct{}

// Open sends the request of req.URL on a connection of its own and returns the reply.
// Offset and the preferences of req have no effect.
func (Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	f, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	request, err := f.AppendRequest(nil)
	if err != nil {
		return nil, err
	}
	conn, err := req.Dial.DialContext(ctx, "tcp", f.address())
	if err != nil {
		return nil, fmt.Errorf("finger: %w", scheme.Unreachable(err))
	}
	r := &reply{conn: conn, ctx: ctx, stop: context.AfterFunc(ctx, func() { conn.Close() })}
	req.Traced(true, f.request)
	if _, err := conn.Write(request); err != nil {
		r.Close()
		return nil, r.reason(err)
	}
	return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: scheme.Limit(r, req.Limit)}, nil
}

// reply is the body of a reply: the end of the connection ends it.
type reply struct {
	conn net.Conn
	ctx  context.Context
	stop func() bool // stops waiting for ctx
}

func (r *reply) Read(p []byte) (int, error) {
	n, err := r.conn.Read(p)
	if err != nil && err != io.EOF {
		err = r.reason(err)
	}
	return n, err
}

func (r *reply) Close() error {
	r.stop()
	return r.conn.Close()
}

// reason returns why the conversation ended: the cause of ctx, or err.
func (r *reply) reason(err error) error {
	if r.ctx.Err() != nil && !errors.Is(err, context.Cause(r.ctx)) {
		err = context.Cause(r.ctx)
	}
	return fmt.Errorf("finger: %w", scheme.Broken(err))
}

// address returns the host and port to dial.
func (f URL) address() string {
	port := uint16(Port)
	if n, ok := f.url.Port(); ok {
		port = n
	}
	return net.JoinHostPort(strings.Trim(f.url.Host(), "[]"), strconv.Itoa(int(port)))
}
