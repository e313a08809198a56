package markup

import (
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// inlineMarks contains the bytes that begin or end an inline element. The table headingMarks
// contains the bytes that have a meaning in headings. The tables must not be modified.
var (
	inlineMarks  = [256]bool{'\\': true, '`': true, '<': true, '[': true, ']': true, '{': true}
	headingMarks = [256]bool{'\\': true, '`': true, '<': true, '[': true, ']': true, '_': true}
)

const (
	maxBrackets = 1 << 16 // maximum number of open "["
	maxTicks    = 80      // maximum number of "`" before a code span
	maxParens   = 32      // maximum number of open "(" in a destination
	maxLabel    = 999     // maximum size of a label (CommonMark 4.7)
)

// bracket is an open "[".
type bracket struct {
	at    int
	image bool
	text  int // length of the collected plain text before the bracket
}

// inlines reads the inline elements in a paragraph once, from left to right. If the end of an
// element is missing, inlines does not search for the same end again.
type inlines struct {
	*markdown
	s        string // source up to the end of the paragraph
	runStart int    // start of the running text that was not yielded yet
	quotes   int
	inactive int // index in brackets; the brackets below this index surround a link, so they are plain text

	ticked bool    // whether the field ticks is valid for this paragraph
	absent [5]bool // whether the end of each construct in invisibles is missing from the rest of the paragraph
	spare  int     // number of bytes that may still be read to find the ends of tags
	plain  *plainText
}

// inline yields the pieces of the paragraph between the offsets start and end. If plain is not
// nil, inline adds the text without markup to plain.
func (m *markdown) inline(start, end int, plain *plainText) {
	l := inlines{markdown: m, s: m.text[:end], runStart: start, quotes: m.quoteDepth(), spare: 8 * (end - start), plain: plain}
	m.brackets = m.brackets[:0]
	marks := &inlineMarks
	if plain != nil {
		marks = &headingMarks
	}
	escaped := -1
	for i := start; i < end && !m.done; {
		switch l.s[i] {
		case '\\':
			escaped = i + 1
			i += 2
		case '`':
			i = l.readCodeSpan(i)
		case '<':
			i = l.readAngle(i)
		case '{':
			i = l.readBrace(i)
		case '[':
			l.push(i, i > start && l.s[i-1] == '!' && escaped != i-1)
			i++
		case ']':
			i = l.readLink(i)
		case '_':
			plain.addUnderscore(l.s, i)
			i++
		}
		for s := l.s; i < len(s) && !marks[s[i]]; i++ {
		}
	}
	l.flush(end)
	l.emitAll()
	plain.copyText(l.s, end, end)
}

// flush ends the running text at the offset end.
func (l *inlines) flush(end int) {
	l.addPiece(Prose, l.runStart, end)
	l.runStart = end
}

// addPiece stores a piece until the end of the paragraph. The piece can't be yielded earlier,
// because only the end of a link shows which text is in the link.
func (l *inlines) addPiece(kind PieceKind, start, end int) {
	if start < end {
		l.pieces = append(l.pieces, Piece{Kind: kind, Start: start, End: end})
	}
}

// emitAll yields the pieces of a paragraph. The kind of running text and code in a link or an
// image becomes [LinkText].
func (l *inlines) emitAll() {
	labels := outermost(l.labels)
	for _, p := range l.pieces {
		if p.Kind != Prose && p.Kind != Code {
			l.emit(p.Kind, p.Start, p.End)
			continue
		}
		for p.Start < p.End {
			for len(labels) > 0 && labels[0].end <= p.Start {
				labels = labels[1:]
			}
			kind, end := p.Kind, p.End
			switch {
			case len(labels) == 0 || labels[0].start >= p.End:
			case labels[0].start <= p.Start:
				kind, end = LinkText, min(end, labels[0].end)
			default:
				end = labels[0].start
			}
			l.emit(kind, p.Start, end)
			p.Start = end
		}
	}
	l.pieces, l.labels = l.pieces[:0], l.labels[:0]
}

// outermost removes nested ranges from list. The ranges must be sorted by their ends, and must be
// nested or disjoint.
func outermost(list []textRange) []textRange {
	kept := len(list)
	for i := len(list) - 1; i >= 0; i-- {
		if kept == len(list) || list[i].start < list[kept].start {
			kept--
			list[kept] = list[i]
		}
	}
	return list[kept:]
}

// skipTo continues the running text at the offset next.
func (l *inlines) skipTo(next int) int {
	l.runStart = next
	return next
}

func (l *inlines) push(i int, image bool) {
	if len(l.brackets) < maxBrackets {
		l.brackets = append(l.brackets, bracket{i, image, l.plain.beginLink(l.s, i, image)})
	}
}

// readCodeSpan reads the code span at the offset i. If there is no code span, readCodeSpan reads
// only the "`" (CommonMark 6.1).
func (l *inlines) readCodeSpan(i int) int {
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
			l.addPiece(Code, start, end)
			l.plain.copyText(l.s, i, end+n)
			l.plain.add(strings.Trim(strings.ReplaceAll(l.s[start:end], "\n", " "), " "))
			return l.skipTo(end + n)
		}
		end += n
	}
}

// findTicks finds the last run of "`" characters for each length.
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

// readLink reads the "]" at the offset i. If the "]" ends the text of a link or image, readLink
// also reads the destination (CommonMark 6.3, 6.4).
func (l *inlines) readLink(i int) int {
	top := len(l.brackets) - 1
	if top < 0 {
		return i + 1
	}
	open := l.brackets[top]
	active := open.image || top >= l.inactive
	l.brackets = l.brackets[:top]
	l.inactive = min(l.inactive, top)
	if !active {
		return i + 1
	}
	d, next, ok := l.readTarget(i + 1)
	if !ok {
		if next := l.plain.referenceEnd(l.s, open.at+1, i); next > 0 {
			l.plain.endLink(l.s, open, i, next)
			return max(next, i+1)
		}
		if l.plain == nil && l.isLabelled(open.at, i) {
			l.labels = append(l.labels, textRange{open.at, i})
		}
		return i + 1
	}
	kind := Image
	if !open.image {
		kind, l.inactive = Link, top
		if hasClass(l.s[next:], ".external") {
			kind = External
		}
	}
	l.flush(i)
	l.labels = append(l.labels, textRange{open.at, next})
	l.addPiece(kind, d.start, d.end)
	l.plain.endLink(l.s, open, i, next)
	l.runStart = d.end
	return next
}

// maxAttributes is the maximum size of link attributes.
const maxAttributes = 256

// hasClass reports whether text begins with an attribute list that contains the given class, such
// as "{#id .class}".
func hasClass(text, class string) bool {
	text, begins := strings.CutPrefix(text[:min(len(text), maxAttributes)], "{")
	list, _, ends := strings.Cut(text, "}")
	return begins && ends && !strings.ContainsAny(list, "[{") && slices.Contains(strings.Fields(list), class)
}

// readTarget reads "(destination title)" at the offset i, after the text of a link.
func (l *inlines) readTarget(i int) (d textRange, next int, ok bool) {
	if i == len(l.s) || l.s[i] != '(' {
		return d, i, false
	}
	if d, next, ok = readDestination(l.s, l.skipSpace(i+1)); !ok {
		return d, next, false
	}
	if title := l.skipSpace(next); title > next {
		if end, ok := titleEnd(l.s, title); ok {
			title = end
		}
		next = l.skipSpace(title)
	}
	return d, next + 1, next < len(l.s) && l.s[next] == ')'
}

// skipSpace returns the offset after white space that contains at most one line break. It also
// skips the quotation marks (">") at the start of the next line.
func (l *inlines) skipSpace(i int) int {
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

// textRange is a part of the source.
type textRange struct{ start, end int }

// readDestination reads the link destination at the offset i. The result d does not include "<" and
// ">" (CommonMark 6.3).
func readDestination(s string, i int) (d textRange, next int, ok bool) {
	if i < len(s) && s[i] == '<' {
		for end := i + 1; end < len(s); end++ {
			switch s[end] {
			case '>':
				return textRange{i + 1, end}, end + 1, true
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
				return textRange{i, end}, end, true
			}
			open--
		}
	}
	return textRange{i, end}, end, open == 0
}

// titleEnd returns the offset after the link title at the offset i.
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

// readDefinition reads the link reference definition at the offset i, and yields its destination
// (CommonMark 4.7). The offset must be the start of a paragraph or the end of another definition.
func (m *markdown) readDefinition(i, end int) (next int, ok bool) {
	l := inlines{markdown: m, s: m.text[:end], quotes: m.quoteDepth()}
	label := labelEnd(l.s, i)
	if label < 0 || l.s[i+1] == '^' {
		return i, false
	}
	d, next, ok := readDestination(l.s, l.skipSpace(label))
	if !ok || next == d.start {
		return i, false
	}
	last := blanksEnd(l.s, next)
	ends := lineEnds(l.s, last)
	if title := l.skipSpace(next); title > next {
		if after, ok := titleEnd(l.s, title); ok {
			if after = blanksEnd(l.s, after); lineEnds(l.s, after) {
				last, ends = after, true
			}
		}
	}
	if !ends {
		return i, false
	}
	m.emit(Definition, d.start, d.end)
	m.emit(LinkText, d.end, last)
	if m.headings != nil {
		m.headings.labels[normalLabel(l.s[i+1:label-len("]:")])] = true
	}
	return l.skipSpace(last), true
}

func lineEnds(s string, i int) bool { return i == len(s) || s[i] == '\n' || s[i] == '\r' }

// labelEnd returns the offset after the ":" of the label at the offset i, or -1 if there is no
// label.
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
		case !IsSpace(c):
			text = true
		}
	}
	return -1
}

// invisibles lists the invisible HTML constructs (CommonMark 6.6) and the MDX comment. The end of a
// construct may overlap the start, but not the first two bytes of the start.
var invisibles = [...]struct{ start, end string }{
	{"<!--", "-->"},
	{"<![CDATA[", "]]>"},
	{"<?", "?>"},
	{"<!", ">"},
	{mdxOpen, mdxClose},
}

// readAngle reads the autolink or HTML at the offset i. If there is neither, it reads only the "<"
// (CommonMark 6.5, 6.6).
func (l *inlines) readAngle(i int) int {
	if next, ok := l.readAutolink(i); ok {
		return next
	}
	if next, ok := l.readInvisible(i); ok {
		return next
	}
	if l.spare < 0 {
		return i + 1
	}
	next, ok := 0, false
	if l.mdx {
		next, ok = wholeJSX(l.s, i)
	} else {
		next, ok = wholeTag(l.s, i)
	}
	if !ok {
		l.spare -= next - i
		return i + 1
	}
	return l.emitHTML(Tag, i, next)
}

// readBrace reads the MDX comment at the offset i. If there is no comment, it reads only the "{".
func (l *inlines) readBrace(i int) int {
	if l.mdx {
		if next, ok := l.readInvisible(i); ok {
			return next
		}
	}
	return i + 1
}

// readInvisible reads the invisible construct at the offset i. If the end of the construct is
// missing, readInvisible reads only one byte. If no construct begins at the offset i, ok is false.
func (l *inlines) readInvisible(i int) (next int, ok bool) {
	for n, u := range invisibles {
		if !strings.HasPrefix(l.s[i:], u.start) || u.start == "<!" && (i+2 == len(l.s) || !octet.Is(l.s[i+2], octet.Alpha)) {
			continue
		}
		if l.absent[n] {
			return i + 1, true
		}
		end := strings.Index(l.s[i+len("<!"):], u.end)
		if end < 0 {
			l.absent[n] = true
			return i + 1, true
		}
		return l.emitHTML(Unseen, i, i+len("<!")+end+len(u.end)), true
	}
	return i, false
}

// emitHTML yields the HTML between the offsets start and end.
func (l *inlines) emitHTML(kind PieceKind, start, end int) int {
	l.flush(start)
	l.addPiece(kind, start, end)
	l.plain.copyText(l.s, start, end)
	return l.skipTo(end)
}

// readAutolink yields the URL or mail address between "<" and ">" at the offset i. A URL with the
// prefix "URL:" is running text.
func (l *inlines) readAutolink(i int) (next int, ok bool) {
	start := i + len("<")
	rest := l.s[start:]
	kind, end := Autolink, 0
	colon, _ := octet.SchemeEnd(rest)
	if colon < 2 || colon > 32 || colon == len(rest) || rest[colon] != ':' || !octet.Is(rest[0], octet.Alpha) {
		kind, end = Address, addressEnd(rest)
	} else {
		end = strings.IndexAny(rest, "<> \t\r\n")
	}
	if end < 0 || end == len(rest) || rest[end] != '>' {
		return i, false
	}
	next = start + end + 1
	if kind == Autolink && SameName(rest[:colon], "URL") {
		return next, true
	}
	l.flush(i)
	l.addPiece(kind, start, start+end)
	l.plain.copyText(l.s, i, next)
	l.plain.add(rest[:end])
	return l.skipTo(next), true
}

// addressEnd returns the end offset of the mail address at the start of s, or -1 if there is none.
func addressEnd(s string) int {
	at := 0
	for at < len(s) && (octet.Is(s[at], octet.Atom) || s[at] == '.') {
		at++
	}
	if at == 0 || at == len(s) || s[at] != '@' {
		return -1
	}
	end, shape := octet.Host(s, at+1)
	if shape&octet.HostEdges != 0 {
		return -1
	}
	return end
}

// wholeTag returns the offset after the tag at the offset i. If Markdown does not allow the tag,
// wholeTag returns the offset up to which it has read.
func wholeTag(s string, i int) (next int, ok bool) {
	i += len("<")
	if i < len(s) && s[i] == '/' {
		size := narrowName(s[i+1:])
		i = SkipSpace(s, i+1+size)
		return min(i+1, len(s)), size > 0 && i < len(s) && s[i] == '>'
	}
	size := narrowName(s[i:])
	if size == 0 {
		return i, false
	}
	for i += size; ; {
		name := SkipSpace(s, i)
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

// wholeAttribute is like wholeTag, but for the attribute at the offset i.
func wholeAttribute(s string, i int) (next int, ok bool) {
	start := i
	for i < len(s) && (octet.Is(s[i], octet.Alpha) || s[i] == '_' || s[i] == ':' ||
		i > start && (octet.Is(s[i], octet.Label) || s[i] == '.')) {
		i++
	}
	if i == start {
		return i, false
	}
	equals := SkipSpace(s, i)
	if equals == len(s) || s[equals] != '=' {
		return i, true
	}
	i = SkipSpace(s, equals+1)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		n := strings.IndexByte(s[i+1:], s[i])
		if n < 0 {
			return len(s), false
		}
		return i + 1 + n + 1, true
	}
	start = i
	for i < len(s) && !IsSpace(s[i]) && strings.IndexByte("\"'=<>`", s[i]) < 0 {
		i++
	}
	return i, i > start
}
