package markup

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// RST yields the pieces of a reStructuredText document in order. RST follows the rules of
// docutils.
//
// A reference by name is not a piece, because the definition of the name contains the destination.
// Sphinx roles for documents and labels are [Role] and [Label]. The text of other roles is [Code].
func RST(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		readRST(source, yield, nil)
	}
}

// rst reads the blocks of a document line by line.
type rst struct {
	text  string
	yield func(Piece) bool
	done  bool
	names *rstNames

	pos     int // offset of the next line
	inside  bool
	start   int // start offset of the paragraph
	end     int
	column  int // column of the paragraph's text
	lines   int
	literal bool // the previous paragraph introduces a literal block
}

// rstLine is a line between the offsets start and end, without trailing spaces. The text of the
// line begins at the offset textStart.
type rstLine struct{ start, textStart, end, next, column int }

func (ln rstLine) blank() bool { return ln.textStart == ln.end }

func readRST(source string, yield func(Piece) bool, names *rstNames) {
	r := rst{text: source, yield: yield, names: names}
	for r.pos < len(source) && !r.done {
		ln := r.lineAt(r.pos)
		r.pos = ln.next
		r.readLine(ln)
	}
	r.endParagraph()
}

const rstTab = 8

// lineAt returns the line that begins at the offset i.
func (r *rst) lineAt(i int) rstLine {
	ln := rstLine{start: i, end: len(r.text), next: len(r.text)}
	if n := strings.IndexByte(r.text[i:], '\n'); n >= 0 {
		ln.end, ln.next = i+n, i+n+1
	}
	ln.end = i + len(strings.TrimRight(r.text[i:ln.end], " \t\r\f\v"))
	for ln.textStart = i; ln.textStart < ln.end && (r.text[ln.textStart] == ' ' || r.text[ln.textStart] == '\t'); ln.textStart++ {
		ln.column++
		if r.text[ln.textStart] == '\t' {
			ln.column += (rstTab - ln.column%rstTab) % rstTab
		}
	}
	return ln
}

// emit yields the piece p if p is not empty.
func (r *rst) emit(p Piece) {
	if p.Start < p.End && !r.done {
		r.done = !r.yield(p)
	}
}

func (r *rst) readLine(ln rstLine) {
	rest := r.text[ln.textStart:ln.end]
	switch {
	case ln.blank():
		r.endParagraph()
	case r.inside && r.lines == 1 && r.isUnderline(rest):
		r.inside = false
		r.addTitle(r.start, r.end)
	case r.inside && ln.column == r.column:
		r.end = ln.end
		r.lines++
	case r.inside:
		r.endParagraph()
		r.literal = false
		r.readFirstLine(ln)
	case r.literal:
		r.literal = false
		r.readLiteralBlock(ln, rest)
	default:
		r.readFirstLine(ln)
	}
}

// readLiteralBlock reads the literal block after a paragraph that ends with "::". The lines of the
// block are indented, or begin with the same punctuation character.
func (r *rst) readLiteralBlock(ln rstLine, rest string) {
	switch {
	case ln.column > r.column:
		r.emit(Piece{Kind: Code, Start: ln.start, End: r.skipBlock(r.column)})
	case ln.column == r.column && isPunctuation(rest[0]):
		for end := ln.end; ; {
			next := r.lineAt(r.pos)
			if r.pos == len(r.text) || next.blank() || r.text[next.textStart] != rest[0] {
				r.emit(Piece{Kind: Code, Start: ln.start, End: end})
				return
			}
			end, r.pos = next.end, next.next
		}
	default:
		r.readFirstLine(ln)
	}
}

// skipBlock skips blank lines and lines that are indented by more than the given number of columns.
// It returns the end of the skipped lines.
func (r *rst) skipBlock(column int) (end int) {
	for end = r.pos; r.pos < len(r.text); {
		ln := r.lineAt(r.pos)
		if !ln.blank() && ln.column <= column {
			return end
		}
		r.pos = ln.next
		if !ln.blank() {
			end = ln.next
		}
	}
	return end
}

// endParagraph ends the paragraph.
func (r *rst) endParagraph() {
	if !r.inside {
		return
	}
	r.inside = false
	r.literal = strings.HasSuffix(r.text[r.start:r.end], "::")
	r.inline(r.start, r.end)
}

// isRule reports whether a line consists of the same punctuation character, repeated.
func isRule(line string) bool {
	return len(line) > 0 && isPunctuation(line[0]) && strings.Trim(line, line[:1]) == ""
}

// isUnderline reports whether a line underlines the paragraph, so that the paragraph is a title.
func (r *rst) isUnderline(line string) bool {
	return isRule(line) && r.column == 0 && (len(line) >= 4 || len(line) >= r.end-r.start)
}

func (r *rst) addTitle(start, end int) {
	if r.names != nil {
		r.names.addSection(r.text[start:end])
	}
	r.inline(start, end)
}

// readFirstLine reads a line that begins a block.
func (r *rst) readFirstLine(ln rstLine) {
	for {
		rest := r.text[ln.textStart:ln.end]
		switch {
		case strings.HasPrefix(rest, ".. ") || rest == ".." || strings.HasPrefix(rest, "..\t"):
			r.readExplicit(ln)
			return
		case rest == "__":
			return // an anonymous target for the next block
		case strings.HasPrefix(rest, "__ "):
			r.readTarget(ln, ln.textStart+len("__"))
			return
		case strings.HasPrefix(rest, ">>>") && (len(rest) == 3 || rest[3] == ' '):
			r.readDoctest(ln)
			return
		case strings.HasPrefix(rest, "+-") && strings.Trim(rest, "+-") == "" && strings.HasSuffix(rest, "-+"):
			r.readGridTable()
			return
		case isSimpleBorder(rest):
			r.readSimpleTable(rest, ln)
			return
		case isRule(rest) && len(rest) >= 4:
			r.readOverlinedTitle(rest)
			return
		}
		size := rstMarker(rest)
		if size == 0 {
			break
		}
		ln.textStart += size
		ln.column += size
		if ln.blank() {
			return
		}
	}
	r.inside, r.start, r.end, r.column, r.lines = true, ln.textStart, ln.end, ln.column, 1
}

// readOverlinedTitle reads the title after a line of punctuation. If there is no title, the line is
// a transition between paragraphs.
func (r *rst) readOverlinedTitle(rule string) {
	if r.pos == len(r.text) {
		return
	}
	title := r.lineAt(r.pos)
	if title.blank() || title.next == len(r.text) {
		return
	}
	if under := r.lineAt(title.next); r.text[under.start:under.end] == rule {
		r.pos = under.next
		r.addTitle(title.textStart, title.end)
	}
}

// readDoctest reads a Python interactive session, which ends at a blank line.
func (r *rst) readDoctest(ln rstLine) {
	end := ln.end
	for r.pos < len(r.text) {
		next := r.lineAt(r.pos)
		if next.blank() {
			break
		}
		end, r.pos = next.end, next.next
	}
	r.emit(Piece{Kind: Code, Start: ln.start, End: end})
}

// rstMarker returns the length of the marker at the start of a list item, a field or a line block,
// including the spaces after the marker. If there is no marker, rstMarker returns zero.
func rstMarker(line string) int {
	end := 0
	switch c := line[0]; {
	case strings.IndexByte("*+-|", c) >= 0:
		end = 1
	case strings.HasPrefix(line, "•") || strings.HasPrefix(line, "‣") || strings.HasPrefix(line, "⁃"):
		end = len("•")
	case c == ':':
		end = fieldEnd(line)
	default:
		end = enumeratorEnd(line)
	}
	text := blanksEnd(line, end)
	if end == 0 || text == end && end < len(line) {
		return 0
	}
	return text
}

// fieldEnd returns the offset after ":name:" at the start of line, or zero if the name is missing.
func fieldEnd(line string) int {
	if len(line) < 3 || line[1] == ' ' || line[1] == ':' {
		return 0
	}
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '`':
			return 0
		case line[i] == ':' && line[i-1] != ' ' && (i+1 == len(line) || line[i+1] == ' '):
			return i + 1
		}
	}
	return 0
}

// enumeratorEnd returns the offset after an enumerator such as "1.", "(a)", "iv)" or "#.". If
// there is no enumerator, enumeratorEnd returns zero.
func enumeratorEnd(line string) int {
	start := 0
	if line[0] == '(' {
		start = 1
	}
	end := start
	for end < len(line) && octet.Is(line[end], octet.Digit) {
		end++
	}
	if end == start {
		for end < len(line) && strings.IndexByte("ivxlcdmIVXLCDM", line[end]) >= 0 {
			end++
		}
		if end == start && end < len(line) && (octet.Is(line[end], octet.Alpha) || line[end] == '#') {
			end++
		}
	}
	if end == start || end == len(line) || line[end] != ')' && (line[end] != '.' || start == 1) {
		return 0
	}
	return end + 1
}

// readExplicit reads the target, footnote, directive or comment that begins with ".." in a line.
func (r *rst) readExplicit(ln rstLine) {
	at := blanksEnd(r.text[:ln.end], ln.textStart+len(".."))
	rest := r.text[at:ln.end]
	switch {
	case rest == "":
		if r.pos < len(r.text) {
			if next := r.lineAt(r.pos); next.blank() {
				return
			}
		}
	case rest[0] == '_' && len(rest) > 1 && rest[1] != ' ':
		if r.readTarget(ln, at+1) {
			return
		}
	case rest[0] == '[':
		if r.readFootnote(ln, at) {
			return
		}
	case rest[0] == '|':
		if n := strings.Index(rest[1:], "| "); n > 0 && r.readDirective(ln, at+1+blanksEnd(rest[1:], n+1)) {
			return
		}
	default:
		if r.readDirective(ln, at) {
			return
		}
	}
	r.emit(Piece{Kind: Unseen, Start: ln.textStart, End: max(ln.end, r.skipBlock(ln.column))})
}

// readFootnote reads the footnote "[label] text" at the offset labelStart.
func (r *rst) readFootnote(ln rstLine, labelStart int) bool {
	label, _, ok := strings.Cut(r.text[labelStart+1:ln.end], "]")
	text := labelStart + 1 + len(label) + 1
	if !ok || label == "" || text < ln.end && r.text[text] != ' ' {
		return false
	}
	if r.names != nil {
		r.names.addFootnote(label)
	}
	text = blanksEnd(r.text[:ln.end], text)
	if text < ln.end {
		r.readFirstLine(rstLine{start: ln.start, textStart: text, end: ln.end, next: ln.next, column: ln.column + text - ln.textStart})
	}
	return true
}

// readTarget reads the name of a hyperlink target, and then the destination. The name follows a
// "_". If the text "_: " or " " follows instead, the target has no name.
func (r *rst) readTarget(ln rstLine, at int) bool {
	name, size := targetName(r.text[at:ln.end])
	if size == 0 {
		return false
	}
	at = blanksEnd(r.text[:ln.end], at+size)
	end := max(ln.end, r.skipIndented(ln.column))
	text := strings.Join(strings.Fields(r.text[at:end]), " ")
	switch {
	case text == "":
		if r.names != nil && name != "" {
			r.names.add(name)
		}
	case isAlias(text):
	default:
		r.emitURI(Definition, at, end)
	}
	return true
}

// skipIndented skips lines that are indented by more than the given number of columns, up to a
// blank line. It returns the end of the skipped lines. If it skips no lines, it returns zero.
func (r *rst) skipIndented(column int) (end int) {
	for r.pos < len(r.text) {
		ln := r.lineAt(r.pos)
		if ln.blank() || ln.column <= column {
			break
		}
		end, r.pos = ln.end, ln.next
	}
	return end
}

// targetName returns the name of a target, and the length of the name including the ":". If s does
// not begin with a target name, size is zero.
func targetName(s string) (name string, size int) {
	switch {
	case strings.HasPrefix(s, " "): // the target begins with "__ "
		return "", 1
	case strings.HasPrefix(s, "_:"):
		return "", len("_:")
	case strings.HasPrefix(s, "`"):
		if end := strings.Index(s[1:], "`:"); end > 0 {
			return s[1 : 1+end], 1 + end + len("`:")
		}
		return "", 0
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ':' && i > 0 && (i+1 == len(s) || s[i+1] == ' '):
			return unescaped(strings.TrimSpace(s[:i])), i + 1
		}
	}
	return "", 0
}

// isAlias reports whether the destination of a target is the name of another target.
func isAlias(text string) bool {
	return strings.HasSuffix(text, "_") && !strings.HasSuffix(text, `\_`) && (strings.HasPrefix(text, "`") && strings.HasSuffix(text, "`_") || isSimpleName(text[:len(text)-1]))
}

// isSimpleName reports whether s is a simple reference name, which consists of letters and digits,
// with single punctuation characters between them.
func isSimpleName(s string) bool {
	word := false
	for i := range len(s) {
		switch c := s[i]; {
		case octet.Is(c, octet.Alpha|octet.Digit) || c >= 0x80:
			word = true
		case strings.IndexByte("-._+:", c) < 0 || !word:
			return false
		default:
			word = false
		}
	}
	return word
}

// unescaped removes the "\" from each escape.
func unescaped(text string) string {
	decoded := Decode(text, RSTText)
	return decoded.Text
}

// emitURI yields the destination between the offsets start and end, which may be on several lines.
// It removes white space from the destination.
func (r *rst) emitURI(kind PieceKind, start, end int) {
	written := r.text[start:end]
	text := written
	if strings.Contains(text, `\ `) {
		text = strings.ReplaceAll(text, `\ `, "%20")
	}
	text = unescaped(strings.Join(strings.Fields(text), ""))
	if isMailAddress(text) {
		text = "mailto:" + text
	}
	if text == written {
		text = ""
	}
	r.emit(Piece{Kind: kind, Start: start, End: end, Text: text})
}

// isMailAddress reports whether a destination is a mail address.
func isMailAddress(text string) bool {
	local, domain, ok := strings.Cut(text, "@")
	return ok && local != "" && domain != "" && !strings.ContainsAny(text, ":/?#")
}
