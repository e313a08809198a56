package tn3270

// The reply modes.
const (
	replyField     = 0x00 // fields with their attribute, characters
	replyExtended  = 0x01 // fields with their extended attributes too
	replyCharacter = 0x02 // characters with their attributes too
)

// readBuffer appends all of the buffer, as Read Buffer has it.
func (s *Screen) readBuffer(dst []byte, aid byte) []byte {
	dst = s.appendHead(dst, aid)
	var last attributes
	for _, c := range s.cells {
		if c.field {
			dst = s.appendField(dst, c)
		} else {
			dst, last = s.appendCharacter(dst, c, last)
		}
	}
	return dst
}

// appendHead appends the AID and the address of the cursor.
func (s *Screen) appendHead(dst []byte, aid byte) []byte {
	return appendAddress(append(dst, aid), s.cursor, s.wide)
}

// appendField appends the order that makes a field like this.
func (s *Screen) appendField(dst []byte, c cell) []byte {
	attribute := graphic(c.octet)
	if s.replyMode == replyField {
		return append(dst, orderStartField, attribute)
	}
	dst = append(dst, orderStartFieldExt, 1, typeField, attribute)
	count := len(dst) - 3
	for _, pair := range c.pairs() {
		if pair[1] != 0 {
			dst = append(dst, pair[0], pair[1])
			dst[count]++
		}
	}
	return dst
}

// pairs are the types and values of the attributes.
func (a attributes) pairs() [3][2]byte {
	return [3][2]byte{{typeHighlight, byte(a.highlight)}, {typeColor, byte(a.color)}, {typeCharacter, a.charset}}
}

// appendCharacter appends a character, in the reply mode of characters behind the
// attributes in which it differs from the last one.
func (s *Screen) appendCharacter(dst []byte, c cell, last attributes) ([]byte, attributes) {
	if s.replyMode == replyCharacter {
		was := last.pairs()
		for i, pair := range c.pairs() {
			if pair != was[i] && s.repliesWith(pair[0]) {
				dst = append(dst, orderSetAttribute, pair[0], pair[1])
			}
		}
	}
	if c.ge {
		dst = append(dst, orderGraphicEscape)
	}
	return append(dst, c.octet), c.attributes
}

// repliesWith reports whether the host asked for this type of attribute.
func (s *Screen) repliesWith(kind byte) bool {
	for _, t := range s.replyTypes {
		if t == kind {
			return true
		}
	}
	return false
}

// readModified appends the fields that were modified, as Read Modified and a key
// have them; all: with the data also for the keys that send none.
func (s *Screen) readModified(dst []byte, aid byte, all bool) []byte {
	if isShort(aid) && !all {
		return append(dst, aid)
	}
	dst = s.appendHead(dst, aid)
	var last attributes
	if s.fieldOf(0) < 0 {
		dst, _ = s.appendData(dst, -1, last)
		return dst
	}
	for f := range s.fields() {
		if !s.attribute(f).modified() {
			continue
		}
		dst = appendAddress(append(dst, orderSetBufferAddress), s.next(f), s.wide)
		if aid != aidCursorSelect || all {
			dst, last = s.appendData(dst, f, last)
		}
	}
	return dst
}

// appendData appends the characters of a field, without nulls.
func (s *Screen) appendData(dst []byte, field int, last attributes) ([]byte, attributes) {
	for a := range s.data(field) {
		if s.cells[a].octet != null {
			dst, last = s.appendCharacter(dst, s.cells[a], last)
		}
	}
	return dst, last
}
