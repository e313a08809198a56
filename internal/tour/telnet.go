package tour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

func (m *Museum) startSessions() error {
	books, err := m.cards("catalogue.txt")
	if err != nil {
		return err
	}
	return errors.Join(
		m.keep(telnettest.StartTelnet(&telnettest.TelnetOptions{Handle: func(c io.ReadWriter) { library(books).serve(c.(*telnettest.Terminal)) }, Listener: m.tcp["telnet"]})),
		m.keep(telnettest.StartTelnet(&telnettest.TelnetOptions{
			Banner: "The room of sessions", Users: map[string]string{"guest": "welcome"}, Listener: m.tcp["desk"],
		})),
		m.keep(telnettest.StartRlogin(&telnettest.RloginOptions{Listener: m.tcp["rlogin"]})),
		m.keep(telnettest.StartTN3270(&telnettest.HostOptions{Extended: true, Run: m.runScreens, Listener: m.tcp["tn3270"]})),
	)
}

// useSession types what the stop says, and describes what the session showed.
func (g *Guide) useSession(ctx context.Context, s *scheme.Session, types []Typed) (f Found, err error) {
	f.Summary = "a session"
	if s.User != "" {
		f.Summary += " for the user " + s.User
	}
	if t, ok := s.Conn.(terminal3270); ok {
		f.Summary += "; its last screen:"
		f.Lines, err = g.fillScreens(ctx, t, types)
	} else {
		f.Summary += ":"
		f.Lines, err = g.typeLines(s.Conn, types)
	}
	return f, err
}

func (g *Guide) traceTyped(t Typed) {
	text := fmt.Sprintf("%q", t.Text)
	if t.Secret {
		text = "***"
	}
	g.trace(true, "typed: "+text)
}

// typeLines types lines and returns the output of the session.
func (g *Guide) typeLines(c io.ReadWriter, types []Typed) ([]string, error) {
	var all []byte
	seen := 0 // bytes of all that earlier waits used
	buf := make([]byte, 4096)
	for _, t := range types {
		for {
			if i := strings.Index(string(all[seen:]), t.Await); i >= 0 {
				seen += i + len(t.Await)
				break
			}
			n, err := c.Read(buf)
			if all = append(all, buf[:n]...); len(all) > mostOctets && err == nil {
				err = fmt.Errorf("the session showed more than %d bytes", mostOctets)
			}
			if err != nil {
				return nil, fmt.Errorf("tour: waiting for %q: %w", t.Await, err)
			}
		}
		if t.Text == "" {
			continue
		}
		g.traceTyped(t)
		if _, err := io.WriteString(c, t.Text); err != nil {
			return nil, err
		}
	}
	return strings.Split(strings.TrimRight(string(all), "\r\n"), "\n"), nil
}

// terminal3270 is a session with a screen.
type terminal3270 interface {
	io.ReadCloser
	Screen() *tn3270.Screen
	Press(tn3270.Key) error
	Type(text string) error
}

// fillScreens fills in screens and returns the last one.
func (g *Guide) fillScreens(ctx context.Context, c terminal3270, types []Typed) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var drawings sync.WaitGroup
	defer drawings.Wait()
	defer c.Close()
	drawings.Go(func() {
		// Reading drives the terminal. The end of the drawings is the end of the session.
		_, err := io.Copy(io.Discard, c)
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		cancel(err)
	})
	for _, t := range types {
		err := c.Screen().Wait(ctx, func(s *tn3270.Screen) bool {
			return s.Status().Lock == tn3270.Unlocked && strings.Contains(s.Text(), t.Await)
		})
		if err != nil {
			return nil, fmt.Errorf("tour: waiting for %q: %w", t.Await, err)
		}
		if t.Text != "" {
			g.traceTyped(t)
		}
		for _, in := range new(tn3270.Decoder).Decode(nil, []byte(t.Text)) {
			if in.Key == 0 {
				err = c.Type(in.Text)
			} else {
				err = c.Press(in.Key)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return strings.Split(strings.TrimRight(c.Screen().Text(), "\n"), "\n"), nil
}
