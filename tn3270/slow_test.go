package tn3270_test

// This file is a second, simple and readable implementation of the data stream. It implements the
// effect of a write on a screen of 24 by 80, and follows GA23-0059 chapters 3 and 4 literally.

// slowCell is a position on the screen. It contains a character with its own attributes, or the
// attribute of a field.
type slowCell struct {
	octet     byte
	attribute bool
	escaped   bool
	color     byte
	highlight byte
	set       byte
}

type slowScreen struct {
	cells  [1920]slowCell
	cursor int
}

// slowOrder is an order with its operands, or a character.
type slowOrder struct {
	code    byte
	address int
	octets  []byte // operand octets other than an address
}

// slowOrders splits the data of a write into orders. If the last order is truncated, ok is false.
func slowOrders(data []byte) (orders []slowOrder, ok bool) {
	for len(data) > 0 {
		o := slowOrder{code: data[0]}
		data = data[1:]
		length := 0
		switch o.code {
		case 0x11, 0x12: // Set Buffer Address, Erase Unprotected to Address
			length = 2
		case 0x3C: // Repeat to Address
			length = 3
			if len(data) > 2 && data[2] == 0x08 {
				length = 4
			}
		case 0x1D, 0x08: // Start Field, Graphic Escape
			length = 1
		case 0x28: // Set Attribute
			length = 2
		case 0x29, 0x2C: // Start Field Extended, Modify Field
			if len(data) == 0 {
				return orders, false
			}
			length = 1 + 2*int(data[0])
		}
		if length > len(data) {
			return orders, false
		}
		o.octets, data = data[:length], data[length:]
		switch o.code {
		case 0x11, 0x12, 0x3C:
			first, second := int(o.octets[0]), int(o.octets[1])
			switch {
			case first < 0x40:
				o.address = first*256 + second
			case first < 0x80 || first >= 0xC0:
				o.address = first%64*64 + second%64
			default:
				return orders, false
			}
			if o.address >= 1920 {
				return orders, false
			}
			o.octets = o.octets[2:]
		}
		if bad := slowBad(o); bad {
			return orders, false
		}
		orders = append(orders, o)
	}
	return orders, true
}

// slowBad reports whether the order is unknown or its operands are invalid.
func slowBad(o slowOrder) bool {
	character := func(c byte) bool {
		switch c {
		case 0x00, 0x0C, 0x0D, 0x0E, 0x0F, 0x15, 0x19, 0x1C, 0x1E, 0x3F:
			return true
		}
		return c >= 0x40
	}
	switch o.code {
	case 0x05, 0x11, 0x12, 0x13, 0x1D, 0x28, 0x29, 0x2C:
		return false
	case 0x08:
		return o.octets[0] < 0x40 || o.octets[0] == 0xFF
	case 0x3C:
		if o.octets[0] == 0x08 {
			return o.octets[1] < 0x40 || o.octets[1] == 0xFF
		}
		return !character(o.octets[0])
	}
	return !character(o.code)
}

// write executes a Write, or an Erase/Write if erase is true. It reports whether all orders were
// valid.
func (s *slowScreen) write(erase bool, wcc byte, data []byte) bool {
	if erase {
		*s = slowScreen{}
	}
	if wcc&0x01 != 0 {
		for i := range s.cells {
			if s.cells[i].attribute {
				s.cells[i].octet &= 0x3E
			}
		}
	}
	orders, ok := slowOrders(data)
	at := s.cursor
	var now slowCell // current attributes from Set Attribute
	afterCharacter, afterErasingTab := false, false
	put := func(c slowCell) {
		s.cells[at] = c
		at = (at + 1) % 1920
	}
	for _, o := range orders {
		character, erasingTab := false, false
		switch o.code {
		case 0x11:
			at = o.address
		case 0x13:
			s.cursor = at
		case 0x1D:
			put(slowCell{octet: o.octets[0] % 64, attribute: true})
		case 0x29:
			put(slowChange(slowCell{attribute: true}, o.octets[1:]))
		case 0x2C:
			if !s.cells[at].attribute {
				return false
			}
			put(slowChange(s.cells[at], o.octets[1:]))
		case 0x28:
			now = slowChange(now, o.octets)
		case 0x3C:
			c := now
			c.octet, c.escaped = o.octets[len(o.octets)-1], len(o.octets) == 2
			for {
				put(c)
				if at == o.address {
					break
				}
			}
		case 0x12:
			for {
				if !s.cells[at].attribute && !s.isProtected(at) {
					s.cells[at] = slowCell{}
				}
				if at = (at + 1) % 1920; at == o.address {
					break
				}
			}
		case 0x05:
			at, erasingTab = s.tab(at, afterCharacter || afterErasingTab)
		case 0x08:
			c := now
			c.octet, c.escaped = o.octets[0], true
			put(c)
			character = true
		default:
			c := now
			c.octet = o.code
			put(c)
			character = true
		}
		afterCharacter, afterErasingTab = character, erasingTab
	}
	return ok
}

// tab implements Program Tab at the given address. The target is the first position of the next
// non-empty input field, or 0 if there is no such field. If erases is true, tab clears the rest of
// the current field. If tab cleared positions up to address 0, hasWrapped is true.
func (s *slowScreen) tab(address int, erases bool) (target int, hasWrapped bool) {
	if s.cells[address].attribute && s.cells[address].octet&0x20 == 0 {
		return (address + 1) % 1920, false
	}
	for i := address; i < 1919 && target == 0; i++ { // for a field that begins at 0, the result is 0 anyway
		if s.cells[i].attribute && s.cells[i].octet&0x20 == 0 && !s.cells[i+1].attribute {
			target = i + 1
		}
	}
	if !erases {
		return target, false
	}
	for i := address; i != target && !s.cells[i].attribute; i = (i + 1) % 1920 {
		s.cells[i] = slowCell{}
	}
	return target, target == 0
}

// isProtected reports whether a position is in a protected field. The attribute of the field is at
// or before the position, and the search wraps from the first position to the last.
func (s *slowScreen) isProtected(address int) bool {
	for i := range 1920 {
		if c := s.cells[(address-i+1920)%1920]; c.attribute {
			return c.octet&0x20 != 0
		}
	}
	return false
}

func slowChange(c slowCell, pairs []byte) slowCell {
	for i := 0; i+1 < len(pairs); i += 2 {
		value := pairs[i+1]
		switch pairs[i] {
		case 0x00:
			c.color, c.highlight, c.set = 0, 0, 0
		case 0x41:
			c.highlight = value
		case 0x42:
			c.color = value
		case 0x43:
			c.set = 0
			if value == 0xF1 {
				c.set = 0xF1
			}
		case 0xC0:
			if c.attribute {
				c.octet = value % 64
			}
		}
	}
	return c
}

// readBuffer returns the reply to Read Buffer without the AID and the cursor address. The reply
// mode is Character, with the attribute types 41, 42 and 43.
func (s *slowScreen) readBuffer() (data []byte) {
	var last slowCell
	for _, c := range s.cells {
		if c.attribute {
			data = append(data, 0x29, 1, 0xC0, slowGraphic(c.octet))
			count := len(data) - 3
			for _, p := range [][2]byte{{0x41, c.highlight}, {0x42, c.color}, {0x43, c.set}} {
				if p[1] != 0 {
					data = append(data, p[0], p[1])
					data[count]++
				}
			}
			continue
		}
		if c.highlight != last.highlight {
			data = append(data, 0x28, 0x41, c.highlight)
		}
		if c.color != last.color {
			data = append(data, 0x28, 0x42, c.color)
		}
		if c.set != last.set {
			data = append(data, 0x28, 0x43, c.set)
		}
		last = c
		if c.escaped {
			data = append(data, 0x08)
		}
		data = append(data, c.octet)
	}
	return data
}

// slowGraphic implements figure C-1 as a rule. It adds the two upper bits that convert a six-bit
// number to a graphic character.
func slowGraphic(n byte) byte {
	switch n % 16 {
	case 0:
		if n == 0x30 {
			return 0xF0
		}
		return 0x40 + n
	case 1:
		if n == 0x21 {
			return 0x61
		}
		return 0xC0 + n
	case 10, 11, 12, 13, 14, 15:
		return 0x40 + n
	}
	return 0xC0 + n
}
