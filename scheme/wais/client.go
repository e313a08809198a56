package wais

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/pool"
)

// Options configures a [Client]. The zero Options selects the defaults.
type Options struct {
	// Max is the maximum number of hits of a search, unless the request sets Request.Items.
	// The default is 40, as in clients of the 1990s.
	Max int
	// Range is the number of bytes of a document that the client requests at once. The default
	// is 10000, which fits into the response buffer of any server.
	Range int
	// Limits bounds the data from servers.
	Limits Limits
}

// Limits bounds the data that a client accepts from a server. A zero field selects the
// default.
type Limits struct {
	Response int   // maximum size of a response in bytes; 0 means 1 MiB, or more if Options.Range requires more
	Octets   int64 // maximum size of a document in bytes; 0 means 2 GiB, the maximum in the protocol
}

const (
	defaultRange    = 10000
	defaultResponse = 1 << 20
	// maxOverhead is the maximum number of bytes in a response that do not belong to the
	// document.
	maxOverhead = 64 << 10
)

func (o Options) orDefault() Options {
	o.Max = cmp.Or(max(o.Max, 0), 40)
	o.Range = cmp.Or(max(o.Range, 0), defaultRange)
	o.Limits.Response = cmp.Or(max(o.Limits.Response, 0), max(defaultResponse, o.Range+maxOverhead))
	o.Limits.Octets = cmp.Or(max(o.Limits.Octets, 0), math.MaxInt32)
	return o
}

// Client opens wais URLs. Its methods may be called concurrently.
type Client struct {
	o    Options
	pool pool.Pool[server, *conn]
}

// New returns a Client. If o is nil, the client has the default options.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o = c.o.orDefault()
	c.pool.PerKey, c.pool.IdleTime = 4, pool.IdleTime
	return c
}

// Close closes idle connections. Open resources stay open. The Client can still open URLs, but
// does not reuse connections.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Open implements [scheme.Opener]. It returns a document as a [*scheme.Object], and the
// results of a search as a [*scheme.Menu]. If the URL names only a database, Open returns a
// Menu with the database's description and a search form. If req.Fill fills in the form, Open
// performs the search instead. When ctx ends, reads from the resource fail.
//
// The preference req.Accept determines the order of the types of each hit. The documents in
// req.Like, which the results should resemble, must be on the same server (relevance
// feedback). The range req.Items selects hits by rank, from 1 to 10,000; Items.Newest is the
// number of hits. If the document is shorter than req.Offset, Open ignores req.Offset.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	x, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	at, err := serverOf(req.Dial, x.url)
	if err != nil {
		return nil, err
	}
	if err := x.sendable(); err != nil {
		return nil, err
	}
	prefer, err := scheme.ParsePreference(req.Accept)
	if err != nil {
		return nil, err
	}
	op := &operation{client: c, ctx: ctx, req: req, url: x, server: at, prefer: prefer, answers: archived.For(req)}
	return op.open()
}

// server is the key of a connection in the pool. Connections with the same key are
// interchangeable.
type server struct {
	dial scheme.Dialer
	host string
	port uint16
}

func serverOf(d scheme.Dialer, u locus.URL) (server, error) {
	switch {
	case u.Host() == "":
		return server{}, u.Errorf(u.HostOffset(), "host", "%w: the host is missing", locus.ErrValue)
	case d == nil:
		return server{}, fmt.Errorf("wais: %w without a dialer", scheme.ErrUnsupported)
	}
	at := server{dial: d, host: strings.ToLower(strings.Trim(u.Host(), "[]")), port: Port}
	if n, ok := u.Port(); ok {
		at.port = n
	}
	return at, nil
}

// run calls f with an idle or new connection. If the server has closed the idle connection,
// run calls f again with another connection. If f fails, run ends the exchange. If f succeeds,
// f or a later read of the body must end the exchange.
func (op *operation) run(f func(*exchange) error) error {
	for {
		x, err := op.exchange()
		if err != nil {
			op.answers.Write([]byte(noResponse))
			return err
		}
		if err = f(x); err == nil {
			return nil
		}
		x.finish()
		if stale := (staleError{}); !errors.As(err, &stale) {
			return err
		}
	}
}

func (op *operation) exchange() (*exchange, error) {
	if op.archived != nil {
		return newExchange(op, op.archived), nil
	}
	if kept, ok := op.client.pool.Take(op.server, func(*conn) int { return 0 }); ok {
		kept.reused, kept.answered = true, false
		return newExchange(op, kept), nil
	}
	raw, err := op.server.dial.DialContext(op.ctx, "tcp", net.JoinHostPort(op.server.host, strconv.Itoa(int(op.server.port))))
	if err != nil {
		if op.ctx.Err() != nil {
			err = context.Cause(op.ctx)
		}
		return nil, fmt.Errorf("wais: %w", scheme.Unreachable(err))
	}
	c := &conn{raw: raw, server: op.server}
	c.r = bufio.NewReaderSize(c, readAhead)
	return newExchange(op, c), nil
}

// recordFor starts to record the data that c receives, with the recorder of req.
func (c *conn) recordFor(req *scheme.Request) {
	c.record = req.Record
	if raw, ok := c.raw.(net.Conn); ok && c.record != nil {
		c.record.Connected("", scheme.ServerAddr(raw))
	}
}
