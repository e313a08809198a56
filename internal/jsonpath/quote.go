package jsonpath

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a quoted JSON string, such as a value that [Path.Find] finds. If the string
// contains escapes, Unquote appends the decoded text to buf; otherwise the result is a part of
// text. Unquote returns an error for invalid UTF-8 and for an incomplete surrogate pair.
func Unquote(buf, text []byte) ([]byte, error) {
	inner := text[1 : len(text)-1]
	if !utf8.Valid(inner) {
		return nil, errUTF8
	}
	next := bytes.IndexByte(inner, '\\')
	if next < 0 {
		return inner, nil
	}
	for ; next >= 0; next = bytes.IndexByte(inner, '\\') {
		buf = append(buf, inner[:next]...)
		inner = inner[next:]
		if inner[1] != 'u' {
			buf = append(buf, escapes[inner[1]])
			inner = inner[2:]
			continue
		}
		r, n := rune16(inner)
		if utf16.IsSurrogate(r) {
			return nil, fmt.Errorf("%w: %s", errSurrogate, inner[:n])
		}
		buf = utf8.AppendRune(buf, r)
		inner = inner[n:]
	}
	return append(buf, inner...), nil
}

var (
	errUTF8      = errors.New("the string is not valid UTF-8")
	errSurrogate = errors.New("incomplete surrogate pair")
)

// escapes maps the byte after a backslash to the character that the escape represents.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// rune16 decodes one "\u" escape or a surrogate pair of two escapes. It returns the character and
// the length of the escapes.
func rune16(text []byte) (rune, int) {
	const one = len(`\u0000`)
	r := hex4(text)
	if utf16.IsSurrogate(r) && len(text) >= 2*one && text[one] == '\\' && text[one+1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(text[one:])); pair != utf8.RuneError {
			return pair, 2 * one
		}
	}
	return r, one
}

func hex4(text []byte) (r rune) {
	for _, c := range text[2:6] {
		r = r<<4 | rune(unhex(c))
	}
	return r
}

// unhex returns the value of a hexadecimal digit. For any other byte, the result is greater than
// 15.
func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xFF
}

// AppendQuoted appends text as a JSON string. The text must be valid UTF-8. AppendQuoted escapes
// only the characters that JSON requires to be escaped.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
