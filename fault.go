package locus

import (
	"fmt"
	"strings"
)

// fault is the reason why a text is not a URL: the name of the part in section 5, and the
// error.
type fault struct {
	part string
	err  error
}

var (
	tooLong       = &fault{"genericurl", ErrTooLong}
	noScheme      = &fault{"scheme", ErrNoScheme}
	badScheme     = &fault{"scheme", ErrControl}
	notInScheme   = &fault{"scheme", ErrNoScheme}
	badLogin      = &fault{"login", ErrControl}
	badEscape     = &fault{"escape", ErrEscape}
	backslash     = &fault{"login", ErrBackslash}
	twoAts        = &fault{"user", ErrAt}
	badAddress    = &fault{"host", fmt.Errorf(`%w: an IPv6 address is in "[" and "]", and a port may follow`, ErrHost)}
	badPort       = &fault{"port", ErrPort}
	portRange     = &fault{"port", ErrPortRange}
	badPath       = &fault{"urlpath", ErrControl}
	badSchemePart = &fault{"schemepart", ErrControl}
	badFragment   = &fault{"fragmentid", ErrControl}
	windowsPath   = &fault{"scheme", ErrWindowsPath}
)

func (f *fault) error(text string, at int) *SyntaxError {
	err := f.err
	switch f {
	case tooLong:
		err = fmt.Errorf("%w: %d octets, the limit is %d", err, len(text), MaxLen)
	case noScheme:
		at = 0
	case notInScheme:
		err = fmt.Errorf("%w: %q can't be in it", err, text[at])
	case windowsPath:
		// A text with "@" may hold a password, which no message shows.
		if u, ok := WindowsPath(text); ok && strings.IndexByte(text, '@') < 0 {
			err = fmt.Errorf("%w: its URL is %s", err, u)
		}
	}
	return &SyntaxError{Input: maskGuess(text), Offset: at, Part: f.part, Err: err}
}
