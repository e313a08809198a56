package locus

import (
	"fmt"
	"strings"
)

// fault is the reason why a text is not a URL: an index into faults.
type fault uint8

const (
	fine fault = iota
	tooLong
	noScheme
	badScheme
	notInScheme
	badLogin
	badEscape
	backslash
	twoAts
	badAddress
	badPort
	portRange
	badPath
	badSchemePart
	badFragment
	windowsPath
)

// faults hold the name of the part in section 5, and the error.
var faults = [...]struct {
	part string
	err  error
}{
	tooLong:       {"genericurl", ErrTooLong},
	noScheme:      {"scheme", ErrNoScheme},
	badScheme:     {"scheme", ErrControl},
	notInScheme:   {"scheme", ErrNoScheme},
	badLogin:      {"login", ErrControl},
	badEscape:     {"escape", ErrEscape},
	backslash:     {"login", ErrBackslash},
	twoAts:        {"user", ErrAt},
	badAddress:    {"host", fmt.Errorf(`%w: an IPv6 address is in "[" and "]", and a port may follow`, ErrHost)},
	badPort:       {"port", ErrPort},
	portRange:     {"port", ErrPortRange},
	badPath:       {"urlpath", ErrControl},
	badSchemePart: {"schemepart", ErrControl},
	badFragment:   {"fragmentid", ErrControl},
	windowsPath:   {"scheme", ErrWindowsPath},
}

// error returns f as an error about text at an offset.
func (f fault) error(text string, at int) *SyntaxError {
	err := faults[f].err
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
	return &SyntaxError{Input: maskGuess(text), Offset: at, Part: faults[f].part, Err: err}
}
