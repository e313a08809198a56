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

// sessionRoom has a host of each kind that sessions lead to, and the library.
func sessionRoom(h *house) (room, error) {
	books, err := h.cards("catalogue.txt")
	if err != nil {
		return room{}, err
	}
	var hosts []*telnettest.Server
	end := func() error {
		var errs []error
		for _, h := range hosts {
			errs = append(errs, h.Close())
		}
		return errors.Join(errs...)
	}
	for _, begin := range []func() (*telnettest.Server, error){
		func() (*telnettest.Server, error) {
			return telnettest.StartTelnet(&telnettest.TelnetOptions{Handle: library(books).talk, Listener: h.tcp["telnet"]})
		},
		func() (*telnettest.Server, error) {
			return telnettest.StartTelnet(&telnettest.TelnetOptions{
				Banner: "The room of sessions", Users: map[string]string{"guest": "welcome"}, Listener: h.tcp["desk"],
			})
		},
		func() (*telnettest.Server, error) {
			return telnettest.StartRlogin(&telnettest.RloginOptions{Listener: h.tcp["rlogin"]})
		},
		func() (*telnettest.Server, error) {
			return telnettest.StartTN3270(&telnettest.HostOptions{Extended: true, Run: h.runScreens, Listener: h.tcp["tn3270"]})
		},
	} {
		host, err := begin()
		if err != nil {
			return room{}, errors.Join(err, end())
		}
		hosts = append(hosts, host)
	}
	return room{
		name: "Sessions", about: "Services to talk to: a library, a desk where you log in (as guest, whose password is welcome), and screens to fill in.",
		stops: sessionStops(h), close: end,
	}, nil
}

// sessionStops are one of each kind.
func sessionStops(h *house) []Stop {
	return []Stop{
		{
			Scheme: "telnet", Section: "RFC 1738 3.8", URL: h.url("telnet", "/"),
			Title: "a service to talk to: the catalogue of a library",
			Types: []Typed{
				{Await: "> ", Text: "find gopher\r"}, {Await: "> ", Text: "show 5\r"}, {Await: "> ", Text: "bye\r"}, {Await: "Goodbye."},
			},
		},
		{
			Scheme: "telnet", Section: "RFC 1738 3.8", URL: h.url("desk", "/"),
			Title: "a session: the user is advice, which a person types or does not",
			Types: []Typed{
				{Await: "login: ", Text: "guest\r"}, {Await: "Password: ", Text: "welcome\r", Secret: true},
				{Await: "> ", Text: "option\r"}, {Await: "> ", Text: "bye\r"}, {Await: "Goodbye."},
			},
		},
		{
			Scheme: "rlogin", Section: "URI draft, Telnet, rlogin, tn3270", URL: h.url("rlogin", "/"),
			Title: "a session that begins with the user, on a host that trusts this one",
			Types: []Typed{{Await: "> ", Text: "size\r"}, {Await: "> ", Text: "bye\r"}, {Await: "Goodbye."}},
		},
		{
			Scheme: "tn3270", Section: "URI draft, Telnet, rlogin, tn3270", URL: h.url("tn3270", "/"),
			Title: "a session of screens: fields are filled in, and a key sends them",
			Types: []Typed{
				{Await: "Room ===>", Text: "99", Key: tn3270.Enter}, {Await: "There are rooms", Text: "3", Key: tn3270.Enter},
				{Await: "ROOM 3"},
			},
		},
	}
}

// converse does what a person would do in a session, and tells what it showed.
func (g *Guide) converse(ctx context.Context, s *scheme.Session, types []Typed) (Found, error) {
	var f Found
	advice := ""
	if s.User != "" {
		advice = ", for which the user is to be " + s.User
	}
	var err error
	if t, ok := s.Conn.(terminal3270); ok {
		f.Summary = "a session" + advice + "; its last screen:"
		f.Lines, err = g.fillScreens(ctx, t, types)
	} else {
		f.Summary = "a session" + advice + ":"
		f.Lines, err = g.typeLines(s.Conn, types)
	}
	return f, err
}

// typed tells what is typed.
func (g *Guide) typed(t Typed) {
	text := fmt.Sprintf("%q", t.Text)
	if t.Secret {
		text = "***"
	}
	g.trace(true, "typed: "+text)
}

// typeLines types lines, and returns what the session showed.
func (g *Guide) typeLines(c io.ReadWriter, types []Typed) ([]string, error) {
	var all []byte
	seen := 0 // of all, before what was typed last
	buf := make([]byte, 4096)
	for _, t := range types {
		for {
			if i := strings.Index(string(all[seen:]), t.Await); i >= 0 {
				seen += i + len(t.Await)
				break
			}
			n, err := c.Read(buf)
			if all = append(all, buf[:n]...); len(all) > mostOctets && err == nil {
				err = errors.New("it goes on and on")
			}
			if err != nil {
				return nil, fmt.Errorf("tour: waiting for %q: %w", t.Await, err)
			}
		}
		if t.Text == "" {
			continue
		}
		g.typed(t)
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

// fillScreens fills in screens, and returns the last one.
func (g *Guide) fillScreens(ctx context.Context, c terminal3270, types []Typed) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var drawings sync.WaitGroup
	defer drawings.Wait()
	defer c.Close()
	drawings.Go(func() {
		// The drawings are not looked at; their end is that of the session.
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
			g.typed(t)
			if err := c.Type(t.Text); err != nil {
				return nil, err
			}
		}
		if t.Key != 0 {
			if err := c.Press(t.Key); err != nil {
				return nil, err
			}
		}
	}
	return strings.Split(strings.TrimRight(c.Screen().Text(), "\n"), "\n"), nil
}
