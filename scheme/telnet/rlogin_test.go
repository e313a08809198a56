package telnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

// urgent is a connection that reports all octets from 80 to 9F hexadecimal as urgent.
type urgent struct {
	net.Conn
	left []byte
}

func (u *urgent) ReadUrgent(p []byte) (n int, isUrgent bool, err error) {
	if len(u.left) == 0 {
		u.left = make([]byte, 1000)
		n, err = u.Conn.Read(u.left)
		if u.left = u.left[:n]; n == 0 {
			return 0, false, err
		}
	}
	end := slices.IndexFunc(u.left, func(o byte) bool { return o >= 0x80 && o < 0xA0 })
	if end == 0 {
		isUrgent, end = true, 1
	} else if end < 0 {
		end = len(u.left)
	}
	n = copy(p, u.left[:end])
	u.left = u.left[n:]
	return n, isUrgent, nil
}

// rlogind is a Dialer like host, but connects from a reserved port and reports urgent octets.
type rlogind struct{ host }

func (u *urgent) Read(p []byte) (int, error) {
	n, _, err := u.ReadUrgent(p)
	return n, err
}

func (r rlogind) DialReserved(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := r.DialContext(ctx, network, address)
	return &urgent{Conn: c}, err
}

func TestReplayRlogin(t *testing.T) {
	c := telnet.New(&telnet.Options{LocalUser: "root", TerminalTypes: []string{"VT100"}})
	window := "\xff\xffss\x00\x18\x00P\x00\x00\x00\x00"
	for name, want := range map[string]struct{ seen, answered string }{
		"netkit-password-session": {"\n\rLinux vm", window},
		"redone-rhosts-session":   {"Linux vm", window + window},
		"redone-password-session": {"Password: \n\rLinux vm", window + window},
	} {
		hello := "\x00root\x00alice\x00vt100/38400\x00"
		h := newSays(capture(t, name+".s2c.bin"), len(hello+want.answered))
		s := session(t, c, "rlogin://alice:s3cret@h/", rlogind{h.handle})
		b, err := io.ReadAll(s.Conn)
		if !strings.HasPrefix(string(b), want.seen) || !strings.HasSuffix(string(b), "logout\r\n") || err != nil {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		if got := h.received(); got != hello+want.answered {
			t.Errorf("%s: %q", name, got)
		}
		if s.User != "alice" || s.Password != "s3cret" || !s.Conn.Echoes() {
			t.Errorf("%+v", s)
		}
	}
}

func TestRloginRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"\x01rlogind: Permission denied.\r\n": `rlogin: not permitted: "rlogind: Permission denied."`,
		"Go away\x1b[2J\r\n":                  `rlogin: not permitted: "Go away\x1b[2J"`,
		"":                                    "rlogin: not permitted: the server closed the connection without a message",
		"\x01" + strings.Repeat("x", 1<<16):   "rlogin: not permitted: ",
	} {
		_, err := open(t, nil, "rlogin://alice@h/", rlogind{func(c net.Conn) {
			io.ReadFull(c, make([]byte, len("\x00alice\x00alice\x00vt100/38400\x00")))
			io.WriteString(c, text)
		}})
		if !errors.Is(err, scheme.ErrAuth) || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 2000 {
			t.Errorf("%.20q: %.200v", text, err)
		}
	}
}

// If the server does not answer in time, the client must fail.
func TestRloginSilent(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	go io.Copy(io.Discard, far)
	near.SetReadDeadline(time.Now())
	_, err := open(t, nil, "rlogin://alice@h/", fixedDialer{near})
	if !errors.Is(err, os.ErrDeadlineExceeded) || strings.Count(err.Error(), "rlogin: ") != 1 {
		t.Error(err)
	}
}

// If the client does not use a reserved port, the error for a rejection must contain a hint about
// the port.
func TestRloginPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			io.ReadFull(c, make([]byte, 10))
			c.Close()
		}
	}()
	_, err = open(t, nil, "rlogin://alice@"+l.Addr().String()+"/", new(net.Dialer))
	var hint *scheme.HintError
	if !errors.As(err, &hint) || !errors.Is(err, scheme.ErrAuth) || !strings.Contains(hint.Hint, "below 1024") {
		t.Error(err)
	}
}

func TestRloginSession(t *testing.T) {
	done := make(chan struct{})
	s := session(t, nil, "rlogin://alice@h/", rlogind{func(c net.Conn) {
		defer close(done)
		read := func(want string) {
			buf := make([]byte, len(want))
			if _, err := io.ReadFull(c, buf); err != nil || string(buf) != want {
				t.Errorf("%q, %v; want %q", buf, err, want)
			}
		}
		read("\x00alice\x00alice\x00vt100/38400\x00")
		io.WriteString(c, "\x00")
		read("typed\r\n")
		io.WriteString(c, "\x90a")
		read("\xff\xffss\x00\x18\x00P\x00\x00\x00\x00")
		io.WriteString(c, "\x80b")
		read("\xff\xffss\x00\x18\x00P\x00\x00\x00\x00")
		read("\xff\xffss\x00\x2b\x00\x84\x00\x00\x00\x00")
	}})
	changes := 0
	s.Conn.OnChange(func() { changes++ })
	if err := s.Conn.SetWindow(80, 24); err != nil {
		t.Error("before it is asked for: ", err)
	}
	if _, err := s.Conn.Write([]byte("typed\r\n")); err != nil {
		t.Error(err)
	}
	buf := make([]byte, 10)
	for _, want := range []string{"a", "b"} {
		if n, err := s.Conn.Read(buf); string(buf[:n]) != want || err != nil {
			t.Errorf("%q, %v", buf[:n], err)
		}
	}
	if err := s.Conn.SetWindow(132, 43); err != nil {
		t.Error(err)
	}
	<-done
	// The urgent octet 90 requests the window size and raw keys.
	want := []scheme.Field{{Name: "flowControl", Value: false}, {Name: "windowTold", Value: true}, {Name: "window", Value: "132x43"}}
	for _, f := range want {
		if !slices.Contains(s.Conn.Status(), f) {
			t.Errorf("%v, want %v", s.Conn.Status(), f)
		}
	}
	if changes == 0 || len(s.Conn.Commands()) > 0 || !errors.Is(s.Conn.Command("brk"), scheme.ErrUnsupported) {
		t.Error(changes)
	}
}

func TestRloginUser(t *testing.T) {
	for local, wrong := range map[string]bool{"root": false, "ro\x00ot": true, "a\nb": true} {
		c := telnet.New(&telnet.Options{LocalUser: local})
		_, err := open(t, c, "rlogin://alice@h/", rlogind{func(c net.Conn) {
			go io.Copy(io.Discard, c)
			io.WriteString(c, "\x00")
		}})
		if errors.Is(err, locus.ErrValue) != wrong || !wrong && err != nil {
			t.Errorf("%q: %v", local, err)
		}
	}
}
