package locus

import (
	"fmt"
	"strconv"
)

var (
	_ fmt.Formatter  = URL{}
	_ fmt.GoStringer = URL{}
)

// Format writes [URL.Redacted]: no verb of package fmt shows a password. Width,
// precision and flags apply as they do to a string. [URL.String] gives the exact
// text.
func (u URL) Format(f fmt.State, verb rune) {
	text := u.Redacted()
	if verb == 'v' {
		verb = 's'
		if f.Flag('#') {
			text = u.GoString()
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), text)
}

// GoString returns the Go expression that makes u, with "***" for a password.
func (u URL) GoString() string {
	if u.IsZero() {
		return "locus.URL{}"
	}
	return "locus.MustParse(" + strconv.Quote(u.Redacted()) + ")"
}
