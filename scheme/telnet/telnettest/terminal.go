package telnettest

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// peer is the client's side of a protocol, for the shell. Write shows text.
type peer interface {
	io.Writer
	more() ([]byte, error) // new input, possibly empty
	echoes() bool
	setEcho(on bool) error
	types() ([]string, error) // of the terminal
	environment() ([]string, error)
	options() []string // as lines of text
	urgent(o byte) error
}

// maxTyped is the longest line.
const maxTyped = 1024

// terminal is the client's terminal, with line editing.
type terminal struct {
	peer
	log    func(entry string)
	in     []byte // unread input
	line   []byte // the incomplete line
	hidden bool   // a password is being typed
	window string // its size, as "80x24"; empty: unknown
	wasCR  bool   // the last octet was CR; LF or NUL after it belongs to it
}

// errInterrupted is returned for ^C.
var errInterrupted = errors.New("interrupted")

// resized records the window size.
func (t *terminal) resized(columns, rows int) {
	t.window = fmt.Sprintf("%dx%d", columns, rows)
	t.log("window " + t.window)
}

// say shows lines.
func (t *terminal) say(lines ...string) error {
	_, err := io.WriteString(t, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// prompt shows text and reads a line. The error is errInterrupted, io.EOF or the
// connection's.
func (t *terminal) prompt(text string) (string, error) {
	if _, err := io.WriteString(t, text); err != nil {
		return "", err
	}
	t.line = t.line[:0]
	for {
		o, err := t.next()
		if err != nil {
			return "", err
		}
		done, err := t.key(o)
		if err != nil {
			return "", err
		}
		if done {
			t.log("typed " + string(t.line))
			return string(t.line), nil
		}
	}
}

// Read reads unedited input.
func (t *terminal) Read(p []byte) (int, error) {
	if err := t.fill(); err != nil {
		return 0, err
	}
	n := copy(p, t.in)
	t.in = t.in[n:]
	return n, nil
}

// fill waits for input.
func (t *terminal) fill() error {
	for len(t.in) == 0 {
		typed, err := t.more()
		if err != nil {
			return err
		}
		t.in = typed
	}
	return nil
}

// next reads an octet.
func (t *terminal) next() (byte, error) {
	if err := t.fill(); err != nil {
		return 0, err
	}
	o := t.in[0]
	t.in = t.in[1:]
	return o, nil
}

// Keys.
const (
	interrupt = 'C' & 0x1F
	endOfFile = 'D' & 0x1F
	eraseLine = 'U' & 0x1F
	backspace = '\b'
	del       = 0x7F
)

// key handles an octet of input, and reports whether the line is complete.
func (t *terminal) key(o byte) (done bool, err error) {
	wasCR := t.wasCR
	t.wasCR = o == '\r'
	switch {
	case wasCR && (o == '\n' || o == 0):
	case o == '\r' || o == '\n':
		return true, t.echo("\r\n")
	case o == interrupt:
		t.log("typed ^C")
		return false, errors.Join(t.echo("^C\r\n"), errInterrupted)
	case o == endOfFile && len(t.line) == 0:
		t.log("typed ^D")
		return false, io.EOF
	case o == backspace || o == del:
		return false, t.erase(1)
	case o == eraseLine:
		return false, t.erase(len(t.line))
	case len(t.line) == maxTyped:
		return false, t.echo("\a")
	default:
		t.line = append(t.line, o)
		return false, t.echo(caret(o))
	}
	return false, nil
}

// erase removes the last n octets of the line.
func (t *terminal) erase(n int) error {
	n = min(n, len(t.line))
	t.line = t.line[:len(t.line)-n]
	return t.echo(strings.Repeat("\b \b", n))
}

// echo shows input if the host echoes. Of a password it shows only the line end.
func (t *terminal) echo(text string) error {
	if !t.echoes() || t.hidden && text != "\r\n" {
		return nil
	}
	_, err := io.WriteString(t, text)
	return err
}

// caret returns the visible form of an octet.
func caret(o byte) string {
	if o < ' ' {
		return "^" + string(rune(o+'@'))
	}
	return string([]byte{o})
}
