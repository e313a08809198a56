package telnettest

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// far is what a protocol tells the shell of the person's side, and does for it.
// Write shows text.
type peer interface {
	io.Writer
	more() ([]byte, error) // what was typed since, perhaps nothing
	echoes() bool
	setEcho(on bool) error
	types() ([]string, error) // of the terminal
	environment() ([]string, error)
	options() []string // in words, one a line
	urgent(o byte) error
}

// maxTyped is the most octets of a line.
const maxTyped = 1024

// terminal is a person's terminal as the host has it.
type terminal struct {
	peer
	log    func(entry string)
	in     []byte // what was typed and not read yet
	line   []byte // as far as it is typed
	hidden bool   // a password is typed
	window string // its size, as "80x24"; empty: not known
	after  bool   // a CR was read: LF or NUL behind it belongs to it
}

// errInterrupted is that the person pressed ^C.
var errInterrupted = errors.New("interrupted")

// resized hears how large the window is.
func (t *terminal) resized(columns, rows int) {
	t.window = fmt.Sprintf("%dx%d", columns, rows)
	t.log("window " + t.window)
}

// say shows lines.
func (t *terminal) say(lines ...string) error {
	_, err := io.WriteString(t, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// prompt asks for a line, and reads it. The error is errInterrupted, io.EOF or the
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

// Read reads what was typed, as it is.
func (t *terminal) Read(p []byte) (int, error) {
	if err := t.fill(); err != nil {
		return 0, err
	}
	n := copy(p, t.in)
	t.in = t.in[n:]
	return n, nil
}

// fill waits until something is typed.
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

// key does what an octet says, and reports whether the line is at its end.
func (t *terminal) key(o byte) (done bool, err error) {
	after := t.after
	t.after = o == '\r'
	switch {
	case after && (o == '\n' || o == 0):
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

// erase takes back the last n octets of the line.
func (t *terminal) erase(n int) error {
	n = min(n, len(t.line))
	t.line = t.line[:len(t.line)-n]
	return t.echo(strings.Repeat("\b \b", n))
}

// echo shows what is typed, if that is for the host to do. A password's line end
// shows all the same.
func (t *terminal) echo(text string) error {
	if !t.echoes() || t.hidden && text != "\r\n" {
		return nil
	}
	_, err := io.WriteString(t, text)
	return err
}

// caret is how a control character is shown.
func caret(o byte) string {
	if o < ' ' {
		return "^" + string(rune(o+'@'))
	}
	return string([]byte{o})
}
