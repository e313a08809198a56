package escape

import "math/bits"

// Set is a set of US-ASCII characters. Sets are comparable values of two words. The zero Set
// is empty. A set never contains octets above 7F hexadecimal, because such octets must always
// be encoded (RFC 1738 section 2.2).
type Set struct{ lo, hi uint64 }

// Chars returns the set of the US-ASCII characters in s. Chars ignores all other octets.
func Chars(s string) Set { return Set{}.With(s) }

// With returns the set with the characters of s added.
func (k Set) With(s string) Set {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 64:
			k.lo |= 1 << c
		case c < 128:
			k.hi |= 1 << (c - 64)
		}
	}
	return k
}

// Without returns the set with the characters of s removed.
func (k Set) Without(s string) Set { return k.Minus(Chars(s)) }

// Union returns the set of the characters that are in k or in m.
func (k Set) Union(m Set) Set { return Set{k.lo | m.lo, k.hi | m.hi} }

// Minus returns the set of the characters that are in k and not in m.
func (k Set) Minus(m Set) Set { return Set{k.lo &^ m.lo, k.hi &^ m.hi} }

// Has reports whether c is in the set.
func (k Set) Has(c byte) bool {
	if c < 64 {
		return k.lo>>c&1 != 0
	}
	return c < 128 && k.hi>>(c-64)&1 != 0
}

// Len returns the number of characters in the set.
func (k Set) Len() int { return bits.OnesCount64(k.lo) + bits.OnesCount64(k.hi) }

// String returns the characters of the set in order.
func (k Set) String() string {
	var b []byte
	for c := range byte(128) {
		if k.Has(c) {
			b = append(b, c)
		}
	}
	return string(b)
}

// Functions return the sets of section 5, because a caller could change a variable. The
// functions write the bits directly, so that a call costs nothing.

// LowAlpha is the set lowalpha of RFC 1738 section 5.
func LowAlpha() Set { return Set{hi: 0x07FFFFFE00000000} }

// HiAlpha is the set hialpha of RFC 1738 section 5.
func HiAlpha() Set { return Set{hi: 0x0000000007FFFFFE} }

// Alpha is the set alpha of RFC 1738 section 5.
func Alpha() Set { return Set{hi: 0x07FFFFFE07FFFFFE} }

// Digit is the set digit of RFC 1738 section 5.
func Digit() Set { return Set{lo: 0x03FF000000000000} }

// Safe is the set safe of RFC 1738 section 5, which contains "$", "-", "_", "." and "+".
func Safe() Set { return Set{lo: 0x0000681000000000, hi: 0x0000000080000000} }

// Extra is the set extra of RFC 1738 section 5, which contains "!", "*", "'", "(", ")" and ",".
func Extra() Set { return Set{lo: 0x0000178200000000} }

// National is the set national of RFC 1738 section 5. National contains the characters { } | \
// ^ ~ [ ] and `.
func National() Set { return Set{hi: 0x7800000178000000} }

// Punctuation is the set punctuation of RFC 1738 section 5. Punctuation contains the
// characters < > # % and ".
func Punctuation() Set { return Set{lo: 0x5000002C00000000} }

// Unsafe is the set of unsafe characters of RFC 1738 section 2.2, which must always be
// encoded: national, punctuation, and the space.
func Unsafe() Set { return National().Union(Punctuation()).Union(Set{lo: 0x0000000100000000}) }

// Reserved is the set reserved of RFC 1738 section 5, which contains ";", "/", "?", ":", "@",
// "&" and "=".
func Reserved() Set { return Set{lo: 0xAC00804000000000, hi: 0x0000000000000001} }

// Unreserved is the set unreserved of RFC 1738 section 5, the union of alpha, digit, safe
// and extra. No scheme requires an encoder to escape these characters.
func Unreserved() Set { return Alpha().Union(Digit()).Union(Safe()).Union(Extra()) }

// User is the set of characters in a user and a password (section 5). User contains the set
// unreserved, and ; ? & =
func User() Set { return Unreserved().Union(Set{lo: 0xA800004000000000}) }

// Fsegment is the set of characters in fsegment and psegment (section 5). Fsegment contains
// the set unreserved, and ? : @ & =
func Fsegment() Set { return Unreserved().Union(Set{lo: 0xA400004000000000, hi: 0x0000000000000001}) }

// Hsegment is the set of characters in hsegment and search (section 5). Hsegment contains the
// set unreserved, and ; : @ & =
func Hsegment() Set { return Unreserved().Union(Set{lo: 0x2C00004000000000, hi: 0x0000000000000001}) }

// Field is the set of characters in fieldname and fieldvalue of prospero URLs (section 5).
// Field contains the set unreserved, and ? : @ &
func Field() Set { return Unreserved().Union(Set{lo: 0x8400004000000000, hi: 0x0000000000000001}) }

// Article is the set of characters before the "@" in a news article's identifier (section 5).
// Article contains the set unreserved, and ; / ? : & =
func Article() Set { return Unreserved().Union(Set{lo: 0xAC00804000000000}) }

// Xchar is the set xchar of RFC 1738 section 5, the union of unreserved and reserved.
func Xchar() Set { return Unreserved().Union(Reserved()) }
