package ardp_test

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
)

// listener collects the datagrams that arrive at a socket.
type listener struct {
	mu   sync.Mutex
	came map[uint16][][]byte // received datagrams by connection id
}

func listen(pc net.PacketConn) *listener {
	l := &listener{came: map[uint16][][]byte{}}
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, _, err := pc.ReadFrom(buffer)
			if err != nil {
				return
			}
			h, _, _ := ardp.ParseHeader(buffer[:n])
			l.mu.Lock()
			l.came[h.ID] = append(l.came[h.ID], bytes.Clone(buffer[:n]))
			l.mu.Unlock()
		}
	}()
	return l
}

// The test server must answer the original client's datagrams with exactly the same octets as the
// original server. The test omits rejections and redirects that the original server was made to
// send before a real reply. It also omits swapped ids, a window size that the client selected, and
// the longer replies of version 1, which were split at line ends.
func TestServerReplay(t *testing.T) {
	for _, name := range []string{
		"archie-exact", "cancel", "duplicate-request", "duplicates", "goi-contents-binary", "header-1", "lost-ack",
		"lost-both-halves", "lost-last", "lost-middle", "lost-reply", "lost-request", "multi-packet", "multi-packet-request",
		"multi-packet-request-reordered", "no-answer", "priority", "queue-position", "redirect", "refused", "reordered",
		"v1-list", "wait", "wait-longer-than-timer", "window",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := ardp.ReadCapture(t, name)
				for _, server := range []string{"A", "B"} {
					c := c
					c.Datagrams = slices.DeleteFunc(slices.Clone(c.Datagrams), func(d ardp.Datagram) bool { return d.Server != server })
					replayServer(t, c)
				}
			})
		})
	}
}

func replayServer(t *testing.T, c ardp.Capture) {
	var network ardptest.Network
	at, from := netip.MustParseAddrPort("192.0.2.1:1525"), netip.MustParseAddrPort("192.0.2.2:901")
	pc, err := network.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	dialogs := c.Dialogs()
	s := ardptest.Serve(pc, func(r *ardptest.Request) ardptest.Reply {
		for _, d := range dialogs {
			if bytes.Equal(d.Request, r.Message) && d.ID == r.ID {
				return replyOf(t, d, r, begun)
			}
		}
		t.Errorf("unexpected request %q", r.Message)
		return ardptest.Reply{Silent: true}
	}, nil)
	defer s.Close()
	client, err := network.Listen(from)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	l := listen(client)
	want := map[uint16][][]byte{}
	for _, d := range c.Datagrams {
		switch {
		case d.Sent && d.Fate != "lost":
			time.Sleep(time.Until(begun.Add(d.Time)))
			client.WriteTo(d.Octets, net.UDPAddrFromAddrPort(at))
			synctest.Wait()
		case !d.Sent && d.Fate != "duplicate" && d.Fate != "removed":
			want[d.ID()] = append(want[d.ID()], d.Octets)
		}
	}
	time.Sleep(time.Minute)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.came) != len(want) {
		t.Errorf("%d ids, not %d", len(l.came), len(want))
	}
	for id, list := range want {
		if len(l.came[id]) != len(list) {
			t.Errorf("id %d: %d datagrams, not %d", id, len(l.came[id]), len(list))
			continue
		}
		for i := range list {
			if !bytes.Equal(l.came[id][i], list[i]) {
				t.Errorf("id %d: datagram %d is %.40x, not %.40x", id, i, l.came[id][i], list[i])
			}
		}
	}
}

// replyOf returns the reply of the original server. It sends the server's announcements at once,
// and waits until the recorded time of the reply.
func replyOf(t *testing.T, d *ardp.Dialog, r *ardptest.Request, begun time.Time) ardptest.Reply {
	reply := ardptest.Reply{Message: d.Reply(), Silent: true}
	waited := false
	for _, g := range d.Datagrams {
		h, _, err := ardp.ParseHeader(g.Octets)
		switch number, _ := h.Position(); {
		case err != nil:
			t.Fatal(err)
		case g.Sent:
		case number == 0 && h.Option == ardp.OptionRefused:
			return ardptest.Reply{Refuse: true}
		case number == 0 && h.Option == ardp.OptionRedirect:
			return ardptest.Reply{Redirect: netip.AddrPortFrom(netip.AddrFrom4([4]byte(h.Extra)), binary.BigEndian.Uint16(h.Extra[4:]))}
		case number == 0 && h.Option == ardp.OptionQueue:
			reply.Wait = time.Duration(h.Wait) * time.Second
			reply.QueuePosition, reply.QueueTime = int(h.Extra[2]), time.Duration(h.Extra[6])*time.Second
		case number == 0 && h.Wait > 0:
			waited = true
			r.Announce(time.Duration(h.Wait)*time.Second, 0, 0)
		case reply.Silent:
			reply.Silent, reply.NoID = false, h.ID == 0
			if waited {
				time.Sleep(time.Until(begun.Add(g.Time - time.Millisecond)))
			}
		}
	}
	return reply
}
