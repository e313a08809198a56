package ardp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

const (
	// maxInterval is the maximum interval between repeated transmissions.
	maxInterval = time.Hour
	// maxWaitInterval is the maximum interval between repeated transmissions during a wait. If the
	// reply is lost during a wait, the server resends it only after the client repeats the request.
	maxWaitInterval = 30 * time.Second
)

// exchange is one request and its reply. It has no access to a network or a clock: the caller
// passes the received datagrams and the time since the beginning. The exchange has ended when
// isDone is true or err is set. If redirectTarget is a valid address, the exchange continues at the
// server with that address.
type exchange struct {
	options *Options
	call    *Call
	id      uint16
	send    func(datagram []byte) // sends a datagram; must not retain the slice
	buffer  []byte                // buffer for each packet that is sent

	packets      int // number of packets in the request
	sent         int // number of the last sent packet
	acknowledged int // number of the last packet in the sequence that the server has acknowledged

	reply           []byte         // data of the packets 1 to receivedThrough
	receivedThrough int            // number of the last packet in the sequence that was received
	outOfOrder      map[int][]byte // packets that arrived before an earlier packet
	maxReceived     int            // highest number among the received packets
	total           int            // number of packets in the reply; 0 if unknown
	octets          int            // number of octets of the reply that were received so far

	hasAnswer bool // the server has sent a valid datagram
	repeats   int  // number of repeats of the request or an acknowledgement
	drops     int
	idleAcks  int // number of acknowledgements without new data, which is limited to prevent an endless loop between two programs

	interval     time.Duration // the timer's current interval
	triesLeft    int           // number of remaining tries
	timerEnd     time.Duration
	lastWaitTime time.Duration // the last announced wait
	waitEnd      time.Duration // end of the announced wait; 0 means no wait
	lastProgress Progress
	lastWait     Progress // last announcement that contains a wait

	firstServer netip.AddrPort
	visited     []netip.AddrPort // targets of the previous redirects

	isDone         bool
	err            error
	redirectTarget netip.AddrPort
}

func newExchange(o *Options, call *Call, id uint16, server netip.AddrPort, send func([]byte)) *exchange {
	return &exchange{
		options: o, call: call, id: id, firstServer: server, send: send,
		packets: max(1, (len(call.Message)+MaxData-1)/MaxData),
	}
}

func (x *exchange) isOver() bool { return x.isDone || x.err != nil }

func (x *exchange) fail(err error) {
	if !x.isOver() {
		x.err = err
	}
}

// sendRequest sends the request to the first server, or to the target of a redirect. It first
// discards all data from the previous server.
func (x *exchange) sendRequest(now time.Duration) {
	if x.packets > x.options.Packets {
		x.fail(fmt.Errorf("%w: a request of %d packets, the limit is %d", ErrTooLarge, x.packets, x.options.Packets))
		return
	}
	x.redirectTarget = netip.AddrPort{}
	x.sent, x.acknowledged = 0, 0
	x.reply, x.receivedThrough, x.outOfOrder, x.maxReceived, x.total, x.octets = nil, 0, nil, 0, 0, 0
	x.lastWaitTime, x.waitEnd, x.lastProgress, x.lastWait, x.hasAnswer, x.repeats = 0, 0, Progress{}, Progress{}, false, 0
	x.restart(now)
	x.sendPackets(1)
}

func (x *exchange) restart(now time.Duration) {
	x.interval = x.options.Timer
	x.triesLeft = x.options.Tries - 1
	x.timerEnd = now + x.interval
}

// limitWait shortens a wait, if necessary. A wait must end before Options.Wait has passed since the
// beginning of the exchange.
func (x *exchange) limitWait(wait, now time.Duration) time.Duration {
	return max(0, min(wait, x.options.Wait-now))
}

// checkTimer repeats unacknowledged packets if the timer has expired. After the last try, it ends
// the exchange. Repeats during a wait do not count as tries.
func (x *exchange) checkTimer(now time.Duration) {
	if x.isOver() || now < x.timerEnd {
		return
	}
	if now < x.waitEnd {
		x.interval = min(2*x.interval, max(maxWaitInterval, x.options.Timer))
		x.timerEnd = now + max(x.options.Timer, min(x.interval, x.waitEnd-now))
		x.resend(true)
		return
	}
	if x.waitEnd != 0 {
		x.interval, x.waitEnd = x.options.Timer, 0
	}
	if x.triesLeft <= 0 {
		x.fail(x.noReply())
		return
	}
	x.triesLeft--
	x.interval = min(2*x.interval, maxInterval)
	x.timerEnd = now + x.interval
	x.resend(false)
}

// resend sends the packets that the server has not acknowledged. If the server has acknowledged the
// whole request, resend sends an acknowledgement. During a wait, before the first packet of the
// reply, resend sends the last packet of the request instead of an acknowledgement. The server then
// resends a lost reply.
func (x *exchange) resend(waiting bool) {
	x.repeats++
	switch {
	case x.acknowledged < x.packets:
		x.sendPackets(x.acknowledged + 1)
	case waiting && x.received() == 0:
		x.sendPackets(x.packets)
	default:
		x.acknowledge()
	}
}

// noReply returns the error for a silent server.
func (x *exchange) noReply() *noReplyError {
	return &noReplyError{sent: 1 + x.repeats, heard: x.hasAnswer, received: x.received(), total: x.total, lastWait: x.lastWait}
}

func (x *exchange) received() int { return x.receivedThrough + len(x.outOfOrder) }

// sendPackets sends the request's packets from the number first up to the end of the window. If
// more packets follow after the window, the last packet in the window requests an acknowledgement.
func (x *exchange) sendPackets(first int) {
	last := min(x.acknowledged+Window, x.packets)
	for n := first; n <= last; n++ {
		h := Header{Fields: FieldThrough, ID: x.id, Number: uint16(n), Total: uint16(x.packets), Through: uint16(x.receivedThrough)}
		if n == last && last < x.packets {
			h.Fields, h.Flags = FieldOption, FlagAcknowledge
		}
		x.transmit(&h, x.call.Message[(n-1)*MaxData:min(n*MaxData, len(x.call.Message))])
	}
	x.sent = max(x.sent, last)
}

func (x *exchange) acknowledge() {
	x.transmit(&Header{Fields: FieldThrough, ID: x.id, Through: uint16(x.receivedThrough)}, nil)
}

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

// drop counts a rejected datagram or a network error.
func (x *exchange) drop(reason error) {
	if x.call.Trace != nil {
		x.call.Trace(false, "dropped: "+reason.Error())
	}
	if x.drops++; x.drops >= x.options.Drops {
		x.fail(fmt.Errorf("%w (%d), the last one: %w", ErrDamaged, x.drops, reason))
	}
}

// networkError ends the exchange if the server has sent nothing, because the host then probably
// runs no server. A later network error counts as a lost datagram.
func (x *exchange) networkError(err error) {
	if !x.hasAnswer {
		x.fail(err)
		return
	}
	x.drop(err)
}

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
	x.hasAnswer = true
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
	x.isDone = x.total != 0 && x.receivedThrough == x.total
	if h.Flags&FlagAcknowledge != 0 && x.idleAcks < x.options.Drops {
		x.idleAcks++
		x.acknowledge()
	}
}

// isOurs reports whether a datagram belongs to this exchange. Servers on little-endian machines
// swap the octets of the connection id in packets that they repeat. They also swap these octets in
// all packets after their first window. Therefore isOurs accepts a swapped id, but only after the
// client has received another packet or has repeated a packet.
//
// A blind attacker must guess the id, the port and the time. If two ids were valid from the
// beginning, the attacker would need only half as many guesses. Moreover, isOurs accepts a swapped
// id only in packets of the reply, never in a refusal, a redirect or a wait. A wrong guess counts
// as a dropped datagram, and Options.Drops limits the number of dropped datagrams. If the attacker
// already knows the port, 64 guesses at 65,535 ids succeed with a probability of 1 in 512.
func (x *exchange) isOurs(h *Header) bool {
	if !h.Has(FieldID) {
		return false
	}
	if h.ID == x.id {
		return true
	}
	return h.ID == swapped(x.id) && h.Number > 0 && h.Wait == 0 && h.Option == 0 && (x.received() > 0 || x.repeats > 0)
}

// takeThrough records which packets of the request the server has acknowledged, and sends further
// packets.
func (x *exchange) takeThrough(now time.Duration, h *Header) {
	through := int(h.Through)
	if !h.Has(FieldThrough) || through > x.packets || through <= x.acknowledged && h.Option != OptionThrough {
		return
	}
	x.acknowledged = through
	if x.sent < min(x.acknowledged+Window, x.packets) {
		x.restart(now)
		x.sendPackets(x.sent + 1)
	}
}

// takeWait records a wait that the server announced. A repeated announcement neither
// restarts the timer nor calls Call.Progress.
func (x *exchange) takeWait(now time.Duration, h *Header, progress Progress) {
	progress.Wait = time.Duration(h.Wait) * time.Second
	news := progress != x.lastProgress && (h.Has(FieldWait) || h.Option == OptionQueue)
	if progress.Wait != 0 {
		x.lastWait = progress
	}
	if news {
		x.lastProgress = progress
	}
	progress.Wait = x.limitWait(progress.Wait, now)
	if h.Has(FieldWait) && (progress.Wait != 0 || x.lastWaitTime != 0) {
		x.setWait(now, progress.Wait)
	}
	if news && x.call.Progress != nil {
		x.call.Progress(progress)
	}
}

func (x *exchange) setWait(now, wait time.Duration) {
	if wait == 0 || now >= x.waitEnd {
		x.restart(now)
	}
	x.lastWaitTime, x.waitEnd, x.triesLeft = wait, 0, x.options.Tries-1
	if wait != 0 {
		x.waitEnd = now + wait
	}
}

// takePacket stores the data of a packet. It reports whether the packet is consistent with the
// other packets. A duplicate packet is consistent.
func (x *exchange) takePacket(now time.Duration, h *Header, number, total int, data []byte) bool {
	known := max(x.total, total)
	switch {
	case total != 0 && x.total != 0 && total != x.total, known != 0 && known < max(number, x.maxReceived):
		x.drop(errTotal)
		return false
	case max(number, total) > x.options.Packets:
		x.giveUp(fmt.Errorf("%w: a reply of %d packets, the limit is %d", ErrTooLarge, max(number, total), x.options.Packets))
		return false
	}
	x.total = known
	x.maxReceived = max(x.maxReceived, number)
	if _, ok := x.outOfOrder[number]; ok || number <= x.receivedThrough {
		return true
	}
	data = x.ownData(h, data)
	if x.octets += len(data); x.octets > x.options.Octets {
		x.giveUp(fmt.Errorf("%w: a reply of more than %d bytes", ErrTooLarge, x.options.Octets))
		return false
	}
	if number != x.receivedThrough+1 {
		if x.outOfOrder == nil {
			x.outOfOrder = map[int][]byte{}
		}
		x.outOfOrder[number] = append([]byte(nil), data...)
		return true
	}
	for ok := true; ok; data, ok = x.outOfOrder[x.receivedThrough+1] {
		x.receivedThrough++
		x.reply = append(x.reply, data...)
		delete(x.outOfOrder, x.receivedThrough)
	}
	x.idleAcks = 0
	x.restart(now)
	return true
}

// ownData returns the part of the packet data that belongs to the message.
func (x *exchange) ownData(h *Header, data []byte) []byte {
	if h.Flags&FlagSequenced != 0 {
		return nil
	}
	if n := len(data); x.call.Text && n > 0 && data[n-1] == 0 {
		return data[:n-1]
	}
	return data
}

func (x *exchange) giveUp(err error) {
	x.fail(err)
	x.cancel()
}

// option is a decoded header option.
type option struct {
	redirect netip.AddrPort
	queue    Progress
}

// parseOption decodes the option in a header. If the fields of the option are too short, ok is
// false.
func parseOption(h *Header) (o option, ok bool) {
	if h.Option != OptionRedirect && h.Option != OptionRedirectAll && h.Option != OptionQueue {
		return o, true
	}
	fields, ok := h.OptionFields()
	if !ok {
		return o, false
	}
	if h.Option == OptionQueue {
		o.queue, ok = parseQueue(fields)
		return o, ok
	}
	if len(fields) < 6 {
		return o, false
	}
	o.redirect = netip.AddrPortFrom(netip.AddrFrom4([4]byte(fields)), binary.BigEndian.Uint16(fields[4:]))
	return o, true
}

func parseQueue(field []byte) (p Progress, ok bool) {
	if len(field) == 0 {
		return p, false
	}
	size := 1
	if field[0]&queuePosition != 0 {
		if size += 2; size > len(field) {
			return p, false
		}
		p.Position = int(binary.BigEndian.Uint16(field[size-2:]))
	}
	if field[0]&queueTime != 0 {
		if size += 4; size > len(field) {
			return p, false
		}
		p.Expected = time.Duration(binary.BigEndian.Uint32(field[size-4:])) * time.Second
	}
	return p, true
}

// redirect continues the exchange at another server. If the redirect is not allowed, the exchange
// fails.
func (x *exchange) redirect(target netip.AddrPort) {
	if reason := x.refuseRedirect(target); reason != "" {
		x.giveUp(fmt.Errorf("%w: %v is %s", ErrRedirect, target, reason))
		return
	}
	x.visited = append(x.visited, target)
	x.redirectTarget = target
}

// refuseRedirect returns the reason to reject a redirect, or "" if the redirect is allowed. A
// public server must not redirect to a private network. A server in a private network must not
// redirect to this machine.
func (x *exchange) refuseRedirect(target netip.AddrPort) string {
	a, first := target.Addr(), x.firstServer.Addr()
	switch {
	case a.IsUnspecified(), target.Port() == 0:
		return "an invalid address"
	case a.IsMulticast(), a == broadcast:
		return "a multicast or broadcast address"
	case a.IsLoopback() && !first.IsLoopback():
		return "this machine"
	case isLocal(a) && !isLocal(first):
		return "a private network"
	case target == x.firstServer || slices.Contains(x.visited, target):
		return "a server already visited"
	case len(x.visited) >= x.options.Redirects:
		return fmt.Sprintf("beyond the limit of %d redirects", x.options.Redirects)
	}
	return ""
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// isLocal reports whether an address is valid only in one network.
func isLocal(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsLoopback()
}
