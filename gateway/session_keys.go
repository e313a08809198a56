package gateway

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// keyboard forwards what a user types in a page. A service that echoes gets it as it is.
// For others, the keyboard echoes, edits and sends line by line.
type keyboard struct {
	service scheme.Terminal
	show    func(text []byte) // in the page

	mu   sync.Mutex // guards line, and what is sent
	line term.Line
}

func newKeyboard(service scheme.Terminal, show func(text []byte)) *keyboard {
	return &keyboard{service: service, show: show, line: term.Line{Columns: pageColumns}}
}

// pageColumns returns how many columns the page's terminal uses for a character. Its
// tables are those of Unicode 6, in which emoji have one column.
func pageColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1F000 && r < 0x20000, r >= 0x2600 && r < 0x2E80:
		return 1
	}
	return term.Width(string(r))
}

// errStuck is the error when the service does not read what is typed.
var errStuck = fmt.Errorf("the service read no input for %v", writeTime)

// typed sends octets to the service, or takes them into the line.
func (k *keyboard) typed(octets []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.service.Echoes() {
		return errors.Join(k.flush(), k.send(octets))
	}
	var shown []byte
	for i, o := range octets {
		text, event := k.line.Type(o)
		shown = append(shown, text...)
		var err error
		switch {
		case event == term.LineEnter:
			// CR LF is one end of a line.
			if o == '\n' && i > 0 && octets[i-1] == '\r' {
				shown = shown[:len(shown)-len(text)]
				continue
			}
			if len(shown) > 0 {
				k.show(shown)
				shown = shown[:0]
			}
			err = k.sendLine("\n")
		case event == term.LineControl:
			err = k.control(o)
		}
		if err != nil {
			return err
		}
	}
	if len(shown) > 0 {
		k.show(shown)
	}
	return nil
}

// control sends a control character that does not edit the line: after the line, or, for
// Ctrl-C, instead of it. Ctrl-D in a line sends only the line.
func (k *keyboard) control(o byte) error {
	const end, interrupt = 'D' & 0x1F, 'C' & 0x1F
	switch {
	case o == interrupt:
		k.line.Reset()
	case o == end && k.line.Len() > 0:
		return k.flush()
	}
	return k.sendLine(string([]byte{o}))
}

// echoChanged sends the current line once the service echoes.
func (k *keyboard) echoChanged() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.service.Echoes() {
		return nil
	}
	return k.flush()
}

func (k *keyboard) flush() error {
	if k.line.Len() == 0 {
		return nil
	}
	return k.sendLine("")
}

func (k *keyboard) sendLine(end string) error {
	text := k.line.Text() + end
	k.line.Reset()
	return k.send([]byte(text))
}

// send writes to the service, with a deadline.
func (k *keyboard) send(octets []byte) error {
	_ = k.service.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := k.service.Write(octets)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errStuck
	}
	return err
}

// pieces calls each with pieces of r of at most 4 KiB. It does not split a CR LF.
func pieces(r io.Reader, each func(piece []byte) error) error {
	buf := make([]byte, 4<<10)
	kept := 0 // a CR at the start of buf, of the piece before
	for {
		n, err := r.Read(buf[kept:])
		n += kept
		kept = 0
		if err == nil && n > 0 && buf[n-1] == '\r' {
			n, kept = n-1, 1
		}
		if n > 0 {
			if eachErr := each(buf[:n]); eachErr != nil {
				return eachErr
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case kept > 0:
			buf[0] = '\r'
		}
	}
}
