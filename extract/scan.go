package extract

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// The search finds each ":" with IndexByte, which is fast, and then looks for a scheme name before
// the ":".
//
// The result must be the same for a whole text and for a text that is read in windows. So the
// verdict is needsMore if the result of a search depends on the text after a window. A search reads
// at most lookBehind bytes before a ":", and at most lookAhead bytes after the ":".

const (
	// maxName is the maximum length of a scheme name.
	maxName = 64
	// maxWrapper is the maximum number of bytes between "<" and ">". maxWrapper is large enough
	// for the longest URL and the same number of spaces.
	maxWrapper = 2 * locus.MaxLen
	// lookBehind is the maximum distance between a ":" and the preceding scheme, "<" or start of
	// the line.
	lookBehind = 1024
	// lookAhead is the maximum distance between a ":" and the end of the URL.
	lookAhead = maxWrapper + 64
)

type verdict uint8

const (
	noURL     verdict = iota // no URL
	foundURL                 // a URL
	needsMore                // the decision needs more text
)

type scanner struct {
	Options
	last Scheme // scheme of the last URL
	end  int    // end of the last URL in the text; used for [Options.Schemeless]
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

// findURL searches for the first URL in text whose ":" is not before the offset pos. It returns the
// offset at which the search continues. The parameter final reports whether the document ends with
// text.
func (s *scanner) findURL(text string, pos int, final bool, m *Match) (findURL int, v verdict) {
	if s.Schemeless {
		return s.nextAny(text, pos, final, m)
	}
	ends := &s.Schemes.endings
	for {
		n := strings.IndexByte(text[pos:], ':')
		if n < 0 {
			return len(text), noURL
		}
		colon := pos + n
		if colon > 1 && !ends[pair(text[colon-2], text[colon-1])] || !s.mayName(text, colon) {
			pos = colon + 1
			continue
		}
		switch findURL, v = s.matchAt(text, colon, final, m); v {
		case foundURL:
			return findURL, foundURL
		case needsMore:
			return colon, needsMore
		}
		pos = max(findURL, colon+1)
	}
}

// mayName reports whether a scheme name or "URL" may end at the offset colon. mayName rejects most
// colons in prose, which are before a space. Only in a wrapper can a space follow the ":" of a
// URL.
func (s *scanner) mayName(text string, colon int) bool {
	if colon == 0 || !octet.Is(text[colon-1], octet.Scheme) {
		return false
	}
	if colon+2 < len(text) && text[colon+1] == ' ' && text[colon+2] > ' ' && text[colon+2] < utf8.RuneSelf {
		start, _ := s.nameStart(text, colon)
		return bracketBefore(text, start) >= 0
	}
	return true
}

// matchAt searches for a URL whose scheme or prefix "URL:" ends at the offset colon.
func (s *scanner) matchAt(text string, colon int, final bool, m *Match) (next int, v verdict) {
	start, again := s.nameStart(text, colon)
	name := text[start:colon]
	if !again && len(name) == len("URL") && strings.EqualFold(name, "URL") {
		if open := bracketBefore(text, start); open >= 0 {
			return s.readWrapped(text, open, colon+1, Wrapped, Any, final, m)
		}
		return colon + 1, noURL
	}
	part, ok := s.last.Part, again
	if !again {
		part, ok = s.partOf(name)
	}
	if !ok {
		// The scheme may follow punctuation, as in "It can...http://h/a" or "1.http://h/a".
		n := 0
		if n, part = s.afterDots(name); n == 0 {
			return colon + 1, noURL
		}
		start += n
	}
	if open := bracketBefore(text, start); open >= 0 {
		if next, v = s.readWrapped(text, open, start, Bracketed, part, final, m); v != noURL || next > colon {
			return next, v
		}
	}
	if s.NoBare || inWord(text, start) {
		return colon + 1, noURL
	}
	if end := s.readCommon(text, start, colon, m); end > 0 {
		return end, foundURL
	}
	return s.readBare(text, start, colon, part, final, m)
}

// afterDots looks for a known scheme at the end of name. The scheme must follow a "." or "--",
// which belongs to the surrounding text. afterDots returns the offset and the Part of the scheme.
// If there is no such scheme, the offset is 0.
func (s *scanner) afterDots(name string) (start int, part Part) {
	for i := 1; i < len(name); i++ {
		if (name[i-1] == '.' || name[i-1] == '-' && (i == 1 || name[i-2] == '-')) && octet.Is(name[i], octet.Alpha) {
			if part, ok := s.partOf(name[i:]); ok {
				return i, part
			}
		}
	}
	return 0, 0
}

// partOf returns the Part for the scheme with the given name.
func (s *scanner) partOf(name string) (partOf Part, ok bool) {
	if name != s.last.Name || name == "" {
		scheme, ok := s.Schemes.Lookup(name)
		if !ok {
			return 0, false
		}
		s.last = scheme
	}
	return s.last.Part, true
}

// nameStart returns the start of the scheme name that ends at the offset colon. The result
// sameScheme reports whether the last URL has the same scheme.
func (s *scanner) nameStart(text string, colon int) (start int, sameScheme bool) {
	start = colon
	// Most URLs in a text have the same scheme as the previous URL.
	if n := colon - len(s.last.Name); n >= 0 && text[n:colon] == s.last.Name {
		start, sameScheme = n, n < colon
	}
	for start > 0 && colon-start <= maxName && octet.Is(text[start-1], octet.Scheme) {
		start, sameScheme = start-1, false
	}
	return start, sameScheme
}

// bracketBefore returns the offset of the "<" before the offset i. Only white space may follow the
// "<". If there is no such "<", it returns -1.
func bracketBefore(text string, i int) int {
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

// inWord reports whether the scheme name at the offset i is the end of a word in another script.
// Letters of Chinese, Japanese and Korean do not count, because these scripts put no spaces
// between words.
func inWord(text string, i int) bool {
	if i == 0 || text[i-1] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return letterOf(r) == word
}

// parse sets the match m if the candidate is a URL that contains the given Part. The URL is at
// text[start:end]. A Wrapped URL may contain any Part.
func (s *scanner) parse(candidate string, start, end int, form Form, part Part, m *Match) bool {
	if s.Clone {
		candidate = strings.Clone(candidate)
	}
	u, err := locus.Parse(candidate)
	escaped := false
	if err != nil && errors.Is(err, locus.ErrEscape) {
		var changed string
		if changed, escaped = withPercents(candidate); escaped {
			u, err = locus.Parse(changed)
		}
	}
	if err != nil || form != Wrapped && !isPlausible(u, part) {
		return false
	}
	*m = Match{URL: u, Start: int64(start), End: int64(end), Form: form, IRI: octet.All(candidate)&octet.ASCII == 0, Escaped: escaped}
	return true
}
