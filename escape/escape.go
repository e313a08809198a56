// Package escape turns octets into URL text and back: "%" and two hexadecimal
// digits for what may not stand for itself (RFC 1738 section 2.2; "Encoding
// reserved characters" in the URI draft).
//
// The character classes of RFC 1738 section 5 are values of type [Set], named
// as the standard names them. Encoding takes the set to keep as it is; decoding
// takes none, since every escape means its octet. Decode a part after it was
// split from its neighbours, and once: "%2F" is not "/".
//
// Both of the draft's changes of level are here: [AppendSafer] encodes more of
// a text for a hostile road, [AppendExpand] writes as themselves the escapes
// that may be, and neither touches a reserved character, which "may NEVER be
// encoded and unencoded in this way".
package escape

import (
	"errors"
	"fmt"

	"github.com/locus-url/locus/internal/octet"
)

// ErrTriplet is a "%" that two hexadecimal digits do not follow. The URI draft
// keeps such sequences for "future extension"; no rule here accepts one.
var ErrTriplet = errors.New(`"%" without two hexadecimal digits after it`)

// TripletError tells where a text stopped being decodable.
type TripletError struct {
	Offset int // of the "%", in octets from the start of the text
}

func (e *TripletError) Error() string {
	return fmt.Sprintf("escape: at octet %d: %v", e.Offset, ErrTriplet)
}

// Unwrap returns [ErrTriplet].
func (e *TripletError) Unwrap() error { return ErrTriplet }

// AppendEncode appends octets to dst as URL text: those in keep as they are,
// all others as "%" and two upper-case hexadecimal digits. A "%" in keep is
// encoded all the same; an octet is never left to be read as something else.
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

// Encode is [AppendEncode] to a new string.
func Encode[T ~string | ~[]byte](octets T, keep Set) string {
	return string(AppendEncode(nil, octets, keep))
}

func appendTriplet(dst []byte, c byte) []byte {
	return append(dst, '%', octet.UpperHex[c>>4], octet.UpperHex[c&15])
}

// AppendDecode appends the octets that text stands for. The error is a
// [*TripletError]; dst then holds what came before it.
func AppendDecode(dst []byte, text string) ([]byte, error) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' {
			if !tripletAt(text, i) {
				return dst, &TripletError{Offset: i}
			}
			c = octet.Unhex(text[i+1])<<4 | octet.Unhex(text[i+2])
			i += 2
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// Decode is [AppendDecode] to a string. A text without "%" is returned as it
// is, without allocation.
func Decode(text string) (string, error) {
	for i := 0; i < len(text); i++ {
		if text[i] == '%' {
			b, err := AppendDecode(make([]byte, 0, len(text)), text)
			return string(b), err
		}
	}
	return text, nil
}

func tripletAt(text string, i int) bool {
	return i+2 < len(text) && octet.Is(text[i+1], octet.Hex) && octet.Is(text[i+2], octet.Hex)
}

// AppendSafer appends text with every character that is in unsafe, and every
// octet that is not graphic US-ASCII, encoded. What is encoded already stays as
// it is, so the result means what text means and may be made safer again. The
// characters of reserved are never touched, nor is the "%" of an escape (URI
// draft, "Reduced or increased safe character sets").
func AppendSafer(dst []byte, text string, unsafe, reserved Set) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && tripletAt(text, i) {
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

// AppendExpand appends text with the escapes of characters in plain written as
// themselves and all others in upper-case digits: the draft's "selectively and
// reversibly expanded". A character of reserved, and "%", stays encoded even if
// plain has it. The error is a [*TripletError].
func AppendExpand(dst []byte, text string, plain, reserved Set) ([]byte, error) {
	plain = plain.Minus(reserved).Without("%")
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			dst = append(dst, text[i])
			continue
		}
		if !tripletAt(text, i) {
			return dst, &TripletError{Offset: i}
		}
		c := octet.Unhex(text[i+1])<<4 | octet.Unhex(text[i+2])
		i += 2
		if plain.Has(c) {
			dst = append(dst, c)
		} else {
			dst = appendTriplet(dst, c)
		}
	}
	return dst, nil
}
