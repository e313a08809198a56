package octet

import (
	"strings"
	"unicode/utf8"
)

// Text returns octets in no known charset as UTF-8. They are ISO Latin 1 if they are not
// all UTF-8.
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
