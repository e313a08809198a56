package main

import (
	"bytes"
	"io"

	"github.com/locus-url/locus/internal/term"
)

// display is the terminal on which a person sees what a host says.
type display struct {
	w    io.Writer
	safe bool              // what a stranger may not tell a terminal is left out
	turn func(second bool) // told when the terminal turns to its second screen, or back; nil: nobody

	filter   term.Filter
	passed   []byte // room for what passes the filter
	sequence []byte // the end of what was shown, if it begins a sequence that may turn
	second   bool   // the terminal shows its second screen
	inLine   bool   // what was shown last is no end of a line
}

// Write shows what came from the host.
func (d *display) Write(p []byte) (int, error) {
	shown := p
	if d.safe {
		d.filter.OneScreen = true
		d.passed = d.filter.Append(d.passed[:0], p)
		shown = d.passed
	}
	if len(shown) > 0 {
		d.inLine = shown[len(shown)-1] != '\n'
		d.see(shown)
	}
	if _, err := d.w.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// own shows text that is not the host's. An error is seen by who writes next.
func (d *display) own(text string) {
	d.inLine = text != "" && text[len(text)-1] != '\n'
	io.WriteString(d.w, text)
}

// fresh begins a new line, unless nothing is on this one.
func (d *display) fresh() {
	if d.inLine {
		d.own("\r\n")
	}
}

const (
	// cancel ends a sequence that the host has not ended.
	cancel      = "\x18"
	enterSecond = "\x1b[?1049h"
	// inOrder puts the terminal in order, whatever the host has done with it.
	inOrder = cancel + term.Quiet + term.Sane
)

// restore puts the terminal in order.
func (d *display) restore() {
	io.WriteString(d.w, inOrder)
	if d.second {
		io.WriteString(d.w, term.LeaveAlternate)
		d.turned(false)
	}
}

func (d *display) turned(second bool) {
	if d.second != second && d.turn != nil {
		d.turn(second)
	}
	d.second = second
}

// What turns a terminal to its second screen: CSI ? modes h.
const (
	setsMode    = "\x1b[?"
	maxSetsMode = 64
)

// see takes note of what turns the terminal to its second screen, and back.
func (d *display) see(shown []byte) {
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

// turns reports whether one of the modes is that of a second screen.
func turns(modes []byte) bool {
	for mode := range bytes.SplitSeq(modes, []byte(";")) {
		switch string(mode) {
		case "47", "1047", "1049":
			return true
		}
	}
	return false
}
