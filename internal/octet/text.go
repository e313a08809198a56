package octet

import (
	"strings"
	"unicode/utf8"
)

// Text returns octets with an unknown charset as UTF-8. If they are not valid UTF-8, it
// reads them as ISO Latin 1.
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
