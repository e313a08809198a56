package tn3270

import "slices"

// These constants are the reply modes.
const (
	replyField     = 0x00 // the reply contains the fields and their attributes
	replyExtended  = 0x01 // the reply also contains the extended attributes of fields
	replyCharacter = 0x02 // the reply also contains the extended attributes of characters
)

func (s *Screen) readBuffer(dst []byte, aid byte) []byte {
	dst = s.appendHead(dst, aid)
	var last attributes
	for _, c := range s.cells {
		if c.isField {
			dst = s.appendField(dst, c)
		} else {
			dst, last = s.appendCharacter(dst, c, last)
		}
	}
	return dst
}

func (s *Screen) appendHead(dst []byte, aid byte) []byte {
	return appendAddress(append(dst, aid), s.cursor, s.isWide)
}

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

func (a attributes) pairs() [3][2]byte {
	return [3][2]byte{{typeHighlight, byte(a.highlight)}, {typeColor, byte(a.color)}, {typeCharacter, a.charset}}
}

// appendCharacter appends a character. In the mode replyCharacter, it first appends the attributes
// of the character that differ from previous.
func (s *Screen) appendCharacter(dst []byte, c cell, previous attributes) ([]byte, attributes) {
	if s.replyMode == replyCharacter {
		was := previous.pairs()
		for i, pair := range c.pairs() {
			if pair != was[i] && slices.Contains(s.replyTypes, pair[0]) {
				dst = append(dst, orderSetAttribute, pair[0], pair[1])
			}
		}
	}
	if c.isGraphicEscape {
		dst = append(dst, orderGraphicEscape)
	}
	return append(dst, c.octet), c.attributes
}

// readModified appends a record with the modified fields. The record is the reply to a Read
// Modified, or the result of pressing a key. If withData is true, it includes the data even for
// keys that normally send no data.
func (s *Screen) readModified(dst []byte, aid byte, withData bool) []byte {
	if isShort(aid) && !withData {
		return append(dst, aid)
	}
	dst = s.appendHead(dst, aid)
	var previous attributes
	if s.fieldOf(0) < 0 {
		dst, _ = s.appendData(dst, -1, previous)
		return dst
	}
	for f := range s.fields() {
		if !s.attribute(f).modified() {
			continue
		}
		dst = appendAddress(append(dst, orderSetBufferAddress), s.next(f), s.isWide)
		if aid != aidCursorSelect || withData {
			dst, previous = s.appendData(dst, f, previous)
		}
	}
	return dst
}

// appendData appends the characters of a field. It omits nulls.
func (s *Screen) appendData(dst []byte, field int, previous attributes) ([]byte, attributes) {
	for a := range s.fieldData(field) {
		if s.cells[a].octet != null {
			dst, previous = s.appendCharacter(dst, s.cells[a], previous)
		}
	}
	return dst, previous
}
