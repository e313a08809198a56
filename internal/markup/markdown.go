package markup

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// PieceKind is the kind of a [Piece].
type PieceKind uint8

const (
	// Prose is running text with escapes ([MarkdownText]).
	Prose PieceKind = iota
	// Code is a code span, or a block of code.
	Code
	// Link is the destination of a link.
	Link
	// External is the destination of a MyST link with the class "external", as in
	// [text](destination){.external}.
	External
	// Image is the destination of an image.
	Image
	// Definition is the destination of a link reference definition.
	Definition
	// Autolink is a URL between "<" and ">".
	Autolink
	// Address is a mail address between "<" and ">".
	Address
	// Tag is an HTML tag in a paragraph.
	Tag
	// Unseen is a comment, a declaration or a processing instruction in a paragraph.
	Unseen
	// HTMLBlock is an HTML block.
	HTMLBlock
	// LinkText is text in a link or image: the link text, the alternative text or the title. A URL
	// in a LinkText is not a link (GFM 6.9).
	LinkText
	// Xref is the target of a cross reference in AsciiDoc.
	Xref
	// Include is the name of a file that an AsciiDoc or reStructuredText directive includes.
	Include
	// Role is the name of a document in a Sphinx site.
	Role
	// Label is a label that a document in a Sphinx site defines.
	Label
)

// Piece is a piece of a document. Start and End are offsets in the source. A destination does not
// include "<", ">" and the title.
type Piece struct {
	Kind       PieceKind
	Start, End int
	// Text is the destination if it differs from the source, because the source contains attribute
	// references or several lines. If Text is empty, the source is the destination.
	Text string
}

// Markdown yields the pieces of a Markdown document in order. Markdown follows CommonMark 0.31 and
// supports GFM tables (GFM 4.10).
//
// The text of a reference link is a LinkText, but the link itself is not a piece. So a link may
// contain a reference link, and the text of an image may contain a link. A label that begins with
// "^" is a footnote, which is running text. A block that is nested more than 100 levels deep is
// read as text. The text "<URL:...>" is running text, not an autolink.
func Markdown(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		m := markdown{text: source, yield: yield}
		m.readLines()
	}
}

// markdown reads the blocks of a document line by line. It reads the inline elements of a block at
// the end of the block.
type markdown struct {
	text  string
	yield func(Piece) bool
	done  bool // whether the caller has stopped the loop

	inside   []container // containers of the leaf, outermost first
	leaf     leaf
	start    int // start and end offsets of the leaf's text
	end      int
	lastLine int // start of the last line of a paragraph, which may be the header of a table
	fence    fence
	ending   string // text that ends the HTML block; if empty, a blank line ends the block

	brackets []bracket         // open "[" in a paragraph
	pieces   []Piece           // pieces of a paragraph that were not yielded yet
	labels   []textRange       // ranges of the links and images in a paragraph, from "[" to ")"
	ticks    [maxTicks + 1]int // offset of the last run of "`" characters in a paragraph, by length of the run

	mdx    bool
	script script // state of the JavaScript in a module
	tags   tags   // state of the tags in MDX lines

	defined  map[string]bool // result of definedLabels; nil before the first call
	headings *headings       // collects headings, if not nil
}

// emit yields a piece if it is not empty.
func (m *markdown) emit(kind PieceKind, start, end int) {
	if start < end && !m.done {
		m.done = !m.yield(Piece{Kind: kind, Start: start, End: end})
	}
}

// leaf is the kind of the innermost block that contains the last line.
type leaf uint8

const (
	noLeaf    leaf = iota
	paragraph      // also definitions and setext headings
	indented       // code
	fenced         // code
	htmlBlock
	table   // a table, whose rows are read line by line
	comment // an MDX comment
	module  // an MDX module
	jsx     // lines of MDX tags
)

// container is a block that contains other blocks: a quotation or a list item.
type container struct {
	quote bool
	empty bool // the container is a list item that has no content yet
	width int  // number of columns before the content of a list item
}

// fence is the first line of a fenced code block.
type fence struct {
	mark byte
	size int
}

const (
	maxDepth = 100 // maximum number of nested containers
	codeAt   = 4   // number of columns before a line in an indented code block
)

// cursor is an offset in a line. A tab extends to the next column that is a multiple of four, and
// skip may stop within a tab.
type cursor struct {
	s      string // source up to the end of the line
	i, col int
}

// blankWidth returns the width of the space or tab c in a column. For other characters, it returns
// 0.
func blankWidth(c byte, column int) int {
	switch c {
	case ' ':
		return 1
	case '\t':
		return 4 - column%4
	}
	return 0
}

// indent returns the width and the end offset of the white space at the cursor.
func (c *cursor) indent() (columns, end int) {
	for end = c.i; end < len(c.s) && blankWidth(c.s[end], c.col+columns) > 0; end++ {
		columns += blankWidth(c.s[end], c.col+columns)
	}
	return columns, end
}

// skipSpace skips white space. The parameter columns is the maximum number of columns.
func (c *cursor) skipSpace(columns int) {
	for columns > 0 && c.i < len(c.s) {
		width := blankWidth(c.s[c.i], c.col)
		if width == 0 {
			return
		}
		if width <= columns {
			c.i++
		}
		width = min(width, columns)
		c.col += width
		columns -= width
	}
}

// skipMarker skips white space and the marker of a container. The marker has n bytes.
func (c *cursor) skipMarker(columns, n int) {
	c.skipSpace(columns)
	c.i, c.col = c.i+n, c.col+n
}

// readLines reads the document. A line ends with LF, CR LF, or CR.
func (m *markdown) readLines() {
	feed := -1 // offset of the first LF after the start of the line
	for i := 0; i < len(m.text) && !m.done; {
		if feed < i {
			feed = len(m.text)
			if n := strings.IndexByte(m.text[i:], '\n'); n >= 0 {
				feed = i + n
			}
		}
		end, next := feed, min(feed+1, len(m.text))
		if n := strings.IndexByte(m.text[i:feed], '\r'); n >= 0 {
			end = i + n
			if next = end + 1; next == feed {
				next++
			}
			next = min(next, len(m.text))
		}
		m.readLine(cursor{s: m.text[:end], i: i}, next)
		i = next
	}
	m.closeLeaf()
}

// readLine reads the line at the cursor c. The next line begins at the offset next.
func (m *markdown) readLine(c cursor, next int) {
	matched := m.matchContainers(&c)
	if matched == len(m.inside) && m.continueLeaf(&c, next) {
		return
	}
	if m.leaf != paragraph && (m.leaf != table || matched < len(m.inside)) {
		m.closeContainers(matched)
	}
	for {
		columns, first := c.indent()
		if first == len(c.s) {
			m.closeContainers(matched)
			return
		}
		if columns >= codeAt && !m.mdx {
			if m.leaf != paragraph {
				m.closeContainers(matched)
				c.skipSpace(codeAt)
				m.open(indented, c.i, next)
				return
			}
			break
		}
		if m.openLeaf(&c, first, next, matched) || m.mdx && m.openMDX(&c, first, next, matched) {
			return
		}
		if matched == maxDepth || !m.openContainer(&c, matched) {
			break
		}
		matched++
	}
	columns, first := c.indent()
	switch {
	case m.leaf == table:
		m.readRow(first, len(c.s))
	case m.leaf != paragraph:
		m.open(paragraph, first, len(c.s))
		m.lastLine = first
	case matched < len(m.inside) || !m.opensTable(c.s[first:]):
		// The line continues the paragraph even without the markers of the containers.
		m.lastLine, m.end = first, len(c.s)
		if columns >= codeAt {
			m.lastLine = m.end // the previous line is not the header of a table
		}
	}
}

// matchContainers skips the markers of the open containers that the line continues, and returns the
// number of these containers.
func (m *markdown) matchContainers(c *cursor) (n int) {
	for ; n < len(m.inside); n++ {
		columns, first := c.indent()
		blank := first == len(c.s)
		switch in := m.inside[n]; {
		case in.quote && !blank && (columns < codeAt || m.mdx) && c.s[first] == '>':
			c.skipMarker(columns, 1)
			c.skipSpace(1)
		case in.quote, blank && in.empty, !blank && columns < in.width:
			return n
		case !blank:
			c.skipSpace(in.width)
		}
	}
	return n
}

// continueLeaf adds the line to the leaf if the leaf is code or HTML that does not end before the
// line. If the line is not part of the leaf, it returns false.
func (m *markdown) continueLeaf(c *cursor, next int) bool {
	columns, first := c.indent()
	rest := c.s[first:]
	switch m.leaf {
	case indented:
		if rest != "" && columns < codeAt {
			return false
		}
	case fenced:
		if (columns < codeAt || m.mdx) && fenceSize(rest, m.fence.mark) >= m.fence.size && strings.Trim(rest, string(m.fence.mark)+" \t") == "" {
			m.closeLeaf()
			return true
		}
	case htmlBlock:
		if m.ending == "" && rest == "" {
			return false
		}
		m.end = next
		if m.ending != "" && hasEnding(rest, m.ending) {
			m.closeLeaf()
		}
		return true
	case comment, module, jsx:
		return m.continuesMDX(columns, rest, next)
	default:
		return false
	}
	m.end = next
	return true
}

// openLeaf opens the heading, thematic break, fenced code block or HTML block that begins at the
// offset first. If no such block begins, openLeaf returns false.
func (m *markdown) openLeaf(c *cursor, first, next, matched int) bool {
	rest := c.s[first:]
	within := m.leaf == paragraph && matched == len(m.inside)
	switch mark := rest[0]; mark {
	case '#':
		if !isHeading(rest) {
			return false
		}
		m.closeContainers(matched)
		m.open(noLeaf, first, len(c.s))
		m.inline(first, len(c.s), nil)
		m.addHeading(first+fenceSize(rest, '#'), len(c.s))
		return true
	case '`', '~':
		size := fenceSize(rest, mark)
		if size < 3 || mark == '`' && strings.IndexByte(rest[size:], '`') >= 0 {
			return false
		}
		m.closeContainers(matched)
		m.open(fenced, next, next)
		m.fence = fence{mark, size}
		return true
	case '<':
		ending, ok := htmlStart(rest, m.leaf == paragraph)
		if !ok || m.mdx && ending == "" {
			return false
		}
		m.closeContainers(matched)
		m.open(htmlBlock, first, next)
		if m.ending = ending; ending != "" && hasEnding(rest, ending) {
			m.closeLeaf()
		}
		return true
	case '=', '-', '_', '*':
		under := within && (mark == '=' || mark == '-') && strings.TrimRight(rest[fenceSize(rest, mark):], " \t") == ""
		broken := mark != '=' && isBreak(rest, mark)
		if !under && !broken {
			return false
		}
		switch text := m.closeContainers(matched); {
		case under && text:
			m.addHeading(m.start, m.end)
		case !broken:
			// The paragraph contains only definitions, so the line does not underline a heading.
			m.open(paragraph, first, len(c.s))
			m.lastLine = first
		}
		m.markUsed()
		return true
	}
	return false
}

// openContainer opens the quotation or list item that begins at the cursor c. If there is neither,
// openContainer returns false.
func (m *markdown) openContainer(c *cursor, matched int) bool {
	columns, first := c.indent()
	within := m.leaf == paragraph && matched == len(m.inside)
	if c.s[first] == '>' {
		m.closeContainers(matched)
		c.skipMarker(columns, 1)
		c.skipSpace(1)
		m.push(container{quote: true})
		return true
	}
	size := markerSize(c.s[first:])
	if size == 0 {
		return false
	}
	empty := strings.TrimLeft(c.s[first+size:], " \t") == ""
	if within && (empty || size > 1 && c.s[first:first+size-1] != "1") {
		// In a paragraph, such a marker is usually part of the text.
		return false
	}
	m.closeContainers(matched)
	c.skipMarker(columns, size)
	blanks, _ := c.indent()
	if empty || blanks > codeAt {
		blanks = 1
	}
	c.skipSpace(blanks)
	m.push(container{width: columns + size + blanks, empty: empty})
	return true
}

// markUsed records that the innermost container has content.
func (m *markdown) markUsed() {
	if n := len(m.inside); n > 0 {
		m.inside[n-1].empty = false
	}
}

func (m *markdown) push(c container) {
	m.markUsed()
	m.inside = append(m.inside, c)
}

func (m *markdown) open(l leaf, start, end int) {
	m.markUsed()
	m.leaf, m.start, m.end = l, start, end
}

// closeContainers ends the leaf and all containers except the first n. It reports whether the leaf
// was a paragraph that contained more than definitions.
func (m *markdown) closeContainers(n int) (wasText bool) {
	wasText = m.closeLeaf()
	m.inside = m.inside[:n]
	return wasText
}

// closeLeaf ends the leaf and yields its pieces. It returns the same result as closeContainers.
func (m *markdown) closeLeaf() (wasText bool) {
	switch m.leaf {
	case paragraph:
		for ok := true; ok; {
			m.start, ok = m.readDefinition(m.start, m.end)
		}
		m.inline(m.start, m.end, nil)
		wasText = m.start < m.end
	case indented, fenced:
		m.emit(Code, m.start, m.end)
	case htmlBlock, jsx:
		m.emit(HTMLBlock, m.start, m.end)
	case comment, module:
		m.emit(Unseen, m.start, m.end)
	}
	m.leaf = noLeaf
	return wasText
}

// quoteDepth returns the number of quotations that contain the leaf. Each line of the leaf may
// begin with as many quotation marks (">").
func (m *markdown) quoteDepth() (n int) {
	for _, in := range m.inside {
		if in.quote {
			n++
		}
	}
	return n
}

// fenceSize returns the number of times that mark is repeated at the start of s.
func fenceSize(s string, mark byte) int { return len(s) - len(strings.TrimLeft(s, string(mark))) }

// isHeading reports whether s is an ATX heading (CommonMark 4.2).
func isHeading(s string) bool {
	size := fenceSize(s, '#')
	return size <= 6 && (size == len(s) || s[size] == ' ' || s[size] == '\t')
}

// isBreak reports whether s is a thematic break (CommonMark 4.1).
func isBreak(s string, mark byte) bool {
	return strings.Count(s, string(mark)) >= 3 && strings.Trim(s, string(mark)+" \t") == ""
}

// markerSize returns the size of the list marker at the start of s, or 0 if there is none
// (CommonMark 5.2).
func markerSize(s string) int {
	size := 0
	for size < len(s) && size < 9 && octet.Is(s[size], octet.Digit) {
		size++
	}
	switch {
	case size == len(s):
		return 0
	case size > 0 && (s[size] == '.' || s[size] == ')'), size == 0 && strings.IndexByte("-+*", s[0]) >= 0:
		size++
	default:
		return 0
	}
	if size < len(s) && s[size] != ' ' && s[size] != '\t' {
		return 0
	}
	return size
}

// htmlStart reports whether an HTML block begins with the line s, and returns the text that ends the
// block (CommonMark 4.6).
func htmlStart(s string, within bool) (ending string, ok bool) {
	switch {
	case strings.HasPrefix(s, "<!--"):
		return "-->", true
	case strings.HasPrefix(s, "<?"):
		return "?>", true
	case strings.HasPrefix(s, "<![CDATA["):
		return "]]>", true
	case len(s) > 2 && s[1] == '!' && octet.Is(s[2], octet.Alpha):
		return ">", true
	}
	closing := strings.HasPrefix(s, "</")
	name := s[len("<"):]
	if closing {
		name = s[len("</"):]
	}
	end := narrowName(name)
	rest := name[end:]
	name = strings.ToLower(name[:end])
	switch {
	case rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '>' && !strings.HasPrefix(rest, "/>"):
	case isLiteralElement(name) && !closing && !strings.HasPrefix(rest, "/>"):
		return literalEnding, true
	case isBlockElement(name):
		return "", true
	}
	if within || isLiteralElement(name) && !closing {
		return "", false
	}
	next, ok := wholeTag(s, 0)
	return "", ok && strings.TrimLeft(s[next:], " \t") == ""
}

// literalEnding represents the end tag of any element that may contain blank lines.
const literalEnding = "</"

// hasEnding reports whether s contains the text in ending, which ends an HTML block.
func hasEnding(s, ending string) bool {
	if ending != literalEnding {
		return strings.Contains(s, ending)
	}
	for {
		n := strings.Index(s, "</")
		if n < 0 {
			return false
		}
		s = s[n+len("</"):]
		end := narrowName(s)
		if end < len(s) && s[end] == '>' && isLiteralElement(strings.ToLower(s[:end])) {
			return true
		}
	}
}

// narrowName returns the length of the tag name at the start of s. In Markdown, a tag name
// consists of letters, digits and "-".
func narrowName(s string) int {
	end := 0
	for end < len(s) && (octet.Is(s[end], octet.Alpha) || end > 0 && octet.Is(s[end], octet.Label)) {
		end++
	}
	return end
}

func isLiteralElement(name string) bool {
	switch name {
	case "pre", "script", "style", "textarea":
		return true
	}
	return false
}

// IsElement reports whether name is the name of an HTML element that may follow text. The name
// must be in lower case.
func IsElement(name string) bool {
	switch name {
	case "a", "abbr", "acronym", "applet", "area", "audio", "b", "bdi", "bdo", "bgsound", "big", "blink", "br", "button", "canvas", "cite",
		"code", "datalist", "del", "dfn", "em", "embed", "font", "hgroup", "i", "img", "image", "input", "ins", "kbd", "keygen",
		"label", "map", "mark", "marquee", "math", "meta", "meter", "nobr", "noembed", "noscript", "object", "output", "picture",
		"plaintext", "progress", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "select", "selectedcontent", "slot", "small",
		"source", "span", "strike", "strong", "sub", "sup", "svg", "template", "time", "tt", "u", "var", "video", "wbr", "xmp":
		return true
	}
	return isLiteralElement(name) || isBlockElement(name)
}

func isBlockElement(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
		"details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
		"menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section", "summary", "table", "tbody",
		"td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}
