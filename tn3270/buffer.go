package tn3270

import "iter"

// attributes are the extended attributes of a field or of a character.
type attributes struct {
	color     Color
	highlight Highlight
	charset   byte // 0, or characterAPL
}

// cell is a position of the buffer.
type cell struct {
	octet byte // the character, or the Attribute of a field
	field bool // octet is an Attribute
	ge    bool // the character came behind Graphic Escape
	attributes
}

// buffer is the character buffer, and what fields make of it. A field is its
// attribute and the positions behind it up to the next one; it may go on from the
// last position at the first. Addresses count from 0.
type buffer struct {
	rows, columns int
	cells         []cell
}

// erase makes the buffer one of nulls, with a size for which cells has the room.
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

// span are the positions from one to before another; all of them if the two are
// the same.
func (b *buffer) span(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := from; yield(a); {
			if a = b.next(a); a == to {
				return
			}
		}
	}
}

// fieldOf returns the address of the attribute of the field that a position is in,
// which is its own if it is one; -1 if there are no fields.
func (b *buffer) fieldOf(address int) int {
	for range b.cells {
		if b.cells[address].field {
			return address
		}
		address = b.before(address)
	}
	return -1
}

// attribute returns the attribute of the field at an address of fieldOf. A screen
// without fields is one that can be typed on.
func (b *buffer) attribute(field int) Attribute {
	if field < 0 {
		return 0
	}
	return Attribute(b.cells[field].octet)
}

// data are the positions of a field behind its attribute; of the buffer for -1.
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

// rest are the positions from one to the end of its field; to the end of the buffer
// if there are no fields.
func (b *buffer) rest(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.span(address, 0)
	}
	return b.data(b.before(address))
}

// line is rest, which ends with the line if there are no fields.
func (b *buffer) line(address int) iter.Seq[int] {
	if b.fieldOf(address) < 0 {
		return b.span(address, (address/b.columns+1)*b.columns%len(b.cells))
	}
	return b.data(b.before(address))
}

// fields are the addresses of the attributes, from the beginning of the buffer.
func (b *buffer) fields() iter.Seq[int] {
	return func(yield func(int) bool) {
		for a := range b.cells {
			if b.cells[a].field && !yield(a) {
				return
			}
		}
	}
}

// isInput reports whether a position is the attribute of a field for input that has
// room for any.
func (b *buffer) isInput(address int) bool {
	c := b.cells[address]
	return c.field && !Attribute(c.octet).protected() && !b.cells[b.next(address)].field
}

// nextInput returns the first position of the first field for input whose attribute
// is at an address or behind it; 0 if there is none.
func (b *buffer) nextInput(address int) int {
	for a := range b.span(address, address) {
		if b.isInput(a) {
			return b.next(a)
		}
	}
	return 0
}

// firstInput returns the first position for input, be it that of a field whose
// attribute is the last position; 0 if there is none.
func (b *buffer) firstInput() int { return b.nextInput(len(b.cells) - 1) }

// setModified sets the modified data tag of a field, or resets it.
func (b *buffer) setModified(field int, modified bool) {
	if field < 0 {
		return
	}
	b.cells[field].octet &^= byte(Modified)
	if modified {
		b.cells[field].octet |= byte(Modified)
	}
}
