package ardp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	server = netip.MustParseAddrPort("192.0.2.1:1525")
	other  = netip.MustParseAddrPort("192.0.2.9:1525")
	client = netip.MustParseAddr("192.0.2.2")
)

// testNetwork is a network with test servers. By default, its dial method connects to the first
// server.
type testNetwork struct {
	t testing.TB
	ardptest.Network
	dialed []netip.AddrPort
	open   int // number of dialed connections that are still open
}

func (h *testNetwork) listen(at netip.AddrPort) net.PacketConn {
	pc, err := h.Listen(at)
	if err != nil {
		h.t.Fatal(err)
	}
	return pc
}

// serve starts a server that runs until the test ends.
func (h *testNetwork) serve(at netip.AddrPort, f ardptest.Faults, handle func(r *ardptest.Request) ardptest.Reply) *ardptest.Server {
	s := ardptest.Serve(ardptest.Faulty(h.listen(at), f), handle, nil)
	h.t.Cleanup(func() { s.Close() })
	return s
}

func (h *testNetwork) dial(_ context.Context, to netip.AddrPort) (net.Conn, error) {
	if !to.IsValid() {
		to = server
	}
	c, err := h.Dial(client, to)
	if err != nil {
		return nil, err
	}
	h.dialed = append(h.dialed, to)
	h.open++
	return &countedConn{Conn: c, open: &h.open}, nil
}

// countedConn is a connection that subtracts itself from the number of open connections when it is
// closed.
type countedConn struct {
	net.Conn
	open *int
}

func (c *countedConn) Close() error {
	*c.open--
	return c.Conn.Close()
}

// manual opens a socket and calls talk for each datagram that arrives there. The function talk may
// call say to send datagrams to the client.
func (h *testNetwork) manual(at netip.AddrPort, talk func(got []byte, say func(datagram []byte))) {
	pc := h.listen(at)
	var running sync.WaitGroup
	running.Go(func() {
		buffer := make([]byte, 1<<16)
		for {
			n, from, err := pc.ReadFrom(buffer)
			if err != nil {
				return
			}
			talk(bytes.Clone(buffer[:n]), func(d []byte) { pc.WriteTo(d, from) })
		}
	})
	h.t.Cleanup(func() {
		pc.Close()
		running.Wait()
	})
}

// text returns a message with the given number of packets.
func text(packets int) []byte {
	var b bytes.Buffer
	for n := 0; b.Len() < packets*ardp.MaxData-100; n++ {
		fmt.Fprintf(&b, "This is line %d.\n", n)
	}
	return b.Bytes()
}

func echo(r *ardptest.Request) ardptest.Reply { return ardptest.Reply{Message: r.Message} }

// bubble runs a test in a synctest bubble, and checks that the test closed all connections.
func bubble(t *testing.T, test func(t *testing.T, h *testNetwork)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &testNetwork{t: t}
		test(t, h)
		if h.open != 0 {
			t.Errorf("%d connections are open", h.open)
		}
	})
}

func wantError(t *testing.T, err, kind error, says string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), says) {
		t.Errorf("%v, not %v with %q", err, kind, says)
	}
}

func TestDo(t *testing.T) {
	for _, packets := range []int{0, 1, 2, 15, 16, 17, 32, 100, 300} {
		t.Run(fmt.Sprint(packets), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				h.serve(server, ardptest.Faults{}, echo)
				begun, message := time.Now(), text(packets)
				if packets == 16 {
					message = message[:16*ardp.MaxData-100]
				}
				reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: message, Dial: h.dial})
				if err != nil || !bytes.Equal(reply, message) {
					t.Errorf("%d octets instead of %d: %v", len(reply), len(message), err)
				}
				if took := time.Since(begun); took != 0 {
					t.Errorf("it took %v: the timer was needed", took)
				}
			})
		})
	}
}

// The client must recover from lost, duplicated and reordered datagrams in both directions.
func TestFaults(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				requests := map[uint16]int{}
				h.serve(server, ardptest.Faults{Loss: 0.3, Duplicate: 0.2, Reorder: 0.2, Seed: seed}, func(r *ardptest.Request) ardptest.Reply {
					requests[r.ID]++
					return ardptest.Reply{Message: text(100)}
				})
				// The request has 20 packets, and the reply has 100 packets.
				c := ardp.New(&ardp.Options{Timer: time.Second, Tries: 30})
				reply, err := c.Do(t.Context(), &ardp.Call{Message: text(20), Dial: h.dial})
				if err != nil || !bytes.Equal(reply, text(100)) {
					t.Errorf("%d octets: %v", len(reply), err)
				}
				for id, times := range requests {
					if times != 1 {
						t.Errorf("%d was requested %d times", id, times)
					}
				}
			})
		})
	}
}

// If the server does not answer, the client must send datagrams at 0, 4, 12 and 28 s, and give up
// at 60 s.
func TestNoReply(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		begun := time.Now()
		var at []time.Duration
		h.manual(server, func([]byte, func([]byte)) { at = append(at, time.Since(begun)) })
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: []byte("hello"), Dial: h.dial})
		wantError(t, err, ardp.ErrNoReply, "no response to 4 transmissions")
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%v is no time-out", err)
		}
		synctest.Wait()
		if want := []time.Duration{0, 4 * time.Second, 12 * time.Second, 28 * time.Second}; !slices.Equal(at, want) || time.Since(begun) != time.Minute {
			t.Errorf("at %v and %v", at, time.Since(begun))
		}
	})
	var timeout interface{ Timeout() bool }
	if !errors.As(ardp.ErrNoReply, &timeout) || !timeout.Timeout() {
		t.Error("ErrNoReply is no time-out")
	}
}

// packet returns a server datagram with a header of 7 octets.
func packet(request []byte, number, total int, data string) []byte {
	h := ardp.Header{Fields: ardp.FieldTotal, ID: idOf(request), Number: uint16(number), Total: uint16(total)}
	return append(h.Append(nil), data...)
}

func idOf(datagram []byte) uint16 {
	h, _, _ := ardp.ParseHeader(datagram)
	return h.ID
}

// The client must report ErrNoReply if the server stops in the middle of its reply.
func TestNoReplyInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		name string
		talk func(got []byte, say func([]byte))
		says string
	}{
		{"control alone", func(got []byte, say func([]byte)) {
			say((&ardp.Header{Fields: ardp.FieldThrough, ID: idOf(got), Through: 1}).Append(nil))
		}, "the server acknowledged the request, but sent no reply"},
		{"a gap", func(got []byte, say func([]byte)) {
			say(packet(got, 1, 0, "a"))
			say(packet(got, 3, 3, "c"))
		}, "the server sent 2 of 3 packets and then stopped"},
		{"a window", func(got []byte, say func([]byte)) {
			for n := 1; n <= 16; n++ {
				h := ardp.Header{Fields: ardp.FieldFlags, ID: idOf(got), Number: uint16(n), Through: 1}
				if n == 16 {
					h.Flags = ardp.FlagAcknowledge
				}
				say(h.Append(nil))
			}
		}, "the server sent 16 packets and then stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				begun := time.Now()
				h.manual(server, c.talk)
				_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
				wantError(t, err, ardp.ErrNoReply, c.says)
				if took := time.Since(begun); took != time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// The client must report each announced wait once, and must repeat the request during the wait.
func TestWait(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		sent := 0
		h.serve(server, ardptest.Faults{}, func(r *ardptest.Request) ardptest.Reply {
			r.Announce(3*time.Minute, 0, 0)
			time.Sleep(time.Minute)
			return ardptest.Reply{Message: text(40), Wait: 7 * time.Second, QueuePosition: 4, QueueTime: 5 * time.Second}
		})
		var said []ardp.Progress
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{
			Dial:     h.dial,
			Progress: func(p ardp.Progress) { said = append(said, p) },
			Trace: func(s bool, line string) {
				if s {
					sent++
				}
			},
		})
		if err != nil || !bytes.Equal(reply, text(40)) {
			t.Errorf("%d octets: %v", len(reply), err)
		}
		if want := []ardp.Progress{{Wait: 3 * time.Minute}, {7 * time.Second, 4, 5 * time.Second}, {}}; !slices.Equal(said, want) {
			t.Errorf("it said %v", said)
		}
		// The client must send the request, its repeats after 4, 12, 28 and 58 s of the
		// wait, and acknowledgements of two windows.
		if sent != 1+4+2 {
			t.Errorf("%d datagrams were sent", sent)
		}
	})
}

// The total wait must be bounded, even if the server announces waits again and again.
func TestTotalWaitIsBounded(t *testing.T) {
	for _, seconds := range []int{1, 30, 900, 65535} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				begun := time.Now()
				stop := make(chan struct{})
				defer close(stop)
				var once sync.Once
				h.manual(server, func(got []byte, say func([]byte)) {
					wait := (&ardp.Header{Fields: ardp.FieldWait, ID: idOf(got), Wait: uint16(seconds)}).Append(nil)
					once.Do(func() {
						go func() {
							for every := time.NewTicker(500 * time.Millisecond); ; {
								select {
								case <-every.C:
									say(wait)
								case <-stop:
									return
								}
							}
						}()
					})
				})
				_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
				wantError(t, err, ardp.ErrNoReply, fmt.Sprintf(`the server reported "wait %v", then did not reply to`, time.Duration(seconds)*time.Second))
				if took := time.Since(begun); took < 10*time.Minute || took > 11*time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// When the context is canceled, the client must end the exchange at once and cancel the request at
// the server.
func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		canceled := false
		h.serve(server, ardptest.Faults{}, func(r *ardptest.Request) ardptest.Reply {
			r.Announce(time.Minute, 0, 0)
			<-r.Context().Done()
			canceled = true
			return ardptest.Reply{Message: []byte("too late")}
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("lunch")
		time.AfterFunc(30*time.Second, func() { cancel(cause) })
		begun := time.Now()
		_, err := ardp.New(nil).Do(ctx, &ardp.Call{Dial: h.dial})
		wantError(t, err, cause, "")
		if took := time.Since(begun); took != 30*time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		if !canceled {
			t.Error("the server does not know")
		}
		_, err = ardp.New(nil).Do(ctx, &ardp.Call{Dial: h.dial})
		wantError(t, err, cause, "")
	})
}

func TestRefused(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.serve(server, ardptest.Faults{}, func(*ardptest.Request) ardptest.Reply { return ardptest.Reply{Refuse: true} })
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
		wantError(t, err, ardp.ErrRefused, "")
	})
}

// redirector returns a handler that redirects every client.
func redirector(to netip.AddrPort) func(*ardptest.Request) ardptest.Reply {
	return func(*ardptest.Request) ardptest.Reply { return ardptest.Reply{Redirect: to} }
}

func TestRedirect(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		third := netip.MustParseAddrPort("198.51.100.1:191")
		h.serve(server, ardptest.Faults{}, redirector(other))
		h.serve(other, ardptest.Faults{}, redirector(third))
		var id uint16
		h.serve(third, ardptest.Faults{}, func(r *ardptest.Request) ardptest.Reply {
			id = r.ID
			return echo(r)
		})
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: text(20), Dial: h.dial})
		if err != nil || !bytes.Equal(reply, text(20)) || id == 0 {
			t.Errorf("%d octets: %v", len(reply), err)
		}
		if !slices.Equal(h.dialed, []netip.AddrPort{server, other, third}) {
			t.Errorf("dialed %v", h.dialed)
		}

		// If Dial rejects the target of a redirect, Do must return the error of Dial.
		denied := errors.New("denied")
		_, err = ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			if to.IsValid() {
				return nil, denied
			}
			return h.dial(ctx, to)
		}})
		wantError(t, err, denied, "to 192.0.2.9:1525")
		wantError(t, err, ardp.ErrRedirect, "")
	})
}

// After a redirect, the client must ignore the first server, and must discard the packets from
// that server.
func TestRedirectLeavesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.manual(server, func(got []byte, say func([]byte)) {
			say(packet(got, 1, 2, "wrong "))
			redirect := ardp.Header{Fields: ardp.FieldOption, ID: idOf(got), Through: 1, Option: ardp.OptionRedirect, Extra: []byte{192, 0, 2, 9, 5, 245}}
			say(redirect.Append(nil))
			say(packet(got, 2, 2, "altogether"))
		})
		h.serve(other, ardptest.Faults{}, echo)
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: []byte("right"), Dial: h.dial})
		if err != nil || string(reply) != "right" {
			t.Errorf("%q %v", reply, err)
		}
	})
}

func TestRedirectBounds(t *testing.T) {
	for _, c := range []struct{ from, to, says string }{
		{"192.0.2.1:1525", "224.0.0.1:1525", "a multicast or broadcast address"},
		{"192.0.2.1:1525", "255.255.255.255:1525", "a multicast or broadcast address"},
		{"192.0.2.1:1525", "0.0.0.0:1525", "an invalid address"},
		{"192.0.2.1:1525", "192.0.2.3:0", "an invalid address"},
		{"192.0.2.1:1525", "127.0.0.1:1525", "this machine"},
		{"10.0.0.1:1525", "127.0.0.1:1525", "this machine"},
		{"192.0.2.1:1525", "10.0.0.1:1525", "a private network"},
		{"192.0.2.1:1525", "192.168.1.1:1525", "a private network"},
		{"192.0.2.1:1525", "169.254.169.254:1525", "a private network"},
		{"192.0.2.1:1525", "192.0.2.1:1525", "a server already visited"},
		{"10.0.0.1:1525", "10.0.0.2:1525", ""},
		{"127.0.0.1:1525", "127.0.0.1:191", ""},
		{"127.0.0.1:1525", "10.0.0.1:1525", ""},
	} {
		t.Run(c.from+" "+c.to, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				from, to := netip.MustParseAddrPort(c.from), netip.MustParseAddrPort(c.to)
				h.serve(from, ardptest.Faults{}, redirector(to))
				if c.says == "" {
					h.serve(to, ardptest.Faults{}, echo)
				}
				_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
					if !to.IsValid() {
						to = from
					}
					return h.Dial(client, to)
				}})
				if c.says == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				wantError(t, err, ardp.ErrRedirect, c.to+" is "+c.says)
			})
		})
	}
}

func TestRedirectLoop(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.serve(server, ardptest.Faults{}, redirector(other))
		h.serve(other, ardptest.Faults{}, redirector(server))
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
		wantError(t, err, ardp.ErrRedirect, "a server already visited")
		if len(h.dialed) != 2 {
			t.Errorf("dialed %v", h.dialed)
		}
	})
	bubble(t, func(t *testing.T, h *testNetwork) {
		for n := range uint16(6) {
			h.serve(netip.AddrPortFrom(server.Addr(), server.Port()+n), ardptest.Faults{}, redirector(netip.AddrPortFrom(server.Addr(), server.Port()+n+1)))
		}
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
		wantError(t, err, ardp.ErrRedirect, "192.0.2.1:1529 is beyond the limit of 3 redirects")
	})
}

// An attacker who knows only the server's address or only the connection id must not be able to
// insert data. Too many attempts must end the exchange.
func TestSpoofed(t *testing.T) {
	spoof := func(wrong int) func(got []byte, say func([]byte)) {
		return func(got []byte, say func([]byte)) {
			for n := range wrong {
				bad := packet(got, 1, 1, "wrong")
				bad[2] ^= byte(n%255 + 1)
				say(bad)
			}
			say(packet(got, 1, 1, "right"))
		}
	}
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.manual(server, spoof(63))
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
		if err != nil || string(reply) != "right" {
			t.Errorf("%q %v", reply, err)
		}
	})
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.manual(server, spoof(64))
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial})
		if wantError(t, err, ardp.ErrDamaged, "(64), the last one: wrong connection id"); reply != nil {
			t.Errorf("Do of a damaged reply = %q, want nil", reply)
		}
	})
}

// loopback opens a real UDP socket on a loopback address.
func loopback(t testing.TB) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func dialUDP(to net.Addr) func(context.Context, netip.AddrPort) (net.Conn, error) {
	return func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", to.String())
	}
}

// With real sockets, the client must not even receive datagrams that come from another port but
// have the right id.
func TestSpoofedFromAnotherPort(t *testing.T) {
	pc, attacker := loopback(t), loopback(t)
	go func() {
		buffer := make([]byte, 1<<16)
		n, from, err := pc.ReadFrom(buffer)
		if err != nil {
			return
		}
		for range 100 {
			attacker.WriteTo(packet(buffer[:n], 1, 1, "wrong"), from)
		}
		pc.WriteTo(packet(buffer[:n], 1, 1, "right"), from)
	}()
	reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: dialUDP(pc.LocalAddr())})
	if err != nil || string(reply) != "right" {
		t.Errorf("%q %v", reply, err)
	}
}

// The client must report a closed port at once, without waiting for a timeout.
func TestClosedPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not every system reports that datagrams can't be delivered")
	}
	dead, err := servetest.Refusing("udp")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	_, err = ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: dialUDP(dead.LocalAddr())})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("Do at a closed port: error %v, want connection refused", err)
	}
	// ErrNoReply would mean that the client waited for a timeout.
	if errors.Is(err, ardp.ErrNoReply) || errors.Is(err, ardp.ErrRefused) {
		t.Error(err)
	}
}

// brokenConn is a connection on which the given number of reads fail, or on which all writes fail.
type brokenConn struct {
	net.Conn
	fails int
	after int // number of datagrams to read before the failures
	mute  bool
}

func (c *brokenConn) Write(p []byte) (int, error) {
	if c.mute {
		return 0, errBroken
	}
	return c.Conn.Write(p)
}

var errBroken = errors.New("port unreachable")

func (c *brokenConn) Read(p []byte) (int, error) {
	if c.after > 0 {
		c.after--
		return c.Conn.Read(p)
	}
	if c.fails > 0 {
		c.fails--
		return 0, errBroken
	}
	return c.Conn.Read(p)
}

// After the server's first datagram, a network error must count as a lost datagram, up to a limit.
func TestBrokenNetwork(t *testing.T) {
	for _, c := range []struct {
		after, fails int
		mute         bool
		kind         error
	}{
		{0, 1, false, errBroken},
		{0, 0, true, errBroken},
		{1, 1, false, nil},
		{1, 63, false, nil},
		{1, 64, false, ardp.ErrDamaged},
		{5, 1000, false, ardp.ErrDamaged},
	} {
		bubble(t, func(t *testing.T, h *testNetwork) {
			h.serve(server, ardptest.Faults{}, func(*ardptest.Request) ardptest.Reply { return ardptest.Reply{Message: text(20)} })
			reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
				conn, err := h.dial(ctx, to)
				return &brokenConn{conn, c.fails, c.after, c.mute}, err
			}})
			if c.kind == nil {
				if err != nil || !bytes.Equal(reply, text(20)) {
					t.Errorf("%d octets: %v", len(reply), err)
				}
				return
			}
			wantError(t, err, c.kind, "port unreachable")
		})
	}
}

// The client must report a closed port at once, even after a redirect.
func TestRedirectToClosedPort(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.serve(server, ardptest.Faults{}, redirector(other))
		begun := time.Now()
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			conn, err := h.dial(ctx, to)
			return &brokenConn{Conn: conn, mute: to.IsValid()}, err
		}})
		if wantError(t, err, errBroken, ""); time.Since(begun) != 0 || errors.Is(err, ardp.ErrDamaged) {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// If a read fails because of a deadline that the client did not set, the client must not retry
// forever.
func TestForeignDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			conn, err := h.dial(ctx, to)
			return impatient{conn}, err
		}})
		wantError(t, err, os.ErrDeadlineExceeded, "")
	})
}

type impatient struct{ net.Conn }

func (impatient) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestDialError(t *testing.T) {
	no := errors.New("no way")
	_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: func(context.Context, netip.AddrPort) (net.Conn, error) { return nil, no }})
	if err != no {
		t.Errorf("Do: error %v, want that of Dial, %v", err, no)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name           string
		options        ardp.Options
		request, reply int // numbers of packets
		kind           error
		says           string
	}{
		{"packets", ardp.Options{Packets: 20}, 1, 20, nil, ""},
		{"more packets", ardp.Options{Packets: 20}, 1, 21, ardp.ErrTooLarge, "a reply of 21 packets, the limit is 20"},
		{"request", ardp.Options{Packets: 20}, 21, 1, ardp.ErrTooLarge, "a request of 21 packets, the limit is 20"},
		{"octets", ardp.Options{Octets: len(text(20))}, 1, 20, nil, ""},
		{"more octets", ardp.Options{Octets: len(text(20)) - 1}, 1, 20, ardp.ErrTooLarge, "more than 2"},
		{"the most", ardp.Options{}, 1, 4096, nil, ""},
		{"more than that", ardp.Options{}, 1, 4097, ardp.ErrTooLarge, "a reply of 4097 packets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *testNetwork) {
				message := text(c.reply)
				h.serve(server, ardptest.Faults{}, func(*ardptest.Request) ardptest.Reply { return ardptest.Reply{Message: message} })
				reply, err := ardp.New(&c.options).Do(t.Context(), &ardp.Call{Message: text(c.request), Dial: h.dial})
				if c.kind != nil {
					wantError(t, err, c.kind, c.says)
				} else if err != nil || !bytes.Equal(reply, message) {
					t.Errorf("%d octets: %v", len(reply), err)
				}
			})
		})
	}
}

// Each exchange must have its own id, and the ids must not be consecutive.
func TestID(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		var ids []uint16
		h.serve(server, ardptest.Faults{}, func(r *ardptest.Request) ardptest.Reply {
			ids = append(ids, r.ID)
			return echo(r)
		})
		c := ardp.New(nil)
		for range 100 {
			if _, err := c.Do(t.Context(), &ardp.Call{Dial: h.dial}); err != nil {
				t.Fatal(err)
			}
		}
		if slices.Contains(ids, 0) || slices.IsSorted(ids) {
			t.Errorf("ids %v", ids)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) < 90 {
			t.Errorf("ids %v", ids)
		}
	})
}

func TestTrace(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.manual(server, func(got []byte, say func([]byte)) {
			say(nil)
			say((&ardp.Header{Fields: ardp.FieldOption, ID: idOf(got), Wait: 9, Option: ardp.OptionQueue, Extra: []byte{3, 0, 4, 0, 0, 0, 77}}).Append(nil))
			say((&ardp.Header{Fields: ardp.FieldOption, ID: idOf(got), Flags: ardp.FlagAcknowledge, Option: 200}).Append(nil))
			sequenced := ardp.Header{Fields: ardp.FieldFlags, ID: idOf(got), Number: 1, Flags: ardp.FlagSequenced}
			say(sequenced.Append(nil))
			say(packet(got, 2, 3, "it"))
			say(packet(got, 4, 3, "more"))
			redirect := ardp.Header{Fields: ardp.FieldOption, ID: idOf(got), Option: ardp.OptionRedirect, Extra: []byte{224, 0, 0, 1, 5, 245}}
			say(redirect.Append(nil))
		})
		var lines []string
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: []byte("hello"), Dial: h.dial, Trace: func(sent bool, line string) {
			lines = append(lines, map[bool]string{true: "> ", false: "< "}[sent]+line)
		}})
		wantError(t, err, ardp.ErrRedirect, "")
		want := `> packet 1 of 1, 5 bytes, received through 0
< dropped: empty
< control packet, received through 0, wait 9 s, queue position 4, expected in 1m17s
< control packet, received through 0, please acknowledge, option 200
> control packet, received through 0
< packet 1, received through 0, for control
< packet 2 of 3, 2 bytes
< packet 4 of 3, 4 bytes
< dropped: the packet count differs from an earlier packet
< control packet, received through 0, redirect to 224.0.0.1:1525
> control packet, received through 0, cancel
`
		if got := strings.Join(lines, "\n") + "\n"; got != want {
			t.Errorf("trace =\n%s\nwant\n%s", got, want)
		}
	})
}

func ExampleClient_Do() {
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := ardptest.Serve(pc, func(r *ardptest.Request) ardptest.Reply {
		return ardptest.Reply{Message: bytes.ToUpper(r.Message)}
	}, nil)
	defer s.Close()
	reply, err := ardp.New(nil).Do(context.Background(), &ardp.Call{
		Message: []byte("hello"),
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			if !to.IsValid() {
				to = s.Addr()
			}
			return new(net.Dialer).DialContext(ctx, "udp4", to.String())
		},
	})
	fmt.Printf("%s %v\n", reply, err)
	// Output: HELLO <nil>
}

// BenchmarkDo measures a small exchange over the loopback interface, such as a lookup.
func BenchmarkDo(b *testing.B) {
	s := ardptest.Serve(loopback(b), echo, nil)
	b.Cleanup(func() { s.Close() })
	call := &ardp.Call{Message: bytes.Repeat([]byte("x"), 130), Dial: dialUDP(net.UDPAddrFromAddrPort(s.Addr()))}
	c := ardp.New(nil)
	do := func(b *testing.B) {
		if _, err := c.Do(b.Context(), call); err != nil {
			b.Error(err)
		}
	}
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			do(b)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				do(b)
			}
		})
	})
}

// BenchmarkDoLarge measures an exchange whose reply has 1000 packets.
func BenchmarkDoLarge(b *testing.B) {
	message := text(1000)
	s := ardptest.Serve(loopback(b), func(*ardptest.Request) ardptest.Reply { return ardptest.Reply{Message: message} }, nil)
	b.Cleanup(func() { s.Close() })
	c := ardp.New(nil)
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := c.Do(b.Context(), &ardp.Call{Dial: dialUDP(net.UDPAddrFromAddrPort(s.Addr()))}); err != nil {
			b.Fatal(err)
		}
	}
}
