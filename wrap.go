package locus

import (
	"fmt"
	"strings"
)

// Unwrapped is the immutable result of [RemoveWrapper]: a text without the wrapper of RFC
// 1738's appendix.
type Unwrapped struct {
	text       string // with the wrapper
	start, end int    // offsets of the content of the wrapper in text
	brackets   bool
	prefix     bool
	inner      string
}

// RemoveWrapper removes the wrapper of RFC 1738's appendix from text: "<URL:...>", "<...>" or
// "URL:...", with the prefix in either case. RemoveWrapper also removes white space within the
// brackets, including line breaks, and at both ends. The remaining text need not be a URL.
func RemoveWrapper(text string) Unwrapped {
	w := Unwrapped{text: text, end: len(text)}
	w.trim()
	if w.end-w.start >= len("<>") && text[w.start] == '<' && text[w.end-1] == '>' {
		w.brackets = true
		w.start, w.end = w.start+1, w.end-1
		w.trim()
	}
	if n := w.start + len(urlPrefix); n <= w.end && text[w.start]|0x20 == 'u' && strings.EqualFold(text[w.start:n], urlPrefix) {
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

func (w *Unwrapped) trim() {
	for w.start < w.end && isBlank(w.text[w.start]) {
		w.start++
	}
	for w.start < w.end && isBlank(w.text[w.end-1]) {
		w.end--
	}
}

// collect returns the octets in the wrapper that are not white space and for which isKept returns
// true. The text may be invalid UTF-8.
func (w *Unwrapped) collect(isKept func(i int) bool) string {
	kept := make([]byte, 0, w.end-w.start)
	for i := w.start; i < w.end; i++ {
		if !isBlank(w.text[i]) && isKept(i) {
			kept = append(kept, w.text[i])
		}
	}
	return string(kept)
}

// String returns the text without its wrapper.
func (w Unwrapped) String() string { return w.inner }

// Wrapped reports whether the text had brackets, the prefix, or both.
func (w Unwrapped) Wrapped() bool { return w.brackets || w.prefix }

// Folded reports whether RemoveWrapper removed white space within the brackets.
func (w Unwrapped) Folded() bool { return len(w.inner) < w.end-w.start }

// WithoutHyphens returns the text without its wrapper and without each hyphen before a line
// break, which a typesetter may have added (RFC 1738 appendix). ok reports whether the text
// contains such a hyphen.
func (w Unwrapped) WithoutHyphens() (text string, ok bool) {
	if !w.Folded() {
		return "", false
	}
	text = w.collect(func(i int) bool { return w.text[i] != '-' || !w.breaksAfter(i) })
	return text, len(text) < len(w.inner)
}

// breaksAfter reports whether a line break follows the octet at i, directly or after
// spaces.
func (w *Unwrapped) breaksAfter(i int) bool {
	for i++; i < w.end && isBlank(w.text[i]); i++ {
		if w.text[i] == '\n' || w.text[i] == '\r' {
			return true
		}
	}
	return false
}

// Offset converts an offset in the text without its wrapper to an offset in the original text.
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

// Error converts a [*SyntaxError] about the text without its wrapper: it returns the same
// error with the offset in the original text. Error returns any other error unchanged.
func (w Unwrapped) Error(err error) error {
	e, ok := err.(*SyntaxError)
	if !ok || w.start == 0 && w.end == len(w.text) && !w.Folded() {
		return err
	}
	return &SyntaxError{Input: truncateInput(Mask(w.text), e.Err), Offset: w.Offset(e.Offset), Part: e.Part, Err: e.Err}
}

// Note returns a finding of kind [Note] at offset 0. The finding lists the characters that are
// not part of the URL. ok equals w.Wrapped().
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

// Wrap returns u in the wrapper of RFC 1738's appendix, "<URL:...>". Wrap breaks a line longer
// than width octets, if possible after a reserved character, and never after a hyphen or
// within an escape. A width of 0 disables line breaks.
//
// Wrap fails if u contains "<", ">" or a character that is not US-ASCII, because a wrapped URL
// must encode such characters.
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

// breakAt returns the offset at which to break text. If possible, the offset is at most width.
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

// mayBreak reports whether text may be broken at offset n, which must be neither after a
// hyphen nor within an escape.
func mayBreak(text string, n int) bool {
	return text[n-1] != '-' && text[n-1] != '%' && (n < 2 || text[n-2] != '%')
}
