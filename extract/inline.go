package extract

import (
	"strings"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// inlineMarks are the octets that mean something between the words of Markdown. It
// is never written.
var inlineMarks = [256]bool{'\\': true, '`': true, '<': true, '[': true, ']': true}

const (
	maxBrackets = 1 << 16 // "[" that are open at once
	maxTicks    = 80      // "`" that begin a code span
	maxParens   = 32      // "(" that are open in a destination
	maxLabel    = 999     // octets of a label (CommonMark 4.7)
)

// inlines reads the inlines of a paragraph once, from left to right. What has no
// end is looked for in vain once, and not again for each of its beginnings.
type inlines struct {
	*markdown
	s        string // up to the end of the paragraph
	run      int    // where the running text begins that is not yet reported
	quotes   int
	inactive int // brackets below are within no link any more: one is in them

	ticked bool    // ticks are those of this paragraph
	absent [4]bool // there is no end of a comment, and so on, as in unseens
	spare  int     // how many octets may still be read for tags that are none
}

// inline reports what the text from start to end of a paragraph has.
func (m *markdown) inline(start, end int) {
	l := inlines{markdown: m, s: m.text[:end], run: start, quotes: m.quotes(), spare: 8 * (end - start)}
	m.brackets = m.brackets[:0]
	escaped := -1
	for i := start; i < end && !m.done; {
		switch l.s[i] {
		case '\\':
			escaped = i + 1
			i += 2
		case '`':
			i = l.codeSpan(i)
		case '<':
			i = l.angle(i)
		case '[':
			l.push(i > start && l.s[i-1] == '!' && escaped != i-1)
			i++
		case ']':
			i = l.link(i)
		}
		for i < end && !inlineMarks[l.s[i]] {
			i++
		}
	}
	l.flush(end)
}

// flush reports the running text up to end.
func (l *inlines) flush(end int) {
	l.prose(l.run, end, markdownText)
	l.run = end
}

// skipTo goes on at next with running text.
func (l *inlines) skipTo(next int) int {
	l.run = next
	return next
}

func (l *inlines) push(image bool) {
	if len(l.brackets) < maxBrackets {
		l.brackets = append(l.brackets, image)
	}
}

// codeSpan reads the code span at i, or else the "`" there (CommonMark 6.1).
func (l *inlines) codeSpan(i int) int {
	size := fenceSize(l.s[i:], '`')
	start := i + size
	if size > maxTicks {
		return start
	}
	if !l.ticked {
		l.findTicks(i)
	}
	if l.ticks[size] < start {
		return start
	}
	for end := start; ; {
		end += strings.IndexByte(l.s[end:], '`')
		n := fenceSize(l.s[end:], '`')
		if n == size {
			l.flush(i)
			l.prose(start, end, literal)
			return l.skipTo(end + n)
		}
		end += n
	}
}

// findTicks notes where the last "`" are, of each number of them.
func (l *inlines) findTicks(i int) {
	l.ticked = true
	clear(l.ticks[:])
	for {
		n := strings.IndexByte(l.s[i:], '`')
		if n < 0 {
			return
		}
		i += n
		size := fenceSize(l.s[i:], '`')
		if size <= maxTicks {
			l.ticks[size] = i
		}
		i += size
	}
}

// link reads the "]" at i, and the destination behind it if it ends the text of a
// link or image (CommonMark 6.3, 6.4).
func (l *inlines) link(i int) int {
	top := len(l.brackets) - 1
	if top < 0 {
		return i + 1
	}
	image := l.brackets[top]
	active := image || top >= l.inactive
	l.brackets = l.brackets[:top]
	l.inactive = min(l.inactive, top)
	if !active || i+1 == len(l.s) || l.s[i+1] != '(' {
		return i + 1
	}
	d, next, ok := destination(l.s, l.skip(i+len("](")))
	if !ok {
		return i + 1
	}
	if title := l.skip(next); title > next {
		if end, ok := titleEnd(l.s, title); ok {
			title = end
		}
		next = l.skip(title)
	}
	if next == len(l.s) || l.s[next] != ')' {
		return i + 1
	}
	form := Image
	if !image {
		form, l.inactive = Link, top
	}
	l.flush(i)
	l.dest(d, form)
	return l.skipTo(d.end)
}

// skip goes on behind blanks, and at most one line end with the marks of
// quotations that the next line begins with.
func (l *inlines) skip(i int) int {
	i = blanksEnd(l.s, i)
	if i == len(l.s) || l.s[i] != '\n' && l.s[i] != '\r' {
		return i
	}
	if l.s[i] == '\r' && i+1 < len(l.s) && l.s[i+1] == '\n' {
		i++
	}
	i = blanksEnd(l.s, i+1)
	for n := l.quotes; n > 0 && i < len(l.s) && l.s[i] == '>'; n-- {
		i = blanksEnd(l.s, i+1)
	}
	return i
}

func blanksEnd(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// dest is where a destination is, without its "<" and ">".
type dest struct{ start, end int }

// destination reads the destination of a link at i (CommonMark 6.3).
func destination(s string, i int) (d dest, next int, ok bool) {
	if i < len(s) && s[i] == '<' {
		for end := i + 1; end < len(s); end++ {
			switch s[end] {
			case '>':
				return dest{i + 1, end}, end + 1, true
			case '<', '\n', '\r':
				return d, end, false
			case '\\':
				end++
			}
		}
		return d, len(s), false
	}
	open, end := 0, i
	for ; end < len(s) && open <= maxParens && !octet.Is(s[end], octet.Control); end++ {
		switch s[end] {
		case '\\':
			if end+1 < len(s) && isPunctuation(s[end+1]) {
				end++
			}
		case '(':
			open++
		case ')':
			if open == 0 {
				return dest{i, end}, end, true
			}
			open--
		}
	}
	return dest{i, end}, end, open == 0
}

// dest reports a destination.
func (m *markdown) dest(d dest, form Form) {
	if d.end-d.start > maxPiece {
		return
	}
	written := decode(m.text[d.start:d.end], markdownText).text
	written = strings.ReplaceAll(written, " ", "%20") // One in "<" and ">" may have blanks.
	m.refer(written, Match{Form: form, Start: int64(d.start), End: int64(d.end)})
}

// titleEnd returns the place behind the title at i.
func titleEnd(s string, i int) (end int, ok bool) {
	if i == len(s) {
		return i, false
	}
	last := s[i]
	switch last {
	case '"', '\'':
	case '(':
		last = ')'
	default:
		return i, false
	}
	for end = i + 1; end < len(s); end++ {
		switch c := s[end]; {
		case c == last:
			return end + 1, true
		case c == '(' && last == ')':
			return i, false
		case c == '\\':
			end++
		}
	}
	return i, false
}

// definition reads a link reference definition at i, the start of a paragraph or
// behind another, and reports its destination (CommonMark 4.7).
func (m *markdown) definition(i, end int) (next int, ok bool) {
	l := inlines{markdown: m, s: m.text[:end], quotes: m.quotes()}
	label := labelEnd(l.s, i)
	if label < 0 || l.s[i+1] == '^' {
		return i, false
	}
	d, next, ok := destination(l.s, l.skip(label))
	if !ok || next == d.start {
		return i, false
	}
	last := blanksEnd(l.s, next)
	ends := lineEnds(l.s, last)
	if title := l.skip(next); title > next {
		if behind, ok := titleEnd(l.s, title); ok {
			if behind = blanksEnd(l.s, behind); lineEnds(l.s, behind) {
				last, ends = behind, true
			}
		}
	}
	if !ends {
		return i, false
	}
	m.dest(d, Definition)
	m.prose(d.end, last, markdownText)
	return l.skip(last), true
}

func lineEnds(s string, i int) bool { return i == len(s) || s[i] == '\n' || s[i] == '\r' }

// labelEnd returns the place behind the ":" of a label at i, or -1.
func labelEnd(s string, i int) int {
	if i == len(s) || s[i] != '[' {
		return -1
	}
	text := false
	for end := i + 1; end < len(s) && end-i <= maxLabel+1; end++ {
		switch c := s[end]; {
		case c == ']':
			if !text || end+1 == len(s) || s[end+1] != ':' {
				return -1
			}
			return end + len("]:")
		case c == '[':
			return -1
		case c == '\\':
			text = true
			end++
		case !isSpace(c):
			text = true
		}
	}
	return -1
}

// unseens are what begins with "<" and is seen by no reader (CommonMark 6.6).
// The end may overlap all but the first two octets.
var unseens = [...]struct{ start, end string }{
	{"<!--", "-->"},
	{"<![CDATA[", "]]>"},
	{"<?", "?>"},
	{"<!", ">"},
}

// angle reads the autolink or the HTML that begins with the "<" at i, or else the
// "<" (CommonMark 6.5, 6.6).
func (l *inlines) angle(i int) int {
	if next, ok := l.autolink(i); ok {
		return next
	}
	for n, u := range unseens {
		if !strings.HasPrefix(l.s[i:], u.start) {
			continue
		}
		if l.absent[n] {
			return i + 1
		}
		end := strings.Index(l.s[i+len("<!"):], u.end)
		if end < 0 {
			l.absent[n] = true
			return i + 1
		}
		l.flush(i)
		return l.skipTo(l.unseen(i, i+len("<!")+end+len(u.end)))
	}
	if l.spare < 0 {
		return i + 1
	}
	next, ok := wholeTag(l.s, i)
	if !ok {
		l.spare -= next - i
		return i + 1
	}
	l.flush(i)
	if name := i + len("<"); l.s[name] != '/' {
		element := l.s[name : name+nameEnd(l.s[name:])]
		l.attributes(l.s[:next], element, name+len(element))
	}
	return l.skipTo(next)
}

// autolink reports the URL or the mail address in the "<" and ">" at i. One with
// the prefix "URL:" is left to the running text.
func (l *inlines) autolink(i int) (next int, ok bool) {
	start := i + len("<")
	rest := l.s[start:]
	colon, _ := octet.SchemeEnd(rest)
	if colon < 2 || colon > 32 || colon == len(rest) || rest[colon] != ':' || !octet.Is(rest[0], octet.Alpha) {
		return l.address(start)
	}
	n := strings.IndexAny(rest, "<> \t\r\n")
	if n < 0 || rest[n] != '>' {
		return i, false
	}
	next = start + n + 1
	if sameName(rest[:colon], "URL") {
		return next, true
	}
	l.flush(i)
	l.refer(decode(rest[:n], htmlText).text, Match{Form: Bracketed, Start: int64(start), End: int64(start + n)})
	return l.skipTo(next), true
}

// address reports the mail address at start, before a ">", as a mailto URL.
func (l *inlines) address(start int) (next int, ok bool) {
	at := start
	for at < len(l.s) && (octet.Is(l.s[at], octet.Atom) || l.s[at] == '.') {
		at++
	}
	if at == start || at == len(l.s) || l.s[at] != '@' {
		return start, false
	}
	end, shape := octet.Host(l.s, at+1)
	if shape&octet.HostEdges != 0 || end == len(l.s) || l.s[end] != '>' {
		return start, false
	}
	l.flush(start - len("<"))
	written := "mailto:" + escape.Encode(l.s[start:at], escape.Unreserved()) + l.s[at:end]
	l.refer(written, Match{Form: Bracketed, Start: int64(start), End: int64(end)})
	return l.skipTo(end + 1), true
}

// wholeTag returns the place behind the tag at i, or how far it was read if it is
// none in Markdown's narrow sense.
func wholeTag(s string, i int) (next int, ok bool) {
	i += len("<")
	if i < len(s) && s[i] == '/' {
		size := nameEnd(s[i+1:])
		i = skipSpace(s, i+1+size)
		return min(i+1, len(s)), size > 0 && i < len(s) && s[i] == '>'
	}
	size := nameEnd(s[i:])
	if size == 0 {
		return i, false
	}
	for i += size; ; {
		name := skipSpace(s, i)
		switch {
		case strings.HasPrefix(s[name:], ">"):
			return name + 1, true
		case strings.HasPrefix(s[name:], "/>"):
			return name + 2, true
		case name == i:
			return i, false
		}
		if i, ok = wholeAttribute(s, name); !ok {
			return i, false
		}
	}
}

// wholeAttribute returns the place behind the attribute at i, as wholeTag does.
func wholeAttribute(s string, i int) (next int, ok bool) {
	start := i
	for i < len(s) && (octet.Is(s[i], octet.Alpha) || s[i] == '_' || s[i] == ':' ||
		i > start && (octet.Is(s[i], octet.Label) || s[i] == '.')) {
		i++
	}
	if i == start {
		return i, false
	}
	equals := skipSpace(s, i)
	if equals == len(s) || s[equals] != '=' {
		return i, true
	}
	i = skipSpace(s, equals+1)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		n := strings.IndexByte(s[i+1:], s[i])
		if n < 0 {
			return len(s), false
		}
		return i + 1 + n + 1, true
	}
	start = i
	for i < len(s) && !isSpace(s[i]) && strings.IndexByte("\"'=<>`", s[i]) < 0 {
		i++
	}
	return i, i > start
}
