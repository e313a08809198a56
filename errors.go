package locus

import (
	"errors"
	"fmt"
	"strconv"
)

// What can be wrong with a text: the Err of a [*SyntaxError] is, or wraps, one
// of these, here and in every scheme's package.
var (
	// ErrNoScheme: nothing that is a scheme and a ":" begins the text.
	ErrNoScheme = errors.New(`no scheme: a URL begins with a name and ":"`)
	// ErrTooLong: the text has more than MaxLen octets.
	ErrTooLong = errors.New("too long")
	// ErrWindowsPath: the text is a path of Windows, such as C:\Users or \\server\share.
	ErrWindowsPath = errors.New("a Windows path, not a URL")
	// ErrEscape: "%" without two hexadecimal digits (section 2.2).
	ErrEscape = errors.New(`"%" needs two hexadecimal digits after it; a percent sign is written %25`)
	// ErrControl: a control character or a space (section 2.2).
	ErrControl = errors.New("a control character or space must be encoded")
	// ErrBackslash: "\" where the host should be, which some readers take for "/".
	ErrBackslash = errors.New(`"\" can't stand before the path: programs disagree what it means there`)
	// ErrAt: a second "@" before the host (section 3.1).
	ErrAt = errors.New(`more than one "@" before the host: within user and password it is written %40`)
	// ErrPort: a port that is not decimal digits (section 5, port).
	ErrPort = errors.New("a port is decimal digits")
	// ErrPortRange: a port over 65535, which no host can have.
	ErrPortRange = errors.New("a port is at most 65535")
	// ErrHost: a host that is neither a name nor an address and hides where it ends.
	ErrHost = errors.New("not a host")
	// ErrForm: the text is a URL, but not in the form of its scheme.
	ErrForm = errors.New("not in the form of this scheme")
	// ErrValue: a part is in its form, but its decoded octets can't be what the
	// scheme needs: a line end in a name, a tab in a selector.
	ErrValue = errors.New("not a value that this part can have")
)

// SyntaxError tells where a text stopped being a URL, or a URL of its scheme.
type SyntaxError struct {
	// Input is the whole text, with each octet of a password shown as "*".
	Input string
	// Offset is where the trouble begins, in octets from the start of Input.
	Offset int
	// Part is the name that section 5 has for what should be there: "port",
	// "gtype", "ftptype".
	Part string
	// Err is one of the errors above, or wraps one.
	Err error
}

// NewSyntaxError makes a SyntaxError about input, hiding what may be a password.
func NewSyntaxError(input string, offset int, part string, err error) *SyntaxError {
	return &SyntaxError{Input: Mask(input), Offset: offset, Part: part, Err: err}
}

// Errorf makes a SyntaxError about a URL that has parsed: offset and part as in
// [SyntaxError], the rest as in [fmt.Errorf].
func (u URL) Errorf(offset int, part, format string, args ...any) *SyntaxError {
	return &SyntaxError{Input: u.masked(), Offset: offset, Part: part, Err: fmt.Errorf(format, args...)}
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("locus: %s: octet %d, %s: %v", Quote(e.Input), e.Offset, e.Part, e.Err)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// Quote returns text in quotes, safe for a terminal and a log, and shortened in
// the middle if it is long.
func Quote(text string) string {
	const head, tail = 100, 40
	if len(text) > head+tail+20 {
		return fmt.Sprintf("%s...(%d octets)...%s", strconv.QuoteToASCII(text[:head]), len(text)-head-tail, strconv.QuoteToASCII(text[len(text)-tail:]))
	}
	return strconv.QuoteToASCII(text)
}
