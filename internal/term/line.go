package term

import (
	"strings"
	"unicode/utf8"
)

// MaxLine is the most octets of a line that is typed, as terminals have it themselves.
const MaxLine = 4096

// Line edits a line that is typed at a terminal in raw mode. The zero Line is empty. It
// knows Backspace, Delete, the left and right arrows, Home, End, Ctrl-U, which erases the
// line, and Ctrl-W, which erases a word. Other keys without a character are left out.
//
// Octets that are not UTF-8 are characters of one column. Cursor movements are relative,
// so that whatever stands before the line may be there; a line that wraps needs a
// terminal whose backspace goes back a line.
type Line struct {
	// Columns returns how many columns the terminal uses for a character; nil: Width.
	Columns func(r rune) int

	cells   []cell
	at      int    // the cell that the cursor is on
	size    int    // octets of cells
	partial []byte // the beginning of a character
	key     keyState
	seq     []byte // what came of a sequence
}

// cell is a character, with the marks that combine with it.
type cell struct {
	octets  string
	columns int
}

// LineEvent is what a key did to a [Line].
type LineEvent uint8

const (
	LineMore    LineEvent = iota // the line continues
	LineEnter                    // Enter: the line is complete
	LineControl                  // a control character that does not edit
)

// keyState is how far a sequence is that a key without a character sends.
type keyState uint8

const (
	keyNone     keyState = iota
	keyEscape            // after ESC
	keyOne               // one more octet is part of it: SS3
	keySequence          // up to its final octet: CSI
)

// Text returns the octets of the line.
func (l *Line) Text() string {
	var b strings.Builder
	for _, c := range l.cells {
		b.WriteString(c.octets)
	}
	b.Write(l.partial)
	return b.String()
}

// Len returns the number of octets of the line.
func (l *Line) Len() int { return l.size + len(l.partial) }

// Reset empties the line. It shows nothing.
func (l *Line) Reset() {
	*l = Line{Columns: l.Columns, cells: l.cells[:0], partial: l.partial[:0], seq: l.seq[:0]}
}

// Type takes an octet of what is typed. It returns what shows on the terminal what that
// did, and the event. The line stays after LineEnter and LineControl; the caller resets
// it.
func (l *Line) Type(o byte) (shown string, e LineEvent) {
	if l.isKey(o) {
		return l.sequence(), LineMore
	}
	if o >= utf8.RuneSelf || len(l.partial) > 0 {
		shown = l.character(o)
		if o >= utf8.RuneSelf {
			return shown, LineMore
		}
	}
	switch {
	case o == '\r' || o == '\n':
		return shown + l.end() + "\r\n", LineEnter
	case o == '\b' || o == 0x7F:
		return shown + l.erase(), LineMore
	case o == 'U'&0x1F:
		shown += l.end()
		for l.at > 0 {
			shown += l.erase()
		}
		return shown, LineMore
	case o == 'W'&0x1F:
		for l.at > 0 && strings.TrimLeft(l.cells[l.at-1].octets, " \t") == "" {
			shown += l.erase()
		}
		for l.at > 0 && strings.TrimLeft(l.cells[l.at-1].octets, " \t") != "" {
			shown += l.erase()
		}
		return shown, LineMore
	case o == '\t':
		return shown + l.insert("\t", " ", 1), LineMore
	case o < ' ':
		return shown, LineControl
	}
	return shown + l.insert(string(rune(o)), string(rune(o)), 1), LineMore
}

// character takes an octet after, or of, a character that is not US-ASCII.
func (l *Line) character(o byte) (shown string) {
	if o >= utf8.RuneSelf {
		l.partial = append(l.partial, o)
	}
	for len(l.partial) > 0 {
		if o >= utf8.RuneSelf && !utf8.FullRune(l.partial) {
			return shown
		}
		r, n := utf8.DecodeRune(l.partial)
		text := string(l.partial[:n])
		l.partial = append(l.partial[:0], l.partial[n:]...)
		switch {
		case r == utf8.RuneError && n == 1:
			shown += l.insert(text, text, 1)
		case r < 0xA0:
			// A control of ISO Latin 1: nothing that is typed, and it must not be shown.
		default:
			shown += l.insert(text, text, l.columns(r))
		}
	}
	return shown
}

func (l *Line) columns(r rune) int {
	if l.Columns != nil {
		return l.Columns(r)
	}
	return Width(string(r))
}

// insert puts a character before the cursor.
func (l *Line) insert(octets, shown string, columns int) string {
	if l.size+len(octets) > MaxLine {
		return "\a"
	}
	l.size += len(octets)
	if columns == 0 && l.at > 0 {
		l.cells[l.at-1].octets += octets
		return shown
	}
	l.cells = append(l.cells, cell{})
	copy(l.cells[l.at+1:], l.cells[l.at:])
	l.cells[l.at] = cell{octets, columns}
	l.at++
	tail, width := l.tail()
	return shown + tail + back(width)
}

// tail returns what is shown from the cursor on, and its columns.
func (l *Line) tail() (shown string, columns int) {
	if l.at == len(l.cells) {
		return "", 0
	}
	var b strings.Builder
	for _, c := range l.cells[l.at:] {
		b.WriteString(c.shown())
		columns += c.columns
	}
	return b.String(), columns
}

func (c cell) shown() string { return strings.ReplaceAll(c.octets, "\t", " ") }

func back(columns int) string { return strings.Repeat("\b", columns) }

// erase removes the character before the cursor.
func (l *Line) erase() string {
	if l.at == 0 {
		return ""
	}
	l.at--
	width := l.cells[l.at].columns
	if l.at == len(l.cells)-1 {
		l.remove()
		return strings.Repeat("\b \b", width)
	}
	return back(width) + l.remove()
}

// remove removes the character that the cursor is on, and shows the rest.
func (l *Line) remove() string {
	if l.at == len(l.cells) {
		return ""
	}
	gone := l.cells[l.at]
	l.size -= len(gone.octets)
	l.cells = append(l.cells[:l.at], l.cells[l.at+1:]...)
	tail, width := l.tail()
	return tail + strings.Repeat(" ", gone.columns) + back(width+gone.columns)
}

func (l *Line) left() string {
	if l.at == 0 {
		return ""
	}
	l.at--
	return back(l.cells[l.at].columns)
}

func (l *Line) right() string {
	if l.at == len(l.cells) {
		return ""
	}
	l.at++
	return l.cells[l.at-1].shown()
}

func (l *Line) home() (shown string) {
	for l.at > 0 {
		shown += l.left()
	}
	return shown
}

func (l *Line) end() string {
	tail, _ := l.tail()
	l.at = len(l.cells)
	return tail
}

// isKey reports whether o belongs to what a key without a character sends.
func (l *Line) isKey(o byte) bool {
	was := l.key
	l.key = keyNone
	switch was {
	case keyNone, keyEscape:
		l.seq = l.seq[:0]
		switch {
		case o == 0x1B:
			l.key = keyEscape
		case was == keyEscape && o == '[':
			l.key = keySequence
		case was == keyEscape && o == 'O':
			l.key = keyOne
		default:
			// After ESC: a character that was typed with Alt.
			return was == keyEscape && o >= ' '
		}
		return true
	case keyOne:
		if o >= ' ' {
			l.seq = append(l.seq, o)
		}
		return o >= ' '
	}
	if o < ' ' {
		return false
	}
	if l.seq = append(l.seq, o); o < '@' {
		l.key = keySequence
		l.seq = l.seq[:min(len(l.seq), 8)] // no key has more
	}
	return true
}

// sequence does what a key does, if its sequence is complete.
func (l *Line) sequence() string {
	if l.key != keyNone {
		return ""
	}
	switch string(l.seq) {
	case "D":
		return l.left()
	case "C":
		return l.right()
	case "H", "1~", "7~":
		return l.home()
	case "F", "4~", "8~":
		return l.end()
	case "3~":
		return l.remove()
	}
	return ""
}
