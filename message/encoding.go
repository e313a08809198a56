package message

import (
	"bytes"
	"io"
	"strings"
)

// The readers in this file decode a Content-Transfer-Encoding (RFC 2045 section 6). These
// readers skip invalid text, which Parse reports as faults.

const (
	noDigit = 0xFF
	padding = 0xFE
)

// base64Values are the values of the base64 digits.
var base64Values = func() (t [256]byte) {
	for i := range t {
		t[i] = noDigit
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	t['='] = padding
	return t
}()

// base64Decoder decodes base64 (RFC 2045 section 6.8). A base64Decoder skips characters
// outside the alphabet. A base64Decoder continues after padding, because some programs put
// several base64 texts into one part.
type base64Decoder struct {
	bits uint32
	n    int // number of base64 digits in the field bits
}

func (d *base64Decoder) decode(dst, src []byte) []byte {
	for _, c := range src {
		switch v := base64Values[c]; v {
		case noDigit:
		case padding:
			dst = d.finish(dst)
		default:
			d.bits = d.bits<<6 | uint32(v)
			if d.n++; d.n == 4 {
				dst = append(dst, byte(d.bits>>16), byte(d.bits>>8), byte(d.bits))
				d.n = 0
			}
		}
	}
	return dst
}

// finish appends the last bytes of a base64 text to dst, and prepares the decoder for another
// text.
func (d *base64Decoder) finish(dst []byte) []byte {
	switch d.n {
	case 2:
		dst = append(dst, byte(d.bits>>4))
	case 3:
		dst = append(dst, byte(d.bits>>10), byte(d.bits>>2))
	}
	d.n = 0
	return dst
}

// base64Reader decodes a base64 text in pieces.
type base64Reader struct {
	r       io.Reader
	decoder base64Decoder
	in, out []byte
}

func (r *base64Reader) next() ([]byte, error) {
	n, err := r.r.Read(r.in)
	r.out = r.decoder.decode(r.out[:0], r.in[:n])
	if err == io.EOF {
		r.out = r.decoder.finish(r.out)
	}
	return r.out, err
}

// base64Fault returns the offset of the first invalid character of line, or -1.
func base64Fault(line []byte) int {
	for i, c := range line {
		if base64Values[c] == noDigit && !isBlank(c) {
			return i
		}
	}
	return -1
}

// quotedPrintableDecoder decodes quoted-printable (RFC 2045 section 6.7) line by line. A
// quotedPrintableDecoder leaves an "=" that does not begin an escape unchanged.
type quotedPrintableDecoder struct {
	carry []byte // an incomplete escape at the end of a fragment
}

func (q *quotedPrintableDecoder) step(dst []byte, f *fragment) ([]byte, error) {
	text := f.text
	if len(q.carry) > 0 {
		text = append(q.carry, text...)
		q.carry = nil
	}
	eol := f.eol
	if f.ends {
		// Spaces at the end of a line were added during transport (RFC 2045 section 6.7).
		text = bytes.TrimRight(text, " \t")
		if n := len(text); n > 0 && text[n-1] == '=' {
			text, eol = text[:n-1], ""
		}
	} else if i := bytes.LastIndexByte(text[max(len(text)-2, 0):], '='); i >= 0 {
		i += max(len(text)-2, 0)
		text, q.carry = text[:i], bytes.Clone(text[i:])
	}
	for {
		i := bytes.IndexByte(text, '=')
		if i < 0 {
			break
		}
		dst = append(dst, text[:i]...)
		text = text[i+1:]
		if isHexPair(text) {
			dst = append(dst, unhex(text[0])<<4|unhex(text[1]))
			text = text[2:]
		} else {
			dst = append(dst, '=')
		}
	}
	return append(append(dst, text...), eol...), nil
}

// quotedPrintableFault returns the offset of the first "=" in a whole line that does not
// begin an escape, or -1.
func quotedPrintableFault(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	for i := 0; ; {
		n := bytes.IndexByte(line[i:], '=')
		if n < 0 || i+n == len(line)-1 {
			return -1
		}
		i += n + 1
		if !isHexPair(line[i:]) {
			return i - 1
		}
	}
}

func isHexPair[T ~string | ~[]byte](text T) bool {
	return len(text) >= 2 && isHex(text[0]) && isHex(text[1])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&0x0F + 9
}

// uudecoder decodes a uuencoded file (POSIX), from its "begin" to its "end".
type uudecoder struct{ begun bool }

func (u *uudecoder) step(dst []byte, f *fragment) ([]byte, error) {
	switch {
	case !f.begins:
	case !u.begun:
		_, u.begun = uuName(f.text)
	case string(bytes.TrimSpace(f.text)) == "end":
		return dst, io.EOF
	default:
		dst = appendUU(dst, f.text)
	}
	return dst, nil
}

// appendUU appends the decoded bytes of one line. appendUU replaces spaces that were lost at
// the end of the line by zeros.
func appendUU(dst, line []byte) []byte {
	if len(line) == 0 {
		return dst
	}
	n := int(line[0]-' ') & 0x3F
	line = line[1:]
	at := func(i int) uint32 {
		if i < len(line) {
			return uint32(line[i]-' ') & 0x3F
		}
		return 0
	}
	for i := 0; n > 0; i, n = i+4, n-3 {
		bits := at(i)<<18 | at(i+1)<<12 | at(i+2)<<6 | at(i+3)
		dst = append(dst, []byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}[:min(n, 3)]...)
	}
	return dst
}

// uuName returns the file name in the first line of a uuencoded file, such as "begin 644 name".
func uuName(line []byte) (name string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("begin "))
	if !ok {
		return "", false
	}
	mode, rest, ok := bytes.Cut(rest, []byte(" "))
	if !ok || len(mode) < 3 || len(mode) > 4 || strings.Trim(string(mode), "01234567") != "" {
		return "", false
	}
	name = strings.TrimSpace(string(rest))
	return name, name != ""
}

func isUU(line []byte) bool {
	for _, c := range line {
		if c < ' ' || c > '`' {
			return false
		}
	}
	// An empty line means a line with one space, which was lost during transport. Some
	// programs add a checksum to a line.
	line = bytes.TrimRight(line, " ")
	return len(line) == 0 || len(line) <= 1+(int(line[0]-' ')&0x3F+2)/3*4+1
}

// newDecodingReader returns a reader that decodes r. size is the approximate number of bytes in
// r.
func newDecodingReader(encoding string, r io.Reader, size int64) io.Reader {
	switch encoding {
	case "base64":
		chunk := min(max(size, 256), 16<<10)
		b := &base64Reader{r: r, in: make([]byte, chunk), out: make([]byte, 0, chunk)}
		return &pieceReader{nextPiece: b.next}
	case "quoted-printable":
		return newLineReader(r, size, new(quotedPrintableDecoder).step)
	case encodingUU:
		return newLineReader(r, size, new(uudecoder).step)
	}
	return r
}

// encodingUU is the name of the transfer encoding of uuencoded content. The prefix "x-" comes
// from RFC 2045 section 6.3.
const encodingUU = "x-uuencode"

// encodingOf returns the name of a Content-Transfer-Encoding in lower case. For an encoding
// such as 8bit, which does not change the content, encodingOf returns "". For an unknown
// encoding, ok is false.
func encodingOf(value string) (name string, ok bool) {
	name, _ = parseParams(value)
	switch name {
	case "", "7bit", "8bit", "7-bit", "8-bit":
		return "", true
	case "binary", "base64", "quoted-printable":
		return name, true
	case "x-uuencode", "x-uue", "uuencode":
		return encodingUU, true
	}
	return name, false
}

func isIdentity(encoding string) bool { return encoding == "" || encoding == "binary" }
