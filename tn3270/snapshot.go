package tn3270

import "fmt"

// Snapshot is a screen at one moment.
type Snapshot struct {
	Rows, Columns int
	Row, Column   int    // of the cursor, counted from 1
	Cells         []Cell // row by row
	Status        Status
}

// Cell is what shows at one position.
type Cell struct {
	Rune        rune      // a blank for nulls, attributes, and what is hidden
	Color       Color     // never the zero Color on a terminal that has colours
	Highlight   Highlight // the zero Highlight is none
	Intensified bool
	Hidden      bool // in a hidden field
	Attribute   bool // the attribute of a field is here
	Protected   bool // nothing can be typed here
}

// Snapshot returns the screen as it is now.
func (s *Screen) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	shot := Snapshot{Rows: s.rows, Columns: s.columns, Cells: make([]Cell, len(s.cells)), Status: s.status}
	shot.Row, shot.Column = s.place(s.cursor)
	field := s.fieldOf(len(s.cells) - 1)
	for a := range s.cells {
		if s.cells[a].field {
			field = a
		}
		shot.Cells[a] = s.show(field, a)
	}
	return shot
}

// Cells returns what shows at each position of the screen, row by row.
func (s *Screen) Cells() []Cell { return s.Snapshot().Cells }

// show returns what shows at a position of the field.
func (s *Screen) show(field, address int) Cell {
	attribute, c := s.attribute(field), s.cells[address]
	shown := Cell{
		Rune: s.visible(field, address), Hidden: attribute.hidden(), Intensified: attribute.intensified(),
		Attribute: c.field, Protected: c.field || attribute.protected(),
	}
	of := c.attributes
	if field >= 0 {
		of = of.or(s.cells[field].attributes)
	}
	if s.extended {
		shown.Color = of.color
		if of.color == 0 {
			shown.Color = attribute.color()
		}
	}
	if !c.field && !shown.Hidden && of.highlight != Normal {
		shown.Highlight = of.highlight
	}
	return shown
}

// or returns the attributes of a character, or where it has none the field's.
func (a attributes) or(field attributes) attributes {
	if a.color == 0 {
		a.color = field.color
	}
	if a.highlight == 0 {
		a.highlight = field.highlight
	}
	return a
}

// color is the colour of a field that was not given one.
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

// Clip returns the part of a screen that fits a terminal of that many rows and
// columns: its beginning, or as far on as it takes to have the cursor in it.
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

// row returns a row, counted from 0.
func (s Snapshot) row(n int) []Cell { return s.Cells[n*s.Columns : (n+1)*s.Columns] }

// StatusLine returns a line about the keyboard and the cursor, as a terminal has it
// below the screen.
func (s Snapshot) StatusLine() string {
	insert := ' '
	if s.Status.Insert {
		insert = '^'
	}
	return fmt.Sprintf("%-12s %c  %03d/%03d", s.Status.Lock, insert, s.Row, s.Column)
}
