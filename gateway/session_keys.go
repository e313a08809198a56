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

// keyboard forwards the input of a page to a service. If the service echoes, keyboard sends the
// input unchanged. Otherwise keyboard echoes and edits the input, and sends the input line by line.
type keyboard struct {
	service scheme.Terminal
	show    func(text []byte) // shows text in the page

	mu   sync.Mutex // guards line and the writes to service
	line term.Line
}

func newKeyboard(service scheme.Terminal, show func(text []byte)) *keyboard {
	return &keyboard{service: service, show: show, line: term.Line{Columns: pageColumns}}
}

// pageColumns returns how many columns a character occupies in the page's terminal. This terminal
// uses Unicode 6 tables, in which an emoji has one column.
func pageColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1F000 && r < 0x20000, r >= 0x2600 && r < 0x2E80:
		return 1
	}
	return term.Width(string(r))
}

// errStuck reports that the service does not read its input.
var errStuck = fmt.Errorf("the service read no input for %v", writeTime)

// handleInput sends input to the service, or adds the input to the current line.
func (k *keyboard) handleInput(octets []byte) error {
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
			// CR LF counts as a single line end.
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
			err = k.handleControl(o)
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

// handleControl sends the current line and a control character. If the character is Ctrl-C, it
// discards the line and sends only Ctrl-C. If the character is Ctrl-D, it sends only the line,
// unless the line is empty.
func (k *keyboard) handleControl(o byte) error {
	const end, interrupt = 'D' & 0x1F, 'C' & 0x1F
	switch {
	case o == interrupt:
		k.line.Reset()
	case o == end && k.line.Len() > 0:
		return k.flush()
	}
	return k.sendLine(string([]byte{o}))
}

// echoChanged sends the current line if the service echoes.
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

// send writes bytes to the service, with a deadline.
func (k *keyboard) send(octets []byte) error {
	_ = k.service.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := k.service.Write(octets)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errStuck
	}
	return err
}

// readPieces reads r, and calls handle for each piece of at most 4 KiB. It does not split CR LF
// between two pieces.
func readPieces(r io.Reader, handle func(piece []byte) error) error {
	buf := make([]byte, 4<<10)
	prefix := 0 // 1 if buf begins with a CR of the previous piece, otherwise 0
	for {
		n, err := r.Read(buf[prefix:])
		n += prefix
		prefix = 0
		if err == nil && n > 0 && buf[n-1] == '\r' {
			n, prefix = n-1, 1
		}
		if n > 0 {
			if eachErr := handle(buf[:n]); eachErr != nil {
				return eachErr
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case prefix > 0:
			buf[0] = '\r'
		}
	}
}
