package tn3270

import "iter"

// attributes holds the extended attributes of a field or of a character.
type attributes struct {
	color     Color
	highlight Highlight
	charset   byte // character set: 0 or characterAPL
}

type cell struct {
	octet           byte // EBCDIC code of the character, or the Attribute of a field
	isField         bool // whether octet is an Attribute
	isGraphicEscape bool // whether the character follows Graphic Escape
	attributes
}

// buffer is the character buffer, which is divided into fields. A field consists of its attribute
// and the positions up to the next attribute. A field may wrap from the last position to the first
// position. Addresses count from 0.
type buffer struct {
	rows, columns int
	cells         []cell
}

// erase clears the buffer and sets its size to m. The capacity of b.cells must be at least this
// size.
func (b *buffer) erase(m dimensions) {
	b.rows, b.columns = m.Rows, m.Columns
	b.cells = b.cells[:m.Rows*m.Columns]
	clear(b.cells)
}

func (b *buffer) next(address int) int {
	if address++; address < len(b.cells) {
		return address
	}
	return 0
}

func (b *buffer) before(address int) int {
	if address == 0 {
		address = len(b.cells)
	}
	return address - 1
}

// positions yields the positions from the address start up to, but not including, the address end.
// If the two addresses are equal, it yields all positions.
func (b *buffer) positions(start, end int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := start; yield(a); {
			if a = b.next(a); a == end {
				return
			}
		}
	}
}

// fieldOf returns the address of the attribute of the field that contains the given position. This
// attribute may be at the position itself. If there are no fields, fieldOf returns -1.
func (b *buffer) fieldOf(address int) int {
	for range b.cells {
		if b.cells[address].isField {
			return address
		}
		address = b.before(address)
	}
	return -1
}

// attribute returns the attribute of a field. The argument must be a result of fieldOf. For a
// screen without fields, it returns an attribute that accepts input.
func (b *buffer) attribute(field int) Attribute {
	if field < 0 {
		return 0
	}
	return Attribute(b.cells[field].octet)
}

// fieldData yields the positions that follow the attribute of a field. If field is -1, it yields
// all positions.
func (b *buffer) fieldData(field int) iter.Seq[int] {
	return func(yield func(int) bool) {
		a := field
		for range b.cells {
			if a = b.next(a); b.cells[a].isField || !yield(a) {
				return
			}
		}
	}
}

// restOfField yields the positions from the given address to the end of the field at that address.
// If there are no fields, it yields the positions to the end of the buffer.
func (b *buffer) restOfField(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.positions(address, 0)
	}
	return b.fieldData(b.before(address))
}

// restOfLine is like restOfField, except that it yields the positions to the end of the line if
// there are no fields.
func (b *buffer) restOfLine(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.positions(address, (address/b.columns+1)*b.columns%len(b.cells))
	}
	return b.fieldData(b.before(address))
}

func (b *buffer) fields() iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := range b.cells {
			if b.cells[a].isField && !yield(a) {
				return
			}
		}
	}
}

// isInput reports whether the position holds the attribute of a non-empty input field.
func (b *buffer) isInput(address int) bool {
	c := b.cells[address]
	return c.isField && !Attribute(c.octet).protected() && !b.cells[b.next(address)].isField
}

// nextInput returns the first position of an input field. It selects the first input field whose
// attribute is at or after the given address. If there is no input field, nextInput returns 0.
func (b *buffer) nextInput(address int) int {
	for a := range b.positions(address, address) {
		if b.isInput(a) {
			return b.next(a)
		}
	}
	return 0
}

// firstInput returns the first position of the first input field, or 0 if there is no input field.
// The position may be in a field that wraps.
func (b *buffer) firstInput() int { return b.nextInput(len(b.cells) - 1) }

// setModified sets or resets the modified data tag of a field.
func (b *buffer) setModified(field int, modified bool) {
	if field < 0 {
		return
	}
	b.cells[field].octet &^= byte(Modified)
	if modified {
		b.cells[field].octet |= byte(Modified)
	}
}
