package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// adocMarks contains the bytes that begin or end an inline element in AsciiDoc. The table must not
// be modified.
var adocMarks = [256]bool{'\\': true, ':': true, '<': true, '[': true, ']': true, '+': true, '$': true, '`': true}

// adocInlines reads the inline elements in a text once, from left to right.
type adocInlines struct {
	*asciidoc
	resolvedText
	base int // offset of the text in the source
	run  int // start of the running text that was not yielded yet
	last int // end offset of the last piece in the source

	code   int          // end offset of the code span that contains the offset run; 0 if there is none
	found  [nMarks]int  // offset of each mark that the last search found; valid if a search does not begin after this offset
	none   [nMarks]bool // whether each mark is missing from the rest of the text
	closed bool         // whether the rest of the text contains no "]"
}

// These are the marks for which adocInlines searches.
const (
	markOpen = iota
	markLine
	markPass3
	markPass2
	markDollars
	markPlusTick
	markXref
	markTicks
	markAnchor
	markTick
	markPlus
	nMarks
)

var adocEndings = [nMarks]string{"[", "\n", "+++", "++", "$$", "+`", ">>", "``", "]]", "`", "+"}

// findMark returns the offset of the first given mark that is not before the offset i, or -1 if
// there is none. If the caller never decreases i, all searches together take linear time.
func (l *adocInlines) findMark(mark, i int) int {
	switch {
	case l.none[mark] || i > len(l.s):
		return -1
	case l.found[mark] >= i && l.found[mark] > 0:
		return l.found[mark]
	}
	n := strings.Index(l.s[i:], adocEndings[mark])
	if n < 0 {
		l.none[mark] = true
		return -1
	}
	l.found[mark] = i + n
	return i + n
}

// inline yields the pieces of the running text between the offsets start and end.
func (a *asciidoc) inline(start, end int) {
	if start >= end || a.done {
		return
	}
	l := &adocInlines{asciidoc: a, resolvedText: a.attrs.resolve(a.text[start:end]), base: start, last: start}
	s := l.s
	for i := 0; i < len(s) && !a.done; {
		if l.code > 0 && i >= l.code {
			l.flush(l.code)
			l.code = 0
		}
		if !adocMarks[s[i]] {
			i++
			continue
		}
		i = max(l.readElement(i), i+1)
	}
	if l.code > 0 {
		l.flush(l.code)
		l.code = 0
	}
	l.flush(len(s))
}

// readElement reads the inline element that begins with the mark at the offset i. It returns the
// offset after the element.
func (l *adocInlines) readElement(i int) int {
	switch l.s[i] {
	case '\\':
		return l.readEscape(i)
	case ':':
		return l.readMacro(i)
	case '<':
		return l.readXref(i)
	case '[':
		l.flush(i)
		return l.readAnchor(i)
	case ']':
		l.flush(i)
	case '+', '$':
		return l.readPass(i)
	case '`':
		return l.readCodeSpan(i)
	}
	return i + 1
}

// flush yields the running text before the offset i.
func (l *adocInlines) flush(i int) {
	if l.run < i {
		kind := Prose
		if l.code > 0 {
			kind = Code
		}
		l.emitPiece(kind, l.run, i, "")
	}
	l.run = max(l.run, i)
}

// emitPiece yields a piece between the offsets start and end in the text.
func (l *adocInlines) emitPiece(kind PieceKind, start, end int, text string) {
	p := Piece{Kind: kind, Start: l.base + l.startOf(start), End: l.base + l.endOf(end), Text: text}
	if kind == Prose || kind == Code || kind == HTMLBlock {
		p.Start = max(p.Start, l.last)
	} else if text == "" {
		p.Text = l.destinationText(start, end)
	}
	l.emit(p)
	l.last = max(l.last, p.End)
}

// destinationText returns the destination between the offsets start and end. destinationText
// removes each "\" that prevents the replacement of "..." or similar text. If the destination
// equals the source, destinationText returns "".
func (l *adocInlines) destinationText(start, end int) string {
	text := l.s[start:end]
	if strings.Contains(text, `\.`) || strings.Contains(text, `\-`) {
		return strings.NewReplacer(`\...`, "...", `\--`, "--", `\->`, "->").Replace(text)
	}
	if l.isChanged(start, end) {
		return text
	}
	return ""
}

// skipTo continues the running text at the offset next.
func (l *adocInlines) skipTo(next int) int {
	l.run = max(l.run, next)
	return next
}

// readEscape reads the "\" at the offset i. The text after the "\" is running text.
func (l *adocInlines) readEscape(i int) int {
	rest := l.s[i+1:]
	if strings.HasPrefix(rest, "<<") || strings.HasPrefix(rest, "[[") {
		return i + 3
	}
	size := nameSize(rest)
	if size == 0 || size == len(rest) || rest[size] != ':' {
		return i + 1
	}
	if !isAdocScheme(rest[:size]) || !strings.HasPrefix(rest[size:], "://") {
		return i + 1 + size + 1
	}
	l.flush(i)
	end := i + 1 + urlEnd(rest)
	l.emitPiece(Code, i+1, end, "")
	return l.skipTo(end)
}

// nameSize returns the length of the macro name at the start of s.
func nameSize(s string) int {
	size := 0
	for size < len(s) && octet.Is(s[size], octet.Alpha) {
		size++
	}
	return size
}

// mailMacro is the name of the macro for mail addresses.
const mailMacro = "mailto"

func isAdocScheme(name string) bool {
	switch name {
	case "http", "https", "ftp", "irc", "file":
		return true
	}
	return false
}

// urlEnd returns the length of the URL at the start of s.
func urlEnd(s string) int {
	if end := strings.IndexAny(s, " \t\r\n[]<>"); end >= 0 {
		return end
	}
	return len(s)
}

// readMacro reads the macro or URL whose name ends at the offset i, which is the offset of a ":".
func (l *adocInlines) readMacro(i int) int {
	s := l.s
	start := i
	for start > l.run && octet.Is(s[start-1], octet.Alpha) {
		start--
	}
	if start == i || i+1 == len(s) || strings.IndexByte(" \t\n", s[i+1]) >= 0 {
		return i + 1
	}
	switch name := s[start:i]; name {
	case "link", mailMacro:
		return l.readLink(start, i+1, name == mailMacro)
	case "xref":
		return l.readXrefMacro(start, i+1)
	case "image", "icon":
		return l.readImage(start, i+1, name)
	case "anchor":
		return l.readAnchorMacro(start, i+1)
	case "pass":
		return l.readPassMacro(start, i+1)
	case "stem", "latexmath", "asciimath":
		return l.readMath(start, i+1)
	default:
		if isAdocScheme(name) && strings.HasPrefix(s[i:], "://") {
			return l.readURL(start)
		}
	}
	return i + 1
}

// readURL reads the URL at the offset start, and the label that may follow the URL.
func (l *adocInlines) readURL(start int) int {
	end := start + urlEnd(l.s[start:])
	if end < len(l.s) && l.s[end] == '[' && !strings.HasSuffix(l.s[start:end], "://") {
		if label := l.labelEnd(end + 1); label >= 0 {
			return l.emitLink(Link, start, start, end, end+1, label)
		}
	}
	if written := l.s[start:end]; l.isChanged(start, end) || hasReference(written) {
		written = strings.TrimRight(written, ".,;:!?)'\"*_`#+")
		l.flush(start)
		l.emitPiece(Autolink, start, start+len(written), "")
		return l.skipTo(start + len(written))
	}
	if end < len(l.s) && l.s[end] != '>' {
		l.flush(end)
	}
	return end
}

// emitLink yields the destination and the pictures of a link macro that begins at the offset start.
// The destination is between the offsets target and targetEnd. The label is between the offsets
// label and labelEnd.
func (l *adocInlines) emitLink(kind PieceKind, start, target, targetEnd, label, labelEnd int) int {
	l.flush(start)
	l.emitPiece(kind, target, targetEnd, "")
	l.skipTo(targetEnd)
	l.emitPictures(label, labelEnd)
	return l.skipTo(labelEnd + 1)
}

// labelEnd returns the offset of the "]" that ends the label at the offset i, or -1 if there is
// none. A label may contain a picture.
func (l *adocInlines) labelEnd(i int) int {
	if l.closed {
		return -1
	}
	depth := 0
	for end := i; end < len(l.s); end++ {
		switch l.s[end] {
		case '\\':
			end++
		case '[':
			if isMacroBracket(l.s, end) {
				depth++
			}
		case ']':
			if depth == 0 {
				return end
			}
			depth--
		}
	}
	l.closed = true
	return -1
}

// isMacroBracket reports whether the "[" at the offset i belongs to a macro that a label may
// contain, such as a macro for an image or a key.
func isMacroBracket(s string, i int) bool {
	word := s[max(0, i-maxMacro):i]
	if n := strings.LastIndexAny(word, " \t\n[]"); n >= 0 {
		word = word[n+1:]
	}
	name, _, ok := strings.Cut(word, ":")
	return ok && (name == "image" || name == "icon" || name == "kbd" || name == "btn" || name == "menu" || name == "footnote" || name == "stem")
}

// maxMacro is the maximum size of the name and the target of a macro in a label.
const maxMacro = 200

// emitPictures yields the pictures in a label between the offsets start and end.
func (l *adocInlines) emitPictures(start, end int) {
	for start < end {
		n := strings.Index(l.s[start:end], "image:")
		if n < 0 {
			return
		}
		at := start + n + len("image:")
		open := strings.IndexByte(l.s[at:end], '[')
		if open < 0 {
			return
		}
		l.emitPicture(at, at+open)
		start = at + open
	}
}

// readLink reads "link:target[label]" or "mailto:target[label]". The target begins at the offset i.
func (l *adocInlines) readLink(start, i int, mail bool) int {
	s := l.s
	at, end := i, i
	if strings.HasPrefix(s[i:], "++") {
		at = i + len("++")
		if end = l.findMark(markPass2, at); end < 0 {
			return i
		}
		i = end + len("++")
	} else {
		if n := strings.IndexAny(s[i:], " \t\r\n["); n >= 0 {
			i += n
		} else {
			i = len(s)
		}
		end = i
	}
	if i == len(s) || s[i] != '[' {
		return max(at, end)
	}
	label := l.labelEnd(i + 1)
	if label < 0 || at == end {
		return i
	}
	if mail {
		at = start
	}
	return l.emitLink(Link, start, at, end, i+1, label)
}

// readXref reads the cross reference "<<id,text>>" at the offset i.
func (l *adocInlines) readXref(i int) int {
	s := l.s
	if !strings.HasPrefix(s[i:], "<<") || !isXrefStart(s[i+2:]) {
		return i + 1
	}
	end := l.findMark(markXref, i+2)
	if end < 0 {
		return i + 2
	}
	at := i + 2
	target, _, _ := strings.Cut(s[at:end], ",")
	l.flush(i)
	l.emitReference(at, at+len(target), false)
	return l.skipTo(end + len(">>"))
}

func isXrefStart(s string) bool {
	return isIDStart(s) || s != "" && (octet.Is(s[0], octet.Digit) || strings.IndexByte("#/.{", s[0]) >= 0)
}

// readXrefMacro reads "xref:target[text]". The target begins at the offset i.
func (l *adocInlines) readXrefMacro(start, i int) int {
	if !isXrefStart(l.s[i:]) {
		return i
	}
	open := l.findMark(markOpen, i)
	if open < 0 {
		return i
	}
	if line := l.findMark(markLine, i); line >= 0 && line < open {
		return i
	}
	label := l.labelEnd(open + 1)
	if label < 0 {
		return i
	}
	l.flush(start)
	l.emitReference(i, open, true)
	l.skipTo(open)
	l.emitPictures(open+1, label)
	return l.skipTo(label + 1)
}

// emitReference yields the cross reference between the offsets start and end.
func (l *adocInlines) emitReference(start, end int, macro bool) {
	written := l.s[start:end]
	target := xrefTarget(strings.TrimSpace(written), macro)
	if target == written {
		target = ""
	}
	l.emitPiece(Xref, start, end, target)
}

// xrefTarget returns the target of a cross reference. If ref contains a file extension or a "#",
// the target is a document. Otherwise the target is a name in the same document.
func xrefTarget(ref string, macro bool) string {
	path, fragment, has := strings.Cut(ref, "#")
	name := path[strings.LastIndexByte(path, '/')+1:]
	suffixed := strings.LastIndexByte(name, '.') > 0
	switch {
	case has && path == "":
		return ref
	case !has && !(macro && suffixed):
		return "#" + ref
	case suffixed && (macro || isAdocName(name)), hasReference(name):
	default:
		path += ".adoc"
	}
	if fragment != "" {
		path += "#" + fragment
	}
	return path
}

func isAdocName(name string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "adoc", "asciidoc", "asc", "ad", "txt", "html":
		return true
	}
	return false
}

// readImage reads "image:target[alt]" or "icon:name[]". The target begins at the offset i.
func (l *adocInlines) readImage(start, i int, name string) int {
	if l.s[i] == ':' {
		return i
	}
	open := l.findMark(markOpen, i)
	if open <= i || l.s[open-1] == ' ' {
		return i
	}
	if line := l.findMark(markLine, i); line >= 0 && line < open {
		return i
	}
	end := l.labelEnd(open + 1)
	if end < 0 {
		return i
	}
	l.flush(start)
	if name == "image" {
		l.emitPicture(i, open)
	}
	if at := strings.Index(l.s[open:end], "link="); at >= 0 {
		at += open + len("link=")
		l.emitLinkOption(at, end)
	}
	return l.skipTo(end + 1)
}

// emitLinkOption yields the value of the attribute "link" as a destination. The value begins at the
// offset i, and the attribute list ends at the offset end.
func (l *adocInlines) emitLinkOption(i, end int) {
	stop := ","
	if i < end && (l.s[i] == '"' || l.s[i] == '\'') {
		stop = l.s[i : i+1]
		i++
	}
	if n := strings.Index(l.s[i:end], stop); n >= 0 {
		end = i + n
	}
	if value := l.s[i:end]; value != "" && value != "self" && value != "none" {
		l.emitPiece(Link, i, end, "")
	}
}

// emitPicture yields a picture whose target is between the offsets start and end.
func (l *adocInlines) emitPicture(start, end int) {
	target := l.s[start:end]
	dir, _ := l.attrs.get("imagesdir")
	if l.attrs.unsure["imagesdir"] {
		dir = "{imagesdir}"
	}
	text := ""
	if dir != "" && !isAbsolute(target) {
		text = strings.TrimSuffix(dir, "/") + "/" + target
	}
	l.emitPiece(Image, start, end, text)
}

// readAnchor reads the names after the "[" at the offset i, as in "[[id]]", "[[[id]]]" or
// "[#id]*text*".
func (l *adocInlines) readAnchor(i int) int {
	rest := l.s[i:]
	if strings.HasPrefix(rest, "[#") || strings.HasPrefix(rest, "[.") {
		if end := l.labelEnd(i + 1); l.ids != nil && end >= 0 && end+1 < len(l.s) && strings.IndexByte("#*_`", l.s[end+1]) >= 0 {
			if _, id, ok := strings.Cut(l.s[i+1:end], "#"); ok {
				id, _, _ = strings.Cut(id, ".")
				l.ids.add(id)
			}
		}
		return i + 1
	}
	if !strings.HasPrefix(rest, "[[") || !isIDStart(strings.TrimLeft(rest[:min(4, len(rest))], "[")) {
		return i + 1
	}
	marks := min(3, fenceSize(rest[:min(4, len(rest))], '['))
	end := l.findMark(markAnchor, i+marks)
	if end < 0 {
		return i + marks
	}
	if l.ids != nil {
		id, reftext, _ := strings.Cut(l.s[i+marks:end], ",")
		l.ids.add(id)
		l.ids.add(strings.TrimSpace(reftext))
	}
	return l.skipTo(end + len("]]"))
}

// readAnchorMacro reads "anchor:id[text]". The id begins at the offset i.
func (l *adocInlines) readAnchorMacro(start, i int) int {
	open := l.findMark(markOpen, i)
	if open < 0 || !isIDStart(l.s[i:]) {
		return i
	}
	if l.ids != nil && open-i < maxMacro {
		l.ids.add(l.s[i:open])
	}
	l.flush(start)
	return l.skipTo(i)
}

// readPass reads the "+" or "$" at the offset i, which may begin a text without macros.
func (l *adocInlines) readPass(i int) int {
	s := l.s
	for _, mark := range [...]int{markPass3, markPass2, markDollars} {
		ending := adocEndings[mark]
		if !strings.HasPrefix(s[i:], ending) {
			continue
		}
		start := i + len(ending)
		end := l.findMark(mark, start)
		if end < 0 {
			return start
		}
		kind := Code
		if mark == markPass3 {
			kind = HTMLBlock
		}
		return l.emitRaw(kind, i, start, end, end+len(ending))
	}
	if s[i] != '+' || i > 0 && isWordOctet(s[i-1]) || i+1 == len(s) || IsSpace(s[i+1]) {
		return i + 1
	}
	for end := i + 1; ; end++ {
		if end = l.findMark(markPlus, end); end < 0 || end-i > maxSpan {
			return i + 1
		}
		if end > i+1 && !IsSpace(s[end-1]) && (end+1 == len(s) || !isWordOctet(s[end+1])) {
			return l.emitRaw(Code, i, i+1, end, end+1)
		}
	}
}

// maxSpan is the maximum size of a text without macros between single marks.
const maxSpan = 4096

func isWordOctet(c byte) bool {
	return octet.Is(c, octet.Alpha|octet.Digit) || c == '_' || c >= 0x80
}

// emitRaw yields the text between the offsets start and end as a piece of the given kind. The mark
// before the text begins at the offset markStart. The mark after the text ends at the offset next.
func (l *adocInlines) emitRaw(kind PieceKind, markStart, start, end, next int) int {
	l.flush(markStart)
	l.emitPiece(kind, start, end, "")
	return l.skipTo(next)
}

// readPassMacro reads "pass:[text]", where the text is HTML. The parameter i is the offset after
// "pass:". If the macro lists substitutions before the "[", readPassMacro ignores it.
func (l *adocInlines) readPassMacro(start, i int) int {
	if l.s[i] != '[' {
		return i
	}
	end := l.labelEnd(i + 1)
	if end < 0 {
		return i
	}
	return l.emitRaw(HTMLBlock, start, i+1, end, end+1)
}

// readMath reads a formula. The text of the formula follows the "[" at the offset i.
func (l *adocInlines) readMath(start, i int) int {
	if l.s[i] != '[' {
		return i
	}
	end := l.labelEnd(i + 1)
	if end < 0 {
		return i
	}
	return l.emitRaw(Code, start, i+1, end, end+1)
}

// readCodeSpan reads the "`" at the offset i. It searches a code span for macros, because
// Asciidoctor replaces macros in code spans too.
func (l *adocInlines) readCodeSpan(i int) int {
	s := l.s
	if l.code > 0 {
		return i + 1
	}
	if strings.HasPrefix(s[i:], "`+") && (i == 0 || !isWordOctet(s[i-1])) {
		if end := l.findMark(markPlusTick, i+2); end > i+2 {
			return l.emitRaw(Code, i, i+2, end, end+2)
		}
	}
	if strings.HasPrefix(s[i:], "``") {
		if end := l.findMark(markTicks, i+2); end > i+2 {
			return l.beginCode(i, i+2, end)
		}
		return i + 2
	}
	if i > 0 && (isWordOctet(s[i-1]) || strings.IndexByte(`;:"'}`, s[i-1]) >= 0) || i+1 == len(s) || IsSpace(s[i+1]) {
		return i + 1
	}
	for end := i + 1; ; end++ {
		if end = l.findMark(markTick, end); end < 0 || end-i > maxSpan {
			return i + 1
		}
		if end > i+1 && !IsSpace(s[end-1]) && (end+1 == len(s) || !isWordOctet(s[end+1]) && strings.IndexByte("\"'`", s[end+1]) < 0) {
			return l.beginCode(i, i+1, end)
		}
	}
}

// beginCode begins the code between the offsets start and end. The mark before the code begins at
// the offset markStart.
func (l *adocInlines) beginCode(markStart, start, end int) int {
	l.flush(markStart)
	l.skipTo(start)
	l.code = end
	return start
}
