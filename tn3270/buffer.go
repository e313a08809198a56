package tn3270

import "iter"

// attributes holds the extended attributes of a field or of a character.
type attributes struct {
	color     Color
	highlight Highlight
	charset   byte // 0, or characterAPL
}

type cell struct {
	octet byte // the character, or the Attribute of a field
	field bool // octet is an Attribute
	ge    bool // the character came after Graphic Escape
	attributes
}

// buffer is the character buffer, divided into fields. A field is its attribute and the
// positions up to the next attribute. It may wrap from the last position to the first.
// Addresses count from 0.
type buffer struct {
	rows, columns int
	cells         []cell
}

// erase clears the buffer and sets its size. cells must have the capacity.
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

// span yields the positions from from to before to. If both are equal, it yields all positions.
func (b *buffer) span(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := from; yield(a); {
			if a = b.next(a); a == to {
				return
			}
		}
	}
}

// fieldOf returns the address of the attribute of the field at a position, which may be
// the position itself. If there are no fields, it returns -1.
func (b *buffer) fieldOf(address int) int {
	for range b.cells {
		if b.cells[address].field {
			return address
		}
		address = b.before(address)
	}
	return -1
}

// attribute returns the attribute of a field, as fieldOf returns it. A screen without
// fields accepts input.
func (b *buffer) attribute(field int) Attribute {
	if field < 0 {
		return 0
	}
	return Attribute(b.cells[field].octet)
}

// data yields the positions of a field after its attribute. For -1 it yields all positions.
func (b *buffer) data(field int) iter.Seq[int] {
	return func(yield func(int) bool) {
		a := field
		for range b.cells {
			if a = b.next(a); b.cells[a].field || !yield(a) {
				return
			}
		}
	}
}

// rest yields the positions from address to the end of its field. If there are no
// fields, it yields the positions to the end of the buffer.
func (b *buffer) rest(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.span(address, 0)
	}
	return b.data(b.before(address))
}

// line is like rest, but if there are no fields, it ends with the line.
func (b *buffer) line(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.span(address, (address/b.columns+1)*b.columns%len(b.cells))
	}
	return b.data(b.before(address))
}

func (b *buffer) fields() iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := range b.cells {
			if b.cells[a].field && !yield(a) {
				return
			}
		}
	}
}

// isInput reports whether a position is the attribute of a non-empty input field.
func (b *buffer) isInput(address int) bool {
	c := b.cells[address]
	return c.field && !Attribute(c.octet).protected() && !b.cells[b.next(address)].field
}

// nextInput returns the first position of the first input field whose attribute is at or
// after an address, or 0 if there is none.
func (b *buffer) nextInput(address int) int {
	for a := range b.span(address, address) {
		if b.isInput(a) {
			return b.next(a)
		}
	}
	return 0
}

// firstInput returns the first position for input, possibly in a field that wraps, or 0
// if there is none.
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
