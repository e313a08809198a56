package extract

import (
	"html"
	"sort"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// notation says how a document writes characters that it can't write as
// themselves.
type notation uint8

const (
	// literal: every character is itself, as in code and in scripts.
	literal notation = iota
	// markdownText: "\" before punctuation (CommonMark 2.4), and character
	// references that end in ";" (2.5).
	markdownText
	// htmlText: character references; those of old may lack the ";".
	htmlText
	// htmlValue: those within the value of an attribute, where "&copy=" is three
	// letters of a search and no copyright sign.
	htmlValue
	// cssText: "\" before a character or its number (CSS Syntax 4.3.7).
	cssText
)

// marks are the octets with which each notation begins what is to be decoded.
var marks = [...]string{literal: "", markdownText: `&\`, htmlText: "&", htmlValue: "&", cssText: `\`}

// decoded is a text with what its notation hides written out, and the way back
// to the places in the text as it was.
type decoded struct {
	text  string
	edits []edit
}

// edit says that what is at the place "to" of the decoded text, and behind it,
// was at "from" in the text as it was.
type edit struct{ to, from int }

// decode decodes text. A text without anything to decode comes back as it is,
// without allocation.
func decode(text string, n notation) decoded {
	start := indexMark(text, n)
	if start < 0 {
		return decoded{text: text}
	}
	d := decoded{}
	b := make([]byte, 0, len(text))
	from := 0
	for i := start; i < len(text); {
		if c := text[i]; c != '&' && c != '\\' || strings.IndexByte(marks[n], c) < 0 {
			i++
			continue
		}
		value, size := unit(text[i:], n)
		if size == 0 {
			i++
			continue
		}
		b = append(append(b, text[from:i]...), value...)
		i += size
		from = i
		d.edits = append(d.edits, edit{to: len(b), from: i})
	}
	if len(d.edits) == 0 {
		return decoded{text: text}
	}
	d.text = string(append(b, text[from:]...))
	return d
}

// place returns where in the text as it was the octet is that is at i in the
// decoded text.
func (d *decoded) place(i int) int {
	n := sort.Search(len(d.edits), func(n int) bool { return d.edits[n].to > i })
	if n == 0 {
		return i
	}
	return d.edits[n-1].from + i - d.edits[n-1].to
}

// indexMark returns where the first octet is that may begin something to decode.
func indexMark(text string, n notation) int {
	first := -1
	for i := range len(marks[n]) {
		// Each by itself is found many octets at a time.
		if at := strings.IndexByte(text, marks[n][i]); at >= 0 {
			first, text = at, text[:at]
		}
	}
	return first
}

// unit returns what the front of text stands for, and its size; 0 if it stands
// for itself.
func unit(text string, n notation) (value string, size int) {
	switch {
	case text[0] == '&':
		return reference(text, n)
	case len(text) == 1:
		return "", 0
	case n == cssText:
		return cssEscape(text)
	case isPunctuation(text[1]):
		return text[1:2], 2
	}
	return "", 0
}

// reference returns the characters of the character reference at the front of
// text.
func reference(text string, n notation) (value string, size int) {
	if strings.HasPrefix(text, "&#") {
		return number(text, n)
	}
	end := 1
	for end < len(text) && end < longestReference && octet.Is(text[end], octet.Alpha|octet.Digit) {
		end++
	}
	if end < len(text) && text[end] == ';' {
		if value, ok := complete(text[:end+1]); ok {
			return value, end + 1
		}
	}
	// A name without ";" is one of the old ones. In a value it must be all of the
	// letters there, and no name of a field.
	shortest := 2
	switch {
	case n == markdownText, n == htmlValue && end < len(text) && text[end] == '=':
		return "", 0
	case n == htmlValue:
		shortest = end
	}
	for size := min(end, longestOldName); size >= max(shortest, 2); size-- {
		if value, ok := complete(text[:size]); ok {
			return value, size
		}
	}
	return "", 0
}

const (
	longestReference = 40 // octets of "&CounterClockwiseContourIntegral;", and more
	longestOldName   = 7  // octets of "&Ccedil"
	longestNumber    = 7  // digits that CommonMark takes; HTML takes any number of zeros
)

// number returns the character of the numeric reference at the front of text.
func number(text string, n notation) (value string, size int) {
	class, size := octet.Digit, len("&#")
	if size < len(text) && text[size]|0x20 == 'x' {
		class, size = octet.Hex, size+1
	}
	start := size
	for size < len(text) && octet.Is(text[size], class) {
		size++
	}
	closed := size < len(text) && text[size] == ';'
	if size == start || n == markdownText && (!closed || size-start > longestNumber) {
		return "", 0
	}
	digits := strings.TrimLeft(text[start:size], "0")
	if closed {
		size++
	}
	if digits == "" || len(digits) > longestNumber {
		return "\uFFFD", size
	}
	// The standard library knows which numbers HTML takes for another character.
	return html.UnescapeString(text[:start] + digits + ";"), size
}

// complete returns the characters of ref, if all of it is one character
// reference.
func complete(ref string) (value string, ok bool) {
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
	// The standard library decodes the front of what is no reference as a whole:
	// its last octet is then left as it is.
	value = html.UnescapeString(ref)
	last := len(ref) - 1
	return value, value != html.UnescapeString(ref[:last])+ref[last:]
}

// escapeSize returns the size of the character at the front of a style sheet.
func escapeSize(text string) int {
	if text[0] != '\\' || len(text) == 1 {
		return 1
	}
	_, size := cssEscape(text)
	return size
}

// cssEscape returns the character of the escape at the front of text.
func cssEscape(text string) (value string, size int) {
	size = 1
	for size < len(text) && size <= 6 && octet.Is(text[size], octet.Hex) {
		size++
	}
	switch {
	case size > 1:
		value = html.UnescapeString("&#x" + text[1:size] + ";")
		if size < len(text) && isSpace(text[size]) {
			size++
		}
		return value, size
	case text[1] == '\n':
		return "", 2
	default:
		return text[1:2], 2
	}
}

// isPunctuation reports whether c is an ASCII punctuation character (CommonMark
// 2.1).
func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !octet.Is(c, octet.Alpha|octet.Digit)
}

// isSpace reports whether c is ASCII white space, as HTML and CommonMark have it.
func isSpace(c byte) bool {
	const all = 1<<' ' | 1<<'\n' | 1<<'\t' | 1<<'\r' | 1<<'\f'
	return c <= ' ' && uint64(1)<<c&all != 0
}
