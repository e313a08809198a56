package bnf

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// Token is a character of URL text, or an escape.
type Token struct {
	Octet   byte // decoded octet
	Escaped bool
	Text    string
	Offset  int
}

// Is reports whether t is the unescaped character c.
func (t Token) Is(c byte) bool { return !t.Escaped && t.Octet == c }

// Tokens returns the characters and escapes of text, which begins at offset. ok is false if an
// escape is incomplete.
func Tokens(text string, offset int) (list []Token, ok bool) {
	if _, err := escape.Decode(text); err != nil {
		return nil, false
	}
	for i := 0; i < len(text); {
		c, size := Octet(text, i)
		list = append(list, Token{c, size > 1, text[i : i+size], offset + i})
		i += size
	}
	return list, true
}

// NotUTF8 returns the first token in list whose octet is not part of valid UTF-8. ok is false
// if all octets are valid UTF-8.
func NotUTF8(list []Token) (t Token, ok bool) {
	octets := make([]byte, len(list))
	for i, t := range list {
		octets[i] = t.Octet
	}
	for i := 0; i < len(octets); {
		r, size := utf8.DecodeRune(octets[i:])
		if r == utf8.RuneError && size == 1 {
			return list[i], true
		}
		i += size
	}
	return Token{}, false
}

// IsAddress reports whether text consists of two texts that [IsWords] accepts, separated by
// "@". IsAddress does not allocate memory.
func IsAddress(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	return IsWords(local) && IsWords(domain)
}

// IsWords reports whether text consists of letters, digits, "-", "+" and "_", with single dots
// between these characters. Most parts of addresses and message-ids, and most newsgroup names,
// match. IsWords does not allocate memory.
func IsWords(text string) bool {
	return text != "" && octet.All(text)&octet.Group != 0 &&
		text[0] != '.' && text[len(text)-1] != '.' && !strings.Contains(text, "..")
}
