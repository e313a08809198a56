package tn3270

import (
	"cmp"
	"fmt"
)

// Snapshot is a copy of a screen.
type Snapshot struct {
	Rows, Columns int
	Row, Column   int    // position of the cursor, counted from 1
	Cells         []Cell // cells of the screen, row by row
	Status        Status
}

// Cell is one position of a Snapshot.
type Cell struct {
	Rune        rune      // character; a space for nulls, attributes and hidden characters
	Color       Color     // color; never zero on a terminal with colors
	Highlight   Highlight // highlighting; zero if there is none
	Intensified bool
	Hidden      bool // whether the cell is in a hidden field
	Attribute   bool // whether the cell is the attribute of a field
	Protected   bool // whether the cell accepts no input
}

// Snapshot returns a copy of the screen.
func (s *Screen) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	shot := Snapshot{Rows: s.rows, Columns: s.columns, Cells: make([]Cell, len(s.cells)), Status: s.status}
	shot.Row, shot.Column = s.position(s.cursor)
	field := s.fieldOf(len(s.cells) - 1)
	for a := range s.cells {
		if s.cells[a].isField {
			field = a
		}
		shot.Cells[a] = s.show(field, a)
	}
	return shot
}

// Cells returns the cells of the screen, row by row.
func (s *Screen) Cells() []Cell { return s.Snapshot().Cells }

func (s *Screen) show(field, address int) Cell {
	attribute, c := s.attribute(field), s.cells[address]
	shown := Cell{
		Rune: s.visible(field, address), Hidden: attribute.hidden(), Intensified: attribute.intensified(),
		Attribute: c.isField, Protected: c.isField || attribute.protected(),
	}
	of := c.attributes
	if field >= 0 {
		of = of.withDefaults(s.cells[field].attributes)
	}
	if s.extended {
		shown.Color = cmp.Or(of.color, attribute.color())
	}
	if !c.isField && !shown.Hidden && of.highlight != Normal {
		shown.Highlight = of.highlight
	}
	return shown
}

// withDefaults returns a copy of the attributes a, in which the attributes of field replace missing
// attributes.
func (a attributes) withDefaults(field attributes) attributes {
	a.color = cmp.Or(a.color, field.color)
	a.highlight = cmp.Or(a.highlight, field.highlight)
	return a
}

func (a Attribute) color() Color {
	switch {
	case a.protected() && a.intensified():
		return Neutral
	case a.protected():
		return Blue
	case a.intensified():
		return Red
	}
	return Green
}

// Clip returns the part of a screen that fits on a terminal with the given size. If the beginning
// of the screen does not contain the cursor, Clip returns the first part that contains the cursor.
func (s Snapshot) Clip(rows, columns int) Snapshot {
	rows, columns = min(max(rows, 1), s.Rows), min(max(columns, 1), s.Columns)
	if rows == s.Rows && columns == s.Columns {
		return s
	}
	top, left := max(s.Row-rows, 0), max(s.Column-columns, 0)
	part := Snapshot{Rows: rows, Columns: columns, Row: s.Row - top, Column: s.Column - left, Status: s.Status}
	for row := top; row < top+rows; row++ {
		part.Cells = append(part.Cells, s.row(row)[left:left+columns]...)
	}
	return part
}

// row returns the cells of row n, counted from 0.
func (s Snapshot) row(n int) []Cell { return s.Cells[n*s.Columns : (n+1)*s.Columns] }

// StatusLine returns a line about the keyboard and the cursor. A program should show this line
// below the screen.
func (s Snapshot) StatusLine() string {
	insert := ' '
	if s.Status.Insert {
		insert = '^'
	}
	return fmt.Sprintf("%-12s %c  %03d/%03d", s.Status.Lock, insert, s.Row, s.Column)
}
