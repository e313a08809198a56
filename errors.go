package locus

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Each [*SyntaxError] of this package and of the scheme packages wraps one of these errors.
var (
	// ErrNoScheme means that the text does not begin with a scheme and ":".
	ErrNoScheme = errors.New(`no scheme; a URL begins with a name and ":"`)
	// ErrTooLong means that the text has more than MaxLen bytes.
	ErrTooLong = errors.New("too long")
	// ErrWindowsPath means that the text is a Windows path, such as C:\Users or \\server\share.
	ErrWindowsPath = errors.New("a Windows path, not a URL")
	// ErrEscape means a "%" without two hexadecimal digits (section 2.2).
	ErrEscape = errors.New(`"%" needs two hexadecimal digits after it; a percent sign is written %25`)
	// ErrControl means a control character or a space (section 2.2).
	ErrControl = errors.New("a control character or space must be encoded")
	// ErrBackslash means a "\" before the path, which some parsers read as "/".
	ErrBackslash = errors.New(`"\" is not allowed before the path: programs disagree on its meaning`)
	// ErrAt means a second "@" before the host (section 3.1).
	ErrAt = errors.New(`more than one "@" before the host: write %40 in a user or password`)
	// ErrPort means a port that is not decimal digits (section 5, port).
	ErrPort = errors.New("a port is decimal digits")
	// ErrPortRange means a port above 65535.
	ErrPortRange = errors.New("a port is at most 65535")
	// ErrHost means brackets without an IPv6 address.
	ErrHost = errors.New("invalid host")
	// ErrForm means that the text is a URL, but does not have the syntax of its scheme.
	ErrForm = errors.New("not a valid URL of this scheme")
	// ErrNetURL means that package net/url cannot represent the URL without changing it.
	ErrNetURL = errors.New("not representable in net/url")
	// ErrZero means that the zero URL was used.
	ErrZero = errors.New("the zero URL is not a URL: make one with Parse or Parts.URL")
	// ErrValue means that a part has the right syntax, but its decoded bytes are invalid, such
	// as a line end in a name or a tab in a selector.
	ErrValue = errors.New("invalid value")
)

// SyntaxError is the error about a text that is not a URL, or not a URL of its
// scheme.
type SyntaxError struct {
	// Input is the whole text, with each byte of a password shown as "*". If the text is
	// too long, Input is its first 100 bytes and "...".
	Input string
	// Offset is the offset of the fault in Input, in bytes.
	Offset int
	// Part is the RFC 1738 production that was expected at Offset, such as "port", "gtype" or
	// "ftptype". The method Error omits Part.
	Part string
	// Err is, or wraps, one of the error variables of this package, such as ErrPort.
	Err error
}

// NewSyntaxError returns a SyntaxError about input, in which [Mask] hides passwords.
func NewSyntaxError(input string, offset int, part string, err error) *SyntaxError {
	return &SyntaxError{Input: truncateInput(Mask(input), err), Offset: offset, Part: part, Err: withoutGenericText(err)}
}

// truncateInput truncates masked, which is the text of err, if err is ErrTooLong.
func truncateInput(masked string, err error) string {
	const head = 100
	if len(masked) <= head || !errors.Is(err, ErrTooLong) {
		return masked
	}
	return masked[:head] + "..."
}

// Errorf returns a SyntaxError about u with the given offset and part. Errorf formats the
// reason like [fmt.Errorf]. For the zero URL, the reason is always [ErrZero].
func (u URL) Errorf(offset int, part, format string, args ...any) *SyntaxError {
	if u.IsZero() {
		return &SyntaxError{Part: "genericurl", Err: ErrZero}
	}
	return &SyntaxError{Input: u.maskedText(), Offset: offset, Part: part, Err: withoutGenericText(fmt.Errorf(format, args...))}
}

func (e *SyntaxError) Error() string {
	if e.Err == ErrZero {
		return "locus: " + ErrZero.Error()
	}
	return fmt.Sprintf("locus: %s: offset %d: %v", Quote(e.Input), e.Offset, e.Err)
}

// plainError is an error whose text omits the text of ErrForm or ErrValue, because that text adds
// no information.
type plainError struct {
	error
	text string
}

func (r plainError) Error() string { return r.text }

func (r plainError) Unwrap() error { return r.error }

// withoutGenericText removes the text of ErrForm or ErrValue from the text of err. The result
// wraps err.
func withoutGenericText(err error) error {
	for _, general := range [...]error{ErrForm, ErrValue} {
		if text, ok := strings.CutPrefix(err.Error(), general.Error()+": "); ok {
			return plainError{err, text}
		}
	}
	return err
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// Quote returns text in quotes, safe for a terminal and a log. Quote shortens a long text in
// the middle.
func Quote(text string) string {
	const head, tail = 100, 40
	if len(text) > head+tail+20 {
		return fmt.Sprintf("%s...(%d bytes)...%s", strconv.QuoteToASCII(text[:head]), len(text)-head-tail, strconv.QuoteToASCII(text[len(text)-tail:]))
	}
	return strconv.QuoteToASCII(text)
}

// fault is the reason why a text is not a URL: an error, and the name of the production in RFC 1738
// section 5 that the text violates.
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
	badAddress    = &fault{"host", fmt.Errorf(`%w: write an IPv6 address between "[" and "]", with only a port after it`, ErrHost)}
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
		err = fmt.Errorf("%w: %d bytes, the limit is %d", err, len(text), MaxLen)
	case noScheme:
		at = 0
	case notInScheme:
		err = plainError{err, fmt.Sprintf(`no scheme before %q; a URL begins with a name and ":"`, text[at])}
	case twoAts:
		if at, disputed := octet.HostEnd(text); disputed {
			if _, no := parse(text[:at] + "/" + text[at:]); no == nil {
				err = fmt.Errorf(`%w; if "?" ends the host, %s`, err, octet.SlashHelp(text))
			}
		}
	case windowsPath:
		// A text with "@" may contain a password, which must not appear in a message.
		if u, ok := FromWindowsPath(text); ok && strings.IndexByte(text, '@') < 0 {
			err = fmt.Errorf("%w: its URL is %s", err, u)
		}
	}
	return &SyntaxError{Input: truncateInput(maskGuess(text), err), Offset: at, Part: f.part, Err: err}
}
