package wais

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/locus-url/locus/scheme"
)

// An APDU consists of a header and the user information. The header contains its own length in
// two octets, the APDU's type, fields of fixed size, and elements. An element consists of a
// tag, the length of the value, and the value. Tag and length are compressed integers. A group
// is an element whose value consists of elements.

// These are the APDU types of WAIS.
const (
	apduSearch      = 22
	apduSearchReply = 23
)

// These are the tags of elements and groups.
const (
	tagReferenceID     = 2
	tagResultSetName   = 17
	tagDatabaseNames   = 18
	tagElementSetNames = 19
	tagQueryType       = 20
	tagQuery           = 21
	tagDiagnostic      = 28
	tagAttributeList   = 44
	tagTerm            = 45
	tagOperator        = 46
	tagUserInformation = 99

	tagSeedWords      = 106
	tagDateFactor     = 111
	tagMaxDocuments   = 114
	tagDocumentID     = 116
	tagScore          = 118
	tagDocumentLength = 120
	tagSource         = 121
	tagDate           = 122
	tagHeadline       = 123
	tagDocumentText   = 127
	tagLines          = 131
	tagTypeBlock      = 132
	tagType           = 133

	groupHeader      = 150
	groupShortHeader = 151
	groupLongHeader  = 152
	groupText        = 153
	groupHeadline    = 154
	groupCodes       = 155
)

// compressedSize is the maximum size of a compressed integer in octets.
const compressedSize = 5

// appendCompressed appends n as a compressed integer. Each octet contains seven bits, the
// highest bits first. The top bit is set in all octets except the last.
func appendCompressed(dst []byte, n int) []byte {
	for shift := (bits.Len(uint(n)|1) - 1) / 7 * 7; shift > 0; shift -= 7 {
		dst = append(dst, byte(n>>shift)|0x80)
	}
	return append(dst, byte(n)&0x7f)
}

func appendElement(dst []byte, tag int, octets string) []byte {
	dst = appendCompressed(dst, tag)
	dst = appendCompressed(dst, len(octets))
	return append(dst, octets...)
}

// maxNumber is the largest number in a request. A number has at most four octets, the top bit
// of which is a sign.
const maxNumber = math.MaxInt32

// appendNumber appends an element with a number from 0 to maxNumber. The value is a
// big-endian integer in as few octets as possible.
func appendNumber(dst []byte, tag int, n int64) []byte {
	size := max(1, (bits.Len64(uint64(n))+7)/8)
	dst = appendCompressed(dst, tag)
	dst = appendCompressed(dst, size)
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(n>>shift))
	}
	return dst
}

const unknownNumber = -1

// elements iterates over the elements in a part of an APDU.
type elements struct {
	apdu    []byte
	at, end int  // range of the remaining elements in apdu
	records bool // an element with tag 28 is a diagnostic record

	tag         int64
	start, stop int // range of the current value in apdu
	err         error
}

// readElement reads the next element. At the end of the elements or after an error, it returns
// false. The field err then contains the error, if any.
func (e *elements) readElement() bool {
	if e.err != nil || e.at == e.end {
		return false
	}
	e.tag = e.readCompressed()
	trailer := 0
	var size int64
	if e.records && e.tag == tagDiagnostic {
		size, trailer = e.recordSize(), 1
	} else {
		size = e.readCompressed()
	}
	if e.err != nil {
		return false
	}
	if left := e.end - e.at - trailer; size > int64(left) {
		e.fail(e.at, "an element has %d octets, but its container only %d more", size, max(0, left))
		return false
	}
	e.start, e.stop = e.at, e.at+int(size)
	e.at = e.stop + trailer
	return true
}

// readCompressed reads a compressed integer. After an error it returns 0.
func (e *elements) readCompressed() (n int64) {
	start := e.at
	for e.err == nil {
		switch {
		case e.at == e.end:
			e.fail(start, "an integer exceeds its container")
			return 0
		case e.at == start+compressedSize:
			e.fail(start, "an integer has more than %d octets", compressedSize)
			return 0
		}
		o := e.apdu[e.at]
		e.at++
		n = n<<7 | int64(o&0x7f)
		if o < 0x80 {
			break
		}
	}
	return n
}

// recordSize reads the length of a diagnostic record. Unlike other lengths, this length is not
// a compressed integer.
func (e *elements) recordSize() int64 {
	if e.end-e.at < 2 {
		e.fail(e.at, "a diagnostic record ends within its length")
		return 0
	}
	size := binary.BigEndian.Uint16(e.apdu[e.at:])
	if size < minDiagnosticSize {
		e.fail(e.at, "a diagnostic record has %d octets, less than %d", size, minDiagnosticSize)
	}
	e.at += 2
	return int64(size)
}

// value returns the value of the current element, without copying it.
func (e *elements) value() []byte { return e.apdu[e.start:e.stop:e.stop] }

func (e *elements) text() string { return string(e.value()) }

// number returns the value of the current element as a number. For a negative number, it
// returns unknownNumber.
func (e *elements) number() (n int64) {
	value := e.value()
	if len(value) > 4 {
		e.fail(e.start, "a number has %d octets, more than 4", len(value))
		return unknownNumber
	}
	for _, o := range value {
		n = n<<8 | int64(o)
	}
	if n > maxNumber {
		return unknownNumber
	}
	return n
}

func (e *elements) inside() elements {
	return elements{apdu: e.apdu, at: e.start, end: e.stop}
}

func (e *elements) fail(offset int, format string, args ...any) {
	e.err = badAPDU(offset, format, args...)
}

// badAPDU returns an error for an APDU that is malformed at the given offset.
func badAPDU(offset int, format string, args ...any) error {
	return fmt.Errorf("wais: %w: at octet %d of the APDU: %s", scheme.ErrProtocol, offset, fmt.Sprintf(format, args...))
}

// openAPDU parses the beginning of an APDU of the given type. It returns the fixed fields
// of the APDU, an iterator over the elements in the header, and an iterator over the
// elements after the header.
func openAPDU(apdu []byte, kind byte, fixed int) (fields []byte, header, information elements, err error) {
	const typeAt = 2
	if len(apdu) <= typeAt {
		return nil, header, information, badAPDU(len(apdu), "it ends before its type")
	}
	size, rest := int(binary.BigEndian.Uint16(apdu)), len(apdu)-typeAt
	switch {
	case size > rest:
		err = badAPDU(0, "the header has %d octets, but the APDU only %d more", size, rest)
	case size > 0 && apdu[typeAt] != kind:
		err = badAPDU(typeAt, "its type is %d, not %d", apdu[typeAt], kind)
	case size < 1+fixed:
		err = badAPDU(0, "the header has %d octets, but its type and fixed fields %d", size, 1+fixed)
	}
	if err != nil {
		return nil, header, information, err
	}
	elementsAt, headerEnd := typeAt+1+fixed, typeAt+size
	header = elements{apdu: apdu, at: elementsAt, end: headerEnd}
	information = elements{apdu: apdu, at: headerEnd, end: len(apdu)}
	return apdu[typeAt+1 : elementsAt], header, information, nil
}
