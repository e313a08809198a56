package ardp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"
	"time"
)

// The client must accept a connection id with swapped octets only where little-endian servers send
// one, and only in packets of the reply.
func TestSwappedID(t *testing.T) {
	first := Header{Fields: FieldTotal, ID: 0x1234, Number: 1}
	second := Header{Fields: FieldTotal, ID: 0x3412, Number: 2, Total: 2}
	only := Header{Fields: FieldThrough, ID: 0x3412, Number: 1, Total: 1, Through: 1}
	for _, c := range []struct {
		name    string
		repeats bool // the client repeats the request before the datagrams arrive
		list    []Header
		done    bool
	}{
		{"after one that is right", false, []Header{first, second}, true},
		{"before", false, []Header{second, first}, false},
		{"the only one", false, []Header{only}, false},
		{"the only one, after a repeat", true, []Header{only}, true},
		{"before, after a repeat", true, []Header{second, first}, true},
		{"a control packet", false, []Header{first, {Fields: FieldOption, ID: 0x3412, Option: OptionRefused}}, false},
		{"no number", false, []Header{first, {Fields: FieldID, ID: 0x3412}}, false},
		{"no number, after a repeat", true, []Header{{Fields: FieldID, ID: 0x3412}}, false},
		{"a refusal with a number", true, []Header{{Fields: FieldOption, ID: 0x3412, Number: 1, Total: 1, Option: OptionRefused}}, false},
		{"a redirect with a number", true, []Header{{Fields: FieldOption, ID: 0x3412, Number: 1, Total: 1, Option: OptionRedirect, Extra: []byte{127, 0, 0, 1, 5, 245}}}, false},
		{"a wait with a number", true, []Header{{Fields: FieldWait, ID: 0x3412, Number: 1, Total: 1, Wait: 900}}, false},
		{"another id, after a repeat", true, []Header{{Fields: FieldTotal, ID: 0x3413, Number: 1, Total: 1}}, false},
	} {
		f := newFake(&Call{}, 0x1234, nil)
		if c.repeats {
			f.wait(f.timerEnd)
		}
		for _, h := range c.list {
			f.get(h.Append(nil))
		}
		if f.isDone != c.done || f.err != nil || c.done == (f.drops == 1) {
			t.Errorf("%s: done %v, %d drops, %v", c.name, f.isDone, f.drops, f.err)
		}
	}
}

// The client must send the next window of a request when the server acknowledges earlier packets.
// The last packet of each window must request an acknowledgement.
func TestRequestWindow(t *testing.T) {
	message := bytes.Repeat([]byte("0123456789"), 40*MaxData/10)
	f := newFake(&Call{Message: message}, 7, nil)
	through := func(n uint16, option byte) {
		h := Header{Fields: FieldOption, ID: 7, Through: n, Option: option}
		f.get(h.Append(nil))
	}
	wantSent := func(first, last uint16) {
		t.Helper()
		if len(f.sent) != int(last)-int(first)+1 {
			t.Fatalf("%d datagrams, not %d to %d", len(f.sent), first, last)
		}
		for i, datagram := range f.sent {
			h, data, err := ParseHeader(datagram)
			n := first + uint16(i)
			if err != nil || h.Number != n || h.Total != 40 || !bytes.Equal(data, message[(n-1)*MaxData:n*MaxData]) {
				t.Errorf("%+v %v", h, err)
			}
			if asks := h.Flags&FlagAcknowledge != 0; asks != (n == last && last < 40) {
				t.Errorf("packet %d asks: %v", n, asks)
			}
		}
		f.sent = nil
	}
	wantSent(1, 16)
	through(41, 0) // more packets than the request contains
	through(0, 0)
	wantSent(1, 0)
	through(3, 0)
	wantSent(17, 19)
	through(2, 0) // fewer packets than before
	wantSent(1, 0)
	f.wait(4 * time.Second)
	wantSent(4, 19)
	through(1, OptionThrough) // fewer packets than before, with OptionThrough
	f.wait(12 * time.Second)
	wantSent(2, 17)
	through(19, 0)
	wantSent(20, 35)
	through(40, 0)
	wantSent(36, 40)
	f.wait(f.timerEnd)
	if want := (&Header{Fields: FieldThrough, ID: 7}); len(f.sent) != 1 || !bytes.Equal(f.sent[0], want.Append(nil)) {
		t.Errorf("unnecessary request datagrams: %x", f.sent)
	}
}

// If a server withdraws acknowledgements, the client must not extend its timeout.
func TestWithdrawnAcknowledgement(t *testing.T) {
	f := newFake(&Call{Message: make([]byte, 40*MaxData)}, 7, nil)
	for n := uint16(0); !f.isOver(); n++ {
		if f.now > 2*time.Minute {
			t.Fatal("it does not end")
		}
		h := Header{Fields: FieldOption, ID: 7, Through: n % 2, Option: OptionThrough}
		f.get(h.Append(nil))
		f.wait(f.now + time.Second)
	}
	if !errors.Is(f.err, ErrNoReply) {
		t.Error(f.err)
	}
}

// The client must use the first total that it receives, and must drop packets with a different
// total.
func TestFirstTotalCounts(t *testing.T) {
	f := newFake(&Call{}, 7, nil)
	for _, c := range []struct {
		number, total uint16
		data          string
	}{
		{1, 3, "a"}, {2, 2, "no"}, {2, 4, "no"}, {4, 0, "no"}, {3, 3, "c"}, {2, 0, "b"},
	} {
		if f.isDone {
			t.Errorf("it is done before packet %d of %d", c.number, c.total)
		}
		h := Header{Fields: FieldTotal, ID: 7, Number: c.number, Total: c.total}
		f.get(append(h.Append(nil), c.data...))
	}
	if !f.isDone || string(f.reply) != "abc" || f.drops != 3 {
		t.Errorf("%q %v, %d drops", f.reply, f.err, f.drops)
	}
}

// The client must restart its timer when new data arrives.
func TestProgressRestartsTimer(t *testing.T) {
	f := newFake(&Call{}, 7, nil)
	for n := range uint16(100) {
		f.wait(f.now + 59*time.Second)
		h := Header{Fields: FieldTotal, ID: 7, Number: n + 1}
		f.get(h.Append(nil))
	}
	if f.isOver() || f.receivedThrough != 100 {
		t.Errorf("%d packets, %v", f.receivedThrough, f.err)
	}
	if f.end(t); f.now > 5901*time.Second+time.Minute {
		t.Errorf("it took %v", f.now)
	}
}

// The interval between repeats must not exceed one hour.
func TestMaxInterval(t *testing.T) {
	f := newFake(&Call{}, 7, &Options{Tries: 100})
	f.end(t)
	if last := f.at[99] - f.at[98]; len(f.sent) != 100 || last != time.Hour {
		t.Errorf("%d datagrams, the last after %v", len(f.sent), last)
	}
}

// The client must limit the number of acknowledgements that it sends without progress.
func TestIdleAcknowledgements(t *testing.T) {
	f := newFake(&Call{}, 7, nil)
	ask := (&Header{Fields: FieldFlags, ID: 7, Flags: FlagAcknowledge}).Append(nil)
	for range 1000 {
		f.get(ask)
	}
	if len(f.sent) != 1+64 {
		t.Errorf("%d datagrams", len(f.sent))
	}
	h := Header{Fields: FieldFlags, ID: 7, Number: 1, Flags: FlagAcknowledge}
	if f.get(h.Append(nil)); len(f.sent) != 1+65 {
		t.Errorf("%d datagrams, when something came", len(f.sent))
	}
	if f.get(ask); len(f.sent) != 1+66 {
		t.Errorf("%d datagrams, after something came", len(f.sent))
	}
}

// A small exchange must cause at most two allocations.
func TestAllocs(t *testing.T) {
	c := New(nil)
	call := &Call{Message: []byte("hello")}
	send := func([]byte) {}
	reply := append((&Header{Fields: FieldID, ID: 7}).Append(nil), "hello"...)
	buffer := make([]byte, 0, 2000)
	n := testing.AllocsPerRun(100, func() {
		x := newExchange(&c.options, call, 7, serverA, send)
		x.buffer = buffer
		x.sendRequest(0)
		x.receive(0, reply)
		if !x.isDone {
			t.Fatal("it is not done")
		}
	})
	if n > 2 { // for the exchange and the reply
		t.Errorf("%v allocations", n)
	}
}

// FuzzExchange runs a server that sends arbitrary datagrams. The exchange must end, and must
// respect its memory limits.
func FuzzExchange(f *testing.F) {
	// Two octets of time and two octets of length precede each datagram.
	script := func(list []Datagram) (b []byte) {
		last := time.Duration(0)
		for _, d := range list {
			if d.Sent {
				continue
			}
			b = binary.BigEndian.AppendUint16(b, uint16((d.Time-last)/time.Millisecond))
			b = binary.BigEndian.AppendUint16(b, uint16(len(d.Octets)))
			b = append(b, d.Octets...)
			last = d.Time
		}
		return b
	}
	for _, name := range []string{"ok-sequenced-control", "bad-redirect-loop", "bad-wait-repeated", "bad-duplicate-differs", "window-requested", "queue-position", "refused", "bad-total-changes"} {
		c := ReadCapture(f, name)
		f.Add(c.Datagrams[0].ID(), uint8(1), script(c.Datagrams))
	}
	f.Fuzz(func(t *testing.T, id uint16, packets uint8, script []byte) {
		o := &Options{Packets: 300, Octets: 4000, Drops: 20}
		heard := 0
		call := &Call{
			Message:  make([]byte, int(packets)*MaxData),
			Text:     id%2 == 0,
			Progress: func(Progress) { heard++ },
			Trace:    func(bool, string) {},
		}
		fake := newFake(call, id, o)
		received := 0
		for len(script) >= 4 && !fake.isOver() {
			after := time.Duration(binary.BigEndian.Uint16(script)) * time.Millisecond
			n := min(int(binary.BigEndian.Uint16(script[2:])), len(script)-4)
			fake.wait(fake.now + after)
			fake.get(script[4 : 4+n])
			script = script[4+n:]
			received++
			wantSane(t, fake, received)
		}
		fake.end(t)
		if fake.isDone == (fake.err != nil) {
			t.Fatalf("done %v, and %v", fake.isDone, fake.err)
		}
		if fake.now > 10*time.Minute+time.Duration(received+1)*time.Minute+70*time.Second*time.Duration(received) {
			t.Fatalf("it took %v", fake.now)
		}
		if heard > received {
			t.Fatalf("%d times progress of %d datagrams", heard, received)
		}
	})
}

func wantSane(t *testing.T, f *fake, received int) {
	t.Helper()
	held := len(f.reply)
	for n, data := range f.outOfOrder {
		held += len(data)
		if n <= f.receivedThrough || n > f.maxReceived || n > f.options.Packets {
			t.Fatalf("packet %d is held, after %d of %d", n, f.receivedThrough, f.options.Packets)
		}
	}
	if f.err == nil && held > f.options.Octets {
		t.Fatalf("%d octets are held", held)
	}
	if f.received() > received || f.drops > received {
		t.Fatalf("%d packets and %d drops of %d datagrams", f.received(), f.drops, received)
	}
	if f.total != 0 && f.total < f.maxReceived {
		t.Fatalf("packet %d of %d", f.maxReceived, f.total)
	}
	// The client may send one window of the request initially, after each redirect and after
	// each repeat. It may also send one datagram for each received datagram.
	if most := (received + 4*(received+2)) * Window * 4; len(f.sent) > most {
		t.Fatalf("%d datagrams for %d", len(f.sent), received)
	}
}

// The reply must be the data of the packets in the order of their numbers, even if packets are
// reordered and repeated.
func FuzzOrder(f *testing.F) {
	f.Add([]byte{2, 0, 1, 1}, uint8(3))
	f.Add([]byte{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, uint8(10))
	f.Fuzz(func(t *testing.T, order []byte, total uint8) {
		if total == 0 {
			return
		}
		fake := newFake(&Call{}, 7, nil)
		came := map[byte]bool{}
		var want []byte
		for n := range total {
			want = append(want, n, n)
		}
		for _, n := range order {
			if n %= total; fake.isOver() {
				break
			}
			h := Header{Fields: FieldTotal, ID: 7, Number: uint16(n) + 1}
			if n+1 == total {
				h.Total = uint16(total)
			}
			fake.get(append(h.Append(nil), n, n))
			came[n] = true
		}
		if all := len(came) == int(total); fake.isDone != all || all && !bytes.Equal(fake.reply, want) {
			t.Fatalf("%d of %d packets: done %v, %x", len(came), total, fake.isDone, fake.reply)
		}
		if !fake.isDone {
			if fake.end(t); !errors.Is(fake.err, ErrNoReply) {
				t.Fatal(fake.err)
			}
		}
	})
}

// The client must treat addresses outside IP networks, such as pipe addresses, as public.
func TestAddrPort(t *testing.T) {
	if got := addrPort(nil); got.IsValid() {
		t.Errorf("addrPort(nil) = %v, want an invalid address", got)
	}
	if got := addrPort(pipeAddr("pipe")); got.IsValid() {
		t.Errorf("addrPort(pipe) = %v, want an invalid address", got)
	}
	if got := addrPort(pipeAddr("[::ffff:127.0.0.1]:1")); got != netip.MustParseAddrPort("127.0.0.1:1") {
		t.Errorf("addrPort([::ffff:127.0.0.1]:1) = %v, want 127.0.0.1:1", got)
	}
}

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }
