package markup

import "strings"

// opensTable reports whether the line s is the delimiter row of a table. The header of the table
// is the last line of the open paragraph (GFM 4.10). If s is a delimiter row, opensTable ends the
// paragraph before the header, and the next lines are rows.
func (m *markdown) opensTable(s string) bool {
	columns := delimiterCells(s)
	if columns == 0 || rowCells(m.text[m.lastLine:m.end]) != columns {
		return false
	}
	start, end := m.lastLine, m.end
	m.end = start
	m.closeLeaf()
	m.readRow(start, end)
	m.leaf = table
	return true
}

// readRow reads the row between the offsets start and end. Each cell is read as a paragraph, so
// that no inline element extends beyond a cell. A row may contain more cells than the header. GFM
// does not show the additional cells, but other dialects do.
func (m *markdown) readRow(start, end int) {
	for start < end {
		cell := start + cellSize(m.text[start:end])
		m.inline(start, cell, nil)
		start = cell + 1
	}
}

// cellSize returns the size of the cell at the start of s, up to the first "|" that is not escaped.
// A "|" in a code span also ends a cell.
func cellSize(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '|':
			return i
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '|':
			i++
		}
	}
	return len(s)
}

// rowCells returns the number of cells in a row. The "|" before the first cell and the "|" after
// the last cell are optional.
func rowCells(s string) (n int) {
	s = strings.TrimPrefix(strings.Trim(s, tableBlanks), "|")
	for s != "" {
		n++
		s = s[min(cellSize(s)+1, len(s)):]
	}
	return n
}

// delimiterCells returns the number of cells in a delimiter row such as "|---|:-:|". For other
// lines, it returns 0.
func delimiterCells(s string) (n int) {
	s = strings.TrimPrefix(strings.Trim(s, tableBlanks), "|")
	for s != "" {
		cell, rest, _ := strings.Cut(s, "|")
		cell = strings.Trim(cell, tableBlanks)
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return 0
		}
		n++
		s = rest
	}
	return n
}

// tableBlanks lists the white space characters around cells.
const tableBlanks = " \t\v\f"
