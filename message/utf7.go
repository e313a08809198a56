package message

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// utf7 is the charset UTF-7 (RFC 2152), which golang.org/x/text does not have. It only
// decodes. It reads the characters that RFC 2152 has in no set, "\" and "~", as
// themselves. What is malformed becomes U+FFFD: an octet beyond US-ASCII, half of a
// surrogate pair, and bits that are left over and not zero.
type utf7 struct{ encoding.Encoding }

func (utf7) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: new(utf7Decoder)}
}

func (utf7) String() string { return "UTF-7" }

// isUTF7 reports whether name, in lower case, is a name of UTF-7, as IANA registers
// them.
func isUTF7(name string) bool {
	switch name {
	case "utf-7", "csutf7", "unicode-1-1-utf-7", "csunicode11utf7":
		return true
	}
	return false
}

// utf7Decoder is the state between two octets.
type utf7Decoder struct {
	shifted bool   // after "+"
	fresh   bool   // and nothing but it was read
	bits    uint32 // that make no unit of UTF-16 yet
	n       int    // how many bits
	high    rune   // the first half of a surrogate pair; 0: none
}

func (d *utf7Decoder) Reset() { *d = utf7Decoder{} }

// mostUTF7 is the most octets of UTF-8 that one octet of UTF-7 leads to: two malformed
// characters and itself.
const mostUTF7 = 3 * utf8.UTFMax

// Transform implements [transform.Transformer].
func (d *utf7Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if len(dst)-nDst < mostUTF7 {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst = len(d.step(dst[:nDst], src[nSrc]))
		nSrc++
	}
	if atEOF && d.shifted {
		if len(dst)-nDst < mostUTF7 {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst = len(d.leave(dst[:nDst]))
	}
	return nDst, nSrc, nil
}

// step appends what o leads to.
func (d *utf7Decoder) step(dst []byte, o byte) []byte {
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
	if v := base64Values[o]; v < 64 {
		d.fresh = false
		d.bits, d.n = d.bits<<6|uint32(v), d.n+6
		if d.n < 16 {
			return dst
		}
		d.n -= 16
		unit := rune(d.bits >> d.n)
		d.bits &= 1<<d.n - 1
		return d.unit(dst, unit)
	}
	if d.fresh && o == '-' {
		*d = utf7Decoder{}
		return append(dst, '+')
	}
	dst = d.leave(dst)
	if o == '-' {
		return dst
	}
	return d.step(dst, o)
}

// unit appends a unit of UTF-16, or keeps the first of a pair.
func (d *utf7Decoder) unit(dst []byte, unit rune) []byte {
	if d.high != 0 {
		r := utf16.DecodeRune(d.high, unit)
		d.high = 0
		if r != utf8.RuneError {
			return utf8.AppendRune(dst, r)
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	if unit >= 0xD800 && unit < 0xDC00 {
		d.high = unit
		return dst
	}
	// A lone second half of a pair becomes U+FFFD.
	return utf8.AppendRune(dst, unit)
}

// leave ends what is shifted.
func (d *utf7Decoder) leave(dst []byte) []byte {
	if d.fresh || d.high != 0 || d.n >= 6 || d.bits != 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	*d = utf7Decoder{}
	return dst
}
