package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// readWrapped searches for a URL in a wrapper. The "<" is at the offset wrapperStart, and the
// content of the wrapper begins at the offset inner. Without the prefix "URL:", a "<" does not
// begin a wrapper if a space follows on the same line. If the text ends in the wrapper, there is no
// URL, because the rest of the URL is missing.
func (s *scanner) readWrapped(text string, wrapperStart, inner int, form Form, part Part, final bool, m *Match) (next int, v verdict) {
	f := wrapperReader{text: text, open: wrapperStart, i: inner, limit: min(len(text), wrapperStart+maxWrapper), final: final, loose: form == Wrapped}
	f.readContent()
	switch {
	case f.v == needsMore && f.isWholeText():
		return len(text), noURL
	case f.v == needsMore && f.limit == len(text):
		return 0, needsMore
	case f.v != foundURL:
		return 0, noURL
	}
	written := text[f.start:f.end]
	if f.kept != nil {
		written = string(f.kept)
	}
	if form == Bracketed && strings.ContainsAny(written, "\"|") || !s.parse(written, f.start, f.end, form, part, m) {
		return 0, noURL
	}
	if f.hyphens != nil {
		if u, err := locus.Parse(f.withoutHyphens()); err == nil {
			m.Alternative = u
		}
	}
	return f.i, foundURL
}

// wrapperReader reads the content of a wrapper. It removes spaces, line breaks, and the margin of
// each line.
type wrapperReader struct {
	text  string
	open  int // offset of the "<"
	limit int // maximum end offset of the content
	final bool
	loose bool // whether spaces are allowed on the first line
	i     int
	v     verdict

	start, end int    // offsets of the URL in text
	kept       []byte // text of the URL; nil if the URL is text[start:end]
	hyphens    []int  // offsets of the hyphens before line breaks in kept
	margin     margin // margin of each line
	lines      bool   // whether the field margin is set
}

// withoutHyphens returns the URL without the hyphens before line breaks.
func (f *wrapperReader) withoutHyphens() string {
	b := make([]byte, 0, len(f.kept))
	for i, c := range f.kept {
		if len(f.hyphens) > 0 && f.hyphens[0] == i {
			f.hyphens = f.hyphens[1:]
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// readContent reads up to the ">". If readContent reaches the limit first, it sets f.v to the
// verdict needsMore.
func (f *wrapperReader) readContent() {
	f.v, f.start, f.end = needsMore, f.i, f.i
	for f.i < f.limit {
		switch c := f.text[f.i]; {
		case c == '>':
			f.v = foundURL
			f.i++
			return
		case c == '\n':
			if f.v = f.readLineBreak(); f.v != foundURL {
				return
			}
			f.v = needsMore
		case c == '<':
			f.v = noURL
			return
		default:
			n, blank := blankAt(f.text[f.i:f.limit], f.isWholeText())
			switch {
			case n == 0:
				return
			case blank:
				f.i += n
			case octet.Is(c, octet.Control):
				f.v = noURL
				return
			default:
				if !f.appendBytes(n) {
					f.v = noURL
					return
				}
			}
		}
	}
}

// appendBytes appends the n bytes at the offset f.i to the URL. It returns false if the URL becomes
// too long, or if a preceding space is not allowed.
func (f *wrapperReader) appendBytes(n int) bool {
	switch {
	case f.start == f.end:
		f.start = f.i
	case f.kept != nil:
	case f.end < f.i:
		if !f.loose && !f.lines {
			return false
		}
		f.kept = append(make([]byte, 0, 2*(f.i-f.start)), f.text[f.start:f.end]...)
	}
	if f.kept != nil {
		f.kept = append(f.kept, f.text[f.i:f.i+n]...)
	}
	f.i += n
	f.end = f.i
	if f.kept != nil {
		return len(f.kept) <= locus.MaxLen
	}
	return f.end-f.start <= locus.MaxLen
}

// isWholeText reports whether the whole text ends at the limit.
func (f *wrapperReader) isWholeText() bool { return f.final && f.limit == len(f.text) }

// readLineBreak reads the line break at the offset f.i and the margin of the next line.
func (f *wrapperReader) readLineBreak() verdict {
	if f.end > f.start && f.text[f.end-1] == '-' {
		if f.kept == nil {
			f.kept = append([]byte(nil), f.text[f.start:f.end]...)
		}
		if n := len(f.kept) - 1; len(f.hyphens) == 0 || f.hyphens[len(f.hyphens)-1] != n {
			f.hyphens = append(f.hyphens, n)
		}
	}
	if !f.lines {
		f.margin, f.lines = marginOf(f.text, f.open), true
	}
	f.i++
	return f.nextLine()
}

// nextLine moves from the start of a line to the continuation of the URL. A blank line ends the
// paragraph and the wrapper, except at a page break.
func (f *wrapperReader) nextLine() verdict {
	text := f.text[:f.limit]
	var p pageBreak
	for {
		start, known := f.margin.skipMargin(text, f.i)
		i := skipBlanks(text, start)
		if i == len(text) || !known && !f.isWholeText() {
			return needsMore
		}
		p.feed = p.feed || strings.IndexByte(text[start:i], '\f') >= 0
		line, _, _ := strings.Cut(text[i:], "\n")
		end := i + len(line)
		switch {
		case end == i:
			p.begun = true
		case !p.begun && !p.feed:
			f.i = i
			return foundURL
		case end == len(text) && !f.isWholeText():
			return needsMore
		case !p.addLine(line):
			f.i = i
			return p.verdict()
		}
		f.i = min(end+1, len(text))
	}
}

// pageBreak is the text between the last line of a page and the first line of the next page.
// pageBreak consists of blank lines, the footer, a form feed, and the header.
type pageBreak struct {
	begun, footer, feed, header bool
}

// addLine adds a line that is not blank to the page break p. If the line is not part of the page
// break, it returns false.
func (p *pageBreak) addLine(text string) bool {
	switch {
	case !p.footer && !p.feed && footer().MatchString(text):
		p.footer = true
		p.feed = strings.IndexByte(text, '\f') >= 0
	case (p.footer || p.feed) && !p.header && header().MatchString(text):
		p.header = true
	default:
		return false
	}
	return true
}

// verdict returns foundURL if the page break is complete.
func (p *pageBreak) verdict() verdict {
	if p.feed || p.footer && p.header {
		return foundURL
	}
	return noURL
}

// blankClass is a regular expression that matches the same characters as isBlank.
const blankClass = `[\s\v\x{85}\pZ\x{AD}\x{200B}\x{2060}\x{FEFF}]`

// footer matches a line that ends like a page footer, in "[Page 7]" or a separate number.
var footer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\[Page` + blankClass + `+[0-9]{1,4}\]|` + blankClass + `{3}[0-9]{1,4})` + blankClass + `*$`)
})

// header matches a line that contains several spaces in a row and ends in a year, such as the page
// header of an RFC.
var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(blankClass + `{3}[^` + blankClass[1:] + `.*` + blankClass + `(?:19|20)[0-9]{2}` + blankClass + `*$`)
})

// margin is text at the start of each line that does not belong to the document. A margin consists
// of line numbers, quotation marks of mail, or comment marks of source code.
type margin struct {
	numbered bool
	number   int       // number of the last line
	marks    [8]string // marks in order, followed by ""
}

const (
	// maxMargin is the maximum distance between the start of a line with a margin and the "<".
	maxMargin = lookBehind / 2
	// maxMark is the maximum size of a mark or a line number, including the byte that must follow.
	maxMark = 8
)

// marginOf returns the margin of the line that contains the offset i.
func marginOf(text string, i int) (m margin) {
	start := max(0, i-maxMargin)
	n := strings.LastIndexByte(text[start:i], '\n')
	if n < 0 && start > 0 {
		return m
	}
	line := text[start+n+1 : i]
	if number, end := readLineNumber(line, 0); end > 0 {
		m.numbered, m.number, line = true, number, line[end:]
	}
	for k := range m.marks {
		line = line[skipBlanks(line, 0):]
		end := markEnd(line)
		if end == 0 {
			break
		}
		// In a multi-line comment, the first line begins with "/*", and the other lines begin with
		// "*".
		m.marks[k] = strings.TrimLeft(line[:end], "/")
		if m.marks[k] == "" || m.marks[k][0] != '*' {
			m.marks[k] = line[:end]
		} else {
			m.marks[k] = "*"
		}
		line = line[end:]
	}
	return m
}

// markEnd returns the end of the mark at the start of line, or 0 if there is none.
func markEnd(line string) int {
	if isQuoteMark(line) {
		return 1
	}
	end := 0
	for end < len(line) && end < maxMark && strings.IndexByte("*#;/%!-", line[end]) >= 0 {
		end++
	}
	if end < len(line) && skipBlanks(line, end) == end {
		return 0
	}
	return end
}

func isQuoteMark(text string) bool { return text != "" && (text[0] == '>' || text[0] == '|') }

// skipMargin returns the offset after the margin of the line that begins at the offset i. If more
// text could change the result, known is false.
func (m *margin) skipMargin(text string, i int) (next int, known bool) {
	last := i
	if m.numbered {
		number, end := readLineNumber(text, i)
		last = skipBlanks(text, i)
		if end > 0 && number == m.number+1 {
			m.number, i = number, end
		}
	}
	for _, mark := range m.marks {
		if mark == "" {
			break
		}
		last = skipBlanks(text, i)
		if !strings.HasPrefix(text[last:], mark) {
			break
		}
		end := last + len(mark)
		if !isQuoteMark(mark) && end < len(text) && text[end] != '\n' && skipBlanks(text, end) == end {
			break
		}
		i = end
	}
	return i, last+2*maxMark <= len(text)
}

// readLineNumber reads a line number, such as "12:" or "12.", at the offset i. If there is no line
// number, end is 0.
func readLineNumber(text string, i int) (number, end int) {
	start := skipBlanks(text, i)
	for i = start; i < len(text) && i-start < maxMark-2 && octet.Is(text[i], octet.Digit); i++ {
		number = number*10 + int(text[i]-'0')
	}
	if i == start || i == len(text) || text[i] != '.' && text[i] != ':' || i+1 < len(text) && text[i+1] != '\n' && skipBlanks(text, i+1) == i+1 {
		return 0, 0
	}
	return number, i + 1
}

// skipBlanks returns the offset after the spaces at the offset i. skipBlanks does not skip line
// breaks.
func skipBlanks(text string, i int) int {
	for i < len(text) && text[i] != '\n' {
		n, blank := blankAt(text[i:], true)
		if !blank {
			break
		}
		i += n
	}
	return i
}

// blankAt returns the length of the first character in text, and reports whether the character is
// a space. If the character is truncated and whole is false, the length is 0.
func blankAt(text string, whole bool) (n int, blank bool) {
	if c := text[0]; c < utf8.RuneSelf {
		return 1, c == ' ' || c >= '\t' && c <= '\r'
	}
	if !whole && !utf8.FullRuneInString(text) {
		return 0, false
	}
	r, n := utf8.DecodeRuneInString(text)
	return n, isBlank(r)
}

// isBlank reports whether the rune r is white space, or an invisible character that allows or
// prevents a line break.
func isBlank(r rune) bool {
	switch r {
	case 0xAD, 0x200B, 0x2060, 0xFEFF:
		return true
	}
	return unicode.IsSpace(r)
}
