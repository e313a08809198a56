package whatwg

import "strings"

// class is a set of octets.
type class uint16

const (
	alpha class = 1 << iota
	digit
	hex
	schemeChar
	urlChar       // a URL code point
	endsAuthority // "/", "?" and "#"; in special URLs, "\" also ends the authority

	// These are the percent-encode sets of section 1.3.
	controlSet
	fragmentSet
	querySet
	specialQuerySet
	pathSet
	userinfoSet

	forbiddenHost   // forbidden host code point (section 3.2)
	forbiddenDomain // forbidden domain code point (section 3.2)
)

var table = func() (t [256]class) {
	set := func(c class, octets string) {
		for i := range len(octets) {
			t[octets[i]] |= c
		}
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	const digits = "0123456789"
	set(alpha, letters)
	set(digit, digits)
	set(hex, digits+"ABCDEFabcdef")
	set(schemeChar, letters+digits+"+-.")
	set(urlChar, letters+digits+"!$&'()*+,-./:;=?@_~")
	set(endsAuthority, "/?#")
	const all = controlSet | fragmentSet | querySet | specialQuerySet | pathSet | userinfoSet
	for c := range t {
		if c < ' ' || c > '~' {
			t[c] |= all
		}
		if c < ' ' || c == 0x7F {
			t[c] |= forbiddenDomain
		}
	}
	set(fragmentSet, " \"<>`")
	set(querySet|specialQuerySet|pathSet|userinfoSet, " \"#<>")
	set(specialQuerySet, "'")
	set(pathSet|userinfoSet, "?^`{}")
	set(userinfoSet, "/:;=@[\\]|")
	set(forbiddenHost|forbiddenDomain, "\x00\t\n\r #/:<>?@[\\]^|")
	set(forbiddenDomain, "%")
	return t
}()

const upperHex = "0123456789ABCDEF"

// encode escapes the octets of text that are in the given set.
func encode(text string, set class) string {
	for i := range len(text) {
		if table[text[i]]&set != 0 {
			return string(appendEncoded(make([]byte, 0, len(text)+16), text, set))
		}
	}
	return text
}

func appendEncoded(out []byte, text string, set class) []byte {
	for i := range len(text) {
		if c := text[i]; table[c]&set != 0 {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return out
}

// isEscape reports whether text begins with "%" and two hexadecimal digits.
func isEscape(text string) bool {
	return len(text) >= 3 && text[0] == '%' && table[text[1]]&table[text[2]]&hex != 0
}

// decode decodes the escapes in text. A "%" that does not begin an escape does not change.
func decode(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if isEscape(text[i:]) {
			out = append(out, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		} else {
			out = append(out, text[i])
		}
	}
	return string(out)
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// lowerASCII returns text with ASCII letters in lower case.
func lowerASCII(text string) string {
	for i := range len(text) {
		if c := text[i]; 'A' <= c && c <= 'Z' {
			out := []byte(text)
			for ; i < len(out); i++ {
				if c := out[i]; 'A' <= c && c <= 'Z' {
					out[i] += 'a' - 'A'
				}
			}
			return string(out)
		}
	}
	return text
}
