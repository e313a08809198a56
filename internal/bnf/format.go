package bnf

import (
	"fmt"
	"strconv"

	"github.com/locus-url/locus"
)

// Format writes u, which is that of a value of a scheme's own type, for package fmt
// without a password. The fields of such a type would show it.
func Format(s fmt.State, verb rune, name string, u locus.URL) {
	switch text := u.Redacted(); {
	case verb == 'v' && s.Flag('#'):
		fmt.Fprintf(s, "%s.URL(%s)", name, strconv.Quote(text))
	case verb == 'q':
		fmt.Fprint(s, strconv.Quote(text))
	default:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), text)
	}
}
