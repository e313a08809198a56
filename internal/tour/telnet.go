package tour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/locus-url/locus/internal/session"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

func (m *Demo) startSessions() error {
	books, err := m.cards("catalogue.txt")
	if err != nil {
		return err
	}
	return errors.Join(
		m.closeLater(telnettest.StartTelnet(&telnettest.TelnetOptions{Handle: func(c io.ReadWriter) { library(books).serve(c.(*telnettest.Terminal)) }, Listener: m.tcp["telnet"]})),
		m.closeLater(telnettest.StartTelnet(&telnettest.TelnetOptions{
			Banner: "The room of sessions", Users: map[string]string{"guest": "welcome"}, Listener: m.tcp["desk"],
		})),
		m.closeLater(telnettest.StartRlogin(&telnettest.RloginOptions{Listener: m.tcp["rlogin"]})),
		m.closeLater(telnettest.StartTN3270(&telnettest.HostOptions{Extended: true, Run: m.runScreens, Listener: m.tcp["tn3270"]})),
	)
}

// useSession sends the input in the list types to a session, and describes the session's output.
func (g *Guide) useSession(ctx context.Context, s *scheme.Session, types []Typed) (f Found, err error) {
	f.Summary = "a session"
	if s.User != "" {
		f.Summary += " for the user " + s.User
	}
	if t, ok := s.Conn.(telnet.Terminal3270); ok {
		f.Summary += "; its last screen:"
		f.Lines, err = g.fillScreens(ctx, t, types)
	} else {
		f.Summary += ":"
		f.Lines, err = g.typeLines(ctx, s.Conn, types)
	}
	return f, err
}

// typeLines sends input to a text session and returns the session's output.
func (g *Guide) typeLines(ctx context.Context, conn scheme.Terminal, types []Typed) ([]string, error) {
	var all []byte
	text := session.NewText(ctx, conn, 0, func(e session.Event, octets []byte) error {
		if e == session.Received {
			all = append(all, octets...)
		}
		if len(all) > maxOctets {
			return fmt.Errorf("the session showed more than %d bytes", maxOctets)
		}
		return nil
	})
	defer text.Close()
	if err := g.drive(text, types); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(all), "\r\n"), "\n"), nil
}

// fillScreens fills in the screens of a 3270 session and returns the text of the last screen.
func (g *Guide) fillScreens(ctx context.Context, terminal telnet.Terminal3270, types []Typed) ([]string, error) {
	screen := session.NewScreen(ctx, terminal, 0)
	defer screen.Close()
	if err := g.drive(screen, types); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(terminal.Screen().Text(), "\n"), "\n"), nil
}

// drive waits for the prompt of each entry in the list types, and then sends the input of that
// entry.
func (g *Guide) drive(d session.Driver, types []Typed) error {
	for _, t := range types {
		if err := d.Expect(regexp.MustCompile(regexp.QuoteMeta(t.Await))); err != nil {
			return fmt.Errorf("tour: waiting for %q: %w", t.Await, err)
		}
		if t.Text == "" {
			continue
		}
		g.traceTyped(t)
		if err := d.Send(t.Text); err != nil {
			return err
		}
	}
	return nil
}

func (g *Guide) traceTyped(t Typed) {
	text := fmt.Sprintf("%q", t.Text)
	if t.Secret {
		text = "***"
	}
	g.trace(true, "typed: "+text)
}
