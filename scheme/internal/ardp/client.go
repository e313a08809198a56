package ardp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// Options configure a client. The zero value selects the timing of the original client and the
// default limits.
type Options struct {
	Timer     time.Duration // time until the first repeat, which doubles with each repeat; 0 means 4 s
	Tries     int           // maximum number of transmissions without new data; 0 means 4
	Wait      time.Duration // maximum total wait, from the start of the call; 0 means 10 minutes
	Packets   int           // maximum number of packets in a message, up to 65535; 0 means 4096
	Octets    int           // maximum length of a reply in octets; 0 means 8 MiB
	Redirects int           // maximum number of redirects; 0 means 3
	Drops     int           // number of dropped datagrams after which the call fails; 0 means 64
}

// Client exchanges messages with servers. A Client may be used concurrently.
type Client struct{ options Options }

// New returns a client. The options o may be nil.
func New(o *Options) *Client {
	if o == nil {
		o = new(Options)
	}
	return &Client{Options{
		Timer:     cmp.Or(o.Timer, 4*time.Second),
		Tries:     cmp.Or(o.Tries, 4),
		Wait:      cmp.Or(o.Wait, 10*time.Minute),
		Packets:   min(cmp.Or(o.Packets, 4096), math.MaxUint16),
		Octets:    cmp.Or(o.Octets, 8<<20),
		Redirects: cmp.Or(o.Redirects, 3),
		Drops:     cmp.Or(o.Drops, 64),
	}}
}

// Call is one request and its reply.
type Call struct {
	Message []byte // the request

	// Dial opens a connection on which each Write sends one datagram and each Read receives
	// one. If target is the zero AddrPort, Dial must connect to the server. Otherwise the
	// server redirected the client to target, and Dial must connect to target if this
	// address is permitted. The connection must deliver only datagrams from the host to
	// which it is connected.
	Dial func(ctx context.Context, target netip.AddrPort) (net.Conn, error)

	// Text makes the client remove one NUL from the end of each packet, because old servers
	// add a NUL there. It must not be set if replies contain binary data.
	Text bool

	// Progress is called when the server announces a wait. It may be nil.
	Progress func(Progress)

	// Trace is called with a line for each datagram. It may be nil.
	Trace func(sent bool, line string)
}

// Progress is a server's announcement that the reply will be delayed.
type Progress struct {
	Wait     time.Duration // time until the expected reply; 0 if unknown or withdrawn
	Position int           // position in the server's queue; 0 if unknown
	Expected time.Duration // time until the reply, as estimated from the queue; 0 if unknown
}

// String returns the announcement as text, such as "wait 15m0s, position 1".
func (p Progress) String() string {
	text := fmt.Sprintf("wait %v", p.Wait)
	if p.Position > 0 {
		text += fmt.Sprintf(", position %d", p.Position)
	}
	if p.Expected > 0 {
		text += fmt.Sprintf(", expected in %v", p.Expected)
	}
	return text
}

// Do sends the request and returns the reply. It returns an error from Dial unchanged. If a
// network error occurs before the server's first datagram arrives, Do returns an error that wraps
// it. When ctx is canceled, Do cancels the request at the server, and the error wraps the
// cancellation cause.
func (c *Client) Do(ctx context.Context, call *Call) (reply []byte, err error) {
	d := clientConn{ctx: ctx, begun: time.Now()}
	defer d.close()
	if err := d.dial(call, netip.AddrPort{}); err != nil {
		return nil, err
	}
	d.x = newExchange(&c.options, call, newID(), addrPort(d.conn.RemoteAddr()), d.write)
	d.run(call)
	if d.x.err != nil {
		return nil, d.x.err
	}
	return d.x.reply, nil
}

// newID returns an unpredictable connection id. The id is never 0, because 0 means that there is
// no id.
func newID() (id uint16) {
	for id == 0 {
		var octets [2]byte
		rand.Read(octets[:])
		id = binary.BigEndian.Uint16(octets[:])
	}
	return id
}

// addrPort returns the IP address and port in the network address a. If a is not an IP address
// with a port, addrPort returns the zero AddrPort.
func addrPort(a net.Addr) netip.AddrPort {
	if a == nil {
		return netip.AddrPort{}
	}
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// clientConn runs an exchange over a network connection.
type clientConn struct {
	ctx        context.Context
	begun      time.Time
	conn       net.Conn
	stopCancel func() bool // stops the function that interrupts reads when ctx is canceled
	x          *exchange
}

// dial replaces the network connection. When ctx is canceled, reads from the new connection fail.
func (d *clientConn) dial(call *Call, target netip.AddrPort) error {
	d.close()
	conn, err := call.Dial(d.ctx, target)
	if err != nil {
		return err
	}
	d.conn = conn
	d.stopCancel = context.AfterFunc(d.ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	return nil
}

func (d *clientConn) close() {
	if d.conn != nil {
		d.stopCancel()
		d.conn.Close()
		d.conn = nil
	}
}

func (d *clientConn) now() time.Duration { return time.Since(d.begun) }

// write sends a datagram. If sending fails before the server has sent a datagram, the exchange
// fails. A later send error counts as a lost datagram.
func (d *clientConn) write(datagram []byte) {
	if _, err := d.conn.Write(datagram); err != nil {
		d.x.networkError(err)
	}
}

// buffers is a pool of buffers, which have the size of the largest UDP datagram.
var buffers = sync.Pool{New: func() any { return new([1 << 16]byte) }}

func (d *clientConn) run(call *Call) {
	buffer := buffers.Get().(*[1 << 16]byte)
	defer buffers.Put(buffer)
	for d.x.sendRequest(d.now()); !d.x.isOver(); {
		if d.x.redirectTarget.IsValid() {
			d.followRedirect(call)
		} else {
			d.read(buffer[:])
		}
		if d.ctx.Err() != nil && !d.x.isOver() {
			d.x.giveUp(fmt.Errorf("%v: %w", d.x.noReply(), context.Cause(d.ctx)))
		}
	}
}

func (d *clientConn) followRedirect(call *Call) {
	to := d.x.redirectTarget
	if err := d.dial(call, to); err != nil {
		d.x.fail(fmt.Errorf("%w: to %v: %w", ErrRedirect, to, err))
		return
	}
	d.x.sendRequest(d.now())
}

// read waits until a datagram arrives or the timer expires.
func (d *clientConn) read(buffer []byte) {
	err := d.conn.SetReadDeadline(d.begun.Add(d.x.timerEnd))
	n := 0
	if err == nil && d.ctx.Err() == nil {
		n, err = d.conn.Read(buffer)
	}
	switch now := d.now(); {
	case d.ctx.Err() != nil:
	case err == nil:
		d.x.receive(now, buffer[:n])
	case errors.Is(err, os.ErrDeadlineExceeded) && now >= d.x.timerEnd:
		d.x.checkTimer(now)
	default:
		d.x.networkError(err)
	}
}
