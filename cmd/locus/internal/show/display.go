package show

import (
	"bytes"
	"io"
	"regexp"
	"sync"

	"github.com/locus-url/locus/internal/term"
)

// Display shows the output of a remote host on a terminal.
type Display struct {
	Writer      io.Writer
	Level       term.Level        // filter level
	OnAlternate func(second bool) // called on each change of the alternate screen; may be nil

	filter    term.Filter
	passed    []byte // buffer for filtered text
	sequence  []byte // last escape sequence, if the sequence may be unfinished
	Alternate bool   // the terminal shows its alternate screen
	inLine    bool   // the last byte was not a line end
}

// Write shows output of the host.
func (d *Display) Write(p []byte) (int, error) {
	d.filter.Level = d.Level
	d.passed = d.filter.Append(d.passed[:0], p)
	shown := d.passed
	if len(shown) > 0 {
		d.inLine = shown[len(shown)-1] != '\n'
		d.see(shown)
	}
	if _, err := d.Writer.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteOwn shows a text of locus itself. The next Write reports any error.
func (d *Display) WriteOwn(text string) {
	d.inLine = text != "" && text[len(text)-1] != '\n'
	io.WriteString(d.Writer, text)
}

// FreshLine starts a new line, unless the current line is empty.
func (d *Display) FreshLine() {
	if d.inLine {
		d.WriteOwn("\r\n")
	}
}

const (
	// cancel ends an unfinished escape sequence from the host.
	cancel         = "\x18"
	EnterAlternate = "\x1b[?1049h"
	// ResetTerminal is the text that resets all terminal state that the host may have changed.
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

// modeChange matches escape sequences that may switch to or from the alternate screen.
var modeChange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[\?([0-9;]{0,60})([hl])`) })

const maxModeChange = 64

// see detects whether the terminal switches to or from its alternate screen. An escape sequence
// may be split over several writes. Detecting the last sequence twice is harmless.
func (d *Display) see(shown []byte) {
	if len(d.sequence) == 0 && bytes.IndexByte(shown, '\x1b') < 0 {
		return
	}
	text := append(d.sequence, shown...)
	for _, m := range modeChange().FindAllSubmatch(text, -1) {
		for mode := range bytes.SplitSeq(m[1], []byte(";")) {
			switch string(mode) {
			case "47", "1047", "1049":
				d.turned(m[2][0] == 'h')
			}
		}
	}
	d.sequence = nil
	if at := bytes.LastIndexByte(text, '\x1b'); at >= 0 && len(text)-at < maxModeChange {
		d.sequence = text[at:len(text):len(text)]
	}
}
