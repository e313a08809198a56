package markup

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/octet"
)

// Asciidoc yields the pieces of an AsciiDoc document in order. Asciidoc follows the rules of
// Asciidoctor 2.
//
// Asciidoc replaces references to attributes that the document defines. If a destination contains
// a reference to another attribute, the destination is returned as written. Asciidoc does not
// evaluate conditions, but reads the text of all branches. Asciidoc reads a block that is nested
// more than 100 levels deep as text.
func Asciidoc(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		readAsciidoc(source, yield, nil)
	}
}

// asciidoc reads the blocks of a document line by line.
type asciidoc struct {
	text  string
	yield func(Piece) bool
	done  bool // whether the caller has stopped the loop
	ids   *documentIDs

	attrs      attributes
	conditions []string   // open conditions: an attribute name for "ifndef", and "?" for any other condition
	pending    string     // name of an attribute whose value continues on the next line
	value      string     // value of the pending attribute up to the current line
	header     headerPart // part of the document header that contains the current line
	open       []delimited
	style      blockStyle // style of the next block
	leaf       adocLeaf
	start, end int  // offsets of the leaf's text; -1 if the text has not begun
	term       bool // the previous line is a term without its description
	titled     bool // a title was read
	underlined bool // the next line underlines a title
}

// headerPart is a part of a document with a header.
type headerPart uint8

const (
	beforeHeader headerPart = iota
	inHeader
	inBody
)

// adocLeaf is the kind of the innermost block that contains a line. Delimited blocks do not count.
type adocLeaf uint8

const (
	noParagraph adocLeaf = iota
	textParagraph
	codeParagraph
	rawParagraph    // HTML
	unseenParagraph // a comment
)

// delimited is an AsciiDoc block between two equal delimiter lines.
type delimited struct {
	line string
	leaf adocLeaf // kind of the content; noParagraph if the content consists of blocks
	// cell is the separator between table cells, or 0 if the block is not a table.
	cell byte
	flat bool // indented lines are text, not code
}

// blockStyle is the style that the lines before a block select.
type blockStyle struct {
	name, id, reftext string
	discrete, csv     bool
}

func readAsciidoc(source string, yield func(Piece) bool, ids *documentIDs) *asciidoc {
	a := &asciidoc{text: source, yield: yield, ids: ids, start: -1}
	a.attrs = attributes{values: map[string]string{"sectids": ""}, unsure: map[string]bool{}, spare: len(source) + maxAdded}
	for i := 0; i < len(source) && !a.done; {
		end, next := len(source), len(source)
		if n := strings.IndexByte(source[i:], '\n'); n >= 0 {
			end, next = i+n, i+n+1
		}
		a.readLine(i, i+len(strings.TrimRight(source[i:end], " \t\r\f\v")), next)
		i = next
	}
	a.emitLeaf()
	return a
}

// emit yields the piece p if p is not empty.
func (a *asciidoc) emit(p Piece) {
	if p.Start < p.End && !a.done {
		a.done = !a.yield(p)
	}
}

// verbatim returns the kind of content that contains the current line. If the content consists of
// blocks, it returns noParagraph.
func (a *asciidoc) verbatim() adocLeaf {
	if n := len(a.open); n > 0 {
		return a.open[n-1].leaf
	}
	return noParagraph
}

// readLine reads the line between the offsets start and end, which do not include trailing spaces.
func (a *asciidoc) readLine(start, end, next int) {
	line := a.text[start:end]
	in := a.verbatim()
	switch {
	case a.underlined:
		a.underlined = false
	case in != unseenParagraph && a.readDirective(line, start):
	case a.closeBlock(line):
	case in != noParagraph:
		a.extend(start, next)
	case a.continueEntry(line):
	case line == "":
		a.readBlankLine()
	case a.leaf != noParagraph && !a.endsParagraph(line):
		a.continueParagraph(line, start, end)
	default:
		a.emitLeaf()
		a.leaf = noParagraph
		a.readFirstLine(line, start, end, next)
	}
}

// extend adds a line, or a part of a line, to the text of the leaf.
func (a *asciidoc) extend(start, end int) {
	if a.start < 0 {
		a.start = start
	}
	a.end = end
}

// emitLeaf yields the text that the leaf already contains, without ending the leaf.
func (a *asciidoc) emitLeaf() {
	start, end := a.start, a.end
	a.start = -1
	if start < 0 {
		return
	}
	leaf := a.leaf
	if in := a.verbatim(); in != noParagraph {
		leaf = in
	}
	switch leaf {
	case codeParagraph:
		a.emit(Piece{Kind: Code, Start: start, End: end})
	case rawParagraph:
		a.emit(Piece{Kind: HTMLBlock, Start: start, End: end})
	case unseenParagraph:
		a.emit(Piece{Kind: Unseen, Start: start, End: end})
	default:
		a.emitCells(start, end)
	}
}

// emitCells yields the pieces of running text, which may be table cells.
func (a *asciidoc) emitCells(start, end int) {
	cell := byte(0)
	if n := len(a.open); n > 0 {
		cell = a.open[n-1].cell
	}
	for i := start; cell != 0 && i < end; i++ {
		if a.text[i] == cell && (i == start || a.text[i-1] != '\\') {
			a.inline(start, i)
			a.emitUnseen(i, i+1)
			start = i + 1
		}
	}
	a.inline(start, end)
}

// emitUnseen yields an invisible part of the source.
func (a *asciidoc) emitUnseen(start, end int) { a.emit(Piece{Kind: Unseen, Start: start, End: end}) }

// readBlankLine reads an empty line.
func (a *asciidoc) readBlankLine() {
	a.emitLeaf()
	a.leaf = noParagraph
	if a.header == inHeader {
		a.header = inBody
	}
}

// endsParagraph reports whether a line ends the preceding paragraph.
func (a *asciidoc) endsParagraph(line string) bool {
	delim, _ := delimiterOf(line)
	return a.header == inHeader || delim != "" || line == "+" || isAttributeLine(line) || a.leaf == textParagraph && markerEnd(line) > 0
}

// continueParagraph reads another line of the current paragraph.
func (a *asciidoc) continueParagraph(line string, start, end int) {
	if a.leaf == textParagraph && isLineComment(line) {
		a.emitLeaf()
		a.emitUnseen(start, end)
		return
	}
	a.term = a.leaf == textParagraph && isTerm(line)
	a.extend(start, end)
}

func isLineComment(line string) bool {
	return strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "///")
}

// readFirstLine reads a line that begins a block.
func (a *asciidoc) readFirstLine(line string, start, end, next int) {
	switch {
	case isLineComment(line):
		a.emitUnseen(start, end)
	case a.readEntry(line, start, end):
	case isAttributeLine(line):
		a.blockAttributes(line, start)
	case len(line) > 1 && line[0] == '.' && line[1] != ' ' && line[1] != '\t' && (line[1] != '.' || len(line) > 2 && strings.IndexByte(" \t.", line[2]) < 0):
		a.inline(start+1, end) // the text after the "." is a title
	case a.openBlock(line):
	case a.readSection(line, start, end, next):
	case line == "+":
	case a.readMedia(line, start):
	default:
		a.beginParagraph(line, start, end)
	}
}

// openBlock opens the delimited block that begins with a line.
func (a *asciidoc) openBlock(line string) bool {
	delim, block := delimiterOf(line)
	if delim == "" || len(a.open) == maxDepth {
		return false
	}
	style := a.takeStyle()
	block.line = delim
	if leaf, ok := styleLeaf(style.name); ok && block.cell == 0 && (block.leaf == noParagraph || block.leaf == rawParagraph) {
		block.leaf = leaf
	}
	block.flat = block.flat || style.name == "verse"
	if block.cell == '|' && style.csv {
		block.cell = ','
	}
	a.recordName(style)
	a.beginBody()
	a.open = append(a.open, block)
	return true
}

// takeStyle returns the stored style for the next block, and clears it.
func (a *asciidoc) takeStyle() blockStyle {
	style := a.style
	a.style = blockStyle{}
	return style
}

// styleLeaf returns the kind of content that a style selects. If the style does not change the
// default, the second result is false.
func styleLeaf(style string) (adocLeaf, bool) {
	switch style {
	case "source", "listing", "literal", "stem", "latexmath", "asciimath":
		return codeParagraph, true
	case "pass":
		return rawParagraph, true
	case "comment":
		return unseenParagraph, true
	}
	return noParagraph, false
}

// delimiterOf returns the delimiter in a line, and the block that the delimiter opens. The same
// delimiter ends the block.
func delimiterOf(line string) (delim string, block delimited) {
	if len(line) < 2 {
		return "", block
	}
	if strings.HasPrefix(line, "```") && (len(line) == 3 || line[3] != '`' && strings.IndexByte(line, ' ') < 0) {
		return "```", delimited{leaf: codeParagraph}
	}
	if line == "--" {
		return line, block
	}
	mark := line[0]
	if len(line) >= 4 && line[1] == '=' && strings.IndexByte("|,:!", mark) >= 0 && strings.Trim(line[1:], "=") == "" {
		if mark == ':' {
			mark = '|' // with ":", a URL would be divided into two cells
		}
		return line, delimited{cell: mark, flat: true}
	}
	if len(line) < 4 || strings.IndexByte("-.=*_+/", mark) < 0 || strings.Trim(line, line[:1]) != "" {
		return "", block
	}
	switch mark {
	case '-', '.':
		block.leaf = codeParagraph
	case '+':
		block.leaf = rawParagraph
	case '/':
		block.leaf = unseenParagraph
	}
	return line, block
}

// closeBlock reports whether a line is the end delimiter of an open block. If so, it ends the block
// and all blocks in it.
func (a *asciidoc) closeBlock(line string) bool {
	if len(a.open) == 0 || len(line) < 2 {
		return false
	}
	for i := range a.open {
		if a.open[i].line == line {
			a.emitLeaf()
			a.leaf, a.open = noParagraph, a.open[:i]
			return true
		}
	}
	return false
}

// beginParagraph begins a paragraph with a line.
func (a *asciidoc) beginParagraph(line string, start, end int) {
	style := a.takeStyle()
	a.recordName(style)
	a.leaf = textParagraph
	indented := line[0] == ' ' || line[0] == '\t'
	flat := len(a.open) > 0 && a.open[len(a.open)-1].flat
	if leaf, ok := styleLeaf(style.name); ok {
		a.leaf = leaf
	} else if indented && !flat && !a.term && style.name != "normal" && markerEnd(line) == 0 && !isTerm(line) && !hasTerm(line) {
		a.leaf = codeParagraph
	}
	a.beginBody()
	a.term = a.leaf == textParagraph && isTerm(line)
	a.extend(start, end)
}

// beginBody records that the text of the document has begun.
func (a *asciidoc) beginBody() {
	if a.header == beforeHeader {
		a.header = inBody
	}
}

// isTerm reports whether a line is only a term, with the description on the next line.
func isTerm(line string) bool {
	return !strings.HasPrefix(line, "//") && (strings.HasSuffix(line, "::") || strings.HasSuffix(line, ";;")) && strings.Trim(line, ":; \t") != ""
}

// hasTerm reports whether a line contains a term and its description.
func hasTerm(line string) bool {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range [...]string{":: ", ":::", ";; ", "::\t"} {
		if n := strings.Index(line, mark); n > 0 {
			return true
		}
	}
	return false
}

// markerEnd returns the offset of the text after a list marker, or 0 if the line does not begin a
// list item.
func markerEnd(line string) int {
	i := blanksEnd(line, 0)
	end := i
	for end < len(line) && line[end] == line[i] && strings.IndexByte("*.-", line[i]) >= 0 {
		end++
	}
	switch {
	case end > i:
		if line[i] == '-' && end-i > 1 {
			return 0
		}
	case strings.HasPrefix(line[i:], "•"):
		end = i + len("•")
	default:
		if end = numberEnd(line, i); end == i {
			return 0
		}
	}
	text := blanksEnd(line, end)
	if text == end || text == len(line) {
		return 0
	}
	return text
}

// numberEnd returns the offset after the number of a list item, such as "1.", "a.", "iv)" or
// "<1>". If the line contains no number at the offset i, numberEnd returns i.
func numberEnd(line string, i int) int {
	end := i
	if strings.HasPrefix(line[i:], "<") {
		for end++; end < len(line) && (octet.Is(line[end], octet.Digit) || line[end] == '.'); end++ {
		}
		if end > i+1 && end < len(line) && line[end] == '>' {
			return end + 1
		}
		return i
	}
	for end < len(line) && octet.Is(line[end], octet.Digit) {
		end++
	}
	if end == i {
		for end < len(line) && strings.IndexByte("ivxIVX", line[end]) >= 0 {
			end++
		}
		if end < len(line) && line[end] == ')' && end > i {
			return end + 1
		}
		if end = i; end < len(line) && octet.Is(line[end], octet.Alpha) {
			end++
		}
	}
	if end > i && end < len(line) && line[end] == '.' {
		return end + 1
	}
	return i
}

// readSection reads a title in a line, or a title that the next line underlines.
func (a *asciidoc) readSection(line string, start, end, next int) bool {
	level := fenceSize(line, '=')
	if level == 0 {
		level = fenceSize(line, '#')
	}
	nested := len(a.open) > 0 && a.open[len(a.open)-1].cell == 0 && !a.style.discrete
	if level > 0 && level <= 6 && level < len(line) && (line[level] == ' ' || line[level] == '\t') && !nested {
		a.readHeading(level-1, start+level, end)
		return true
	}
	if nested || line[0] == '.' || line[0] == ' ' || next == len(a.text) || !hasWord(line) {
		return false
	}
	under := a.text[next:]
	if n := strings.IndexByte(under, '\n'); n >= 0 {
		under = under[:n]
	}
	under = strings.TrimRight(under, " \t\r")
	if len(under) < 2 || strings.Trim(under, under[:1]) != "" {
		return false
	}
	level = strings.IndexByte("=-~^+", under[0])
	if d := utf8.RuneCountInString(line) - len(under); level < 0 || d < -1 || d > 1 {
		return false
	}
	a.readHeading(level, start, end)
	a.underlined = true
	return true
}

// hasWord reports whether a line contains a letter, a digit or "_".
func hasWord(line string) bool {
	for i := range len(line) {
		if octet.Is(line[i], octet.Alpha|octet.Digit) || line[i] >= 0x80 || line[i] == '_' {
			return true
		}
	}
	return false
}

// readHeading reads the title between the offsets start and end.
func (a *asciidoc) readHeading(level, start, end int) {
	start = blanksEnd(a.text[:end], start)
	style := a.takeStyle()
	if a.ids != nil {
		a.addSection(level, start, end, style)
	}
	first := a.header == beforeHeader && level == 0
	a.header = inBody
	if first {
		a.header, a.titled = inHeader, true
	}
	a.inline(start, end)
}

// isAttributeLine reports whether a line contains attributes for the next block, or the name of
// the next block.
func isAttributeLine(line string) bool {
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return false
	}
	c := line[1]
	switch {
	case c == ']' && len(line) == 2:
		return true
	case c == '[':
		return strings.HasSuffix(line, "]]") && (len(line) == 4 || isIDStart(line[2:])) && strings.IndexByte(line[2:len(line)-2], ']') < 0
	}
	return octet.Is(c, octet.Alpha|octet.Digit) || c >= 0x80 || strings.IndexByte(`_.#,"'%{`, c) >= 0
}

// isIDStart reports whether s may begin with the name of a block.
func isIDStart(s string) bool {
	return s != "" && (octet.Is(s[0], octet.Alpha) || s[0] == '_' || s[0] == ':' || s[0] >= 0x80)
}
