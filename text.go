package locus

import (
	"encoding"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

var (
	_ encoding.TextMarshaler   = URL{}
	_ encoding.TextAppender    = URL{}
	_ encoding.TextUnmarshaler = (*URL)(nil)
	_ slog.LogValuer           = URL{}
)

// AppendText appends the text of u, exactly as it was parsed.
func (u URL) AppendText(b []byte) ([]byte, error) { return append(b, u.text...), nil }

// MarshalText returns the text of u, exactly as it was parsed. In JSON a URL is a
// string, and the zero URL is "".
func (u URL) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText parses text. An empty text gives the zero URL.
func (u *URL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = URL{}
		return nil
	}
	v, err := Parse(string(text))
	if err == nil {
		*u = v
	}
	return err
}

// LogValue returns [URL.Redacted] as a value, so no password reaches a log.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.Redacted()) }

// ParseWrapped reads a URL in the wrapper that [Unwrap] removes. Offsets in the
// error are offsets in text.
func ParseWrapped(text string) (URL, error) {
	w := Unwrap(text)
	u, err := Parse(w.inner)
	if err != nil {
		return URL{}, w.Error(err)
	}
	return u, nil
}

const blanks = " \t\r\n\f"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

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
