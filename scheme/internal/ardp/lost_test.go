package ardp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
)

// lossyConn is a server connection that loses at most one datagram in each direction. If swap is
// true, the connection behaves like the original server on a little-endian machine: it swaps the
// octets of the connection id in repeated packets, and in all packets after the first window.
type lossyConn struct {
	net.PacketConn
	in, out           int // numbers of the datagrams to lose, counted from 1; 0 means none
	received, written int
	swap              bool
	sent              map[uint16]bool // numbers of the packets that were sent
}

func (c *lossyConn) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(b)
		if err != nil {
			return n, from, err
		}
		if c.received++; c.received != c.in {
			return n, from, nil
		}
	}
}

func (c *lossyConn) WriteTo(b []byte, to net.Addr) (int, error) {
	b = bytes.Clone(b)
	h, _, _ := ardp.ParseHeader(b)
	number, _ := h.Position()
	if n := uint16(number); n > 0 {
		if c.swap && (c.sent[n] || n > ardp.Window) {
			b[1], b[2] = b[2], b[1]
		}
		c.sent[n] = true
	}
	if c.written++; c.written == c.out {
		return len(b), nil
	}
	return c.PacketConn.WriteTo(b, to)
}

// lose runs a conversation in which pc loses datagrams. It reports whether the datagrams with the
// numbers to lose were sent.
func lose(t *testing.T, pc *lossyConn, request int, reply []byte, handle func(*ardptest.Request) ardptest.Reply) (was bool) {
	t.Helper()
	bubble(t, func(t *testing.T, h *testNetwork) {
		pc.PacketConn, pc.sent = h.listen(server), map[uint16]bool{}
		s := ardptest.Serve(pc, handle, &ardptest.Options{Pause: time.Second})
		defer s.Close()
		begun := time.Now()
		message := make([]byte, request*ardp.MaxData)
		got, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: message, Dial: h.dial})
		if took := time.Since(begun); err != nil || !bytes.Equal(got, reply) || took > time.Minute {
			t.Errorf("lost datagram %d of the client, %d of the server: %d octets after %v: %v", pc.in, pc.out, len(got), took, err)
		}
		synctest.Wait()
		was = pc.received >= pc.in && pc.written >= pc.out
	})
	return was
}

// The test repeats a conversation and loses each datagram in turn. The reply must still arrive
// within a minute, even if the server announces a long wait.
func TestEachDatagramLost(t *testing.T) {
	const quarter = 15 * time.Minute
	for _, c := range []struct {
		name           string
		request, reply int // packets
		takes          time.Duration
		wait           time.Duration // wait that the server announces before the reply
		position       int
	}{
		{name: "idle server with a queue", request: 1, reply: 1, wait: quarter, position: 1},
		{name: "slow reply", request: 1, reply: 2, takes: 20 * time.Second, wait: quarter},
		{name: "several windows", request: 1, reply: 40, wait: quarter},
		{name: "long request", request: 20, reply: 2, wait: quarter},
		{name: "no wait", request: 2, reply: 20},
	} {
		message := text(c.reply)
		handle := func(r *ardptest.Request) ardptest.Reply {
			if c.wait > 0 {
				r.Announce(c.wait, c.position, 0)
			}
			time.Sleep(c.takes)
			return ardptest.Reply{Message: message}
		}
		for _, swap := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, swapped %v", c.name, swap), func(t *testing.T) {
				count := 0
				for lost := 1; !t.Failed() && lose(t, &lossyConn{in: lost, swap: swap}, c.request, message, handle); lost++ {
					count++
				}
				for lost := 1; !t.Failed() && lose(t, &lossyConn{out: lost, swap: swap}, c.request, message, handle); lost++ {
					count++
				}
				if count < c.request+c.reply {
					t.Errorf("only %d datagrams were lost", count)
				}
			})
		}
	}
}

// The test server behaves like the original server without load: it announces a wait of 900 s, but
// sends the reply at once. This reply is lost, and the repeated reply has a swapped id. The client
// must accept the repeated reply, although no packet with the right id arrived.
func TestReplyLostInWait(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		requests := 0
		h.manual(server, func(got []byte, say func([]byte)) {
			request, _, _ := ardp.ParseHeader(got)
			if requests++; requests == 1 {
				queue := ardp.Header{Fields: ardp.FieldOption, ID: request.ID, Wait: 900, Option: ardp.OptionQueue, Extra: []byte{3, 0, 1, 0, 0, 0, 0}}
				say(queue.Append(nil))
				return
			}
			again := ardp.Header{Fields: ardp.FieldThrough, ID: request.ID<<8 | request.ID>>8, Number: 1, Total: 1, Through: 1}
			say(append(again.Append(nil), "reply"...))
		})
		begun := time.Now()
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: []byte("hello"), Dial: h.dial})
		if took := time.Since(begun); err != nil || string(reply) != "reply" || took != 4*time.Second {
			t.Errorf("%q after %v: %v", reply, took, err)
		}
	})
}

// If a server announces a wait and then sends nothing, the client must repeat the request after 4
// s, 8 s and 16 s, and then every 30 s until the bounded wait ends. The error must contain the
// announcement, even if the caller's own deadline passed.
func TestSilentInWait(t *testing.T) {
	silent := func(h *testNetwork, begun time.Time) *[]time.Duration {
		var at []time.Duration
		h.manual(server, func(got []byte, say func([]byte)) {
			if at = append(at, time.Since(begun)); len(at) == 1 {
				queue := ardp.Header{Fields: ardp.FieldOption, ID: idOf(got), Wait: 900, Option: ardp.OptionQueue, Extra: []byte{3, 0, 1, 0, 0, 0, 0}}
				say(queue.Append(nil))
			}
		})
		return &at
	}
	bubble(t, func(t *testing.T, h *testNetwork) {
		begun := time.Now()
		at := silent(h, begun)
		_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Message: []byte("hello"), Dial: h.dial})
		wantError(t, err, ardp.ErrNoReply, `the server reported "wait 15m0s, position 1", then did not reply to 26 transmissions`)
		synctest.Wait()
		var pauses []time.Duration
		for i, when := range (*at)[1:] {
			pauses = append(pauses, (when - (*at)[i]).Round(time.Second))
		}
		want := append([]time.Duration{4 * time.Second, 8 * time.Second, 16 * time.Second}, slices.Repeat([]time.Duration{30 * time.Second}, 19)...)
		if len(*at) != 26 || !slices.Equal(pauses[:len(want)], want) || time.Since(begun) > 11*time.Minute {
			t.Errorf("%d transmissions, with pauses %v, and the end after %v", len(*at), pauses, time.Since(begun))
		}
	})
	bubble(t, func(t *testing.T, h *testNetwork) {
		silent(h, time.Now())
		late := errors.New("too late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, late)
		defer cancel()
		_, err := ardp.New(nil).Do(ctx, &ardp.Call{Message: []byte("hello"), Dial: h.dial})
		wantError(t, err, late, `the server reported "wait 15m0s, position 1", then did not reply to 2 transmissions: too late`)
	})
}

// Before the first repeat, the client must not accept a forged reply with the swapped id.
func TestForgedSwappedID(t *testing.T) {
	bubble(t, func(t *testing.T, h *testNetwork) {
		h.manual(server, func(got []byte, say func([]byte)) {
			id := idOf(got)
			forged := ardp.Header{Fields: ardp.FieldTotal, ID: id<<8 | id>>8, Number: 1, Total: 1}
			if id == forged.ID {
				forged.ID++ // both octets are equal, so use another id
			}
			say(append(forged.Append(nil), "forged"...))
			say(packet(got, 1, 1, "right"))
		})
		dropped := false
		reply, err := ardp.New(nil).Do(t.Context(), &ardp.Call{Dial: h.dial, Trace: func(_ bool, line string) {
			dropped = dropped || strings.HasPrefix(line, "dropped: ")
		}})
		if err != nil || string(reply) != "right" || !dropped {
			t.Errorf("%q, dropped %v: %v", reply, dropped, err)
		}
	})
}
