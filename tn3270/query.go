package tn3270

import "slices"

// These constants are the codes of the query replies that this package implements.
const (
	querySummary           = 0x80
	queryUsableArea        = 0x81
	queryCharacterSets     = 0x85
	queryColor             = 0x86
	queryHighlighting      = 0x87
	queryReplyModes        = 0x88
	queryImplicitPartition = 0xA6
	queryNull              = 0xFF
)

// These constants are the request types in a Query List.
const (
	listOf         = 0x00 // the host requests the listed replies
	listEquivalent = 0x40 // the host requests the listed and equivalent replies, which means all replies
	listAll        = 0x80
)

func (s *Screen) queryCodes() []byte {
	codes := []byte{querySummary, queryUsableArea, queryCharacterSets}
	if s.extended {
		codes = append(codes, queryColor, queryHighlighting)
	}
	return append(codes, queryReplyModes, queryImplicitPartition)
}

func (s *Screen) queryList(in *stream) ([]byte, error) {
	request, err := in.readOctets(1)
	if err != nil {
		return nil, err
	}
	switch request[0] {
	case listEquivalent, listAll:
		return s.queryReply(nil), nil
	case listOf:
		return s.queryReply(in.record[in.offset:]), nil
	}
	return nil, in.fault("unknown Query List %02X", request[0])
}

// queryReply returns the query replies with the given codes. If codes is nil, queryReply returns
// all replies.
func (s *Screen) queryReply(codes []byte) []byte {
	reply := []byte{aidStructured}
	for _, code := range s.queryCodes() {
		if codes == nil || slices.Contains(codes, code) {
			reply = s.appendQueryReply(reply, code)
		}
	}
	if len(reply) == 1 {
		reply = s.appendQueryReply(reply, queryNull)
	}
	return reply
}

func (s *Screen) appendQueryReply(dst []byte, code byte) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, sfQueryReply, code)
	switch code {
	case querySummary:
		dst = append(dst, s.queryCodes()...)
	case queryUsableArea:
		dst = s.appendUsableArea(dst)
	case queryCharacterSets:
		dst = s.appendCharacterSets(dst)
	case queryColor:
		dst = append(dst, 0, 8, 0, byte(Green)) // number of color pairs; the default color is green
		for c := Blue; c <= Neutral; c++ {
			dst = append(dst, byte(c), byte(c))
		}
	case queryHighlighting:
		dst = append(dst, 5, 0, byte(Normal))
		for _, h := range [...]Highlight{Blink, Reverse, Underscore, Intensify} {
			dst = append(dst, byte(h), byte(h))
		}
	case queryReplyModes:
		dst = append(dst, replyField, replyExtended, replyCharacter)
	case queryImplicitPartition:
		dst = append(dst, 0, 0, 11, 1, 0) // the description of the partition sizes has 11 octets
		dst = appendSize(dst, models[2])
		dst = appendSize(dst, s.alternate)
	}
	n := len(dst) - start
	dst[start], dst[start+1] = byte(n>>8), byte(n)
	return dst
}

// These constants are the size of a character in points, and the distances between points on real
// displays.
const (
	pointsWide = 9
	pointsHigh = 12
	distances  = "\x01" + // unit of the distances: millimeters
		"\x00\x0A\x02\xE5" + // horizontal distance, 10/741
		"\x00\x02\x00\x6F" // vertical distance, 2/111
)

func (s *Screen) appendUsableArea(dst []byte) []byte {
	dst = append(dst, 0x03, 0) // the terminal supports addresses of 12, 14 and 16 bits
	dst = appendSize(dst, s.alternate)
	dst = append(dst, distances...)
	positions := s.alternate.Rows * s.alternate.Columns
	return append(dst, pointsWide, pointsHigh, byte(positions>>8), byte(positions))
}

// appendSize appends a width and a height.
func appendSize(dst []byte, m dimensions) []byte {
	return append(dst, byte(m.Columns>>8), byte(m.Columns), byte(m.Rows>>8), byte(m.Rows))
}

// appendCharacterSets appends the descriptions of two character sets, which are the code page and
// the APL set that Graphic Escape selects. The host cannot load other character sets.
func (s *Screen) appendCharacterSets(dst []byte) []byte {
	dst = append(dst, 0x82, 0, pointsWide, pointsHigh) // the terminal supports Graphic Escape, and code pages have numbers
	dst = append(dst, 0, 0, 0, 0)                      // the host cannot load character sets
	dst = append(dst, 7)                               // length of each of the following descriptions in octets
	dst = append(dst, 0, 0x10, 0)
	dst = append(dst, byte(s.page.characters>>8), byte(s.page.characters), byte(s.page.number>>8), byte(s.page.number))
	return append(dst, 1, 0, characterAPL, 0x03, 0xC3, 0x01, 0x36) // character set 963, code page 310
}
