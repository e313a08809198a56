package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// Text holds bytes to write as a JSON string. MarshalJSON decodes the bytes as UTF-8 if they
// are valid UTF-8, and otherwise as ISO Latin 1, like the URI draft. MarshalJSON also escapes
// characters that are unsafe for a terminal.
type Text string

// MarshalJSON implements [json.Marshaler].
func (t Text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := Write(&b, charset.Text(string(t)))
	return Escape(b.Bytes()), err
}

// Escape replaces characters that are unsafe for a terminal with JSON escapes. encoded must be
// one line of JSON.
func Escape(encoded []byte) []byte {
	if bytes.ContainsFunc(encoded, unsafeRune) {
		return escapeRunes(encoded)
	}
	return encoded
}

func unsafeRune(r rune) bool { return !term.IsSafe(r) }

// escapeRunes escapes the unsafe characters of a JSON string.
func escapeRunes(quoted []byte) []byte {
	var b []byte
	for _, r := range string(quoted) {
		if !unsafeRune(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

// Texts converts a list of strings to a list of Text values.
func Texts(list []string) []Text {
	t := make([]Text, len(list))
	for i, s := range list {
		t[i] = Text(s)
	}
	return t
}

// Present returns a pointer to text, or nil if ok is false.
func Present[T ~string](text T, ok bool) *Text {
	if !ok {
		return nil
	}
	t := Text(text)
	return &t
}

// Known returns a pointer to n, or nil if n is negative, which means that the number is
// unknown.
func Known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// At returns a pointer to the time t in UTC, or nil if t is the zero Time.
func At(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Fields holds decoded parts of a URL or properties of an item. MarshalJSON writes the fields
// as one JSON object, in order.
type Fields []scheme.Field

// MarshalJSON implements [json.Marshaler].
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := Write(&b, field.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := Write(&b, fieldValue(field.Value)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// fieldValue converts the value of a field for package json.
func fieldValue(value any) any {
	switch v := value.(type) {
	case string:
		return Text(v)
	case []string:
		return Texts(v)
	case [][]scheme.Field:
		list := make([]Fields, len(v))
		for i, record := range v {
			list[i] = record
		}
		return list
	default:
		return v
	}
}

// Write writes v as JSON without a line end and without HTML escapes.
func Write(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}
