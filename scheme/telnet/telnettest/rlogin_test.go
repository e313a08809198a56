package telnettest_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// rlogin opens an rlogin session with a dialer that supports urgent data and reserved ports.
func rlogin(t *testing.T, s *telnettest.Server) (*testSession, error) {
	t.Helper()
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	a := access.New(nil, p, nil)
	t.Cleanup(func() { a.Close() })
	c := telnet.New(&telnet.Options{LocalUser: "bob", TerminalTypes: []string{"XTERM"}})
	res, err := c.Open(testContext(t), &scheme.Request{URL: locus.MustParse("rlogin://alice@" + s.Addr() + "/"), Dial: a.Dialer()})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { res.Close() })
	return &testSession{t: t, Terminal: res.(*scheme.Session).Conn}, nil
}

func TestRlogin(t *testing.T) {
	s := running(t)(telnettest.StartRlogin(&telnettest.RloginOptions{Users: users}))
	k, err := rlogin(t, s)
	if err != nil {
		t.Fatal(err)
	}
	k.expect("Password: ")
	k.types("wrong\r", "\r\nLogin incorrect\r\nlogin: ")
	k.types("alice\r", "alice\r\nPassword: ")
	k.types("s3cret\r", "Welcome, alice. Type help for what there is.\r\n> ")
	if runtime.GOOS == "linux" {
		if err := s.Wait(testContext(t), "window 80x24"); err != nil {
			t.Error(err)
		}
		if err := k.SetWindow(132, 43); err != nil {
			t.Error(err)
		}
		if got := k.types("size\r", "> "); got != "size\r\n132x43\r\n> " {
			t.Errorf("%q", got)
		}
	}
	if got := k.types("option\r", "> "); got != "option\r\nnothing is known\r\n> " {
		t.Errorf("%q", got)
	}
	k.types("echo off\r", "> ")
	k.types("bye\r", "Goodbye.\r\n")
	k.end()
	if got, want := s.Log()[0][:3], []string{"local bob", "user alice", "type xterm/38400"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The host must handle a window size message that arrives in pieces, and input that resembles such
// a message.
func TestRloginStream(t *testing.T) {
	done := make(chan struct{})
	s := running(t)(telnettest.StartRlogin(&telnettest.RloginOptions{Handle: func(rw io.ReadWriter) {
		defer close(done)
		b, err := io.ReadAll(rw)
		fmt.Fprintf(rw, "%q %v", b, err)
	}}))
	c := dial(t, s)
	for _, piece := range []string{"\x00a\x00b\x00c\x00typed\xff", "\xffs", "s\x00\x01\x00", "\x02\x00\x00\x00\x00more\xff\xff", "s\xff\xff\xff\xffss\x01\x00\x02\x00\x00\x00\x00\x00\xff"} {
		if _, err := io.WriteString(c, piece); err != nil {
			t.Fatal(err)
		}
	}
	c.(*net.TCPConn).CloseWrite()
	<-done
	if b, err := io.ReadAll(c); !strings.HasSuffix(string(b), `"typedmore\xff\xffs\xff\xff\xff" <nil>`) || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if got, want := s.Log()[0][3:], []string{"window 2x1", "window 512x256"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	c = dial(t, s)
	io.WriteString(c, "\x00"+strings.Repeat("x", 1000))
	if b, err := io.ReadAll(c); len(b) != 0 || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
