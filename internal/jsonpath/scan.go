package jsonpath

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/bits"
)

// SyntaxError is the error for text that is not JSON.
type SyntaxError struct {
	Offset int // byte offset in the text
	Err    error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %v", e.Offset, e.Err)
}
func (e *SyntaxError) Unwrap() error { return e.Err }

// Find returns the position of the value at the path in a JSON text. If several members have the
// same name, the last one counts, as in JavaScript. The error is [ErrMissing] or a [*SyntaxError].
// Find checks the syntax of the whole text, but does not check whether the text is valid UTF-8.
func (p Path) Find(text []byte) (start, end int, err error) {
	s := scanner{text: text}
	s.skipSpace()
	found, bad := s.readValue(p.steps, true)
	if bad == nil {
		if s.skipSpace(); s.pos < len(text) {
			bad = s.error(errAfter)
		}
	}
	switch {
	case bad != nil:
		return 0, 0, bad
	case found.end == 0:
		return 0, 0, ErrMissing
	}
	return found.start, found.end, nil
}

// Elements yields the positions of the elements of the JSON array in text. The iteration ends
// early if the text is not a JSON array.
func Elements(text []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		s := scanner{text: text}
		if s.skipSpace(); s.nextByte() != '[' {
			return
		}
		s.pos++
		if s.skipSpace(); s.nextByte() == ']' {
			return
		}
		for {
			start := s.pos
			if _, err := s.readValue(nil, false); err != nil || !yield(start, s.pos) || s.skipSpace() != ',' {
				return
			}
			s.pos++
			s.skipSpace()
		}
	}
}

// maxDepth is the maximum nesting depth of values, which is the same as in encoding/json.
const maxDepth = 10000

var (
	errAfter   = errors.New("text after the value")
	errDepth   = errors.New("nested too deeply")
	errEnd     = errors.New("unexpected end of the text")
	errName    = errors.New("missing name in quotes")
	errColon   = errors.New(`missing ":"`)
	errComma   = errors.New(`missing "," or closing bracket`)
	errValue   = errors.New("missing value")
	errControl = errors.New("control character in a string: escape it")
	errEscape  = errors.New("unknown escape")
	errNumber  = errors.New("missing digit")
)

// scanner reads a JSON text, beginning at the offset pos.
type scanner struct {
	text    []byte
	pos     int
	depth   int
	escaped bool // the last string contains escapes
}

// span is a part of the text. If end is 0, the span is empty.
type span struct{ start, end int }

func (s *scanner) error(err error) *SyntaxError {
	if s.pos >= len(s.text) {
		err = errEnd
	}
	return &SyntaxError{s.pos, err}
}

// nextByte returns the next byte, or 0 at the end.
func (s *scanner) nextByte() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// skipSpace skips white space and returns the next byte.
func (s *scanner) skipSpace() byte {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// readValue reads a value. If isTarget is true, readValue returns the position of the value at
// path.
func (s *scanner) readValue(path []step, isTarget bool) (found span, err *SyntaxError) {
	start := s.pos
	inside := isTarget && len(path) > 0
	switch c := s.nextByte(); c {
	case '"':
		err = s.readString()
	case '{':
		if !inside || path[0].index >= 0 {
			path = nil
		}
		found, err = s.readObject(path)
	case '[':
		if !inside || path[0].index < 0 {
			path = nil
		}
		found, err = s.readArray(path)
	case 't':
		err = s.literal("true")
	case 'f':
		err = s.literal("false")
	case 'n':
		err = s.literal("null")
	default:
		err = s.readNumber(c)
	}
	if isTarget && !inside {
		found = span{start, s.pos}
	}
	return found, err
}

// readObject reads an object. A nonempty path begins with the name of a member.
func (s *scanner) readObject(path []step) (found span, err *SyntaxError) {
	if empty, err := s.readOpening('}'); empty || err != nil {
		return found, err
	}
	for {
		start := s.pos
		if s.nextByte() != '"' {
			return found, s.error(errName)
		}
		if err := s.readString(); err != nil {
			return found, err
		}
		named := len(path) > 0 && s.isName(start, path[0].name)
		if s.skipSpace() != ':' {
			return found, s.error(errColon)
		}
		s.pos++
		s.skipSpace()
		if named {
			found, err = s.readValue(path[1:], true)
		} else {
			_, err = s.readValue(nil, false)
		}
		if err != nil {
			return found, err
		}
		if more, err := s.readSeparator('}'); !more || err != nil {
			return found, err
		}
	}
}

// readArray reads an array. A nonempty path begins with an index into it.
func (s *scanner) readArray(path []step) (found span, err *SyntaxError) {
	if empty, err := s.readOpening(']'); empty || err != nil {
		return found, err
	}
	for i := 0; ; i++ {
		if len(path) > 0 && i == path[0].index {
			found, err = s.readValue(path[1:], true)
		} else {
			_, err = s.readValue(nil, false)
		}
		if err != nil {
			return found, err
		}
		if more, err := s.readSeparator(']'); !more || err != nil {
			return found, err
		}
	}
}

// readOpening reads the opening bracket of an object or array. If the object or array is empty,
// readOpening also reads the closing bracket.
func (s *scanner) readOpening(closing byte) (empty bool, err *SyntaxError) {
	if s.depth++; s.depth > maxDepth {
		return false, s.error(errDepth)
	}
	s.pos++
	if s.skipSpace() != closing {
		return false, nil
	}
	s.depth--
	s.pos++
	return true, nil
}

// readSeparator reads a comma, or the closing bracket of an object or array.
func (s *scanner) readSeparator(closing byte) (bool, *SyntaxError) {
	switch s.skipSpace() {
	case ',':
		s.pos++
		s.skipSpace()
		return true, nil
	case closing:
		s.depth--
		s.pos++
		return false, nil
	}
	return false, s.error(errComma)
}

// isName reports whether the string between the offset start and s.pos is equal to the given name.
func (s *scanner) isName(start int, name string) bool {
	if !s.escaped {
		return string(s.text[start+1:s.pos-1]) == name
	}
	text, err := Unquote(nil, s.text[start:s.pos])
	return err == nil && string(text) == name
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// readString reads a string. readString searches eight bytes at a time for a quote, a backslash
// or a control character.
func (s *scanner) readString() *SyntaxError {
	s.escaped = false
	s.pos++
	for s.pos < len(s.text) {
		if rest := s.text[s.pos:]; len(rest) >= 8 {
			w := binary.LittleEndian.Uint64(rest)
			quote, backslash := w^'"'*ones, w^'\\'*ones
			// Use only the lowest set bit, because a borrow may have set some of the
			// higher bits.
			ends := ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs
			if ends == 0 {
				s.pos += 8
				continue
			}
			s.pos += bits.TrailingZeros64(ends) / 8
		}
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.error(errControl)
		default:
			s.pos++
		}
	}
	return s.error(errEnd)
}

func (s *scanner) escape() *SyntaxError {
	s.escaped = true
	s.pos++
	c := s.nextByte()
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		for range 4 {
			s.pos++
			if unhex(s.nextByte()) > 0xF {
				return s.error(errEscape)
			}
		}
	default:
		return s.error(errEscape)
	}
	s.pos++
	return nil
}

func (s *scanner) literal(word string) *SyntaxError {
	for i := range len(word) {
		if s.nextByte() != word[i] {
			return s.error(errValue)
		}
		s.pos++
	}
	return nil
}

// readNumber reads a number. c is its first byte.
func (s *scanner) readNumber(c byte) *SyntaxError {
	if c == '-' {
		s.pos++
		c = s.nextByte()
	} else if c < '0' || c > '9' {
		return s.error(errValue)
	}
	if c == '0' {
		s.pos++
	} else if err := s.readDigits(); err != nil {
		return err
	}
	if s.nextByte() == '.' {
		s.pos++
		if err := s.readDigits(); err != nil {
			return err
		}
	}
	if c := s.nextByte(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.nextByte(); c == '+' || c == '-' {
			s.pos++
		}
		return s.readDigits()
	}
	return nil
}

// readDigits reads one digit or more.
func (s *scanner) readDigits() *SyntaxError {
	start := s.pos
	for c := s.nextByte(); c >= '0' && c <= '9'; c = s.nextByte() {
		s.pos++
	}
	if s.pos == start {
		return s.error(errNumber)
	}
	return nil
}
