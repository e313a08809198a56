package ardptest

import (
	"cmp"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/locus-url/locus/scheme/internal/ardp"
)

// maxPackets is the maximum number of packets in a request.
const maxPackets = 4096

// Request is a client's request.
type Request struct {
	Message []byte
	From    netip.AddrPort
	ID      uint16 // connection id; 0 if the request has none
	Packets int    // number of packets in the message

	ctx      context.Context
	announce func(a announcement)
}

// Context returns the request's context. It is canceled when the client cancels the request, after
// the reply, or when the server is closed.
func (r *Request) Context() context.Context { return r.ctx }

// Announce tells the client to wait while the handler prepares the reply.
func (r *Request) Announce(wait time.Duration, position int, expected time.Duration) {
	r.announce(announcement{wait, position, expected})
}

// Reply is the reply to a request.
type Reply struct {
	Message []byte

	// The server announces Wait, QueuePosition and QueueTime before the message, unless all
	// three are zero. Times are in whole seconds.
	Wait          time.Duration
	QueuePosition int
	QueueTime     time.Duration

	Silent   bool           // send no message
	Refuse   bool           // refuse the request
	Redirect netip.AddrPort // redirect the client to this IPv4 address
	NoID     bool           // use id 0, as in replies of Prospero version 1
}

// Options configure a server. The zero value answers every repeated request at once.
type Options struct {
	// Pause is the minimum time before the server resends packets, unless the client
	// acknowledges more packets. The original server used one second.
	Pause time.Duration
	// Store is the number of replies that the server stores for repeated requests. Zero means
	// 20.
	Store int
}

// Server is an ARDP server that answers requests until it is closed. Its methods may be called
// concurrently.
type Server struct {
	pc      net.PacketConn
	handle  func(r *Request) Reply
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	open   map[key]*exchange
	stored []key // requests with a complete reply, oldest first
}

// key identifies a request.
type key struct {
	from netip.AddrPort
	id   uint16
}

// Serve starts a server that answers the requests arriving at the connection pc. Closing the
// server closes pc. The server calls handle in a new goroutine for each request, except for a
// repeated request with a stored reply. The options o may be nil.
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

// Addr returns the address of the server.
func (s *Server) Addr() netip.AddrPort { return addrPort(s.pc.LocalAddr()) }

// Close stops the server, and waits until all handlers have returned.
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

// receive handles one datagram. It ignores malformed datagrams.
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
		x = nil // requests without an id cannot be distinguished from each other
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
		x.retransmit(int(h.Through))
	}
}

// begin adds a request to the server. The caller must hold s.mu.
func (s *Server) begin(k key, from net.Addr, h *ardp.Header) *exchange {
	x := &exchange{server: s, key: k, to: from, id: k.id, fields: ardp.FieldID, parts: map[int][]byte{}}
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

// forget cancels and removes a request. The caller must hold s.mu.
func (s *Server) forget(k key) {
	if x := s.open[k]; x != nil {
		x.cancel()
		delete(s.open, k)
	}
}

// store stores a request with a complete reply. If there are too many stored requests, store
// removes the oldest request. The caller must hold s.mu.
func (s *Server) store(k key) {
	s.stored = append(s.stored, k)
	if len(s.stored) > s.options.Store {
		s.forget(s.stored[0])
		s.stored = s.stored[1:]
	}
}

// exchange is one request and its reply. Callers of its methods must hold the server's mutex.
type exchange struct {
	server *Server
	key    key
	to     net.Addr
	cancel context.CancelFunc
	id     uint16     // connection id in replies
	fields ardp.Field // last header field in a one-packet reply

	parts   map[int][]byte // parts of the request, by number
	total   int            // number of packets in the request; 0 if unknown
	through int
	request *Request // the request; its Packets is 0 until the request is complete

	control      []byte // last control packet, which the server sends if a client repeats its request before the reply
	waited       bool
	reply        [][]byte
	acknowledged int // number of the last packet in the sequence that the client has acknowledged
	stored       bool
	last         time.Time // time at which the last packet was sent
}

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

func (x *exchange) answer() {
	r := x.request
	r.Packets = x.total
	for n := 1; n <= x.total; n++ {
		r.Message = append(r.Message, x.parts[n]...)
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

// respond sends the reply r, or the control packet that replaces the reply.
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
		x.sendControl(&h)
	case r.Redirect.IsValid():
		a := r.Redirect.Addr().Unmap().As4()
		h.Option = ardp.OptionRedirect
		h.Extra = binary.BigEndian.AppendUint16(a[:], r.Redirect.Port())
		x.sendControl(&h)
	default:
		x.control = nil
		x.reply = cut(r.Message)
		x.sendFrom(0, false)
	}
}

func cut(message []byte) (packets [][]byte) {
	for len(message) > ardp.MaxData {
		packets = append(packets, message[:ardp.MaxData])
		message = message[ardp.MaxData:]
	}
	return append(packets, message)
}

// announcement describes a wait that the server announces to a client.
type announcement struct {
	wait     time.Duration
	position int
	expected time.Duration
}

// appendQueue appends the fields of OptionQueue. These are an octet of flags, the position and the
// time. The flags say that the position and the time are present.
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
	x.sendControl(&h)
}

// sendControl sends a control packet, and stores the packet so that the server can repeat it.
func (x *exchange) sendControl(h *ardp.Header) {
	h.ID = x.id
	x.control = h.Append(nil)
	x.write(x.control)
}

// retransmit answers a client that has repeated its request, or has acknowledged all packets up to
// the number in the argument through.
func (x *exchange) retransmit(through int) {
	moved := through > x.acknowledged
	if !moved && x.server.options.Pause > 0 && time.Since(x.last) < x.server.options.Pause {
		return
	}
	x.acknowledged = min(max(x.acknowledged, through), len(x.reply))
	if x.control != nil {
		x.write(x.control)
	} else {
		x.sendFrom(through, true)
	}
}

func (x *exchange) sendFrom(through int, again bool) {
	last := min(through+ardp.Window, len(x.reply))
	for n := through + 1; n <= last; n++ {
		h := x.header(n, again)
		if n == through+ardp.Window {
			h.Fields, h.Flags = ardp.FieldFlags, ardp.FlagAcknowledge
		}
		x.send(&h, x.reply[n-1])
	}
	if last == len(x.reply) && last > 0 && !x.stored && x.fields == ardp.FieldID {
		x.stored = true
		x.server.store(x.key)
	}
}

// header returns the header of packet n of the reply, with the same fields as in the original
// server. If again is true, the header is for a repeated packet, and is longer. Unless it is
// repeated, only the last packet contains the total.
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

// write sends a datagram. If sending fails, the datagram counts as lost.
func (x *exchange) write(datagram []byte) {
	x.last = time.Now()
	x.server.pc.WriteTo(datagram, x.to)
}

// addrPort returns the IP address and port in the network address a. If a is not a UDP address,
// addrPort returns the zero AddrPort.
func addrPort(a net.Addr) netip.AddrPort {
	if u, ok := a.(*net.UDPAddr); ok {
		p := u.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
