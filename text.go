package locus

import (
	"database/sql/driver"
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

var (
	_ encoding.TextMarshaler     = URL{}
	_ encoding.TextAppender      = URL{}
	_ encoding.TextUnmarshaler   = (*URL)(nil)
	_ encoding.BinaryMarshaler   = URL{}
	_ encoding.BinaryAppender    = URL{}
	_ encoding.BinaryUnmarshaler = (*URL)(nil)
	_ driver.Valuer              = URL{}
	_ slog.LogValuer             = URL{}
)

// AppendText appends the text of u, exactly as parsed.
func (u URL) AppendText(b []byte) ([]byte, error) { return append(b, u.text...), nil }

// MarshalText returns the text of u, exactly as parsed. In JSON a URL is a
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

// AppendBinary is like [URL.AppendText], for encoding/gob.
func (u URL) AppendBinary(b []byte) ([]byte, error) { return u.AppendText(b) }

// MarshalBinary is like [URL.MarshalText], for encoding/gob.
func (u URL) MarshalBinary() ([]byte, error) { return u.MarshalText() }

// UnmarshalBinary is like [URL.UnmarshalText], for encoding/gob.
func (u *URL) UnmarshalBinary(text []byte) error { return u.UnmarshalText(text) }

// Value returns the text of u, exactly as parsed, or nil (NULL) for the zero URL. Value
// implements the interface Valuer of database/sql/driver.
func (u URL) Value() (driver.Value, error) {
	if u.IsZero() {
		return nil, nil
	}
	return u.text, nil
}

// Scan parses src, a string or []byte. A nil src (NULL) and an empty text give the zero URL.
// Scan implements the interface Scanner of database/sql.
func (u *URL) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		return u.UnmarshalText(nil)
	case string:
		return u.UnmarshalText([]byte(src))
	case []byte:
		return u.UnmarshalText(src)
	}
	return errors.New("locus: a URL can be scanned only from text, and this column has another type")
}

// LogValue returns the result of [URL.Shown], so that no password reaches a log.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.Shown()) }

// ParseWrapped parses a URL after removing its wrapper, like [RemoveWrapper]. Offsets in the
// error refer to text, including the wrapper.
func ParseWrapped(text string) (URL, error) {
	w := RemoveWrapper(text)
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

// Format writes [URL.Shown] for every verb of package fmt, because messages and logs use %s
// and %q as often as %v, and must not show a password by accident. Width, precision and flags
// work as for a string. [URL.String], [URL.AppendText] and [URL.Value] return the exact text.
func (u URL) Format(f fmt.State, verb rune) {
	text := u.Shown()
	if verb == 'v' {
		verb = 's'
		if f.Flag('#') {
			text = u.GoString()
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), text)
}

// GoString returns the Go expression for u, with "***" for a password.
func (u URL) GoString() string {
	if u.IsZero() {
		return "locus.URL{}"
	}
	return "locus.MustParse(" + strconv.Quote(u.Shown()) + ")"
}
