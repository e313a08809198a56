package telnettest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

var users = map[string]string{"alice": "s3cret"}

func TestLogin(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(&telnettest.TelnetOptions{Users: users, Banner: "The museum"}))
	k := open(t, s, "telnet://", nil)
	if got := k.expect("login: "); got != "The museum\r\nlogin: " || !k.Echoes() {
		t.Errorf("%q", got)
	}
	k.types("alice\r", "alice\r\nPassword: ")
	if got := k.types("wrong\r\n", "login: "); got != "\r\nLogin incorrect\r\nlogin: " {
		t.Errorf("%q", got)
	}
	k.types("alice\n", "Password: ")
	if got := k.types("s3cret\r", "> "); got != "\r\nWelcome, alice. Type help for what there is.\r\n> " {
		t.Errorf("%q", got)
	}
	if got := k.types("bye\r", "Goodbye.\r\n"); got != "bye\r\nGoodbye.\r\n" {
		t.Errorf("%q", got)
	}
	k.end()
	if got, want := s.Log(), []string{"type VT100", "window 80x24", "typed alice", "typed wrong", "typed alice", "typed s3cret", "typed bye"}; len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}

	k = open(t, s, "telnet://", nil)
	for range 3 {
		k.types("eve\r", "Password: ")
		k.types("\r", "Login incorrect\r\n")
	}
	k.end()
	k = open(t, s, "telnet://", nil)
	k.types("\x04", "")
	k.end()
}

func TestShell(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(nil))
	k := open(t, s, "telnet://", &telnet.Options{Columns: 100, Rows: 30, Environment: []string{"LANG=C"}})
	if got := k.expect("> "); got != "Welcome, stranger. Type help for what there is.\r\n> " {
		t.Errorf("%q", got)
	}
	for _, c := range []struct{ typed, want string }{
		{"", ""},
		{"size", "100x30"},
		{"term", "VT100"},
		{"option", "I do ECHO|I do SGA|you do TERMINAL-TYPE|you do NAWS|you do NEW-ENVIRON"},
		{"flood 3", "xxx|that was it"},
		{"flood", "flood, and a number"},
		{"echo", "echo on, or echo off"},
		{"nonsense", "nonsense: there is no such command"},
	} {
		want := strings.ReplaceAll(c.typed+"|"+c.want+"|", "|", "\r\n")
		if c.want == "" {
			want = c.typed + "\r\n"
		}
		if got := k.types(c.typed+"\r", "> "); got != want+"> " {
			t.Errorf("%s: %q, want %q", c.typed, got, want)
		}
	}
	help := k.types("help\r", "> ")
	for _, name := range []string{"bye", "color", "echo", "evil", "flood", "hang", "option", "size", "term"} {
		if !strings.Contains(help, "\r\n"+name+" ") {
			t.Errorf("help does not say %s: %s", name, help)
		}
	}
	if got := k.types("color\r", "> "); !strings.Contains(got, "\x1b[31mred") {
		t.Errorf("%q", got)
	}
	if got := k.types("evil\r", "> "); !strings.Contains(got, "\x1b]52;") || !strings.HasSuffix(got, "after\r\n> ") {
		t.Errorf("%q", got)
	}
	if err := k.SetWindow(132, 43); err != nil {
		t.Error(err)
	}
	if err := s.Wait(testContext(t), "window 132x43"); err != nil {
		t.Error(err)
	}
	k.types("echo off\r", "> ")
	if k.Echoes() {
		t.Error("echo is on")
	}
	if got := k.types("echo on\r", "> "); got != "> " || !k.Echoes() {
		t.Errorf("%q", got)
	}
	k.types("hang\r", "hang\r\n")
	if err := s.Wait(testContext(t), "hangs"); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := s.Wait(ctx, "never"); err != cause {
		t.Error(err)
	}
	s.HangUp()
	io.ReadAll(k) // wait for the end of the session
}

// The user must be able to edit and interrupt input with keys and with Telnet commands.
func TestKeys(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(nil))
	k := open(t, s, "telnet://", nil)
	k.expect("> ")
	if got := k.types("sizx\x7fe\x15\x08nix\r", "> "); got != "sizx\b \be\b \b\b \b\b \b\b \bnix\r\nnix: there is no such command\r\n> " {
		t.Errorf("%q", got)
	}
	if got := k.types("abc\x03", "> "); got != "abc^C\r\n> " {
		t.Errorf("%q", got)
	}
	k.types("\x01ab", "^Aab")
	for _, c := range []struct{ name, want string }{
		{"ec", "\b \b"}, {"el", "\b \b"}, {"ayt", "\r\n[yes]\r\n"}, {"ip", "^C\r\n> "},
	} {
		if err := k.Command(c.name); err != nil {
			t.Error(err)
		}
		if got := k.expect(c.want); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	k.types(strings.Repeat("y", term.MaxLine+1), "y\a")
	if err := k.Command("brk"); err != nil {
		t.Error(err)
	}
	if err := s.Wait(testContext(t), "command BRK"); err != nil {
		t.Error(err)
	}
	k.types("\x15\x04", "\b \b")
	k.end()
	want := []string{"typed nix", "typed ^C", "command EC", "command EL", "command AYT", "command IP", "typed ^C", "command BRK", "typed ^D"}
	if got := s.Log()[0][2:]; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHostWithoutTelnet(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true}))
	k := open(t, s, "telnet://", nil)
	k.expect("> ")
	for typed, want := range map[string]string{"size\r\n": "nothing is known", "option\n": "nothing is known"} {
		if got := k.types(typed, "> "); got != want+"\r\n> " {
			t.Errorf("%q: %q", typed, got)
		}
	}
	k.types("echo on\n", "> ")
	if k.types("bye\n", "Goodbye.\r\n"); k.Echoes() {
		t.Error("it echoes")
	}
	k.end()
}

func TestConversation(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(&telnettest.TelnetOptions{Handle: func(rw io.ReadWriter) {
		line, err := bufio.NewReader(rw).ReadString('\r')
		fmt.Fprintf(rw, "%q %v", line, err)
	}}))
	c := dial(t, s)
	io.WriteString(c, refusing("early ")+"late\r\n")
	if b, err := io.ReadAll(c); !strings.HasSuffix(string(b), `"early late\r" <nil>`) || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// refusing returns the output of a client that immediately sends text and rejects all options.
func refusing(text string) string {
	return text + "\xff\xfe%\xff\xfe&\xff\xfc\x18\xff\xfc \xff\xfc#\xff\xfc'\xff\xfc$" + "\xff\xfe\x03\xff\xfc\x01\xff\xfc\"\xff\xfc\x1f\xff\xfe\x05\xff\xfc!" + "\xff\xfe\x01"
}

// The host must send the options in the same order as a real telnetd, both to clients that reject
// all options and to a client that accepts most options.
func TestOrder(t *testing.T) {
	for name, most := range map[string]int{"telnetd-refuse-all": 42, "telnetd-inetutils-client": 57} {
		s := running(t)(telnettest.StartTelnet(nil))
		c := dial(t, s)
		sent, real := wire(t, name+".c2s.bin"), wire(t, name+".s2c.bin")
		if _, err := c.Write(sent); err != nil {
			t.Fatal(err)
		}
		real = real[:most]
		got := make([]byte, len(real))
		if _, err := io.ReadFull(c, got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, real) {
			t.Errorf("%s: %q, a real one has %q", name, got, real)
		}
	}
}

func wire(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/wire/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Closing the server must end the sessions of a client that never stops sending and of a silent
// client.
func TestHostileClients(t *testing.T) {
	s := running(t)(telnettest.StartTelnet(nil))
	silent := dial(t, s)
	if _, err := io.ReadFull(silent, make([]byte, 21)); err != nil {
		t.Error(err)
	}
	talks := dial(t, s)
	text := bytes.Repeat([]byte("x"), 1<<20)
	if _, err := talks.Write(text); err == nil {
		io.Copy(io.Discard, talks)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(silent); len(b) != 0 && err == nil {
		t.Errorf("%q", b)
	}
}

func dial(t *testing.T, s *telnettest.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}
