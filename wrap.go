package locus

import (
	"fmt"
	"strings"
)

// Unwrapped is a text without the wrapper of RFC 1738's appendix. [Unwrap] makes
// it. It is an immutable value.
type Unwrapped struct {
	text       string // as given
	start, end int    // of what is in the wrapper
	brackets   bool
	prefix     bool
	inner      string
}

// Unwrap takes the wrapper of RFC 1738's appendix off text: "<URL:...>", with the
// prefix in either case or left out, or the prefix without the brackets. White
// space and line breaks within the brackets are left out, and white space around
// the whole. What remains need not be a URL.
func Unwrap(text string) Unwrapped {
	w := Unwrapped{text: text, end: len(text)}
	w.trim()
	if w.end-w.start >= len("<>") && text[w.start] == '<' && text[w.end-1] == '>' {
		w.brackets = true
		w.start, w.end = w.start+1, w.end-1
		w.trim()
	}
	if n := w.start + len(urlPrefix); n <= w.end && strings.EqualFold(text[w.start:n], urlPrefix) {
		w.prefix = true
		w.start = n
	}
	w.inner = text[w.start:w.end]
	if w.brackets && strings.ContainsAny(w.inner, blanks) {
		w.inner = w.collect(func(int) bool { return true })
	}
	return w
}

const urlPrefix = "URL:"

// trim leaves out the white space at both ends.
func (w *Unwrapped) trim() {
	for w.start < w.end && isBlank(w.text[w.start]) {
		w.start++
	}
	for w.start < w.end && isBlank(w.text[w.end-1]) {
		w.end--
	}
}

// collect returns the octets in the wrapper that are not white space, and for which
// keep returns true. It goes octet by octet, because the text may be invalid UTF-8.
func (w *Unwrapped) collect(keep func(i int) bool) string {
	kept := make([]byte, 0, w.end-w.start)
	for i := w.start; i < w.end; i++ {
		if !isBlank(w.text[i]) && keep(i) {
			kept = append(kept, w.text[i])
		}
	}
	return string(kept)
}

// String returns the text without its wrapper.
func (w Unwrapped) String() string { return w.inner }

// Wrapped reports whether there was a wrapper: brackets, the prefix, or both.
func (w Unwrapped) Wrapped() bool { return w.brackets || w.prefix }

// Folded reports whether there was white space within the brackets that is not part
// of the URL.
func (w Unwrapped) Folded() bool { return len(w.inner) < w.end-w.start }

// WithoutHyphens returns the text without its wrapper and without the hyphens that a
// line break follows. A typesetter may have added them (RFC 1738 appendix). ok is
// false if there are none.
func (w Unwrapped) WithoutHyphens() (text string, ok bool) {
	if !w.Folded() {
		return "", false
	}
	text = w.collect(func(i int) bool { return w.text[i] != '-' || !w.breaksAfter(i) })
	return text, len(text) < len(w.inner)
}

// breaksAfter reports whether a line break follows the octet at i, perhaps after
// blanks.
func (w *Unwrapped) breaksAfter(i int) bool {
	for i++; i < w.end && isBlank(w.text[i]); i++ {
		if w.text[i] == '\n' || w.text[i] == '\r' {
			return true
		}
	}
	return false
}

// Offset returns the place in the text as given of the octet at i of the text
// without its wrapper.
func (w Unwrapped) Offset(i int) int {
	at := w.start
	for at < w.end && (i > 0 || w.brackets && isBlank(w.text[at])) {
		if !w.brackets || !isBlank(w.text[at]) {
			i--
		}
		at++
	}
	return at
}

// Error returns err with its offset counted in the text as given, if it is a
// [*SyntaxError] about the text without its wrapper.
func (w Unwrapped) Error(err error) error {
	e, ok := err.(*SyntaxError)
	if !ok || w.start == 0 && w.end == len(w.text) && !w.Folded() {
		return err
	}
	// "URL:" must not be taken for a scheme where the password is looked for.
	return &SyntaxError{Input: w.Mask(), Offset: w.Offset(e.Offset), Part: e.Part, Err: e.Err}
}

// Mask returns the text as given, with each octet of a password shown as "*", as
// the function [Mask] does.
func (w Unwrapped) Mask() string {
	if w.start == 0 && w.end == len(w.text) {
		return Mask(w.text)
	}
	inside := w.text[w.start:w.end]
	if _, err := Parse(inside); err == nil {
		return w.text[:w.start] + Mask(inside) + w.text[w.end:]
	}
	return w.text[:w.start] + maskGuess(w.text[w.start:])
}

// Note says what of the text is not part of the URL, as a finding of kind [Note]
// whose offset is 0. ok is false if there was no wrapper.
func (w Unwrapped) Note() (note Violation, ok bool) {
	if !w.Wrapped() {
		return Violation{}, false
	}
	before := strings.TrimLeft(w.text[:w.start], blanks)
	help := fmt.Sprintf("%q is a prefix and not part of the URL", before)
	if w.brackets {
		before = strings.TrimRight(before, blanks)
		help = fmt.Sprintf(`%q and ">" delimit the URL and are not part of it`, before)
	}
	if w.Folded() {
		help += "; neither is the white space between them"
	}
	if text, ok := w.WithoutHyphens(); ok {
		help += "; a hyphen before a line break may not be part of it either, which would give " + Quote(Mask(text))
	}
	return Violation{Rule: "wrapper", Kind: Note, Section: "RFC 1738 appendix", Text: before, Help: help}, true
}

// Wrap returns u in the wrapper of RFC 1738's appendix, "<URL:...>". If the line
// would be longer than width octets, it is broken after a reserved character, or
// where there is none after any other character. It is never broken after a hyphen,
// nor within an escape. width 0 breaks nothing.
//
// It fails if u has a character that must be encoded to be read back from the
// wrapper: one that is not US-ASCII, or "<" or ">".
func Wrap(u URL, width int) (string, error) {
	text := u.text
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7F || c == '<' || c == '>' {
			return "", u.Errorf(i, "genericurl", "%w: %q must be encoded in the wrapper: write %%%02X", ErrValue, c, c)
		}
	}
	var b strings.Builder
	b.WriteString("<" + urlPrefix)
	column := len("<" + urlPrefix)
	for width > 0 && column+len(text)+len(">") > width {
		n := breakAt(text, width-column)
		if n == len(text) {
			break
		}
		b.WriteString(text[:n])
		b.WriteByte('\n')
		text, column = text[n:], 0
	}
	b.WriteString(text)
	b.WriteByte('>')
	return b.String(), nil
}

// breakAt returns where to break text so that at most width octets are before the
// break, if that can be.
func breakAt(text string, width int) int {
	width = min(max(width, 1), len(text)-1)
	if width <= 0 {
		return len(text)
	}
	if n := strings.LastIndexAny(text[:width], ";/?:@=&") + 1; n > 0 {
		return n
	}
	for n := width; n > 0; n-- {
		if mayBreak(text, n) {
			return n
		}
	}
	for n := width + 1; n < len(text); n++ {
		if mayBreak(text, n) {
			return n
		}
	}
	return len(text)
}

// mayBreak reports whether text can be broken before the octet at n: the one before
// it is not a hyphen, and it is not within an escape.
func mayBreak(text string, n int) bool {
	return text[n-1] != '-' && text[n-1] != '%' && (n < 2 || text[n-2] != '%')
}
