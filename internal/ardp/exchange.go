package ardp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

const (
	// longest is the longest pause between two repeats.
	longest = time.Hour
	// longestInWait is the longest pause while a wait is in force. The reply may come
	// at any time, and the server does not send it again unless it is asked.
	longestInWait = 30 * time.Second
)

// exchange is one request and its reply, without a network and without a clock:
// datagrams go in and out, and time is what its caller says, since the beginning.
// It is over when done, or when err is there; when to is, it goes on there.
type exchange struct {
	options *Options
	call    *Call
	id      uint16
	send    func(datagram []byte) // which does not keep it
	buffer  []byte                // of what is sent

	packets int // of the request
	sent    int // packets up to this were sent
	has     int // the server has packets up to this

	reply   []byte         // the data of packets 1 to through
	through int            // all packets up to this have come
	beyond  map[int][]byte // those that came before their predecessors
	highest int            // of the numbers that came
	total   int            // of the reply; 0: not known yet
	octets  int            // of the reply, so far

	heard   bool // the server has said something
	repeats int  // of the request or of an acknowledgement, because nothing came
	drops   int
	idle    int // acknowledgements that were asked for since anything new came: two programs could continue so for ever

	interval time.Duration // of the timer
	tries    int           // that are left
	due      time.Duration // when the timer ends
	wait     time.Duration // what the server said last
	waits    time.Duration // when that wait ends; 0: none is in force
	said     Progress      // what the server said last of the wait and of its queue
	asked    Progress      // the last wait that the server asked for

	first   netip.AddrPort   // where it began
	visited []netip.AddrPort // where it was sent on to

	done bool
	err  error
	to   netip.AddrPort
}

func newExchange(o *Options, call *Call, id uint16, server netip.AddrPort, send func([]byte)) *exchange {
	return &exchange{
		options: o, call: call, id: id, first: server, send: send,
		packets: max(1, (len(call.Message)+MaxData-1)/MaxData),
	}
}

func (x *exchange) isOver() bool { return x.done || x.err != nil }

// fail ends the exchange.
func (x *exchange) fail(err error) {
	if !x.isOver() {
		x.err = err
	}
}

// begin sends the request, to the server or to where it sent us on. Nothing that
// another one said is left: the reply is of one server.
func (x *exchange) begin(now time.Duration) {
	if x.packets > x.options.Packets {
		x.fail(fmt.Errorf("%w: a request of %d packets, and %d are the limit", ErrTooLarge, x.packets, x.options.Packets))
		return
	}
	x.to = netip.AddrPort{}
	x.sent, x.has = 0, 0
	x.reply, x.through, x.beyond, x.highest, x.total, x.octets = nil, 0, nil, 0, 0, 0
	x.wait, x.waits, x.said, x.asked, x.heard, x.repeats = 0, 0, Progress{}, Progress{}, false, 0
	x.restart(now)
	x.sendPackets(1)
}

// restart sets the timer as it is at first.
func (x *exchange) restart(now time.Duration) {
	x.interval = x.options.Timer
	x.tries = x.options.Tries - 1
	x.due = now + x.interval
}

// bounded limits a wait: the waits of one exchange end after Options.Wait, however
// many the server asks for.
func (x *exchange) bounded(wait, now time.Duration) time.Duration {
	return max(0, min(wait, x.options.Wait-now))
}

// expire repeats what the server has not acknowledged, if the timer has ended, and
// gives up in the end. While a wait is in force no repeat counts as a try.
func (x *exchange) expire(now time.Duration) {
	if x.isOver() || now < x.due {
		return
	}
	if now < x.waits {
		x.interval = min(2*x.interval, max(longestInWait, x.options.Timer))
		x.due = now + max(x.options.Timer, min(x.interval, x.waits-now))
		x.repeat(true)
		return
	}
	if x.waits != 0 {
		x.interval, x.waits = x.options.Timer, 0
	}
	if x.tries <= 0 {
		x.fail(x.noReply())
		return
	}
	x.tries--
	x.interval = min(2*x.interval, longest)
	x.due = now + x.interval
	x.repeat(false)
}

// repeat sends what the server has not acknowledged. A server that has the whole
// request is sent an acknowledgement, or during a wait the last packet again: that
// makes any server send a reply that was lost.
func (x *exchange) repeat(waiting bool) {
	x.repeats++
	switch {
	case x.has < x.packets:
		x.sendPackets(x.has + 1)
	case waiting && x.received() == 0:
		x.sendPackets(x.packets)
	default:
		x.acknowledge()
	}
}

// noReply is the error for a server that is silent.
func (x *exchange) noReply() *noReplyError {
	return &noReplyError{sent: 1 + x.repeats, heard: x.heard, received: x.received(), total: x.total, asked: x.asked}
}

// received is how many packets of the reply there are.
func (x *exchange) received() int { return x.through + len(x.beyond) }

// sendPackets sends packets of the request from that one on, as far as the window
// goes. Where it ends before the request does, an acknowledgement is asked for.
func (x *exchange) sendPackets(from int) {
	last := min(x.has+Window, x.packets)
	for n := from; n <= last; n++ {
		h := Header{Fields: FieldThrough, ID: x.id, Number: uint16(n), Total: uint16(x.packets), Through: uint16(x.through)}
		if n == last && last < x.packets {
			h.Fields, h.Flags = FieldOption, FlagAcknowledge
		}
		x.transmit(&h, x.call.Message[(n-1)*MaxData:min(n*MaxData, len(x.call.Message))])
	}
	x.sent = max(x.sent, last)
}

func (x *exchange) acknowledge() {
	x.transmit(&Header{Fields: FieldThrough, ID: x.id, Through: uint16(x.through)}, nil)
}

// cancel tells the server that we give up.
func (x *exchange) cancel() {
	x.transmit(&Header{Fields: FieldOption, ID: x.id, Option: OptionCancel}, nil)
}

func (x *exchange) transmit(h *Header, data []byte) {
	if x.call.Trace != nil {
		x.call.Trace(true, describe(h, len(data), "cancel"))
	}
	x.buffer = append(h.Append(x.buffer[:0]), data...)
	x.send(x.buffer)
}

// drop counts a datagram, or what came instead of one, that is of no use.
func (x *exchange) drop(reason error) {
	if x.call.Trace != nil {
		x.call.Trace(false, "dropped: "+reason.Error())
	}
	if x.drops++; x.drops >= x.options.Drops {
		x.fail(fmt.Errorf("%w: %d, the last of them: %w", ErrDamaged, x.drops, reason))
	}
}

// broken is told that the network failed. That nobody is there is worth knowing at
// once; after the server was heard it is taken for one more loss.
func (x *exchange) broken(err error) {
	if !x.heard {
		x.fail(fmt.Errorf("ardp: %w", err))
		return
	}
	x.drop(err)
}

// receive takes one datagram.
func (x *exchange) receive(now time.Duration, datagram []byte) {
	if x.isOver() {
		return
	}
	h, data, err := ParseHeader(datagram)
	if err != nil {
		x.drop(err)
		return
	}
	if !x.isOurs(&h) {
		x.drop(errID)
		return
	}
	option, ok := parseOption(&h)
	if !ok {
		x.drop(errOption)
		return
	}
	if x.call.Trace != nil {
		x.call.Trace(false, describe(&h, len(data), "refused"))
	}
	x.heard = true
	x.takeThrough(now, &h)
	x.takeWait(now, &h, option.queue)
	switch h.Option {
	case OptionRefused:
		x.fail(ErrRefused)
		return
	case OptionRedirect, OptionRedirectAll:
		x.redirect(option.redirect)
		return
	}
	if number, total := h.Position(); number != 0 && !x.takePacket(now, &h, number, total, data) {
		return
	}
	x.done = x.total != 0 && x.through == x.total
	if h.Flags&FlagAcknowledge != 0 && x.idle < x.options.Drops {
		x.idle++
		x.acknowledge()
	}
}

// isOurs reports whether a datagram belongs to this exchange. A server whose machine
// stores the low octet first swaps those of the connection id in what it sends again,
// and from its second window on. Such a packet is taken only where that can be the
// reason: another packet came already, or something was repeated.
//
// An attacker who sees no traffic has to guess the id, the port and the time. Two ids
// instead of one would halve the work. Therefore the second id is not accepted before
// the first repeat, so that an answer in time leaves no chance for it; it is accepted
// only for packets of the reply, never for a refusal, a redirect or a wait; and a
// wrong guess counts as a bad datagram, of which Options.Drops end the exchange. With
// 64 guesses at 65,535 ids the chance is 1 in 512 for an attacker who already knows
// the port, and that of the port comes on top.
func (x *exchange) isOurs(h *Header) bool {
	if !h.Has(FieldID) {
		return false
	}
	if h.ID == x.id {
		return true
	}
	return h.ID == swapped(x.id) && h.Number > 0 && h.Wait == 0 && h.Option == 0 && (x.received() > 0 || x.repeats > 0)
}

// takeThrough learns which packets of the request the server has, and sends more if
// there are more.
func (x *exchange) takeThrough(now time.Duration, h *Header) {
	through := int(h.Through)
	if !h.Has(FieldThrough) || through > x.packets || through <= x.has && h.Option != OptionThrough {
		return
	}
	x.has = through
	if x.sent < min(x.has+Window, x.packets) {
		x.restart(now)
		x.sendPackets(x.sent + 1)
	}
}

// takeWait learns how long the server wants us to wait. A wait that is announced
// again neither makes the repeats more frequent nor is it news.
func (x *exchange) takeWait(now time.Duration, h *Header, said Progress) {
	said.Wait = time.Duration(h.Wait) * time.Second
	news := said != x.said && (h.Has(FieldWait) || h.Option == OptionQueue)
	if said.Wait != 0 {
		x.asked = said
	}
	if news {
		x.said = said
	}
	said.Wait = x.bounded(said.Wait, now)
	if h.Has(FieldWait) && (said.Wait != 0 || x.wait != 0) {
		x.setWait(now, said.Wait)
	}
	if news && x.call.Progress != nil {
		x.call.Progress(said)
	}
}

func (x *exchange) setWait(now, wait time.Duration) {
	if wait == 0 || now >= x.waits {
		x.restart(now)
	}
	x.wait, x.waits, x.tries = wait, 0, x.options.Tries-1
	if wait != 0 {
		x.waits = now + wait
	}
}

// takePacket stores the data of a packet, if it fits in with the others. It reports
// whether it does, or did when it came before.
func (x *exchange) takePacket(now time.Duration, h *Header, number, total int, data []byte) bool {
	known := max(x.total, total)
	switch {
	case total != 0 && x.total != 0 && total != x.total, known != 0 && known < max(number, x.highest):
		x.drop(errTotal)
		return false
	case max(number, total) > x.options.Packets:
		x.giveUp(fmt.Errorf("%w: a reply of %d packets, and %d are the limit", ErrTooLarge, max(number, total), x.options.Packets))
		return false
	}
	x.total = known
	x.highest = max(x.highest, number)
	if _, ok := x.beyond[number]; ok || number <= x.through {
		return true
	}
	data = x.ownData(h, data)
	if x.octets += len(data); x.octets > x.options.Octets {
		x.giveUp(fmt.Errorf("%w: a reply of more than %d octets", ErrTooLarge, x.options.Octets))
		return false
	}
	if number != x.through+1 {
		if x.beyond == nil {
			x.beyond = map[int][]byte{}
		}
		x.beyond[number] = append([]byte(nil), data...)
		return true
	}
	for ok := true; ok; data, ok = x.beyond[x.through+1] {
		x.through++
		x.reply = append(x.reply, data...)
		delete(x.beyond, x.through)
	}
	x.idle = 0
	x.restart(now)
	return true
}

// ownData is what a packet adds to the message.
func (x *exchange) ownData(h *Header, data []byte) []byte {
	if h.Flags&FlagSequenced != 0 {
		return nil
	}
	if n := len(data); x.call.Text && n > 0 && data[n-1] == 0 {
		return data[:n-1]
	}
	return data
}

// giveUp fails while the server goes on.
func (x *exchange) giveUp(err error) {
	x.fail(err)
	x.cancel()
}

// option is what the option of a header says.
type option struct {
	redirect netip.AddrPort
	queue    Progress
}

// parseOption reads the fields of the option, if it is one of those that have some.
// ok is false if they are cut short.
func parseOption(h *Header) (o option, ok bool) {
	if h.Option != OptionRedirect && h.Option != OptionRedirectAll && h.Option != OptionQueue {
		return o, true
	}
	e, ok := h.Extras()
	if !ok {
		return o, false
	}
	if h.Option == OptionQueue {
		o.queue, ok = parseQueue(e.Option)
		return o, ok
	}
	if len(e.Option) < 6 {
		return o, false
	}
	o.redirect = netip.AddrPortFrom(netip.AddrFrom4([4]byte(e.Option)), binary.BigEndian.Uint16(e.Option[4:]))
	return o, true
}

func parseQueue(field []byte) (p Progress, ok bool) {
	if len(field) == 0 {
		return p, false
	}
	flags, rest := field[0], field[1:]
	if flags&queuePosition != 0 {
		if len(rest) < 2 {
			return p, false
		}
		p.Position, rest = int(binary.BigEndian.Uint16(rest)), rest[2:]
	}
	if flags&queueTime != 0 {
		if len(rest) < 4 {
			return p, false
		}
		p.Expected = time.Duration(binary.BigEndian.Uint32(rest)) * time.Second
	}
	return p, true
}

// redirect has the exchange go on elsewhere, or fail.
func (x *exchange) redirect(to netip.AddrPort) {
	if reason := x.unfit(to); reason != "" {
		x.giveUp(fmt.Errorf("%w: to %v, which is %s", ErrRedirect, to, reason))
		return
	}
	x.visited = append(x.visited, to)
	x.to = to
}

// unfit says why we don't go there. A server in the Internet has no business with
// our own network, nor has one of our network with this very machine.
func (x *exchange) unfit(to netip.AddrPort) string {
	a, first := to.Addr(), x.first.Addr()
	switch {
	case a.IsUnspecified(), to.Port() == 0:
		return "nowhere"
	case a.IsMulticast(), a == broadcast:
		return "everywhere"
	case a.IsLoopback() && !first.IsLoopback():
		return "this machine"
	case isInside(a) && !isInside(first):
		return "a private network"
	case to == x.first || slices.Contains(x.visited, to):
		return "where it was before"
	case len(x.visited) >= x.options.Redirects:
		return fmt.Sprintf("one more than %d", x.options.Redirects)
	}
	return ""
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// isInside reports whether an address means something in one network alone.
func isInside(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsLoopback()
}
