package ardptest

import (
	"cmp"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/ardp"
)

// maxPackets is the most of a request.
const maxPackets = 4096

// Request is what a client asks.
type Request struct {
	Message  []byte
	From     netip.AddrPort
	ID       uint16 // the connection id; 0: there is none
	Packets  int    // in how many the message came
	Window   int    // that the client asks for; 0: it does not
	Priority int16

	ctx      context.Context
	announce func(a announcement)
}

// Context ends when the client cancels the request, when it has its reply, and when
// the server is closed.
func (r *Request) Context() context.Context { return r.ctx }

// Announce tells the client to wait, as Reply does, while the reply is being made.
func (r *Request) Announce(wait time.Duration, position int, expected time.Duration) {
	r.announce(announcement{wait, position, expected})
}

// Reply is what the client gets.
type Reply struct {
	Message []byte

	// Wait, in whole seconds, is announced before the message; 0: it is not.
	Wait time.Duration
	// QueuePosition and QueueTime, in whole seconds, are announced with it; 0: they
	// are not.
	QueuePosition int
	QueueTime     time.Duration

	Silent   bool           // nothing more is sent
	Refuse   bool           // the client is refused
	Redirect netip.AddrPort // where the client is sent on to, by an IPv4 address
	NoID     bool           // the id is 0, as in replies of Prospero's version 1
}

// Options of a server. The zero value answers at once whoever asks again.
type Options struct {
	// Pause is how long nothing is sent again unless the client has received more
	// since; the original had one second.
	Pause time.Duration
	// Store is how many replies are kept for who asks again; 0: 20.
	Store int
}

// Server answers requests until it is closed.
type Server struct {
	pc      net.PacketConn
	handle  func(r *Request) Reply
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	open   map[key]*exchange
	stored []key // with a reply that was sent to its end; the oldest is the first
}

// key is how a server knows a request.
type key struct {
	from netip.AddrPort
	id   uint16
}

// Serve answers what comes to pc, which is closed with the server. handle is called
// in a goroutine of its own for each request, but not for one that is sent again
// while its reply is kept. nil options are the zero Options.
func Serve(pc net.PacketConn, handle func(r *Request) Reply, o *Options) *Server {
	s := &Server{pc: pc, handle: handle, open: map[key]*exchange{}}
	if o != nil {
		s.options = *o
	}
	s.options.Store = cmp.Or(s.options.Store, 20)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.running.Go(s.serve)
	return s
}

// Addr is the address the server listens on.
func (s *Server) Addr() netip.AddrPort { return addrPort(s.pc.LocalAddr()) }

// Close ends the server, and waits until it is gone.
func (s *Server) Close() error {
	s.cancel()
	err := s.pc.Close()
	s.running.Wait()
	return err
}

func (s *Server) serve() {
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := s.pc.ReadFrom(buffer)
		if err != nil {
			return
		}
		s.receive(from, buffer[:n])
	}
}

// receive takes one datagram. What makes no sense is ignored.
func (s *Server) receive(from net.Addr, datagram []byte) {
	h, data, err := ardp.ParseHeader(datagram)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{addrPort(from), h.ID}
	x := s.open[k]
	if !h.Has(ardp.FieldID) {
		x = nil // there is no telling one such request from another
	}
	number, total := h.Position()
	switch {
	case h.Option == ardp.OptionCancel:
		if x != nil {
			s.forget(k)
		}
	case x == nil && number == 0:
	case x == nil:
		x = s.begin(k, from, &h)
		x.take(&h, number, total, data)
	case x.request.Packets == 0:
		x.take(&h, number, total, data)
	default:
		x.again(int(h.Through))
	}
}

// begin makes room for a request. s is locked.
func (s *Server) begin(k key, from net.Addr, h *ardp.Header) *exchange {
	x := &exchange{server: s, key: k, to: from, id: k.id, fields: ardp.FieldID, parts: map[int][]byte{}, window: ardp.Window}
	ctx, cancel := context.WithCancel(s.ctx)
	x.cancel = cancel
	x.request = &Request{From: k.from, ID: k.id, ctx: ctx, announce: func(a announcement) {
		s.mu.Lock()
		defer s.mu.Unlock()
		x.announce(a)
	}}
	if h.Has(ardp.FieldID) {
		s.open[k] = x
	} else {
		x.fields = ardp.FieldNone
	}
	return x
}

// forget drops a request. s is locked.
func (s *Server) forget(k key) {
	if x := s.open[k]; x != nil {
		x.cancel()
		delete(s.open, k)
	}
}

// store keeps a request whose reply was sent, in the place of the oldest. s is
// locked.
func (s *Server) store(k key) {
	s.stored = append(s.stored, k)
	if len(s.stored) > s.options.Store {
		s.forget(s.stored[0])
		s.stored = s.stored[1:]
	}
}

// exchange is one request and its reply. Its server is locked where it is used.
type exchange struct {
	server *Server
	key    key
	to     net.Addr
	cancel context.CancelFunc
	id     uint16     // in what is sent
	fields ardp.Field // that the shortest header has

	parts   map[int][]byte // of the request, by number
	total   int            // of its packets; 0: not known
	through int
	request *Request // whose Packets is 0 until it is whole
	window  int      // that the client has

	control []byte // what is sent to who waits: an announcement, or what there is instead of a reply
	waited  bool
	reply   [][]byte
	has     int // the client has packets up to this
	stored  bool
	last    time.Time // when something was sent
}

// take takes a packet of the request.
func (x *exchange) take(h *ardp.Header, number, total int, data []byte) {
	if number == 0 || max(number, total) > maxPackets {
		return
	}
	known := x.isThere(number)
	if !known {
		x.parts[number] = append([]byte(nil), data...)
	}
	for x.isThere(x.through + 1) {
		x.through++
	}
	x.total = cmp.Or(x.total, total)
	if e, ok := h.Extras(); ok {
		x.request.Priority = cmp.Or(x.request.Priority, e.Priority)
		x.request.Window = cmp.Or(x.request.Window, int(e.Window))
	}
	switch {
	case x.total != 0 && x.through == x.total:
		x.answer()
	case known, h.Flags&ardp.FlagAcknowledge != 0:
		x.send(&ardp.Header{Fields: ardp.FieldThrough, Through: uint16(x.through)}, nil)
	}
}

func (x *exchange) isThere(number int) bool {
	_, ok := x.parts[number]
	return ok
}

// answer has a request that is whole answered.
func (x *exchange) answer() {
	r := x.request
	r.Packets = x.total
	for n := 1; n <= x.total; n++ {
		r.Message = append(r.Message, x.parts[n]...)
	}
	if r.Window > 0 {
		x.window = min(r.Window, 256)
	}
	x.parts = nil
	x.server.running.Go(func() {
		reply := x.server.handle(r)
		x.server.mu.Lock()
		defer x.server.mu.Unlock()
		if r.ctx.Err() == nil {
			x.respond(&reply)
		}
		if !reply.Silent {
			x.cancel()
		}
	})
}

// respond sends a reply, or what there is instead of it.
func (x *exchange) respond(r *Reply) {
	if r.NoID {
		x.id = 0
	}
	if r.Wait != 0 || r.QueuePosition != 0 || r.QueueTime != 0 {
		x.announce(announcement{r.Wait, r.QueuePosition, r.QueueTime})
	}
	h := ardp.Header{Fields: ardp.FieldOption}
	switch {
	case r.Silent:
	case r.Refuse:
		h.Option = ardp.OptionRefused
		x.say(&h)
	case r.Redirect.IsValid():
		a := r.Redirect.Addr().Unmap().As4()
		h.Option = ardp.OptionRedirect
		h.Extra = binary.BigEndian.AppendUint16(a[:], r.Redirect.Port())
		x.say(&h)
	default:
		x.control = nil
		x.reply = cut(r.Message)
		x.sendFrom(0, false)
	}
}

// cut cuts a message into the data of packets, of which there is one at least.
func cut(message []byte) (packets [][]byte) {
	for len(message) > ardp.MaxData {
		packets = append(packets, message[:ardp.MaxData])
		message = message[ardp.MaxData:]
	}
	return append(packets, message)
}

// announcement tells a client to wait.
type announcement struct {
	wait     time.Duration
	position int
	expected time.Duration
}

// appendQueue appends position and time, the first octet saying that both are there.
func (a announcement) appendQueue(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(append(dst, 3), uint16(a.position))
	return binary.BigEndian.AppendUint32(dst, uint32(a.expected/time.Second))
}

func (x *exchange) announce(a announcement) {
	h := ardp.Header{Fields: ardp.FieldWait, Wait: uint16(a.wait / time.Second)}
	if a.position != 0 || a.expected != 0 {
		h.Fields, h.Option = ardp.FieldOption, ardp.OptionQueue
		h.Extra = a.appendQueue(nil)
	}
	x.waited = true
	x.say(&h)
}

// say sends a control packet, and keeps it for who asks again.
func (x *exchange) say(h *ardp.Header) {
	h.ID = x.id
	x.control = h.Append(nil)
	x.write(x.control)
}

// again answers a client that asks again, or acknowledges: it has all packets up to
// through.
func (x *exchange) again(through int) {
	moved := through > x.has
	if !moved && x.server.options.Pause > 0 && time.Since(x.last) < x.server.options.Pause {
		return
	}
	x.has = min(max(x.has, through), len(x.reply))
	if x.control != nil {
		x.write(x.control)
	} else {
		x.sendFrom(through, true)
	}
}

// sendFrom sends the window of packets behind those up to through.
func (x *exchange) sendFrom(through int, again bool) {
	last := min(through+x.window, len(x.reply))
	for n := through + 1; n <= last; n++ {
		h := x.header(n, again)
		if n == through+x.window {
			h.Fields, h.Flags = ardp.FieldFlags, ardp.FlagAcknowledge
		}
		x.send(&h, x.reply[n-1])
	}
	if last == len(x.reply) && last > 0 && !x.stored && x.fields == ardp.FieldID {
		x.stored = true
		x.server.store(x.key)
	}
}

// header is that of packet n of the reply, as the original server had it: short at
// first, and saying how many there are only in the last one.
func (x *exchange) header(n int, again bool) ardp.Header {
	total := len(x.reply)
	h := ardp.Header{Fields: ardp.FieldTotal, Number: uint16(n), Through: uint16(x.total)}
	if again || n == total {
		h.Total = uint16(total)
	}
	switch {
	case again:
		h.Fields = ardp.FieldThrough
	case x.waited:
		h.Fields = ardp.FieldFlags
		if n == total {
			h.Flags = ardp.FlagAcknowledge
		}
	case total == 1:
		h.Fields = x.fields
	}
	return h
}

func (x *exchange) send(h *ardp.Header, data []byte) {
	h.ID = x.id
	x.write(append(h.Append(make([]byte, 0, int(h.Fields)+len(data))), data...))
}

// write sends a datagram. One that can't be sent is lost, as others are.
func (x *exchange) write(datagram []byte) {
	x.last = time.Now()
	x.server.pc.WriteTo(datagram, x.to)
}

// addrPort is the zero AddrPort if a is none of an IP network.
func addrPort(a net.Addr) netip.AddrPort {
	if u, ok := a.(*net.UDPAddr); ok {
		p := u.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
