package tn3270

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Draw appends what draws a screen at the upper left of a terminal (ECMA-48): graphic
// characters, and the sequences CUP, EL and SGR. What is below and at the right of
// the screen stays.
func Draw(dst []byte, s Snapshot) []byte { return DrawChanges(dst, Snapshot{}, s) }

// DrawChanges is [Draw] where was has been drawn: it draws the rows that differ.
func DrawChanges(dst []byte, was, now Snapshot) []byte {
	for row := range now.Rows {
		if was.Columns != now.Columns || row >= was.Rows || !slices.Equal(was.row(row), now.row(row)) {
			dst = appendRow(dst, row+1, now.row(row))
		}
	}
	for row := now.Rows; row < was.Rows; row++ {
		dst = appendRow(dst, row+1, nil)
	}
	return appendCursor(dst, now.Row, now.Column)
}

// DrawStatus appends what draws [Snapshot.StatusLine] in a row of the terminal,
// counted from 1, and brings the cursor back.
func DrawStatus(dst []byte, s Snapshot, row int) []byte {
	dst = appendLine(dst, row)
	dst = append(dst, s.StatusLine()...)
	return appendCursor(dst, s.Row, s.Column)
}

// appendCursor appends CUP.
func appendCursor(dst []byte, row, column int) []byte {
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(row), 10)
	dst = append(dst, ';')
	dst = strconv.AppendInt(dst, int64(column), 10)
	return append(dst, 'H')
}

// appendLine goes to the beginning of a row and erases it. Erasing comes first: at
// the end of a full row it would take the last character.
func appendLine(dst []byte, row int) []byte {
	dst = appendCursor(dst, row, 1)
	return append(dst, "\x1b[m\x1b[K"...)
}

func appendRow(dst []byte, row int, cells []Cell) []byte {
	dst = appendLine(dst, row)
	var last rendition
	for _, c := range cells[:drawn(cells)] {
		if r := c.rendition(); r != last {
			dst = r.appendSGR(dst)
			last = r
		}
		dst = utf8.AppendRune(dst, c.graphic())
	}
	if last != (rendition{}) {
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

// drawn returns how many cells of a row there are to draw.
func drawn(cells []Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1].graphic() == ' ' && cells[n-1].rendition() == (rendition{}) {
		n--
	}
	return n
}

// graphic returns the character to draw, whatever the cell has.
func (c Cell) graphic() rune {
	if c.Hidden || c.Attribute || !unicode.IsGraphic(c.Rune) {
		return ' '
	}
	return c.Rune
}

// rendition is how a character is drawn. The zero rendition is the terminal's own.
type rendition struct {
	color     Color
	highlight Highlight
	bold      bool
}

// rendition returns that of a cell. A blank needs none unless it is highlighted.
func (c Cell) rendition() rendition {
	r := rendition{c.Color, c.Highlight, c.Intensified || c.Highlight == Intensify}
	if c.graphic() == ' ' && r.highlight != Reverse && r.highlight != Underscore {
		return rendition{}
	}
	return r
}

// appendSGR appends the sequence that selects the rendition.
func (r rendition) appendSGR(dst []byte) []byte {
	dst = append(dst, "\x1b[0"...)
	if r.bold {
		dst = append(dst, ";1"...)
	}
	switch r.highlight {
	case Underscore:
		dst = append(dst, ";4"...)
	case Blink:
		dst = append(dst, ";5"...)
	case Reverse:
		dst = append(dst, ";7"...)
	}
	if n := r.color.sgr(); n != 0 {
		dst = append(dst, ';')
		dst = strconv.AppendUint(dst, uint64(n), 10)
	}
	return append(dst, 'm')
}

// sgr returns the parameter that selects a colour among the eight of ECMA-48 and
// the brighter eight that terminals have; 0 if the terminal's own will do.
func (c Color) sgr() byte {
	switch c {
	case NeutralBlack, Black:
		return 30
	case Blue:
		return 94 // 34 can't be read on a black ground
	case Red:
		return 31
	case Pink:
		return 95
	case Green:
		return 32
	case Turquoise:
		return 36
	case Yellow:
		return 93
	case Neutral:
		return 37
	case DeepBlue:
		return 34
	case Orange:
		return 33
	case Purple:
		return 35
	case PaleGreen:
		return 92
	case PaleTurquoise:
		return 96
	case Grey:
		return 90
	case White:
		return 97
	}
	return 0
}
