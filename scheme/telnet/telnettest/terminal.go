package telnettest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/internal/term"
)

// peer is the client's side of a connection. Its Write method shows text to the user.
type peer interface {
	io.Writer
	more() ([]byte, error) // returns new input, which may be empty
	echoes() bool
	setEcho(on bool) error
	options() []string // returns the options as lines of text
}

// Terminal is the terminal of the client's user.
type Terminal struct {
	peer
	log    func(entry string)
	in     []byte // input that has not been read
	line   term.Line
	hidden bool   // the user is typing a password
	kind   string // terminal type; empty if unknown
	window string // window size, such as "80x24"; empty if unknown
	wasCR  bool   // the last octet was CR, so a following LF or NUL belongs to the same line end
}

// ErrInterrupted is the error that Prompt returns if the user types ^C.
var ErrInterrupted = errors.New("interrupted")

func (t *Terminal) typeTold(kind string) {
	t.kind = kind
	t.log("type " + kind)
}

func (t *Terminal) resized(columns, rows int) {
	t.window = fmt.Sprintf("%dx%d", columns, rows)
	t.log("window " + t.window)
}

// Say shows the given lines to the user.
func (t *Terminal) Say(lines ...string) error {
	_, err := io.WriteString(t, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// These constants are keys that the line editor does not handle, or keys that Telnet commands
// represent.
const (
	interrupt = 'C' & 0x1F
	endOfFile = 'D' & 0x1F
	eraseLine = 'U' & 0x1F
	del       = 0x7F
)

// Prompt shows text and reads a line, which the user can edit. It shows control characters, but
// does not include them in the line. The error is [ErrInterrupted], [io.EOF] or an error of the
// connection.
func (t *Terminal) Prompt(text string) (string, error) {
	if _, err := io.WriteString(t, text); err != nil {
		return "", err
	}
	t.line.Reset()
	for {
		o, err := t.next()
		if err != nil {
			return "", err
		}
		wasCR := t.wasCR
		t.wasCR = o == '\r'
		if wasCR && (o == '\n' || o == 0) {
			continue
		}
		var shown string
		event := term.LineMore
		if o < ' ' && strings.IndexByte("\b\r\n\x03\x04\x15", o) < 0 {
			shown = "^" + string(rune(o+'@'))
		} else {
			shown, event = t.line.Type(o)
		}
		switch {
		case event == term.LineEnter:
			t.log("typed " + t.line.Text())
			return t.line.Text(), t.echo("\r\n")
		case o == interrupt:
			t.log("typed ^C")
			return "", errors.Join(t.echo("^C\r\n"), ErrInterrupted)
		case o == endOfFile && t.line.Len() == 0:
			t.log("typed ^D")
			return "", io.EOF
		case t.hidden:
			continue
		}
		if err := t.echo(shown); err != nil {
			return "", err
		}
	}
}

func (t *Terminal) echo(text string) error {
	if !t.echoes() {
		return nil
	}
	_, err := io.WriteString(t, text)
	return err
}

// Read reads unedited input.
func (t *Terminal) Read(p []byte) (int, error) {
	for len(t.in) == 0 {
		typed, err := t.more()
		if err != nil {
			return 0, err
		}
		t.in = typed
	}
	n := copy(p, t.in)
	t.in = t.in[n:]
	return n, nil
}

func (t *Terminal) next() (byte, error) {
	var o [1]byte
	_, err := t.Read(o[:])
	return o[0], err
}
