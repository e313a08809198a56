package open

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

func TestEscapeFlag(t *testing.T) {
	for text, want := range map[string]byte{
		"^]": 0x1D, "^a": 1, "^A": 1, "^_": 0x1F, "^^": 0x1E, `^\`: 0x1C, "^z": 0x1A, "none": 0,
	} {
		s := sessionFlags{escape: text}
		if err := s.settle(new(pflag.FlagSet)); err != nil || s.key != want {
			t.Errorf("%q: %#x, %v, want no error and s.key %d", text, s.key, err, want)
		}
	}
	for _, text := range []string{"", "]", "^", "^]]", "^1", "^@", "^?", "^}", "^\xff", "^ü", "^C", "^m", "^J", "^i", "^h", "^["} {
		s := sessionFlags{escape: text}
		if err := s.settle(new(pflag.FlagSet)); err == nil {
			t.Errorf("%q is %#x, want an error", text, s.key)
		}
	}
}

func TestLineEditor(t *testing.T) {
	for _, test := range []struct {
		name, typed, line, shown string
		done, left               bool
	}{
		{"line", "ab\r", "ab", "ab\r\n", true, false},
		{"new line", "a\n", "a", "a\r\n", true, false},
		{"nothing", "\r", "", "\r\n", true, false},
		{"erased", "ab\x7f\bc", "c", "ab\b \b\b \bc", false, false},
		{"nothing to erase", "\x7fa", "a", "a", false, false},
		{"a character", "ü\x7f", "", "ü\b \b", false, false},
		{"a wide one", "日\x7f", "", "日\b \b\b \b", false, false},
		{"no character", "\xff\x7f", "", "\xff\b \b", false, false},
		{"all", "abü\x15c", "c", "abü\b \b\b \b\b \bc", false, false},
		{"a tab", "a\tb\x7f\x7f", "a", "a b\b \b\b \b", false, false},
		{"Ctrl-C", "a\x03", "a", "a^C\r\n", false, true},
		{"Ctrl-D", "\x04", "", "", false, true},
		{"Ctrl-D in a line", "a\x04b", "ab", "ab", false, false},
		{"other controls", "a\x00\x01\x1c\x1fb", "ab", "ab", false, false},
		{"arrows", "a\x1b[A\x1b[1;5Db\x1bOCc", "abc", "abc", false, false},
		{"function keys", "\x1b[15~\x1bOPa", "a", "a", false, false},
		{"with Alt", "\x1bxa", "a", "a", false, false},
		{"Escape, then a line", "a\x1b\r", "a", "a\r\n", true, false},
		{"Escape twice", "\x1b\x1b[Aa", "a", "a", false, false},
		{"a sequence that is cut", "\x1b[1\r", "", "\r\n", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l lineEditor
			var shown bytes.Buffer
			var done, left bool
			for i := range len(test.typed) {
				if done || left {
					t.Fatalf("it ends at %d", i)
				}
				done, left = l.take(test.typed[i], &show.Display{Writer: &shown})
			}
			if l.Text() != test.line || shown.String() != test.shown || done != test.done || left != test.left {
				t.Errorf("%q, shown %q, %t, %t", l.Text(), shown.String(), done, left)
			}
		})
	}
	var l lineEditor
	var shown bytes.Buffer
	for range term.MaxLine + 5 {
		l.take('x', &show.Display{Writer: &shown})
	}
	if len(l.Text()) != term.MaxLine || !strings.HasSuffix(shown.String(), "x\a\a\a\a\a") {
		t.Errorf("%d octets", len(l.Text()))
	}
}

func TestTildes(t *testing.T) {
	for _, test := range []struct {
		typed []string
		sent  string
		end   bool
	}{
		{[]string{"~."}, "", true},
		{[]string{"~", "."}, "", true},
		{[]string{"a~.b"}, "a~.b", false},
		{[]string{"a\r~."}, "", true},
		{[]string{"a\n", "~", "."}, "a\n", true},
		{[]string{"~~."}, "~.", false},
		{[]string{"~", "~", "~."}, "~~.", false},
		{[]string{"~a~."}, "~a~.", false},
		{[]string{"~\r~x"}, "~\r~x", false},
	} {
		k := terminalSession{begins: true}
		var sent strings.Builder
		end := false
		for _, typed := range test.typed {
			var out []byte
			out, end = k.tildes([]byte(typed))
			sent.Write(out)
		}
		if sent.String() != test.sent || end != test.end {
			t.Errorf("%q: %q, %t, want sent %q and end %v", test.typed, sent.String(), end, test.sent, test.end)
		}
	}
}

// deaf is a host that reads nothing.
type deaf struct {
	scheme.Terminal
	closed chan struct{}
}

func newDeaf() *deaf {
	near, _ := net.Pipe()
	return &deaf{scheme.PlainTerminal(near), make(chan struct{})}
}

func (d *deaf) Write([]byte) (int, error) {
	<-d.closed
	return 0, net.ErrClosed
}

func (d *deaf) Status() []scheme.Field {
	<-d.closed
	return nil
}

func (d *deaf) Close() error {
	close(d.closed)
	return d.Terminal.Close()
}

// The user can leave the session even if the host reads nothing.
func TestSessionHostReadsNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tty, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer keys.Close()
	o := &opener{Viewer: show.Viewer{App: &base.App{Flags: base.Flags{Quiet: true}}}}
	o.session.key = 0x1D
	k := newTerminalSession(o, tty, &scheme.Session{URL: locus.MustParse("telnet://h/"), Conn: newDeaf()})
	k.display.Writer, k.mode = &out, typingCharacters
	go func() {
		for range 2 * maxWaiting / 1024 {
			keys.Write(bytes.Repeat([]byte("x"), 1024))
		}
		io.WriteString(keys, "\x1dstatus\r\x1dclose\r")
	}()
	if err := k.hold(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "\a") || !strings.Contains(out.String(), "the host does not accept input") || k.size > maxWaiting {
		t.Errorf("%q, %d octets wait", out.String(), k.size)
	}
}
