package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// maxStep exceeds the duration of any step in these tests.
const maxStep = 2 * time.Minute

// startSession returns a session, and the host's end of the connection.
func startSession(t *testing.T, ctx context.Context, step time.Duration, report func(e Event, octets []byte) error) (*Text, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	s := NewText(ctx, scheme.PlainTerminal(near), step, report)
	t.Cleanup(func() {
		far.Close()
		s.Close()
	})
	return s, far
}

func ignore(Event, []byte) error { return nil }

func expect(d Driver, pattern string) error { return d.Expect(regexp.MustCompile(pattern)) }

// A match may arrive in pieces, and Expect searches the latest output.
func TestTextExpect(t *testing.T) {
	s, host := startSession(t, t.Context(), maxStep, ignore)
	go func() {
		for _, piece := range []string{"sesa", "me", strings.Repeat("x", 2*window), "open ses", "ame"} {
			io.WriteString(host, piece)
		}
		host.Close()
	}()
	for _, pattern := range []string{"^sesame", "x open|xopen", "sesame$"} {
		if err := expect(s, pattern); err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
	}
	err := expect(s, "sesame")
	if access.KindOf(err) != access.Protocol || !strings.Contains(err.Error(), "the host ended the session before any output matched \"sesame\"") {
		t.Error(err)
	}
	// The host has stopped reading.
	if err := s.Send("x"); access.KindOf(err) != access.Protocol || !strings.HasSuffix(err.Error(), "the host ended the session before all input was sent") {
		t.Error(err)
	}
	if err := s.Settle(time.Hour); err != nil {
		t.Error(err)
	}
}

// If a host never stops sending, the session must read for the duration of a step, and must store
// only little output.
func TestTextFlood(t *testing.T) {
	received := 0
	s, host := startSession(t, t.Context(), 100*time.Millisecond, func(_ Event, octets []byte) error {
		received += len(octets)
		return nil
	})
	go func() {
		for {
			if _, err := host.Write(bytes.Repeat([]byte("x"), 1000)); err != nil {
				return
			}
		}
	}()
	for received < window { // a step is short if other processes use the processor
		if err := expect(s, "y"); access.KindOf(err) != access.Timeout || len(err.Error()) > 500 {
			t.Fatal(err)
		}
	}
	if len(s.output) > window || cap(s.output) > 4*window {
		t.Errorf("%d octets came, %d are kept in %d", received, len(s.output), cap(s.output))
	}
}

// Events must be reported in the order of the conversation.
func TestTextEvents(t *testing.T) {
	type event struct {
		kind   Event
		octets string
	}
	var got []event
	near, host := net.Pipe()
	s := NewText(t.Context(), scheme.PlainTerminal(near), maxStep, func(e Event, octets []byte) error {
		got = append(got, event{e, string(octets)})
		return nil
	})
	go func() {
		io.WriteString(host, "login: ")
		io.ReadFull(host, make([]byte, 6))
		io.WriteString(host, "guest\r\nbye")
		host.Close()
	}()
	err := errors.Join(expect(s, "in"), s.Send("guest\r"), s.Settle(time.Hour), s.Close())
	want := []event{{Received, "login: "}, {Matched, "in"}, {Sent, "guest\r"}, {Received, "guest\r\nbye"}, {Closed, ""}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %q", err, got)
	}
}

func TestTextSend(t *testing.T) {
	for _, test := range []struct {
		name string
		step time.Duration
		host func(c net.Conn)
		want string
	}{
		{"the host reads nothing", 100 * time.Millisecond, func(net.Conn) {}, "the host did not accept the input within 100ms"},
		{"the host writes before it reads", maxStep, func(c net.Conn) {
			for range 100 {
				c.Write(make([]byte, 1024))
			}
			io.ReadFull(c, make([]byte, 3))
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, host := startSession(t, t.Context(), test.step, ignore)
			var end sync.WaitGroup
			end.Go(func() { test.host(host) })
			defer end.Wait()
			err := s.Send("bye")
			if test.want == "" && err != nil || test.want != "" && (access.KindOf(err) != access.Timeout || err.Error() != test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// leaving is a host that ends the session while it accepts input.
type leaving struct {
	scheme.Terminal
	written chan struct{}
}

func (l *leaving) Read([]byte) (int, error) {
	<-l.written
	return 0, io.EOF
}

func (l *leaving) Write(p []byte) (int, error) {
	close(l.written)
	time.Sleep(time.Minute)
	return len(p), nil
}

func (l *leaving) Close() error { return nil }

// Input may end the session.
func TestTextSendEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewText(t.Context(), &leaving{written: make(chan struct{})}, 0, ignore)
		if err := errors.Join(s.Send("bye"), s.Settle(time.Hour), s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Settle must wait until the host is silent, even if the host does not end the session.
func TestTextSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got strings.Builder
		s, host := startSession(t, t.Context(), 0, func(_ Event, octets []byte) error {
			got.Write(octets)
			return nil
		})
		var end sync.WaitGroup
		defer end.Wait()
		end.Go(func() {
			for _, text := range []string{"a", "b", "c"} {
				io.WriteString(host, text)
				time.Sleep(time.Minute)
			}
			time.Sleep(time.Minute)
			io.WriteString(host, "d")
		})
		if err := s.Settle(90 * time.Second); err != nil || got.String() != "abc" {
			t.Errorf("%v, %q", err, got.String())
		}
	})
}

// The end of the context must end each method, with its cause.
func TestTextInterrupted(t *testing.T) {
	for name, do := range map[string]func(s *Text) error{
		"Expect": func(s *Text) error { return expect(s, "x") },
		"Send":   func(s *Text) error { return s.Send("x") },
		"Settle": func(s *Text) error { return s.Settle(time.Hour) },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		because := errors.New("because")
		cancel(because)
		s, _ := startSession(t, ctx, maxStep, ignore)
		if err := do(s); !errors.Is(err, because) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If an event cannot be reported, the call must return that error.
func TestTextBroken(t *testing.T) {
	for _, when := range []Event{Received, Matched, Sent} {
		s, host := startSession(t, t.Context(), maxStep, func(e Event, _ []byte) error {
			if e == when {
				return io.ErrClosedPipe
			}
			return nil
		})
		go io.WriteString(host, "x")
		err := expect(s, "x")
		if err == nil {
			err = s.Send("y")
		}
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v", when, err)
		}
	}
}
