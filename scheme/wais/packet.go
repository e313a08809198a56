package wais

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A packet consists of an ASCII header and one APDU.
//
//	0-9    length of the APDU: ten decimal digits
//	10     message type: "z", an APDU of Z39.50
//	11     header version: "2", for which servers send the types of documents
//	12-21  server name: free text, padded with blanks
//	22     compression: blank for none
//	23     encoding: blank for none
//	24     checksum: "0" for none
//
// In a response, servers copy octets 10 to 23 from the request.
const (
	headerSize   = 25
	lengthSize   = 10
	headerCoding = 22 // offset of the octets for compression and encoding

	header = "0000000000z2wais        0"
)

// maxStray is the maximum number of octets that the client skips before a packet. Programs of
// the 1990s skip everything before the first "0".
const maxStray = 16

// firstAllocation is the size of the first allocation for an APDU. Each further allocation
// doubles the size, after as much data has arrived.
const firstAllocation = 16 << 10

// ErrEmpty means that the server sent an empty packet. Either the server does not understand
// the request, or the response does not fit into the server's buffer. ErrEmpty wraps
// [scheme.ErrProtocol].
var ErrEmpty = fmt.Errorf("wais: %w: the server could not respond: it does not understand the request, or the response does not fit its buffer", scheme.ErrProtocol)

// readPacket reads exactly one packet and returns its APDU. If buf is large enough, the APDU
// is stored in buf. Otherwise readPacket allocates memory as the data arrives, whatever length
// the header announces. The APDU may have at most maxLength octets.
func readPacket(r io.Reader, buf []byte, maxLength int) (apdu []byte, err error) {
	buf = slices.Grow(buf[:0], headerSize)[:headerSize]
	if err := readHeader(r, buf); err != nil {
		return nil, err
	}
	length, err := packetLength(buf)
	switch {
	case err != nil:
		return nil, err
	case length == 0:
		return nil, ErrEmpty
	case length > int64(maxLength):
		return nil, fmt.Errorf("wais: %w: a packet has %d bytes, and the limit is %d", scheme.ErrTooLarge, length, maxLength)
	}
	return readAPDU(r, buf[:0], int(length))
}

// readHeader reads a packet header into head. It skips a few stray octets before the header.
func readHeader(r io.Reader, head []byte) error {
	read, stray := 0, 0
	for read < len(head) {
		n, err := io.ReadFull(r, head[read:])
		read += n
		if err != nil {
			return truncationError(err, stray+read, "in the header of a packet")
		}
		kept := bytes.TrimLeft(head, "\r\n \x00")
		stray += len(head) - len(kept)
		if stray > maxStray {
			return fmt.Errorf("wais: %w: more than %d bytes before a packet", scheme.ErrProtocol, maxStray)
		}
		read = copy(head, kept)
	}
	return nil
}

func packetLength(head []byte) (int64, error) {
	digits := head[:lengthSize]
	if string(head) == noResponse {
		return 0, fmt.Errorf("wais: %w: the server's response is not in the archive", scheme.ErrProtocol)
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, fmt.Errorf("wais: %w: a packet begins with ten digits, not with %s", scheme.ErrProtocol, locus.Quote(string(digits)))
		}
	}
	if coding := head[headerCoding : headerCoding+2]; string(coding) != "  " {
		return 0, fmt.Errorf("wais: %w: a packet is compressed or encoded as %s, which was not requested", scheme.ErrProtocol, locus.Quote(string(coding)))
	}
	return strconv.ParseInt(string(digits), 10, 64)
}

func readAPDU(r io.Reader, buf []byte, length int) ([]byte, error) {
	buf = slices.Grow(buf, min(length, firstAllocation))
	for len(buf) < length {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, min(length-len(buf), len(buf)))
		}
		n, err := io.ReadFull(r, buf[len(buf):min(length, cap(buf))])
		buf = buf[:len(buf)+n]
		if err != nil {
			return nil, truncationError(err, headerSize+len(buf), fmt.Sprintf("in a packet of %d", headerSize+length))
		}
	}
	return buf, nil
}

// truncationError returns the error for a packet that ended after the given number of octets.
func truncationError(err error, octets int, where string) error {
	if octets > 0 && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("wais: after %d bytes %s: %w", octets, where, scheme.ProtocolError(err))
}

type packet struct {
	b         []byte
	start     int // offset of the packet in b
	headerEnd int // offset in b at which the APDU's header ends
}

// apduStart is the offset of the APDU's type. The two octets before it contain the length of
// the APDU's header.
const apduStart = headerSize + 2

// beginPacket appends the beginning of a packet with an APDU of the given type and fixed
// fields.
func beginPacket(dst []byte, apdu byte, fixedFields string) packet {
	p := packet{b: dst, start: len(dst)}
	p.b = append(p.b, header...)
	p.b = append(p.b, 0, 0, apdu)
	p.b = append(p.b, fixedFields...)
	return p
}

func (p *packet) text(tag int, octets string) { p.b = appendElement(p.b, tag, octets) }

func (p *packet) textIf(tag int, octets string) {
	if octets != "" {
		p.text(tag, octets)
	}
}

func (p *packet) number(tag int, n int64) { p.b = appendNumber(p.b, tag, n) }

// endHeader ends the header of the APDU. The caller may then add elements, and combine them
// with groupElements.
func (p *packet) endHeader() { p.headerEnd = len(p.b) }

// groupElements combines all elements after the APDU's header into one element with the given
// tag.
func (p *packet) groupElements(tag int) {
	var head [2 * compressedSize]byte
	size := len(p.b) - p.headerEnd
	p.b = slices.Insert(p.b, p.headerEnd, appendCompressed(appendCompressed(head[:0], tag), size)...)
}

// These constants limit the size of a request in octets. The value of maxRequest is ten times
// the buffer size of the most common server.
const (
	maxHeader  = 1<<16 - 1
	maxRequest = 1 << 20
)

// finish sets the lengths in the packet, and returns the packet. The error wraps
// [locus.ErrValue].
func (p *packet) finish() ([]byte, error) {
	header := p.headerEnd - p.start - apduStart
	length := len(p.b) - p.start - headerSize
	if header > maxHeader || length > maxRequest {
		return p.b[:p.start], invalid("the request has more than %d bytes, or its header more than %d: use fewer or shorter words, names and examples", maxRequest, maxHeader)
	}
	p.b[p.start+headerSize], p.b[p.start+headerSize+1] = byte(header>>8), byte(header)
	for i := p.start + lengthSize - 1; length > 0; i-- {
		p.b[i] = '0' + byte(length%10)
		length /= 10
	}
	return p.b, nil
}
