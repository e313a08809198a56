package markup

import (
	"html"
	"sort"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Notation selects the escape syntax of a document.
type Notation uint8

const (
	// Literal is the notation of text without escapes, such as code and scripts.
	Literal Notation = iota
	// MarkdownText is the notation of Markdown. The escapes are "\" before punctuation (CommonMark
	// 2.4), and character references that end in ";" (2.5).
	MarkdownText
	// HTMLText is the notation of text in HTML, with character references. Some names from early
	// HTML versions need no ";" at the end.
	HTMLText
	// HTMLValue is the notation of attribute values. HTMLValue differs from HTMLText for text such
	// as "&copy=", which contains the name of a query parameter and not a copyright sign.
	HTMLValue
	// CSSText is the notation of style sheets. The escape is "\" before a character or the number
	// of a character (CSS Syntax 4.3.7).
	CSSText
	// RSTText is the notation of reStructuredText. The escape is "\" before a character. A "\" and
	// the white space after it are removed.
	RSTText
)

// escapeStarts lists the bytes that begin an escape in each notation.
var escapeStarts = [...]string{Literal: "", MarkdownText: `&\`, HTMLText: "&", HTMLValue: "&", CSSText: `\`, RSTText: `\`}

// Decoded is a text without escapes. Decoded maps offsets back to the source.
type Decoded struct {
	Text  string
	edits []edit
}

// edit maps an offset in the decoded text to an offset in the source.
type edit struct{ decodedOffset, sourceOffset int }

// Decode decodes the text in source. If there are no escapes, Decode returns the text unchanged,
// without an allocation.
func Decode(source string, n Notation) Decoded {
	i := Index(source, n)
	if i < 0 {
		return Decoded{Text: source}
	}
	var d Decoded
	b := make([]byte, 0, len(source))
	from := 0
	for i < len(source) {
		size := 0
		if strings.IndexByte(escapeStarts[n], source[i]) >= 0 {
			var value string
			if value, size = decodeEscape(source[i:], n); size > 0 {
				b = append(append(b, source[from:i]...), value...)
				from = i + size
				d.edits = append(d.edits, edit{decodedOffset: len(b), sourceOffset: from})
			}
		}
		i += max(size, 1)
	}
	if d.edits == nil {
		return Decoded{Text: source}
	}
	d.Text = string(append(b, source[from:]...))
	return d
}

// Changed reports whether the source contains escapes.
func (d *Decoded) Changed() bool { return d.edits != nil }

// Offset converts the offset i in the decoded text to an offset in the source.
func (d *Decoded) Offset(i int) int {
	n := sort.Search(len(d.edits), func(n int) bool { return d.edits[n].decodedOffset > i })
	if n == 0 {
		return i
	}
	return d.edits[n-1].sourceOffset + i - d.edits[n-1].decodedOffset
}

// Index returns the offset of the first byte that may begin an escape, or -1.
func Index(source string, n Notation) int {
	first := -1
	for i := range len(escapeStarts[n]) {
		if at := strings.IndexByte(source, escapeStarts[n][i]); at >= 0 {
			first, source = at, source[:at]
		}
	}
	return first
}

// decodeEscape decodes the escape at the start of text. If text does not begin with an escape, size
// is 0.
func decodeEscape(text string, n Notation) (value string, size int) {
	switch {
	case text[0] == '&':
		return decodeReference(text, n)
	case len(text) == 1:
		return "", 0
	case n == CSSText:
		return cssEscape(text)
	case n == RSTText && IsSpace(text[1]):
		return "", 2
	case n == RSTText:
		return text[1:2], 2
	case isPunctuation(text[1]):
		return text[1:2], 2
	}
	return "", 0
}

const (
	longestReference = 40 // longer than "&CounterClockwiseContourIntegral;", in bytes
	longestOldName   = 7  // length of "&Ccedil", in bytes
	longestNumber    = 7  // maximum number of digits in CommonMark; HTML allows any number of zeros
)

func decodeReference(text string, n Notation) (value string, size int) {
	if strings.HasPrefix(text, "&#") {
		return decodeNumber(text, n)
	}
	end := 1
	for end < len(text) && end < longestReference && octet.Is(text[end], octet.Alpha|octet.Digit) {
		end++
	}
	if end < len(text) && text[end] == ';' {
		if value, ok := decodeWhole(text[:end+1]); ok {
			return value, end + 1
		}
	}
	// A name without ";" must be from an early HTML version. In an attribute value, no letter,
	// digit or "=" may follow the name.
	shortest := 2
	switch {
	case n == MarkdownText, n == HTMLValue && end < len(text) && text[end] == '=':
		return "", 0
	case n == HTMLValue:
		shortest = end
	}
	for size := min(end, longestOldName); size >= max(shortest, 2); size-- {
		if value, ok := decodeWhole(text[:size]); ok {
			return value, size
		}
	}
	return "", 0
}

func decodeNumber(text string, n Notation) (value string, size int) {
	class, size := octet.Digit, len("&#")
	if size < len(text) && text[size]|0x20 == 'x' {
		class, size = octet.Hex, size+1
	}
	start := size
	for size < len(text) && octet.Is(text[size], class) {
		size++
	}
	closed := size < len(text) && text[size] == ';'
	if size == start || n == MarkdownText && (!closed || size-start > longestNumber) {
		return "", 0
	}
	digits := strings.TrimLeft(text[start:size], "0")
	if closed {
		size++
	}
	if digits == "" || len(digits) > longestNumber {
		return "\uFFFD", size
	}
	// Package html replaces the numbers for which HTML defines another character.
	return html.UnescapeString(text[:start] + digits + ";"), size
}

// decodeWhole decodes ref if ref is exactly one character reference.
func decodeWhole(ref string) (value string, ok bool) {
	switch ref {
	case "&amp;":
		return "&", true
	case "&lt;":
		return "<", true
	case "&gt;":
		return ">", true
	case "&quot;":
		return `"`, true
	}
	// Package html also decodes a shorter reference at the start of ref. In this case, the last
	// byte is unchanged.
	value = html.UnescapeString(ref)
	last := len(ref) - 1
	return value, value != html.UnescapeString(ref[:last])+ref[last:]
}

// CSSCharSize returns the size of the first character in text, which is a part of a style sheet.
// If the character is escaped, the size includes the escape.
func CSSCharSize(text string) int {
	if text[0] != '\\' || len(text) == 1 {
		return 1
	}
	_, size := cssEscape(text)
	return size
}

func cssEscape(text string) (value string, size int) {
	size = 1
	for size < len(text) && size <= 6 && octet.Is(text[size], octet.Hex) {
		size++
	}
	switch {
	case size > 1:
		value = html.UnescapeString("&#x" + text[1:size] + ";")
		if size < len(text) && IsSpace(text[size]) {
			size++
		}
		return value, size
	case text[1] == '\n':
		return "", 2
	default:
		return text[1:2], 2
	}
}

// isPunctuation reports whether c is ASCII punctuation (CommonMark 2.1).
func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !octet.Is(c, octet.Alpha|octet.Digit)
}

// IsSpace reports whether c is ASCII white space as defined by HTML and CommonMark.
func IsSpace(c byte) bool {
	const all = 1<<' ' | 1<<'\n' | 1<<'\t' | 1<<'\r' | 1<<'\f'
	return c <= ' ' && uint64(1)<<c&all != 0
}

// SkipSpace returns the offset of the first byte that is not white space. SkipSpace begins at the
// offset i.
func SkipSpace(s string, i int) int {
	for i < len(s) && IsSpace(s[i]) {
		i++
	}
	return i
}

// SameName reports whether two names are equal except for the case of ASCII letters.
// strings.EqualFold would treat the Kelvin sign as a "K".
func SameName(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }
