package extract

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// The search goes from ":" to ":", which IndexByte finds fast, and looks left of each for
// the name of a scheme.
//
// A text comes whole or in windows, and the result must be the same. So a search whose
// result depends on the text after a window ends with the verdict more, and no search
// looks further back than behind, or further ahead than ahead.

const (
	// maxName is the length of the longest name of a scheme that is looked for.
	maxName = 64
	// maxWrapper is the most octets between "<" and ">": the longest URL, and as many
	// blanks.
	maxWrapper = 2 * locus.MaxLen
	// behind is how far before a ":" the scheme, the "<" and the start of the line are
	// looked for.
	behind = 1024
	// ahead is how far after a ":" the end of a URL is looked for.
	ahead = maxWrapper + 64
)

type verdict uint8

const (
	none  verdict = iota // no URL
	found                // a URL
	more                 // it depends on text that is not there yet
)

type scanner struct {
	Options
	last Scheme // that was found
	end  int    // the end of the last URL in the text, with [Options.Schemeless]
}

func newScanner(o *Options) *scanner {
	s := &scanner{}
	if o != nil {
		s.Options = *o
	}
	if s.Schemes == nil {
		s.Schemes = defaultSchemes
	}
	return s
}

// next looks for the first URL in text whose ":" is at pos or after it, and returns where
// the search continues. If nothing follows text, it is final.
func (s *scanner) next(text string, pos int, final bool, m *Match) (next int, v verdict) {
	if s.Schemeless {
		return s.nextAny(text, pos, final, m)
	}
	ends := &s.Schemes.ends
	for {
		n := strings.IndexByte(text[pos:], ':')
		if n < 0 {
			return len(text), none
		}
		colon := pos + n
		if colon > 1 && !ends[pair(text[colon-2], text[colon-1])] || !s.mayName(text, colon) {
			pos = colon + 1
			continue
		}
		switch next, v = s.at(text, colon, final, m); v {
		case found:
			return next, found
		case more:
			return colon, more
		}
		pos = max(next, colon+1)
	}
}

// mayName reports whether the name of a scheme, or "URL", may end at colon. Most ":" are
// in prose, and a blank follows them, which a URL has only in a wrapper.
func (s *scanner) mayName(text string, colon int) bool {
	if colon == 0 || !octet.Is(text[colon-1], octet.Scheme) {
		return false
	}
	if colon+2 < len(text) && text[colon+1] == ' ' && text[colon+2] > ' ' && text[colon+2] < utf8.RuneSelf {
		start, _ := s.nameStart(text, colon)
		return bracket(text, start) >= 0
	}
	return true
}

// at looks for a URL whose scheme, or whose prefix "URL:", ends at colon.
func (s *scanner) at(text string, colon int, final bool, m *Match) (next int, v verdict) {
	start, again := s.nameStart(text, colon)
	name := text[start:colon]
	if !again && len(name) == len("URL") && strings.EqualFold(name, "URL") {
		if open := bracket(text, start); open >= 0 {
			return s.wrapped(text, open, colon+1, Wrapped, Any, final, m)
		}
		return colon + 1, none
	}
	part, ok := s.last.Part, again
	if !again {
		part, ok = s.part(name)
	}
	if !ok {
		// "It can...http://h/a", "1.http://h/a".
		n := 0
		if n, part = s.afterDots(name); n == 0 {
			return colon + 1, none
		}
		start += n
	}
	if open := bracket(text, start); open >= 0 {
		if next, v = s.wrapped(text, open, start, Bracketed, part, final, m); v != none || next > colon {
			return next, v
		}
	}
	if s.NoBare || inWord(text, start) {
		return colon + 1, none
	}
	if end := s.usual(text, start, colon, m); end > 0 {
		return end, found
	}
	return s.bare(text, start, colon, part, final, m)
}

// afterDots returns where in name the name of a scheme begins that is looked for, after
// a "." or "--" that is the punctuation of the text before it, or 0.
func (s *scanner) afterDots(name string) (start int, part Part) {
	for i := 1; i < len(name); i++ {
		if (name[i-1] == '.' || name[i-1] == '-' && (i == 1 || name[i-2] == '-')) && octet.Is(name[i], octet.Alpha) {
			if part, ok := s.part(name[i:]); ok {
				return i, part
			}
		}
	}
	return 0, 0
}

// part returns the part of a scheme that is looked for.
func (s *scanner) part(name string) (part Part, ok bool) {
	if name != s.last.Name || name == "" {
		scheme, ok := s.Schemes.Lookup(name)
		if !ok {
			return 0, false
		}
		s.last = scheme
	}
	return s.last.Part, true
}

// nameStart returns where the characters of a scheme that end at colon begin, and whether
// they are the name of the last scheme again.
func (s *scanner) nameStart(text string, colon int) (start int, again bool) {
	start = colon
	// Nearly every URL in a text is of the same scheme as the one before.
	if n := colon - len(s.last.Name); n >= 0 && text[n:colon] == s.last.Name {
		start, again = n, n < colon
	}
	for start > 0 && colon-start <= maxName && octet.Is(text[start-1], octet.Scheme) {
		start, again = start-1, false
	}
	return start, again
}

// bracket returns the index of the "<" before i, with nothing but blanks between
// them, or -1.
func bracket(text string, i int) int {
	for least := max(0, i-maxName); i > least; i-- {
		switch text[i-1] {
		case '<':
			return i - 1
		case ' ', '\t', '\r', '\n':
		default:
			return -1
		}
	}
	return -1
}

// inWord reports whether the scheme's name at i is the end of a word that begins with a
// letter of another script. Chinese, Japanese and Korean have no blanks between words, so
// their letters do not count.
func inWord(text string, i int) bool {
	if i == 0 || text[i-1] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return letterOf(r) == word
}

// parse fills m, from start to end of the text, if written is a URL with that part. A
// Wrapped one may have any part.
func (s *scanner) parse(written string, start, end int, form Form, part Part, m *Match) bool {
	if s.Clone {
		written = strings.Clone(written)
	}
	u, err := locus.Parse(written)
	escaped := false
	if err != nil && errors.Is(err, locus.ErrEscape) {
		var changed string
		if changed, escaped = withPercents(written); escaped {
			u, err = locus.Parse(changed)
		}
	}
	if err != nil || form != Wrapped && !plausible(u, part) {
		return false
	}
	*m = Match{URL: u, Start: int64(start), End: int64(end), Form: form, IRI: octet.All(written)&octet.ASCII == 0, Escaped: escaped}
	return true
}
