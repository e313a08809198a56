// Package escape encodes octets as URL text and decodes them. The package writes each octet
// that may not appear unescaped as "%" and two hexadecimal digits (RFC 1738 section 2.2;
// "Encoding reserved characters" in the URI draft).
//
// For each character class of RFC 1738 section 5, a function with the standard's name returns
// a [Set]. An encoder has a parameter for the set of characters to leave unescaped. A program
// must decode each part of a URL only once, and only after splitting the URL, because "%2F" is
// not "/".
//
// [AppendSafer] encodes more of a URL, for transports that change characters.
// [AppendExpand] decodes unnecessary escapes. Neither function changes a reserved
// character, which "may NEVER be encoded and unencoded in this way" (URI draft).
package escape

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// ErrTriplet means that two hexadecimal digits do not follow a "%". The URI draft reserves
// such sequences for "future extension".
var ErrTriplet = errors.New(`"%" without two hexadecimal digits after it`)

// TripletError reports a text that can't be decoded.
type TripletError struct {
	Offset int // offset of the "%", in octets from the start of the text
}

func (e *TripletError) Error() string {
	return fmt.Sprintf("escape: offset %d: %v", e.Offset, ErrTriplet)
}

// Unwrap returns [ErrTriplet].
func (e *TripletError) Unwrap() error { return ErrTriplet }

// AppendEncode encodes octets as URL text and appends the text to dst. AppendEncode does not
// change octets in keep. AppendEncode writes each other octet as "%" and two upper-case
// hexadecimal digits. AppendEncode always encodes "%", even if keep contains "%".
func AppendEncode[T ~string | ~[]byte](dst []byte, octets T, keep Set) []byte {
	for i := 0; i < len(octets); i++ {
		if c := octets[i]; keep.Has(c) && c != '%' {
			dst = append(dst, c)
		} else {
			dst = appendTriplet(dst, c)
		}
	}
	return dst
}

// Encode is like [AppendEncode] but returns a string.
func Encode[T ~string | ~[]byte](octets T, keep Set) string {
	return string(AppendEncode(nil, octets, keep))
}

func appendTriplet(dst []byte, c byte) []byte {
	return append(dst, '%', octet.UpperHex[c>>4], octet.UpperHex[c&15])
}

// AppendDecode decodes the escapes in text and appends the result to dst. If text is invalid,
// AppendDecode returns the octets before the fault and a [*TripletError].
func AppendDecode(dst []byte, text string) ([]byte, error) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' {
			if !octet.IsEscape(text, i) {
				return dst, &TripletError{Offset: i}
			}
			c = octet.Unescape(text, i)
			i += 2
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// Decode is like [AppendDecode] but returns a string. Decode does not allocate for a text
// without "%".
func Decode(text string) (string, error) {
	if strings.IndexByte(text, '%') < 0 {
		return text, nil
	}
	b, err := AppendDecode(make([]byte, 0, len(text)), text)
	return string(b), err
}

// AppendSafer appends text to dst. AppendSafer encodes each character in unsafe and each octet
// that is not graphic US-ASCII. AppendSafer does not change escapes or the characters in
// reserved, so the meaning stays the same (URI draft, "Reduced or increased safe character
// sets").
func AppendSafer(dst []byte, text string, unsafe, reserved Set) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && octet.IsEscape(text, i) {
			dst = append(dst, text[i:i+3]...)
			i += 2
			continue
		}
		graphic := c > ' ' && c < 0x7F
		if graphic && (!unsafe.Has(c) || reserved.Has(c) || c == '%') {
			dst = append(dst, c)
		} else {
			dst = appendTriplet(dst, c)
		}
	}
	return dst
}

// AppendExpand appends text to dst. AppendExpand decodes the escapes of characters in decodable,
// and writes all other escapes with upper-case digits (URI draft, "selectively and reversibly
// expanded"). AppendExpand never decodes "%" or the characters in reserved. If text is invalid,
// AppendExpand returns a [*TripletError].
func AppendExpand(dst []byte, text string, decodable, reserved Set) ([]byte, error) {
	decodable = decodable.Minus(reserved).Without("%")
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			dst = append(dst, text[i])
			continue
		}
		if !octet.IsEscape(text, i) {
			return dst, &TripletError{Offset: i}
		}
		c := octet.Unescape(text, i)
		i += 2
		if decodable.Has(c) {
			dst = append(dst, c)
		} else {
			dst = appendTriplet(dst, c)
		}
	}
	return dst, nil
}
