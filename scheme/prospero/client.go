package prospero

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/ardp"
	"github.com/locus-url/locus/scheme"
)

// Options of a Client. The zero value is sensible.
type Options struct {
	// Timer is how long a server has for its reply until it is asked again, which
	// is twice as long each time; 0: 4 seconds.
	Timer time.Duration
	// Tries is how often a server is asked that says nothing; 0: 4 times.
	Tries int
	// Wait is the most time, in all, that a server may ask to be waited for; 0: 10
	// minutes.
	Wait time.Duration
	// Packets and Octets are the most of a reply; 0: 4096 packets and 8 MiB.
	Packets, Octets int
	// Limits bound what a reply holds.
	Limits Limits
	// Referrals is the most requests that the union links of one directory may
	// cost; 0: 16.
	Referrals int
	// SoftwareID is how servers are told what asks them, a word of at most 39
	// octets; empty: "locus".
	SoftwareID string
}

// referrals is how many requests unions may cost if nobody says so.
const referrals = 16

// Client accesses URLs of prospero. It keeps nothing: each question has a socket of
// its own. It may be used from many goroutines at once.
type Client struct {
	o    Options
	ardp *ardp.Client
}

// New returns a Client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o.Referrals = cmp.Or(c.o.Referrals, referrals)
	c.ardp = ardp.New(&ardp.Options{Timer: c.o.Timer, Tries: c.o.Tries, Wait: c.o.Wait, Packets: c.o.Packets, Octets: c.o.Octets})
	return c
}

// Get dereferences x. A directory is a Menu, and so is the result of an Archie
// query. An object that is elsewhere, or that other protocols get, is a Referral to
// its access methods, the best first. An object that the server gives itself is an
// Object.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, x URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: x.url, Dial: d}, x)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Ending ctx ends the
// reading of what it returned too. The directories of union links are asked for as
// the items are, by way of req.Refer. For req.Probe a directory is not listed, nor are
// an object's contents asked for, if the server says that they are there.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	x, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, x)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, x URL) (scheme.Resource, error) {
	at, err := x.place()
	if err != nil {
		return nil, err
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("prospero: %w without a dialer", scheme.ErrUnsupported)
	}
	j := &job{client: c, ctx: ctx, req: req, url: x, at: at}
	res, err := j.open()
	if err != nil {
		return nil, j.failed(err)
	}
	return res, nil
}

// job is one URL to be accessed.
type job struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	at     place // of url
}

// failed returns the error of the job. Where its context has ended that is the cause,
// in an error that may say what the server did until then.
func (j *job) failed(err error) error {
	if j.ctx.Err() != nil && !errors.Is(err, context.Cause(j.ctx)) {
		err = context.Cause(j.ctx)
	}
	return fmt.Errorf("prospero: %w", err)
}

// ports are those that a server may answer from, whichever it was asked at: one
// that may use its system's own ports answers from there.
var ports = [...]uint16{191, Port}

// exchange sends a message to the server of at, over d, and returns its reply. Old
// servers end packets with a NUL, which in contents could be the object's own.
func (j *job) exchange(d scheme.Dialer, at place, message []byte, contents bool) ([]byte, error) {
	j.traceLines(true, message)
	reply, err := j.client.ardp.Do(j.ctx, &ardp.Call{
		Message:  message,
		Text:     !contents,
		Progress: j.progress,
		Trace:    j.req.Trace,
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			if to.IsValid() {
				return j.redirect(ctx, at, to)
			}
			return dial(ctx, d, at.address())
		},
	})
	if err != nil {
		return nil, at.kindOf(err)
	}
	if contents {
		j.req.Traced(false, fmt.Sprintf("(%d octets)", len(reply)))
	} else {
		j.traceLines(false, reply)
	}
	return reply, nil
}

// dial opens a socket for a server. ARDP knows IPv4 addresses alone, but nothing of
// it is in the way of others.
func dial(ctx context.Context, d scheme.Dialer, address string) (net.Conn, error) {
	conn, err := scheme.DialPacket(ctx, d, "udp4", address, ports[:]...)
	var dns *net.DNSError
	if errors.As(err, new(*net.AddrError)) || errors.As(err, &dns) && dns.IsNotFound {
		return scheme.DialPacket(ctx, d, "udp", address, ports[:]...)
	}
	return conn, err
}

// redirect opens a socket for the place that a server has sent us to.
func (j *job) redirect(ctx context.Context, at place, to netip.AddrPort) (net.Conn, error) {
	at.host, at.port = to.Addr().String(), to.Port()
	u, err := at.locator(nil)
	if err != nil {
		return nil, err
	}
	d, err := j.req.Referred(u)
	if err != nil {
		return nil, err
	}
	return scheme.DialPacket(ctx, d, "udp4", to.String(), ports[:]...)
}

// address is where the server of a place is, as package net has it.
func (at place) address() string {
	return net.JoinHostPort(strings.Trim(at.host, "[]"), strconv.Itoa(int(at.port)))
}

// kindOf says what a failure of the delivery from a place comes to.
func (at place) kindOf(err error) error {
	switch {
	case errors.Is(err, scheme.ErrUnreachable), errors.Is(err, scheme.ErrUnsupported):
		return err
	case errors.Is(err, ardp.ErrTooLarge):
		return fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	case errors.Is(err, ardp.ErrDamaged), errors.Is(err, ardp.ErrRedirect):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	}
	// Nothing tells a server that is silent, or refuses, from one that is not there:
	// another might do.
	return fmt.Errorf("%w: %s: %w", scheme.ErrUnreachable, locus.Quote(at.address()), err)
}

// traceLines tells of a message.
func (j *job) traceLines(sent bool, message []byte) {
	if j.req.Trace == nil {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(message), "\n"), "\n") {
		j.req.Traced(sent, line)
	}
}

// progress tells of a server that asks to be waited for.
func (j *job) progress(p ardp.Progress) {
	text := "the server no longer asks to be waited for"
	if p.Wait > 0 {
		text = fmt.Sprintf("the server asks to be waited for, %v", p.Wait)
	}
	if p.Position > 0 {
		text += fmt.Sprintf("; position %d in its queue", p.Position)
	}
	if p.Expected > 0 {
		text += fmt.Sprintf("; the reply is expected in %v", p.Expected)
	}
	j.req.Traced(false, "("+text+")")
}
