package octet

import (
	"strings"
	"unicode/utf8"
)

// Text converts octets with an unknown charset to UTF-8. If the octets are not valid UTF-8,
// Text decodes them as ISO Latin 1.
func Text(octets string) string {
	if utf8.ValidString(octets) {
		return octets
	}
	var b strings.Builder
	b.Grow(len(octets) + len(octets)/4)
	for i := range len(octets) {
		b.WriteRune(rune(octets[i]))
	}
	return b.String()
}
