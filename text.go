package locus

import (
	"encoding"
	"log/slog"
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

// MarshalText returns the text of u, exactly as it was parsed; so in JSON a URL
// is a string, and the zero URL an empty one.
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

// LogValue is [URL.Redacted]: a password never reaches a log.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.Redacted()) }

// ParseWrapped reads a single URL in the wrapper of RFC 1738's appendix:
// "<URL:...>", with the prefix in either case or left out, or without the
// brackets. White space and line breaks within the brackets are left out, and
// white space around the whole. Offsets in the error are in text as given.
func ParseWrapped(text string) (URL, error) {
	start, end := 0, len(text)
	for start < end && isBlank(text[start]) {
		start++
	}
	for start < end && isBlank(text[end-1]) {
		end--
	}
	wrapped := end-start >= 2 && text[start] == '<' && text[end-1] == '>'
	if wrapped {
		start, end = start+1, end-1
		for start < end && isBlank(text[start]) {
			start++
		}
	}
	if end-start >= 4 && strings.EqualFold(text[start:start+4], "URL:") {
		start += 4
	}
	inner := text[start:end]
	if wrapped && strings.ContainsAny(inner, blanks) {
		// Octet by octet: what is no UTF-8 must come through as it is.
		kept := make([]byte, 0, len(inner))
		for i := 0; i < len(inner); i++ {
			if !isBlank(inner[i]) {
				kept = append(kept, inner[i])
			}
		}
		inner = string(kept)
	}
	u, err := Parse(inner)
	if e, ok := err.(*SyntaxError); ok {
		// The offset counts octets of inner; count the blanks back in.
		at := start
		for n := e.Offset; at < end && (n > 0 || wrapped && isBlank(text[at])); at++ {
			if !wrapped || !isBlank(text[at]) {
				n--
			}
		}
		// "URL:" must not be taken for a scheme where the password is looked for.
		input := text[:start] + maskGuess(text[start:])
		return URL{}, &SyntaxError{Input: input, Offset: at, Part: e.Part, Err: e.Err}
	}
	return u, err
}

const blanks = " \t\r\n\f"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }
