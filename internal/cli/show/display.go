package show

import (
	"bytes"
	"io"

	"github.com/locus-url/locus/internal/term"
)

// Display is a terminal that shows the output of a host.
type Display struct {
	Writer      io.Writer
	Safe        bool              // remove harmful escape sequences
	OnAlternate func(second bool) // called on each change of the alternate screen; may be nil

	filter    term.Filter
	passed    []byte // buffer for filtered text
	sequence  []byte // start of an escape sequence that may change the screen
	Alternate bool   // the terminal shows its second screen
	inLine    bool   // the last octet did not end a line
}

// Write shows output of the host.
func (d *Display) Write(p []byte) (int, error) {
	shown := p
	if d.Safe {
		d.filter.OneScreen = true
		d.passed = d.filter.Append(d.passed[:0], p)
		shown = d.passed
	}
	if len(shown) > 0 {
		d.inLine = shown[len(shown)-1] != '\n'
		d.see(shown)
	}
	if _, err := d.Writer.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteOwn shows text of locus. The next Write reports an error.
func (d *Display) WriteOwn(text string) {
	d.inLine = text != "" && text[len(text)-1] != '\n'
	io.WriteString(d.Writer, text)
}

// FreshLine starts a new line, unless the current one is empty.
func (d *Display) FreshLine() {
	if d.inLine {
		d.WriteOwn("\r\n")
	}
}

const (
	// cancel ends an unfinished escape sequence of the host.
	cancel         = "\x18"
	EnterAlternate = "\x1b[?1049h"
	// ResetTerminal undoes what the host may have done to the terminal.
	ResetTerminal = cancel + term.Quiet + term.Sane
)

// Restore resets the terminal.
func (d *Display) Restore() {
	io.WriteString(d.Writer, ResetTerminal)
	if d.Alternate {
		io.WriteString(d.Writer, term.LeaveAlternate)
		d.turned(false)
	}
}

func (d *Display) turned(second bool) {
	if d.Alternate != second && d.OnAlternate != nil {
		d.OnAlternate(second)
	}
	d.Alternate = second
}

// Escape sequences that switch to the alternate screen: CSI ? modes h.
const (
	setsMode    = "\x1b[?"
	maxSetsMode = 64
)

// see notices when the terminal switches to its alternate screen, and back.
func (d *Display) see(shown []byte) {
	for len(shown) > 0 {
		if len(d.sequence) == 0 {
			at := bytes.IndexByte(shown, setsMode[0])
			if at < 0 {
				return
			}
			shown = shown[at:]
		}
		o, n := shown[0], len(d.sequence)
		shown = shown[1:]
		switch {
		case o == setsMode[0]:
			d.sequence = append(d.sequence[:0], o)
		case n < len(setsMode) && o == setsMode[n], n >= len(setsMode) && n < maxSetsMode && (o >= '0' && o <= '9' || o == ';'):
			d.sequence = append(d.sequence, o)
		default:
			if n >= len(setsMode) && (o == 'h' || o == 'l') && turns(d.sequence[len(setsMode):]) {
				d.turned(o == 'h')
			}
			d.sequence = d.sequence[:0]
		}
	}
}

// turns reports whether one of the modes is the alternate screen.
func turns(modes []byte) bool {
	for mode := range bytes.SplitSeq(modes, []byte(";")) {
		switch string(mode) {
		case "47", "1047", "1049":
			return true
		}
	}
	return false
}
