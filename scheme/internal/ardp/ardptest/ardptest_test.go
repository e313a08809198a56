package ardptest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/scheme/internal/ardp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	here  = netip.MustParseAddrPort("192.0.2.1:1525")
	there = netip.MustParseAddrPort("192.0.2.2:901")
)

func listen(t *testing.T, n *Network, at netip.AddrPort) net.PacketConn {
	t.Helper()
	pc, err := n.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	return pc
}

// rawClient is a client that sends the datagrams of a test.
type rawClient struct {
	t  *testing.T
	pc net.PacketConn
}

func newRawClient(t *testing.T, n *Network) rawClient { return rawClient{t, listen(t, n, there)} }

// exchange sends a datagram and returns the immediate replies.
func (a rawClient) exchange(h ardp.Header, data string) (list []ardp.Header) {
	a.t.Helper()
	a.pc.WriteTo(append(h.Append(nil), data...), net.UDPAddrFromAddrPort(here))
	buffer := make([]byte, 1<<16)
	for {
		a.pc.SetReadDeadline(time.Now().Add(time.Millisecond))
		n, from, err := a.pc.ReadFrom(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return list
		}
		if err != nil || addrPort(from) != here {
			a.t.Fatalf("ReadFrom: from %v, error %v, want a packet from %v", from, err, here)
		}
		h, _, err := ardp.ParseHeader(bytes.Clone(buffer[:n]))
		if err != nil {
			a.t.Fatal(err)
		}
		list = append(list, h)
	}
}

// request returns the header of a one-packet request.
func request(id, through uint16) ardp.Header {
	return ardp.Header{Fields: ardp.FieldThrough, ID: id, Number: 1, Total: 1, Through: through}
}

func acknowledgement(id, through uint16) ardp.Header {
	return ardp.Header{Fields: ardp.FieldThrough, ID: id, Through: through}
}

// wantNumbers compares the packet numbers in a list of headers. The number of a packet with
// FlagAcknowledge is negative.
func wantNumbers(t *testing.T, list []ardp.Header, want ...int) {
	t.Helper()
	var got []int
	for _, h := range list {
		n, _ := h.Position()
		if h.Flags&ardp.FlagAcknowledge != 0 {
			n = -n
		}
		got = append(got, n)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("packets %v, not %v", got, want)
	}
}

// counting returns a handler whose reply has the given number of packets. The handler counts its
// calls in *count.
func counting(packets int, count *int) func(*Request) Reply {
	return func(*Request) Reply {
		*count++
		return Reply{Message: make([]byte, packets*ardp.MaxData)}
	}
}

func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		count := 0
		s := Serve(listen(t, &n, here), counting(2, &count), &Options{Store: 3})
		defer s.Close()
		a := newRawClient(t, &n)
		for id := uint16(1); id <= 4; id++ {
			wantNumbers(t, a.exchange(request(id, 0), ""), 1, 2)
		}
		wantNumbers(t, a.exchange(request(4, 0), ""), 1, 2)
		wantNumbers(t, a.exchange(request(2, 1), ""), 2)
		wantNumbers(t, a.exchange(acknowledgement(2, 1), ""), 2)
		wantNumbers(t, a.exchange(acknowledgement(2, 2), ""))
		wantNumbers(t, a.exchange(acknowledgement(2, 99), ""))
		wantNumbers(t, a.exchange(acknowledgement(9, 0), "")) // acknowledges a reply that no client requested
		if count != 4 {
			t.Errorf("%d replies were made", count)
		}
		wantNumbers(t, a.exchange(request(1, 0), ""), 1, 2) // the server no longer stores this reply
		if count != 5 {
			t.Errorf("%d replies were made", count)
		}
	})
}

// The server must treat each request without an id as a new request, which must not replace
// another request.
func TestStoreNoID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		count := 0
		s := Serve(listen(t, &n, here), counting(1, &count), &Options{Store: 1})
		defer s.Close()
		a := newRawClient(t, &n)
		wantNumbers(t, a.exchange(request(5, 0), ""), 1)
		for range 2 {
			wantNumbers(t, a.exchange(ardp.Header{Fields: ardp.FieldNone}, "x"), 1)
		}
		wantNumbers(t, a.exchange(request(5, 0), ""), 1)
		if count != 3 {
			t.Errorf("%d replies were made", count)
		}
	})
}

// Like the original server, the test server must not repeat packets within a second unless the
// client has acknowledged more packets.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		count := 0
		s := Serve(listen(t, &n, here), counting(17, &count), &Options{Pause: time.Second})
		defer s.Close()
		a := newRawClient(t, &n)
		window := func(first int) (numbers []int) {
			for n := range ardp.Window - 1 {
				numbers = append(numbers, first+n)
			}
			return append(numbers, -(first + ardp.Window - 1))
		}
		wantNumbers(t, a.exchange(request(1, 0), ""), window(1)...)
		wantNumbers(t, a.exchange(request(1, 0), ""))
		wantNumbers(t, a.exchange(acknowledgement(1, 1), ""), window(2)...)
		wantNumbers(t, a.exchange(acknowledgement(1, 1), ""))
		time.Sleep(time.Second)
		wantNumbers(t, a.exchange(acknowledgement(1, 1), ""), window(2)...)
	})
}

func TestRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		var got *Request
		s := Serve(listen(t, &n, here), func(r *Request) Reply {
			got = r
			return Reply{}
		}, nil)
		defer s.Close()
		if s.Addr() != here {
			t.Errorf("it is at %v", s.Addr())
		}
		a := newRawClient(t, &n)
		part := func(number, total uint16, flags byte, extra ...byte) ardp.Header {
			return ardp.Header{Fields: ardp.FieldOption, ID: 7, Number: number, Total: total, Flags: flags, Extra: extra}
		}
		wantNumbers(t, a.exchange(part(2, 0, ardp.FlagPriority|ardp.FlagWindow, 0xff, 0xfb, 0, 2), "b")) // sent before the total is known
		wantNumbers(t, a.exchange(part(2, 3, 0), "other"), 0)                                            // a packet that the server already has
		wantNumbers(t, a.exchange(part(3, 3, ardp.FlagAcknowledge), ""), 0)
		if got != nil {
			t.Fatalf("%q is not whole", got.Message)
		}
		wantNumbers(t, a.exchange(part(1, 3, 0), "a"), 1)
		if got == nil || string(got.Message) != "ab" || got.ID != 7 || got.From != there || got.Packets != 3 {
			t.Fatalf("request = %+v, want message ab, ID 7, 3 packets, from %v", got, there)
		}
		if got.Context().Err() == nil {
			t.Error("its context does not end with the reply")
		}
	})
}

// The server must ignore malformed datagrams and continue to serve requests.
func TestHostile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		count := 0
		s := Serve(listen(t, &n, here), counting(1, &count), nil)
		defer s.Close()
		a := newRawClient(t, &n)
		for _, datagram := range [][]byte{{}, {0}, {63}, {0x43, 0, 1}, {0x81, 1, 0, 0, 0, 1}, bytes.Repeat([]byte{0xff}, 2000)} {
			a.pc.WriteTo(datagram, net.UDPAddrFromAddrPort(here))
		}
		for _, h := range []ardp.Header{
			{Fields: ardp.FieldThrough, ID: 1, Through: 9},
			{Fields: ardp.FieldTotal, ID: 1, Number: 65535, Total: 65535},
			{Fields: ardp.FieldTotal, ID: 1, Number: 1, Total: 65535},
			{Fields: ardp.FieldOption, ID: 1, Option: ardp.OptionCancel},
			{Fields: ardp.FieldOption, ID: 3, Option: ardp.OptionCancel},
		} {
			wantNumbers(t, a.exchange(h, ""))
		}
		wantNumbers(t, a.exchange(request(1, 0), ""), 1)
		if count != 1 {
			t.Errorf("%d replies were made", count)
		}
	})
}

func TestAnnounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		begun := time.Now()
		var canceled time.Duration
		s := Serve(listen(t, &n, here), func(r *Request) Reply {
			r.Announce(90*time.Second, 0, 0)
			<-r.Context().Done()
			canceled = time.Since(begun)
			return Reply{Message: []byte("too late")}
		}, nil)
		defer s.Close()
		a := newRawClient(t, &n)
		for range 2 { // the server must answer a repeated request with the same reply
			list := a.exchange(request(1, 0), "")
			if wantNumbers(t, list, 0); list[0].Wait != 90 || list[0].Fields != ardp.FieldWait {
				t.Errorf("ask = %+v, want a wait of 90", list)
			}
		}
		time.Sleep(time.Until(begun.Add(time.Minute)))
		cancel := ardp.Header{Fields: ardp.FieldOption, ID: 1, Option: ardp.OptionCancel}
		wantNumbers(t, a.exchange(cancel, ""))
		if synctest.Wait(); canceled != time.Minute {
			t.Errorf("canceled after %v", canceled)
		}
	})
}

// Close must cancel the requests of waiting handlers.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		ended := false
		s := Serve(listen(t, &n, here), func(r *Request) Reply {
			<-r.Context().Done()
			ended = true
			return Reply{}
		}, nil)
		a := newRawClient(t, &n)
		wantNumbers(t, a.exchange(request(1, 0), ""))
		if err := s.Close(); err != nil || !ended {
			t.Errorf("ended %v, %v", ended, err)
		}
		wantNumbers(t, a.exchange(request(2, 0), ""))
	})
}

// The server must send the correct control packets instead of, or before, a reply.
func TestReply(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		want  string // octets of each datagram
	}{
		{"nothing", Reply{}, "[030007]"},
		{"silent", Reply{Silent: true, Message: []byte("x")}, "[]"},
		{"wait and silent", Reply{Silent: true, Wait: 3 * time.Minute}, "[0b000700000000000000b4]"},
		{"refuse", Reply{Refuse: true}, "[0d000700000000000000000001]"},
		{"redirect", Reply{Redirect: netip.MustParseAddrPort("127.0.0.1:11526")}, "[130007000000000000000000047f0000012d06]"},
		{"queue", Reply{Wait: 9 * time.Second, QueuePosition: 4, QueueTime: 77 * time.Second},
			"[140007000000000000000900fe0300040000004d 0c000700010001000100" + "0080]"},
		{"no id", Reply{NoID: true, Message: []byte("x")}, "[03000078]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n Network
				s := Serve(listen(t, &n, here), func(*Request) Reply { return c.reply }, nil)
				defer s.Close()
				pc := listen(t, &n, there)
				h := request(7, 0)
				pc.WriteTo(h.Append(nil), net.UDPAddrFromAddrPort(here))
				pc.SetReadDeadline(time.Now().Add(time.Second))
				var list []string
				for buffer := make([]byte, 100); ; {
					n, _, err := pc.ReadFrom(buffer)
					if err != nil {
						break
					}
					list = append(list, fmt.Sprintf("%x", buffer[:n]))
				}
				if got := fmt.Sprint(list); got != c.want {
					t.Errorf("%s, not %s", got, c.want)
				}
			})
		})
	}
}

// fates reads numbered datagrams, and counts the lost, duplicated and late datagrams.
func fates(t *testing.T, read func([]byte) (int, error)) [3]int {
	t.Helper()
	seen := map[uint16]int{}
	last, twice, late := -1, 0, 0
	for buffer := make([]byte, 10); ; {
		n, err := read(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if n != 2 || err != nil {
			t.Fatalf("read = %d, %v, want 2 bytes", n, err)
		}
		number := uint16(buffer[0])<<8 | uint16(buffer[1])
		if seen[number]++; seen[number] == 1 && int(number) < last {
			late++
		}
		last = max(last, int(number))
	}
	for _, times := range seen {
		if times > 1 {
			twice++
		}
	}
	return [...]int{sent - len(seen), twice, late}
}

// sent is the number of datagrams with which TestFaulty measures the faults of a network. The
// queue of a socket has room for all of them, even if each is duplicated.
const sent = 700

// A network must have about the configured fault rates in both directions, and must repeat the
// same faults for the same seed.
func TestFaulty(t *testing.T) {
	one := func(f Faults) (in, out [3]int) {
		synctest.Test(t, func(t *testing.T) {
			var n Network
			faulty := Faulty(listen(t, &n, here), f)
			pc := listen(t, &n, there)
			for i := range sent {
				datagram := []byte{byte(i >> 8), byte(i)}
				pc.WriteTo(datagram, net.UDPAddrFromAddrPort(here))
				faulty.WriteTo(datagram, net.UDPAddrFromAddrPort(there))
			}
			read := func(pc net.PacketConn) func([]byte) (int, error) {
				pc.SetReadDeadline(time.Now().Add(time.Second))
				return func(b []byte) (int, error) {
					n, _, err := pc.ReadFrom(b)
					return n, err
				}
			}
			in, out = fates(t, read(faulty)), fates(t, read(pc))
		})
		return in, out
	}
	for _, c := range []struct {
		faults            Faults
		lost, twice, late float64
	}{
		{Faults{}, 0, 0, 0},
		{Faults{Loss: 0.3, Seed: 1}, 0.3, 0, 0},
		{Faults{Duplicate: 0.3, Seed: 2}, 0, 0.3, 0},
		{Faults{Reorder: 0.2, Seed: 3}, 0, 0, 0.17}, // the datagram after a late datagram is never late
		{Faults{Loss: 1}, 1, 0, 0},
	} {
		in, out := one(c.faults)
		for _, got := range [][3]int{in, out} {
			for i, want := range []float64{c.lost, c.twice, c.late} {
				if share := float64(got[i]) / sent; math.Abs(share-want) > 0.05 {
					t.Errorf("%+v: %v", c.faults, got)
				}
			}
		}
		if in2, out2 := one(c.faults); in2 != in || out2 != out {
			t.Errorf("%+v: %v %v, and another time %v %v", c.faults, in, out, in2, out2)
		}
		if c.faults.Seed != 0 && in == out {
			t.Errorf("%+v: both ways are the same", c.faults)
		}
	}
}

func TestNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		pc := listen(t, &n, here)
		if _, err := n.Listen(here); err == nil {
			t.Error("an address has two sockets")
		}
		c, err := n.Dial(there.Addr(), here)
		if err != nil {
			t.Fatal(err)
		}
		if c.RemoteAddr().String() != here.String() || addrPort(c.LocalAddr()).Addr() != there.Addr() {
			t.Errorf("from %v to %v", c.LocalAddr(), c.RemoteAddr())
		}
		c2, err := n.Dial(there.Addr(), here)
		if err != nil || c2.LocalAddr().String() == c.LocalAddr().String() {
			t.Errorf("from %v: %v", c2.LocalAddr(), err)
		}
		c2.Close()

		// A dialed socket must receive only datagrams from its peer, one datagram per
		// read.
		stranger := listen(t, &n, netip.MustParseAddrPort("192.0.2.9:1525"))
		stranger.WriteTo([]byte("no"), c.LocalAddr())
		pc.WriteTo([]byte("one"), c.LocalAddr())
		pc.WriteTo([]byte("two"), c.LocalAddr())
		pc.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(there)) // no socket has this address
		buffer := make([]byte, 10)
		for _, want := range []string{"one", "two"} {
			if got, err := c.Read(buffer); string(buffer[:got]) != want || err != nil {
				t.Errorf("%q %v", buffer[:got], err)
			}
		}
		if _, err := c.Write([]byte("hello")); err != nil {
			t.Error(err)
		}
		if got, from, err := pc.ReadFrom(buffer); string(buffer[:got]) != "hello" || from.String() != c.LocalAddr().String() || err != nil {
			t.Errorf("%q %v %v", buffer[:got], from, err)
		}

		// A Read must end at its deadline, even if the deadline is set while it waits.
		begun := time.Now()
		c.SetDeadline(begun.Add(time.Second))
		if _, err := c.Read(buffer); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		c.SetDeadline(time.Time{})
		time.AfterFunc(time.Second, func() { c.SetReadDeadline(time.Now()) })
		if _, err := c.Read(buffer); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		c.SetReadDeadline(time.Now().Add(time.Hour))
		var reading sync.WaitGroup
		reading.Go(func() {
			if _, err := c.Read(buffer); !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
		synctest.Wait()
		c.Close()
		reading.Wait()

		// A socket whose queue is full must drop datagrams.
		for range 2 * maxQueue {
			stranger.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(here))
			synctest.Wait()
		}
		pc.SetReadDeadline(time.Now().Add(time.Second))
		count := 0
		for ; ; count++ {
			if _, _, err := pc.ReadFrom(buffer); err != nil {
				break
			}
		}
		if count != maxQueue {
			t.Errorf("%d datagrams waited", count)
		}
	})
}
