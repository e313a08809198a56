package main

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/term"
)

// lineState is how far a line is that is typed.
type lineState uint8

const (
	lineMore  lineState = iota
	lineDone            // Enter
	lineBreak           // Ctrl-C
	lineEnd             // Ctrl-D where there was nothing
)

// lineEditor reads a line that is typed at a terminal in raw mode, and shows it.
type lineEditor struct {
	octets []byte
	key    keyState
}

// keyState is how far a sequence is that a key without a character sends.
type keyState uint8

const (
	keyNone     keyState = iota
	keyEscape            // behind ESC
	keyOne               // one more octet is part of it: SS3
	keySequence          // up to its final octet: CSI
)

func (l *lineEditor) text() string { return string(l.octets) }
func (l *lineEditor) reset()       { l.octets = l.octets[:0] }

// maxTyped is the longest line that can be typed, as terminals have it themselves.
const maxTyped = 4096

// take takes an octet, and shows on d what it does.
func (l *lineEditor) take(o byte, d *display) lineState {
	if l.isKey(o) {
		return lineMore
	}
	switch o {
	case '\r', '\n':
		d.own("\r\n")
		return lineDone
	case 'C' & 0x1F:
		d.own("^C\r\n")
		return lineBreak
	case 'D' & 0x1F:
		if len(l.octets) == 0 {
			return lineEnd
		}
	case '\b', 0x7F:
		l.erase(d)
	case 'U' & 0x1F:
		for len(l.octets) > 0 {
			l.erase(d)
		}
	case '\t':
		l.add(o, " ", d)
	default:
		if o >= ' ' {
			l.add(o, string([]byte{o}), d)
		}
	}
	return lineMore
}

// isKey reports whether o belongs to what a key without a character sends, such as
// an arrow, which means nothing here.
func (l *lineEditor) isKey(o byte) bool {
	was := l.key
	switch l.key = keyNone; was {
	case keyNone, keyEscape:
		switch {
		case o == 0x1B:
			l.key = keyEscape
		case was == keyEscape && o == '[':
			l.key = keySequence
		case was == keyEscape && o == 'O':
			l.key = keyOne
		default:
			// Behind ESC: a character that was typed with Alt.
			return was == keyEscape && o >= ' '
		}
		return true
	case keyOne:
		return o >= ' '
	}
	switch {
	case o < ' ':
		return false
	case o < '@':
		l.key = keySequence
	}
	return true
}

// add adds an octet, which is shown so.
func (l *lineEditor) add(o byte, shown string, d *display) {
	if len(l.octets) == maxTyped {
		d.own("\a")
		return
	}
	l.octets = append(l.octets, o)
	d.own(shown)
}

// erase takes back the last character.
func (l *lineEditor) erase(d *display) {
	if len(l.octets) == 0 {
		return
	}
	c, size := utf8.DecodeLastRune(l.octets)
	l.octets = l.octets[:len(l.octets)-size]
	d.own(strings.Repeat("\b \b", max(term.Width(string(c)), 1)))
}
