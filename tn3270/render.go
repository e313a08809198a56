package tn3270

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Draw appends a drawing of the snapshot s to dst. The drawing is for the upper left corner of an
// ECMA-48 terminal. It consists of graphic characters and the sequences CUP, EL and SGR. It does
// not change rows below the screen.
func Draw(dst []byte, s Snapshot) []byte { return DrawChanges(dst, Snapshot{}, s) }

// DrawChanges is like [Draw], but the terminal must already show an earlier snapshot, which the
// caller passes as the argument drawn. DrawChanges draws only the rows of s that differ from the
// earlier snapshot.
func DrawChanges(dst []byte, drawn, s Snapshot) []byte {
	for row := range s.Rows {
		if drawn.Columns != s.Columns || row >= drawn.Rows || !slices.Equal(drawn.row(row), s.row(row)) {
			dst = appendRow(dst, row+1, s.row(row))
		}
	}
	for row := s.Rows; row < drawn.Rows; row++ {
		dst = appendRow(dst, row+1, nil)
	}
	return appendCursor(dst, s.Row, s.Column)
}

// DrawStatus appends a drawing of the status line (see [Snapshot.StatusLine]) in the given row of
// the terminal, counted from 1. The drawing then restores the cursor position.
func DrawStatus(dst []byte, s Snapshot, row int) []byte {
	dst = appendLine(dst, row)
	dst = append(dst, s.StatusLine()...)
	return appendCursor(dst, s.Row, s.Column)
}

func appendCursor(dst []byte, row, column int) []byte {
	return fmt.Appendf(dst, "\x1b[%d;%dH", row, column)
}

// appendLine appends sequences that move the cursor to the beginning of a row and erase the row.
// The row must be erased before it is written, because erasing at the end of a full row would
// remove the last character.
func appendLine(dst []byte, row int) []byte {
	dst = appendCursor(dst, row, 1)
	return append(dst, "\x1b[m\x1b[K"...)
}

func appendRow(dst []byte, row int, cells []Cell) []byte {
	dst = appendLine(dst, row)
	var last rendition
	for _, c := range cells[:drawnCells(cells)] {
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

// drawnCells returns the number of cells at the beginning of a row that must be drawn.
func drawnCells(cells []Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1].graphic() == ' ' && cells[n-1].rendition() == (rendition{}) {
		n--
	}
	return n
}

func (c Cell) graphic() rune {
	if c.Hidden || c.Attribute || !unicode.IsGraphic(c.Rune) {
		return ' '
	}
	return c.Rune
}

// rendition is the appearance of a character. The zero rendition is the terminal's default
// rendition.
type rendition struct {
	color     Color
	highlight Highlight
	bold      bool
}

// rendition returns the rendition of a cell. For a space without highlighting, it returns the zero
// rendition.
func (c Cell) rendition() rendition {
	r := rendition{c.Color, c.Highlight, c.Intensified || c.Highlight == Intensify}
	if c.graphic() == ' ' && r.highlight != Reverse && r.highlight != Underscore {
		return rendition{}
	}
	return r
}

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
	if n := sgr[r.color]; n != 0 {
		dst = fmt.Appendf(dst, ";%d", n)
	}
	return append(dst, 'm')
}

// sgr maps colors to SGR parameters for the eight colors of ECMA-48 and their bright variants. The
// parameter 0 selects the terminal's default color. The table does not use 34, the blue of
// ECMA-48, because it is illegible on black.
var sgr = [256]byte{
	NeutralBlack: 30, Blue: 94, Red: 31, Pink: 95, Green: 32, Turquoise: 36, Yellow: 93, Neutral: 37,
	Black: 30, DeepBlue: 34, Orange: 33, Purple: 35, PaleGreen: 92, PaleTurquoise: 96, Grey: 90, White: 97,
}
