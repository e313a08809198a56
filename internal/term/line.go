package term

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxLine is the maximum length of an input line in bytes. It equals the limit in terminal
// drivers.
const MaxLine = 4096

// Line edits an input line of a terminal in raw mode. The zero Line is empty. A Line handles
// Backspace, Delete, the left and right arrows, Home and End. Ctrl-U erases the line, and Ctrl-W
// erases a word. A Line ignores other keys that do not type a character. A Line must not be used
// concurrently.
//
// A byte that is not valid UTF-8 counts as a character one column wide. Cursor movements are
// relative, so a prompt may precede the line. If a line is longer than a terminal row, editing
// works only on a terminal where a backspace at the left margin moves to the previous row.
type Line struct {
	// Columns returns the width of a character in terminal columns. If Columns is nil, Line
	// uses Width.
	Columns func(r rune) int

	cells          []cell
	cursor         int    // index of the cell at the cursor
	size           int    // size of cells in bytes
	partial        []byte // an incomplete character
	key            keyState
	sequenceOctets []byte // bytes of an incomplete key sequence
}

// cell is a character with its combining marks.
type cell struct {
	octets  string
	columns int
}

// LineEvent is the effect of a key on a [Line].
type LineEvent uint8

const (
	LineMore    LineEvent = iota // the line continues
	LineEnter                    // the user pressed Enter, and the line is complete
	LineControl                  // the user typed a control character that is not an editing key
)

// keyState is the parser's state within a key sequence, which is the input from a key without a
// character.
type keyState uint8

const (
	keyNone     keyState = iota
	keyEscape            // after ESC
	keyOne               // after SS3, before the last byte
	keySequence          // after CSI, before the final byte
)

// Text returns the bytes of the line.
func (l *Line) Text() string {
	var b strings.Builder
	for _, c := range l.cells {
		b.WriteString(c.octets)
	}
	b.Write(l.partial)
	return b.String()
}

// Len returns the length of the line in bytes.
func (l *Line) Len() int { return l.size + len(l.partial) }

// Reset clears the line without output.
func (l *Line) Reset() {
	*l = Line{Columns: l.Columns, cells: l.cells[:0], partial: l.partial[:0], sequenceOctets: l.sequenceOctets[:0]}
}

// Type handles a byte of input. It returns the output for the terminal and the resulting event.
// After LineEnter or LineControl, the caller must reset the line.
func (l *Line) Type(o byte) (shown string, e LineEvent) {
	if l.isKey(o) {
		return l.doKey(), LineMore
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
		for l.cursor > 0 {
			shown += l.erase()
		}
		return shown, LineMore
	case o == 'W'&0x1F:
		for l.cursor > 0 && strings.TrimLeft(l.cells[l.cursor-1].octets, " \t") == "" {
			shown += l.erase()
		}
		for l.cursor > 0 && strings.TrimLeft(l.cells[l.cursor-1].octets, " \t") != "" {
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

// character handles one byte of a non-ASCII character.
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
			// The control characters of ISO Latin 1 are not safe to display.
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

// insert inserts a character at the cursor. It returns the output for the terminal.
func (l *Line) insert(octets, shown string, columns int) string {
	if l.size+len(octets) > MaxLine {
		return "\a"
	}
	l.size += len(octets)
	if columns == 0 && l.cursor > 0 {
		l.cells[l.cursor-1].octets += octets
		return shown
	}
	l.cells = slices.Insert(l.cells, l.cursor, cell{octets, columns})
	l.cursor++
	tail, width := l.tail()
	return shown + tail + back(width)
}

// tail returns the text from the cursor to the end of the line, and its width in columns.
func (l *Line) tail() (shown string, columns int) {
	var b strings.Builder
	for _, c := range l.cells[l.cursor:] {
		b.WriteString(c.shown())
		columns += c.columns
	}
	return b.String(), columns
}

func (c cell) shown() string { return strings.ReplaceAll(c.octets, "\t", " ") }

func back(columns int) string { return strings.Repeat("\b", columns) }

func (l *Line) erase() string {
	if l.cursor == 0 {
		return ""
	}
	l.cursor--
	width := l.cells[l.cursor].columns
	if l.cursor == len(l.cells)-1 {
		l.remove()
		return strings.Repeat("\b \b", width)
	}
	return back(width) + l.remove()
}

// remove removes the character at the cursor and returns the output that redraws the rest of the
// line.
func (l *Line) remove() string {
	if l.cursor == len(l.cells) {
		return ""
	}
	gone := l.cells[l.cursor]
	l.size -= len(gone.octets)
	l.cells = slices.Delete(l.cells, l.cursor, l.cursor+1)
	tail, width := l.tail()
	return tail + strings.Repeat(" ", gone.columns) + back(width+gone.columns)
}

func (l *Line) left() string {
	if l.cursor == 0 {
		return ""
	}
	l.cursor--
	return back(l.cells[l.cursor].columns)
}

func (l *Line) right() string {
	if l.cursor == len(l.cells) {
		return ""
	}
	l.cursor++
	return l.cells[l.cursor-1].shown()
}

func (l *Line) home() (shown string) {
	for l.cursor > 0 {
		shown += l.left()
	}
	return shown
}

func (l *Line) end() string {
	tail, _ := l.tail()
	l.cursor = len(l.cells)
	return tail
}

// isKey reports whether the byte o belongs to the key sequence of a key without a character.
func (l *Line) isKey(o byte) bool {
	was := l.key
	l.key = keyNone
	switch was {
	case keyNone, keyEscape:
		l.sequenceOctets = l.sequenceOctets[:0]
		switch {
		case o == 0x1B:
			l.key = keyEscape
		case was == keyEscape && o == '[':
			l.key = keySequence
		case was == keyEscape && o == 'O':
			l.key = keyOne
		default:
			// The user typed this character with Alt.
			return was == keyEscape && o >= ' '
		}
		return true
	case keyOne:
		if o >= ' ' {
			l.sequenceOctets = append(l.sequenceOctets, o)
		}
		return o >= ' '
	}
	if o < ' ' {
		return false
	}
	if l.sequenceOctets = append(l.sequenceOctets, o); o < '@' {
		l.key = keySequence
		l.sequenceOctets = l.sequenceOctets[:min(len(l.sequenceOctets), 8)] // longer than any key sequence
	}
	return true
}

func (l *Line) doKey() string {
	if l.key != keyNone {
		return ""
	}
	switch string(l.sequenceOctets) {
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
