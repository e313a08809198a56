package charset

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// utf7 decodes the charset UTF-7 (RFC 2152), which golang.org/x/text does not support. The
// characters "\" and "~", which RFC 2152 does not mention, represent themselves. A byte outside
// US-ASCII, an incomplete surrogate pair and nonzero padding bits become U+FFFD.
type utf7 struct{ encoding.Encoding }

func (utf7) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: new(utf7Decoder)}
}

func (utf7) String() string { return "UTF-7" }

// utf7Decoder holds the state between two bytes.
type utf7Decoder struct {
	shifted bool   // the input after a "+" is in base64
	fresh   bool   // the previous byte was the "+"
	bits    uint32 // bits of the next UTF-16 code unit
	n       int    // number of valid bits in the field bits
	high    rune   // first half of a surrogate pair, or 0
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func (d *utf7Decoder) Reset() { *d = utf7Decoder{} }

// maxUTF7 is the maximum number of UTF-8 bytes that one byte of UTF-7 can produce. One byte can
// produce two malformed characters and the byte itself.
const maxUTF7 = 3 * utf8.UTFMax

// Transform implements [transform.Transformer].
func (d *utf7Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if len(dst)-nDst < maxUTF7 {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst = len(d.appendByte(dst[:nDst], src[nSrc]))
		nSrc++
	}
	if atEOF && d.shifted {
		if len(dst)-nDst < maxUTF7 {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst = len(d.leave(dst[:nDst]))
	}
	return nDst, nSrc, nil
}

// appendByte appends the characters that are complete after the byte o.
func (d *utf7Decoder) appendByte(dst []byte, o byte) []byte {
	if !d.shifted {
		switch {
		case o == '+':
			*d = utf7Decoder{shifted: true, fresh: true}
			return dst
		case o >= utf8.RuneSelf:
			return utf8.AppendRune(dst, utf8.RuneError)
		}
		return append(dst, o)
	}
	if v := strings.IndexByte(base64Digits, o); v >= 0 {
		d.fresh = false
		d.bits, d.n = d.bits<<6|uint32(v), d.n+6
		if d.n < 16 {
			return dst
		}
		d.n -= 16
		unit := rune(d.bits >> d.n)
		d.bits &= 1<<d.n - 1
		return d.appendUnit(dst, unit)
	}
	if d.fresh && o == '-' {
		*d = utf7Decoder{}
		return append(dst, '+')
	}
	dst = d.leave(dst)
	if o == '-' {
		return dst
	}
	return d.appendByte(dst, o)
}

// appendUnit appends a UTF-16 code unit, or stores the first half of a surrogate pair.
func (d *utf7Decoder) appendUnit(dst []byte, appendUnit rune) []byte {
	if d.high != 0 {
		r := utf16.DecodeRune(d.high, appendUnit)
		d.high = 0
		if r != utf8.RuneError {
			return utf8.AppendRune(dst, r)
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	if appendUnit >= 0xD800 && appendUnit < 0xDC00 {
		d.high = appendUnit
		return dst
	}
	// The second half of a surrogate pair without the first half becomes U+FFFD.
	return utf8.AppendRune(dst, appendUnit)
}

func (d *utf7Decoder) leave(dst []byte) []byte {
	if d.fresh || d.high != 0 || d.n >= 6 || d.bits != 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	*d = utf7Decoder{}
	return dst
}
