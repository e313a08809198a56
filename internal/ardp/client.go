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

// Options of a client. The zero value does what the original client did, and has
// limits.
type Options struct {
	Timer     time.Duration // until the first repeat, and doubled with each; 0: 4 s
	Tries     int           // transmissions while nothing new comes; 0: 4
	Wait      time.Duration // from the beginning on, after which a server's waits are ignored; 0: 10 minutes
	Packets   int           // of a message, at most 65535; 0: 4096
	Octets    int           // of a reply; 0: 8 MiB
	Redirects int           // 0: 3
	Drops     int           // how many bad datagrams are an error; 0: 64
}

// Client exchanges messages with servers. It is safe for use by many goroutines.
type Client struct{ options Options }

// New returns a client. nil options are the zero Options.
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

// Call is one exchange.
type Call struct {
	// Message is the request.
	Message []byte

	// Dial opens a connection of which a Write is a datagram, and a Read is one: to
	// the server if to is the zero AddrPort, else to where the server sends us on.
	// It is for Dial to check whether that is allowed, beyond what is checked here.
	// What other hosts send must not come through it.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)

	// Text has one NUL dropped at the end of each packet, with which old servers end
	// them. It is not for replies that may hold octets of any kind.
	Text bool

	// Progress is told when the server says how long to wait. nil: nobody listens.
	Progress func(Progress)

	// Trace is told of each datagram in one line. nil: nobody listens.
	Trace func(sent bool, line string)
}

// Progress is what a server says of a reply that takes time.
type Progress struct {
	Wait     time.Duration // until the reply may be expected; 0: it does not say, or takes back what it said
	Position int           // in the server's queue; 0: it does not say
	Expected time.Duration // until the reply, as the queue has it; 0: it does not say
}

// String puts p in words: "wait 15m0s, position 1".
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

// Do sends the request and returns the reply, which is whole. An error of Dial is
// returned as it is; one that says that nobody listens there is wrapped. When ctx
// ends the server is told, and the error wraps the cause.
func (c *Client) Do(ctx context.Context, call *Call) (reply []byte, err error) {
	d := dialog{ctx: ctx, begun: time.Now()}
	defer d.hangUp()
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

// newID returns an id that can't be guessed. 0 is none.
func newID() (id uint16) {
	for id == 0 {
		var octets [2]byte
		rand.Read(octets[:])
		id = binary.BigEndian.Uint16(octets[:])
	}
	return id
}

// addrPort is the zero AddrPort if the address is none of an IP network.
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

// dialog has an exchange over a network.
type dialog struct {
	ctx    context.Context
	begun  time.Time
	conn   net.Conn
	forget func() bool // has the end of ctx do nothing to conn
	x      *exchange
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// dial makes a connection the one that there is. Reading from it ends with ctx.
func (d *dialog) dial(call *Call, to netip.AddrPort) error {
	d.hangUp()
	conn, err := call.Dial(d.ctx, to)
	if err != nil {
		return err
	}
	d.conn = conn
	d.forget = context.AfterFunc(d.ctx, func() { conn.SetReadDeadline(past) })
	return nil
}

func (d *dialog) hangUp() {
	if d.conn != nil {
		d.forget()
		d.conn.Close()
		d.conn = nil
	}
}

func (d *dialog) now() time.Duration { return time.Since(d.begun) }

// write sends a datagram. One that can't be sent is one more that is lost, unless
// it says that nobody is there.
func (d *dialog) write(datagram []byte) {
	if _, err := d.conn.Write(datagram); err != nil {
		d.x.broken(err)
	}
}

// buffers hold any datagram that UDP can deliver.
var buffers = sync.Pool{New: func() any { return new([1 << 16]byte) }}

// run goes on until the exchange is over.
func (d *dialog) run(call *Call) {
	buffer := buffers.Get().(*[1 << 16]byte)
	defer buffers.Put(buffer)
	for d.x.begin(d.now()); !d.x.isOver(); {
		if d.x.to.IsValid() {
			d.move(call)
		} else {
			d.read(buffer[:])
		}
		if d.ctx.Err() != nil && !d.x.isOver() {
			d.x.giveUp(fmt.Errorf("ardp: %s: %w", d.x.noReply().story(), context.Cause(d.ctx)))
		}
	}
}

// move goes on where the server sends us.
func (d *dialog) move(call *Call) {
	to := d.x.to
	if err := d.dial(call, to); err != nil {
		d.x.fail(fmt.Errorf("%w: to %v: %w", ErrRedirect, to, err))
		return
	}
	d.x.begin(d.now())
}

// read waits for one datagram, or until the timer ends.
func (d *dialog) read(buffer []byte) {
	err := d.conn.SetReadDeadline(d.begun.Add(d.x.due))
	n := 0
	if err == nil && d.ctx.Err() == nil {
		n, err = d.conn.Read(buffer)
	}
	switch now := d.now(); {
	case d.ctx.Err() != nil:
	case err == nil:
		d.x.receive(now, buffer[:n])
	case errors.Is(err, os.ErrDeadlineExceeded) && now >= d.x.due:
		d.x.expire(now)
	default:
		d.x.broken(err)
	}
}
