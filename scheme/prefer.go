package scheme

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// Preference is a parsed value of Request.Accept or Request.AcceptLanguage (RFC 9110 sections
// 12.5.1 and 12.5.4). Preferences are comparable with ==. The zero Preference accepts
// everything.
type Preference struct {
	text string // the text, without syntax errors; empty if the list has no element
}

// ParsePreference parses media ranges or language ranges, separated by commas and with
// optional weights: "text/html, text/*;q=0.5" or "es, en;q=0.8, *;q=0.1". It ignores
// parameters other than "q". An empty list accepts everything. The error is a
// [*locus.SyntaxError] whose Part is a rule name of RFC 9110.
func ParsePreference(text string) (Preference, error) {
	s := scanner{text: text}
	ranges := 0
	for {
		if _, ok := s.readElement(); !ok {
			break
		}
		ranges++
	}
	switch {
	case s.faultyPart != "":
		return Preference{}, locus.NewSyntaxError(text, s.offset, s.faultyPart, fmt.Errorf("%w: %s", locus.ErrValue, s.advice))
	case ranges == 0:
		return Preference{}, nil
	}
	return Preference{text}, nil
}

// String returns the text from which p was parsed.
func (p Preference) String() string { return p.text }

// Quality returns the weight of value, a media type or a language, from 0 (not acceptable) to
// 1. The most specific matching range determines the weight. If two matching ranges are
// equally specific, the greater weight applies. Quality ignores case and the parameters of
// value.
//
// The ranges "*" and "*/*" match everything, including the empty value. A language range
// matches the languages that begin with it (RFC 4647 section 3.3.1): "en" matches "en",
// "en-GB" and, in the spelling of Gopher+, "En_GB".
func (p Preference) Quality(value string) float64 {
	if p.text == "" {
		return 1
	}
	value, _, _ = strings.Cut(value, ";")
	value = strings.Trim(value, blanks)
	closest, quality := 0, 0
	for s := (scanner{text: p.text}); ; {
		r, ok := s.readElement()
		if !ok {
			return float64(quality) / 1000
		}
		switch c := closeness(r.name, value); {
		case c > closest:
			closest, quality = c, r.quality
		case c == closest && c > 0:
			quality = max(quality, r.quality)
		}
	}
}

// closeness returns a number that is greater for a more specific match of value and the named
// range. If they do not match, it returns 0.
func closeness(name, value string) int {
	prefix, isType := strings.CutSuffix(name, "*")
	switch {
	case name == "*" || name == "*/*":
		return 1
	case isType:
		if len(value) >= len(prefix) && strings.EqualFold(value[:len(prefix)], prefix) {
			return 2
		}
	case strings.Contains(name, "/"):
		if len(value) == len(name) && strings.EqualFold(value, name) {
			return 3
		}
	case holdsLanguage(name, value):
		return 3 + len(name)
	}
	return 0
}

// holdsLanguage reports whether the language tag is equal to the language name, or begins with
// it and continues with subtags.
func holdsLanguage(name, tag string) bool {
	if len(tag) < len(name) || len(tag) > len(name) && tagOctet(tag[len(name)]) != '-' {
		return false
	}
	for i := range len(name) {
		if tagOctet(name[i]) != tagOctet(tag[i]) {
			return false
		}
	}
	return true
}

// tagOctet returns o in lower case, with "_" replaced by "-", for the comparison of language
// tags.
func tagOctet(o byte) byte {
	switch {
	case o == '_':
		return '-'
	case 'A' <= o && o <= 'Z':
		return o + 'a' - 'A'
	}
	return o
}

const blanks = " \t"

// weightedRange is a media range or language range with its weight in thousandths.
type weightedRange struct {
	name    string
	quality int
}

// scanner reads the elements of a preference. It does not allocate, because Quality reads
// the whole preference at each call.
type scanner struct {
	text   string
	offset int
	// If there is a syntax error, faultyPart and advice describe the error. The offset is then
	// the offset of the error.
	faultyPart, advice string
}

// readElement reads the next element of the list. At the end of the text or after a syntax
// error, ok is false.
func (s *scanner) readElement() (r weightedRange, ok bool) {
	s.skip(blanks + ",")
	if s.offset == len(s.text) {
		return r, false
	}
	r = weightedRange{quality: 1000}
	if r.name, ok = s.readRange(); !ok {
		return r, false
	}
	weights := 0
	for s.skip(blanks); s.take(';'); s.skip(blanks) {
		s.skip(blanks)
		start := s.offset
		if !strings.EqualFold(s.readToken(), "q") {
			ok = s.readParameter(start)
		} else if r.quality, ok = s.readWeight(); ok {
			if weights++; weights > 1 {
				s.offset = start
				ok = s.fail("weight", "a range must have only one weight")
			}
		}
		if !ok {
			return r, false
		}
	}
	if s.offset < len(s.text) && s.text[s.offset] != ',' {
		return r, s.fail("list", `expected ",", ";" or the end after a range`)
	}
	return r, true
}

// readRange reads a media range or a language range.
func (s *scanner) readRange() (name string, ok bool) {
	start := s.offset
	if s.readToken() == "" {
		return "", s.fail("range", "expected a media type, a language or *")
	}
	if s.take('/') && s.readToken() == "" {
		return "", s.fail("subtype", `expected a subtype or * after "/"`)
	}
	name = s.text[start:s.offset]
	if name != "*" && name != "*/*" && strings.Contains(strings.TrimSuffix(name, "/*"), "*") {
		s.offset = start
		return "", s.fail("range", "* must stand for a whole part, as in *, */* or text/*")
	}
	return name, true
}

// readWeight reads the weight after the "q", and returns it in thousandths.
func (s *scanner) readWeight() (quality int, ok bool) {
	if s.take('=') {
		start := s.offset
		if quality, ok = thousandths(s.readToken()); ok {
			return quality, true
		}
		s.offset = start
	}
	return 0, s.fail("qvalue", "write a weight as q= and a number from 0 to 1 with at most 3 decimals, such as q=0.5")
}

func thousandths(text string) (n int, ok bool) {
	whole, decimals, _ := strings.Cut(text, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	n = int(whole[0] - '0')
	for i := range 3 {
		n *= 10
		if i < len(decimals) {
			digit := decimals[i] - '0'
			if digit > 9 {
				return 0, false
			}
			n += int(digit)
		}
	}
	return n, n <= 1000
}

// readParameter reads the rest of a parameter. Its name begins at nameOffset and has already
// been read. If the name is empty, readParameter reads nothing and returns true.
func (s *scanner) readParameter(nameOffset int) (ok bool) {
	if s.offset == nameOffset {
		return true
	}
	if s.take('=') && (s.readToken() != "" || s.readQuoted()) {
		return true
	}
	return s.fail("parameter", `write a parameter as name=value or name="value"`)
}

// readToken reads a token and returns it, or "" if there is no token.
func (s *scanner) readToken() string {
	start := s.offset
	for s.offset < len(s.text) && isToken(s.text[s.offset]) {
		s.offset++
	}
	return s.text[start:s.offset]
}

// isToken reports whether o is a tchar (RFC 9110 section 5.6.2).
func isToken(o byte) bool {
	return '0' <= o && o <= '9' || 'a' <= o && o <= 'z' || 'A' <= o && o <= 'Z' || strings.IndexByte("!#$%&'*+-.^_`|~", o) >= 0
}

// readQuoted reads a quoted-string. If the text does not begin with a complete quoted-string,
// readQuoted returns false.
func (s *scanner) readQuoted() bool {
	if s.offset == len(s.text) || s.text[s.offset] != '"' {
		return false
	}
	for i := s.offset + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			s.offset = i + 1
			return true
		}
	}
	return false
}

func (s *scanner) take(o byte) bool {
	if s.offset == len(s.text) || s.text[s.offset] != o {
		return false
	}
	s.offset++
	return true
}

func (s *scanner) skip(set string) {
	for s.offset < len(s.text) && strings.IndexByte(set, s.text[s.offset]) >= 0 {
		s.offset++
	}
}

// fail records a syntax error at the current offset, and returns false.
func (s *scanner) fail(part, want string) bool {
	s.faultyPart, s.advice = part, want
	return false
}
