package locus

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/octet"
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

// Redacted returns the text with "***" for a password that is not empty. It is
// what belongs in messages, logs and traces.
func (u URL) Redacted() string {
	start, end := u.secret()
	if start == end {
		return u.text
	}
	return u.text[:start] + "***" + u.text[end:]
}

// masked is the text with each octet of the password as "*".
func (u URL) masked() string {
	start, end := u.secret()
	return stars(u.text, start, end)
}

// secret is where the password is; start and end are the same if there is none.
// A scheme-specific part that is a URL itself, as in "url:ftp://u:p@h/", may hide
// one that the grammar knows nothing of.
func (u URL) secret() (start, end int) {
	if u.pass() != 0 {
		return u.pass() + 1, u.at()
	}
	at := strings.LastIndexByte(u.text, '@')
	if at < 0 || u.Facts().Has(Internet) {
		return 0, 0
	}
	if inner := strings.Index(u.text[:at], "//") + len("//"); inner >= len("//") {
		if colon := strings.IndexByte(u.text[inner:at], ':'); colon >= 0 {
			return inner + colon + 1, at
		}
	}
	return 0, 0
}

// Mask returns text with each octet of a password shown as "*". In a text that
// is no URL it hides what may be one, and errs on the side of hiding: "@", "/"
// or a space within the password don't help it out.
func Mask(text string) string {
	if u, err := Parse(text); err == nil {
		return u.masked()
	}
	return maskGuess(text)
}

// maskGuess hides what may be a password in a text that is no URL: what follows
// the first ":" that belongs to no scheme, to the last "@".
func maskGuess(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	colon := strings.IndexByte(text[:at], ':')
	if colon < 0 {
		return text
	}
	if end, _ := octet.SchemeEnd(text); end == colon && end > 0 || strings.HasPrefix(text[colon:], "://") {
		next := strings.IndexByte(text[colon+1:at], ':')
		if next < 0 {
			return text
		}
		colon += 1 + next
	}
	return stars(text, colon+1, at)
}

// stars returns text with each octet from start to end as "*", which keeps the
// offsets.
func stars(text string, start, end int) string {
	if start == end {
		return text
	}
	return text[:start] + strings.Repeat("*", end-start) + text[end:]
}
