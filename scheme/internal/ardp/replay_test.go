package ardp

import (
	"bytes"
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"
)

var serverA = netip.MustParseAddrPort("127.0.0.1:11525")

// fake runs an exchange with a fake clock.
type fake struct {
	*exchange
	now  time.Duration
	sent [][]byte
	at   []time.Duration // times at which the datagrams were sent
}

func newFake(call *Call, id uint16, o *Options) *fake {
	f := &fake{}
	c := New(o)
	f.exchange = newExchange(&c.options, call, id, serverA, func(b []byte) {
		f.sent, f.at = append(f.sent, bytes.Clone(b)), append(f.at, f.now)
	})
	f.sendRequest(0)
	return f
}

// wait advances the clock.
func (f *fake) wait(until time.Duration) {
	for !f.isOver() && f.timerEnd <= until {
		f.now = f.timerEnd
		f.checkTimer(f.now)
	}
	f.now = max(f.now, until)
}

// get passes a received datagram to the exchange, and follows a redirect.
func (f *fake) get(datagram []byte) {
	f.receive(f.now, datagram)
	if f.redirectTarget.IsValid() {
		f.sendRequest(f.now)
	}
}

// end advances the clock to the end of the exchange.
func (f *fake) end(t *testing.T) {
	t.Helper()
	for range 10_000 {
		if f.isOver() {
			return
		}
		f.wait(f.timerEnd)
	}
	t.Fatal("it does not end")
}

// replay passes the server's datagrams in a dialog to a new exchange, at the recorded times.
func replay(t *testing.T, d *Dialog, call *Call) *fake {
	call.Message = d.Request
	f := newFake(call, d.ID, nil)
	type event struct {
		at     time.Duration
		octets []byte
	}
	var events []event
	for _, g := range d.Datagrams {
		at := g.Time - d.Datagrams[0].Time
		switch {
		case g.Sent, g.Fate == "lost", g.Fate == "removed":
			continue
		case g.Fate == "delayed":
			at += 400 * time.Millisecond
		}
		events = append(events, event{at, g.Octets})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for _, e := range events {
		f.wait(e.at)
		f.get(e.octets)
	}
	return f
}

// In recorded conversations between the original client and server, this client must send the same
// datagrams as the original client, at the same times.
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name string
		sent func(datagrams [][]byte) [][]byte // returns the datagrams that this client sends instead; may be nil
		err  error
		asks int // number of repeats during a wait, which the original client did not send
	}{
		{name: "archie-exact"},
		{name: "duplicate-request"},
		{name: "duplicates"},
		{name: "goi-contents-binary"},
		{name: "lost-ack"},
		{name: "lost-both-halves"},
		{name: "lost-last"},
		{name: "lost-middle", sent: func(list [][]byte) [][]byte {
			if len(list) == 2 {
				list[1][8] = 1 // the original client sent 0, and received packet 1 again
			}
			return list
		}},
		{name: "lost-reply"},
		{name: "lost-request"},
		{name: "multi-packet"},
		{name: "multi-packet-request"},
		{name: "no-answer", err: ErrNoReply},
		{name: "priority", sent: shortHeaders},
		{name: "queue-position"},
		{name: "redirect"},
		{name: "refused", err: ErrRefused},
		{name: "reordered"},
		{name: "wait"},
		{name: "wait-longer-than-timer", asks: 1, sent: func(list [][]byte) [][]byte { return slices.Insert(list, 1, list[0]) }},
		{name: "window"},
		{name: "window-requested", sent: shortHeaders},
		{name: "window-swapped-cid", sent: func(list [][]byte) [][]byte {
			return list[:min(len(list), 2)] // the original client dropped the second window and requested it again
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			capture := ReadCapture(t, c.name)
			for _, d := range capture.Dialogs() {
				f := replay(t, d, &Call{})
				f.end(t)
				if !errors.Is(f.err, c.err) {
					t.Errorf("error %v, not %v", f.err, c.err)
				}
				if c.err == nil {
					capture.WantReply(t, d.Request, f.reply)
				}
				var want [][]byte
				for _, g := range d.Datagrams {
					if g.Sent && g.Fate != "duplicate" {
						want = append(want, bytes.Clone(g.Octets))
					}
				}
				if c.sent != nil {
					want = c.sent(want)
				}
				wantDatagrams(t, f.sent, want)
				f.at = slices.Delete(f.at, 1, 1+c.asks)
				for i, g := range slices.DeleteFunc(d.Datagrams, func(g Datagram) bool { return !g.Sent || g.Fate == "duplicate" }) {
					if i >= len(f.at) {
						break // this client sends fewer datagrams, as listed above
					}
					if late := g.Time - d.Datagrams[0].Time - f.at[i]; late < 0 || late > 100*time.Millisecond {
						t.Errorf("datagram %d was sent at %v, %v before the original's", i, f.at[i], late)
					}
				}
			}
		})
	}
}

// shortHeaders removes the priority and window fields, which this client does not send, from the
// datagrams.
func shortHeaders(list [][]byte) [][]byte {
	for i, datagram := range list {
		if datagram[0] == 15 {
			list[i] = append([]byte{9}, append(datagram[1:9:9], datagram[15:]...)...)
		}
	}
	return list
}

func wantDatagrams(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d datagrams, not %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("datagram %d is %x, not %x", i, shorten(got[i]), shorten(want[i]))
		}
	}
}

// In this capture, the user interrupted the original client while it waited.
func TestReplayCancel(t *testing.T) {
	d := ReadCapture(t, "cancel").Dialogs()[0]
	f := replay(t, d, &Call{})
	stop := errors.New("stop")
	f.giveUp(stop)
	if f.err != stop {
		t.Errorf("error %v", f.err)
	}
	wantDatagrams(t, f.sent, [][]byte{d.Datagrams[0].Octets, d.Datagrams[2].Octets})
}

// If the second packet of a request arrives before the first, the client must still receive the
// reply. The server's acknowledgements in the meantime must not affect the client.
func TestReplayReorderedRequest(t *testing.T) {
	d := ReadCapture(t, "multi-packet-request-reordered").Dialogs()[0]
	f := replay(t, d, &Call{})
	if f.end(t); f.err != nil || !bytes.Equal(f.reply, d.Reply()) {
		t.Errorf("%q %v", f.reply, f.err)
	}
	wantDatagrams(t, f.sent, [][]byte{d.Datagrams[3].Octets, d.Datagrams[0].Octets})
}

// The client must ignore replies without a connection id, because all its requests have an id.
func TestReplayNoID(t *testing.T) {
	for _, name := range []string{"header-1", "v1-list", "v1-list-attributes"} {
		d := ReadCapture(t, name).Dialogs()[0]
		d.ID = max(d.ID, 1)
		f := replay(t, d, &Call{})
		if f.end(t); !errors.Is(f.err, ErrNoReply) || f.hasAnswer {
			t.Errorf("%s: %q %v", name, f.reply, f.err)
		}
	}
}

// The captures contain handmade server datagrams. The reply must consist of the data in the
// datagrams that the test case lists by number.
func TestReplayHandmade(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []int
		err   error
		most  time.Duration // maximum duration of the exchange
	}{
		{name: "bad-connection-id", parts: []int{4}},
		{name: "bad-control-with-data", parts: []int{3}},
		{name: "bad-duplicate-differs", parts: []int{2, 4}},
		{name: "bad-empty-datagram", parts: []int{3}},
		{name: "bad-even-header", parts: []int{2}},
		{name: "bad-gap", err: ErrNoReply, most: 61 * time.Second},
		{name: "bad-giant-total", err: ErrTooLarge},
		{name: "bad-header-longer-than-datagram", parts: []int{3}},
		{name: "bad-header-zero", parts: []int{3}},
		{name: "bad-no-connection-id", parts: []int{3}},
		{name: "bad-oversized-datagram", parts: []int{2}},
		{name: "bad-packet-beyond-total", parts: []int{3, 4}},
		{name: "bad-redirect-elsewhere", err: ErrRedirect},
		{name: "bad-redirect-loop", err: ErrRedirect},
		{name: "bad-redirect-short", parts: []int{3}},
		{name: "bad-refused-other-id", parts: []int{3}},
		{name: "bad-total-changes", err: ErrNoReply, most: 61 * time.Second},
		{name: "bad-version-bits", parts: []int{4}},
		{name: "bad-wait-forever", err: ErrNoReply, most: 11 * time.Minute},
		{name: "bad-wait-repeated", err: ErrNoReply, most: 2 * time.Minute},
		{name: "ok-flags-extra-fields", parts: []int{2}},
		{name: "ok-sequenced-control", parts: []int{2, 4}},
		{name: "ok-split-everywhere", parts: fromTo(2, 95)},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := ReadCapture(t, c.name).Dialogs()[0]
			f := replay(t, d, &Call{})
			f.end(t)
			var want []byte
			for _, part := range c.parts {
				want = append(want, d.Datagrams[part-1].Data()...)
			}
			if !errors.Is(f.err, c.err) || c.err == nil && !bytes.Equal(f.reply, want) {
				t.Errorf("%q %v, not %q %v", f.reply, f.err, want, c.err)
			}
			if f.now > max(c.most, time.Second) {
				t.Errorf("it took %v", f.now)
			}
		})
	}
}

func fromTo(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// Prospero servers from 5.0 to 5.2 add a NUL to the end of each packet.
func TestReplayNUL(t *testing.T) {
	d := ReadCapture(t, "ok-nul-line-end").Dialogs()[0]
	want := d.Datagrams[1].Data()
	f := replay(t, d, &Call{})
	if f.err != nil || !bytes.Equal(f.reply, want) {
		t.Errorf("%q %v", f.reply, f.err)
	}
	f = replay(t, d, &Call{Text: true})
	if want = want[:len(want)-1]; f.err != nil || !bytes.Equal(f.reply, want) {
		t.Errorf("of text: %q %v", f.reply, f.err)
	}
}
