package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/tn3270"
)

// terminal is the terminal of a session. The test plays the host.
type terminal struct {
	telnet.Terminal3270
	drawings *io.PipeReader
	host     *io.PipeWriter
	screen   *tn3270.Screen
	pressed  func(*terminal, tn3270.Key)
}

func (c *terminal) Screen() *tn3270.Screen     { return c.screen }
func (c *terminal) Read(p []byte) (int, error) { return c.drawings.Read(p) }
func (c *terminal) Type(text string) error     { return c.screen.Type(text) }
func (c *terminal) Close() error               { return c.drawings.Close() }

func (c *terminal) Press(key tn3270.Key) error {
	_, err := c.screen.Press(key)
	if c.pressed != nil {
		c.pressed(c, key)
	}
	return err
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	screen, err := tn3270.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &terminal{screen: screen}
	c.drawings, c.host = io.Pipe()
	return c
}

// showText writes text on the screen, and a field for input.
func (c *terminal) showText(t *testing.T, control tn3270.WCC, text string) {
	t.Helper()
	b, err := tn3270.NewBuilder(nil)
	if err != nil {
		t.Error(err)
		return
	}
	record, err := b.EraseWrite(control).At(1, 1).Text(text).At(2, 1).Field(0).InsertCursor().Record()
	if err == nil {
		_, err = c.screen.Receive(record)
	}
	if err != nil {
		t.Error(err)
	}
}

func screenOf(t *testing.T, ctx context.Context, c *terminal, step time.Duration) *Screen {
	s := NewScreen(ctx, c, step)
	t.Cleanup(s.Close)
	return s
}

func TestScreenExpect(t *testing.T) {
	because, reset := errors.New("because"), errors.New("reset")
	for _, test := range []struct {
		name string
		step time.Duration
		host func(t *testing.T, c *terminal, cancel func(error))
		kind access.Kind
		want string
	}{
		{"the text is shown", maxStep, func(t *testing.T, c *terminal, _ func(error)) {
			c.showText(t, tn3270.KeyboardRestore, "one")
			c.showText(t, tn3270.KeyboardRestore, "sesame")
		}, "", ""},
		{"the host shows it and ends the session", 0, func(t *testing.T, c *terminal, _ func(error)) {
			c.showText(t, 0, "sesame")
			c.host.Close()
		}, "", ""},
		{"the host ends the session", maxStep, func(t *testing.T, c *terminal, _ func(error)) {
			c.showText(t, tn3270.KeyboardRestore, "one  two")
			c.host.Close()
		}, access.Protocol, `the host ended the session before any screen matched "sesame"; the screen begins with "one two"`},
		{"the host shows no more", time.Minute, func(t *testing.T, c *terminal, _ func(error)) {
			c.showText(t, tn3270.KeyboardRestore, "one")
		}, access.Timeout, `no screen matched "sesame" within 1m0s; the screen begins with "one"`},
		{"the keyboard stays locked", time.Minute, func(t *testing.T, c *terminal, _ func(error)) {
			c.showText(t, 0, "sesame")
		}, access.Timeout, "the host did not unlock the keyboard"},
		{"text and no screen", maxStep, func(t *testing.T, c *terminal, _ func(error)) {
			io.WriteString(c.host, "go away\r\n")
			c.host.Close()
		}, access.Protocol, `the host sent no 3270 screen, but the text "go away"`},
		{"text and no end", time.Minute, func(t *testing.T, c *terminal, _ func(error)) {
			io.WriteString(c.host, "wait\r\n")
		}, access.Protocol, `the host sent no 3270 screen, but the text "wait"`},
		{"the connection breaks", maxStep, func(_ *testing.T, c *terminal, _ func(error)) { c.host.CloseWithError(reset) }, access.KindOf(reset), "reset"},
		{"the caller gives up", maxStep, func(_ *testing.T, _ *terminal, cancel func(error)) { cancel(because) }, access.KindOf(because), "because"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newTerminal(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := screenOf(t, ctx, c, test.step)
			var end sync.WaitGroup
			defer end.Wait()
			end.Go(func() { test.host(t, c, cancel) })
			err := expect(s, "sesame")
			if access.KindOf(err) != test.kind || err != nil && !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%s: %v, want %s, %q", test.name, err, test.kind, test.want)
			}
		})
	}
}

// The last change of the screen must count even if the session ends at the same time.
func TestScreenLastChange(t *testing.T) {
	for range 20 { // a select between two ready channels is random
		c := newTerminal(t)
		s := screenOf(t, t.Context(), c, maxStep)
		looks := 0
		err := s.waitFor(func(screen *tn3270.Screen) bool {
			if looks++; looks == 1 {
				c.showText(t, tn3270.KeyboardRestore, "bye")
				c.host.Close()
				<-s.ended
				return false
			}
			return strings.HasPrefix(screen.Text(), "bye")
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Input must wait for the response to the previous key.
func TestScreenSend(t *testing.T) {
	c := newTerminal(t)
	var typed []string
	c.pressed = func(c *terminal, key tn3270.Key) {
		word, _, _ := strings.Cut(c.screen.Fields()[0].Value, " ")
		typed = append(typed, word)
		go c.showText(t, tn3270.KeyboardRestore, key.String())
	}
	c.showText(t, tn3270.KeyboardRestore, "one")
	s := screenOf(t, t.Context(), c, maxStep)
	if err := errors.Join(s.Send("a\rb\rc"), s.Press(tn3270.PF3), expect(s, "PF3")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(typed, " "); got != "a b c" {
		t.Errorf("the host received %q", got)
	}
}

// Send fails if the host ends the session or does not respond to a key.
func TestScreenSendFails(t *testing.T) {
	for _, test := range []struct {
		name    string
		pressed func(c *terminal, key tn3270.Key)
		first   string
		second  string
	}{
		{"no answer", nil, "the host did not unlock the keyboard; the input is incomplete", "the host did not unlock the keyboard"},
		{"the end", func(c *terminal, _ tn3270.Key) { c.host.Close() }, "the keyboard is locked", "the host ended the session before PF3 was pressed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newTerminal(t)
			c.pressed = test.pressed
			c.showText(t, tn3270.KeyboardRestore, "one")
			s := screenOf(t, t.Context(), c, time.Minute)
			if err := s.Send("a\rb\rc"); err == nil || !strings.Contains(err.Error(), test.first) {
				t.Errorf("%s: %v, want %q", test.name, err, test.first)
			}
			if err := s.Press(tn3270.PF3); err == nil || !strings.Contains(err.Error(), test.second) {
				t.Errorf("%s: %v, want %q", test.name, err, test.second)
			}
			// The last screen must still be a result.
			if err := s.Settle(time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestScreenSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTerminal(t)
		s := NewScreen(t.Context(), c, 5*time.Minute)
		defer s.Close()
		var end sync.WaitGroup
		defer end.Wait()
		end.Go(func() {
			for _, text := range []string{"one", "two", "three"} {
				c.showText(t, tn3270.KeyboardRestore, text)
				time.Sleep(time.Minute)
			}
			time.Sleep(time.Minute)
			c.showText(t, tn3270.KeyboardRestore, "four")
		})
		if err := s.Settle(90 * time.Second); err != nil || !strings.HasPrefix(c.screen.Text(), "three") {
			t.Errorf("%v, and the screen shows %q", err, strings.TrimSpace(c.screen.Text()))
		}
		begun := time.Now()
		if err := s.Settle(time.Hour); err != nil || time.Since(begun) != 5*time.Minute {
			t.Errorf("%v after %v, want the limit of a step", err, time.Since(begun))
		}
	})
}

func TestLastText(t *testing.T) {
	var l lastText
	for _, piece := range []string{"a", strings.Repeat("b", maxLastText-1), "c", strings.Repeat("d", 3*maxLastText)} {
		if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Error(n, err)
		}
		if len(l) > maxLastText || !bytes.HasSuffix([]byte(piece), l[max(0, len(l)-len(piece)):]) {
			t.Errorf("%q", l)
		}
	}
}
