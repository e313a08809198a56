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
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/pool"
	"github.com/locus-url/locus/scheme"
)

// Options of a Client. The zero value is sensible.
type Options struct {
	// Max is how many documents are wanted of a search for which the request does not
	// say it; 0: 40, as programs of the time ask for.
	Max int
	// Range is how many octets of a document are asked for at once; 0: 10000, which
	// fits the buffer of any server.
	Range int
	// Init begins each connection with an Init, and keeps to the size that the
	// server says its answers have. Servers answer without, and leave hits out of
	// an answer that has no room for them, without a word.
	Init bool
	// MessageSize is the size that an Init offers; 0: 100000 octets.
	MessageSize int
	// Limits bound what is taken from a server.
	Limits Limits
	// IdleTime is how long a connection is kept when nothing uses it; 0: 30 seconds.
	IdleTime time.Duration
	// IdleConns is how many are kept for one server; 0: 4; less: none.
	IdleConns int
}

// Limits bound what is taken from a server. Zero fields are sensible.
type Limits struct {
	Answer int   // octets of one answer; 1 MiB, or what Options.Range takes if that is more
	Octets int64 // of a document; 2 GiB, the most that the protocol has a length for
}

// defaults of Options and Limits.
const (
	usualMax      = 40
	usualRange    = 10000
	usualAnswer   = 1 << 20
	usualIdle     = 30 * time.Second
	usualConns    = 4
	largestOctets = math.MaxInt32
)

// aroundText is more than what an answer has besides the octets of a document.
const aroundText = 64 << 10

func (o Options) orDefault() Options {
	o.Max = cmp.Or(max(o.Max, 0), usualMax)
	o.Range = cmp.Or(max(o.Range, 0), usualRange)
	o.IdleTime = cmp.Or(o.IdleTime, usualIdle)
	o.IdleConns = cmp.Or(o.IdleConns, usualConns)
	o.Limits.Answer = cmp.Or(max(o.Limits.Answer, 0), max(usualAnswer, o.Range+aroundText))
	o.Limits.Octets = cmp.Or(max(o.Limits.Octets, 0), largestOctets)
	return o
}

// Client accesses URLs of wais. It may be used from many goroutines at once.
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
	c.o = c.o.orDefault()
	c.pool.PerKey, c.pool.IdleTime = c.o.IdleConns, c.o.IdleTime
	return c
}

// Close closes the connections that are kept. What is being read goes on, and what
// is opened afterwards uses connections of its own.
func (c *Client) Close() error {
	c.pool.Close()
	return nil
}

// Get dereferences x: a document is an Object, and what a search finds a Menu. A
// database without a search is a Menu that describes it, and has the form for one.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, x URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: x.url, Dial: d}, x)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Ending ctx ends the
// reading of what it returned too.
//
// If req.Fill fills in the form of a database, the search is done. req.Accept has the
// type of a document that is wanted most come first among its types. req.Like are
// documents of the same server, as URLs, that what a search finds is to be like
// (relevance feedback). req.Items chooses hits by their places from 1 on, the best
// first, up to 10,000; Newest is how many. req.Offset is granted, unless the document is not that long.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	x, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, x)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, x URL) (scheme.Resource, error) {
	at, err := placeOf(req.Dial, x.url)
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
	j := &job{client: c, ctx: ctx, req: req, url: x, place: at, prefer: prefer}
	return j.open()
}

// Search asks the server of a wais URL, whatever else that has, as q says: for
// example for what is like parts of documents, which no URL has. q.Max is taken as
// it is. The answer may have no hits, and diagnostics.
func (c *Client) Search(ctx context.Context, d scheme.Dialer, server locus.URL, q *Query) (*SearchReply, error) {
	if server.Scheme() != name {
		return nil, server.Errorf(0, "scheme", "%w: the scheme is not %s", locus.ErrForm, name)
	}
	at, err := placeOf(d, server)
	if err != nil {
		return nil, err
	}
	j := &job{client: c, ctx: ctx, req: &scheme.Request{URL: server, Dial: d}, place: at}
	return j.search(q)
}

// place tells connections apart: what is kept for one of these is no good for
// another.
type place struct {
	dial scheme.Dialer
	host string
	port uint16
}

// placeOf returns where a URL's server is.
func placeOf(d scheme.Dialer, u locus.URL) (place, error) {
	switch {
	case u.Host() == "":
		return place{}, u.Errorf(u.HostOffset(), "host", "%w: there is none to connect to", locus.ErrValue)
	case d == nil:
		return place{}, fmt.Errorf("wais: %w without a dialer", scheme.ErrUnsupported)
	}
	at := place{dial: d, host: strings.ToLower(strings.Trim(u.Host(), "[]")), port: Port}
	if n, ok := u.Port(); ok {
		at.port = n
	}
	return at, nil
}

// run calls f with a kept connection or a new one. A kept one that had gone is
// followed by another. f may end the exchange, or leave it to what reads on; if it
// fails, it is ended.
func (j *job) run(f func(*exchange) error) error {
	for {
		x, err := j.exchange()
		if err != nil {
			return err
		}
		if err = f(x); err == nil {
			return nil
		}
		x.end()
		if stale := (staleError{}); !errors.As(err, &stale) {
			return err
		}
	}
}

// exchange begins an exchange over a kept connection, if there is one.
func (j *job) exchange() (*exchange, error) {
	if kept, ok := j.client.pool.Take(j.place, func(*conn) int { return 0 }); ok {
		kept.reused, kept.answered = true, false
		return newExchange(j, kept), nil
	}
	raw, err := j.place.dial.DialContext(j.ctx, "tcp", net.JoinHostPort(j.place.host, strconv.Itoa(int(j.place.port))))
	if err != nil {
		if j.ctx.Err() != nil {
			err = context.Cause(j.ctx)
		}
		return nil, fmt.Errorf("wais: %w", scheme.Unreachable(err))
	}
	x := newExchange(j, &conn{raw: raw, r: bufio.NewReaderSize(raw, readAhead), place: j.place})
	if j.client.o.Init {
		if err := x.init(); err != nil {
			x.end()
			return nil, err
		}
	}
	return x, nil
}
