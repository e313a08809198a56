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
	s.space()
	found, bad := s.value(p.steps, true)
	if bad == nil {
		if s.space(); s.pos < len(text) {
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
		if s.space(); s.next() != '[' {
			return
		}
		s.pos++
		if s.space(); s.next() == ']' {
			return
		}
		for {
			start := s.pos
			if _, err := s.value(nil, false); err != nil || !yield(start, s.pos) || s.space() != ',' {
				return
			}
			s.pos++
			s.space()
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

// next returns the next byte, or 0 at the end of the text.
func (s *scanner) next() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// space skips whitespace and returns the next byte.
func (s *scanner) space() byte {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// value reads a value. If the parameter find is true, it returns the position of the value at the
// path.
func (s *scanner) value(path []step, find bool) (found span, err *SyntaxError) {
	start := s.pos
	inside := find && len(path) > 0
	switch c := s.next(); c {
	case '"':
		err = s.quoted()
	case '{':
		if !inside || path[0].index >= 0 {
			path = nil
		}
		found, err = s.members(path)
	case '[':
		if !inside || path[0].index < 0 {
			path = nil
		}
		found, err = s.elements(path)
	case 't':
		err = s.literal("true")
	case 'f':
		err = s.literal("false")
	case 'n':
		err = s.literal("null")
	default:
		err = s.number(c)
	}
	if find && !inside {
		found = span{start, s.pos}
	}
	return found, err
}

// members reads an object. A nonempty path begins with the name of a member.
func (s *scanner) members(path []step) (found span, err *SyntaxError) {
	if empty, err := s.open('}'); empty || err != nil {
		return found, err
	}
	for {
		start := s.pos
		if s.next() != '"' {
			return found, s.error(errName)
		}
		if err := s.quoted(); err != nil {
			return found, err
		}
		named := len(path) > 0 && s.isName(start, path[0].name)
		if s.space() != ':' {
			return found, s.error(errColon)
		}
		s.pos++
		s.space()
		if named {
			found, err = s.value(path[1:], true)
		} else {
			_, err = s.value(nil, false)
		}
		if err != nil {
			return found, err
		}
		if more, err := s.more('}'); !more || err != nil {
			return found, err
		}
	}
}

// elements reads an array. A nonempty path begins with the index of an element.
func (s *scanner) elements(path []step) (found span, err *SyntaxError) {
	if empty, err := s.open(']'); empty || err != nil {
		return found, err
	}
	for i := 0; ; i++ {
		if len(path) > 0 && i == path[0].index {
			found, err = s.value(path[1:], true)
		} else {
			_, err = s.value(nil, false)
		}
		if err != nil {
			return found, err
		}
		if more, err := s.more(']'); !more || err != nil {
			return found, err
		}
	}
}

// open reads the opening bracket of an object or array. If the object or array is empty, open also
// reads the closing bracket.
func (s *scanner) open(end byte) (empty bool, err *SyntaxError) {
	if s.depth++; s.depth > maxDepth {
		return false, s.error(errDepth)
	}
	s.pos++
	if s.space() != end {
		return false, nil
	}
	s.depth--
	s.pos++
	return true, nil
}

// more reads a comma or the end of an object or array.
func (s *scanner) more(end byte) (bool, *SyntaxError) {
	switch s.space() {
	case ',':
		s.pos++
		s.space()
		return true, nil
	case end:
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

// quoted reads a string. It searches eight bytes at a time for a quote, a backslash or a control
// character.
func (s *scanner) quoted() *SyntaxError {
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
	c := s.next()
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		for range 4 {
			s.pos++
			if unhex(s.next()) > 0xF {
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
		if s.next() != word[i] {
			return s.error(errValue)
		}
		s.pos++
	}
	return nil
}

// number reads a number. The parameter c is the first byte of the number.
func (s *scanner) number(c byte) *SyntaxError {
	if c == '-' {
		s.pos++
		c = s.next()
	} else if c < '0' || c > '9' {
		return s.error(errValue)
	}
	if c == '0' {
		s.pos++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.next() == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.next(); c == '+' || c == '-' {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

// digits reads one or more digits.
func (s *scanner) digits() *SyntaxError {
	start := s.pos
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		s.pos++
	}
	if s.pos == start {
		return s.error(errNumber)
	}
	return nil
}
