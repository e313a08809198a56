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
	// External is the destination of a link with the class external after it, as MyST has
	// it: [text](destination){.external}.
	External
	// Image is the destination of an image.
	Image
	// Definition is the destination of a link reference definition.
	Definition
	// Autolink is a URL in "<" and ">".
	Autolink
	// Address is a mail address in "<" and ">".
	Address
	// Tag is an HTML tag in a paragraph.
	Tag
	// Unseen is a comment, a declaration or a processing instruction in a paragraph.
	Unseen
	// HTMLBlock is an HTML block.
	HTMLBlock
	// LinkText is running text or code in the text, the title or the alternative text of a
	// link or image. A URL in a LinkText is not a link (GFM 6.9).
	LinkText
	// Xref is a cross reference of AsciiDoc.
	Xref
	// Include is a file that an AsciiDoc or reStructuredText directive includes.
	Include
	// Role is the name of a document of a Sphinx site.
	Role
	// Label is a label that a document of a Sphinx site defines.
	Label
)

// Piece is a piece of a document, from offset Start to End in the source. A destination does not
// include "<", ">" and the title.
type Piece struct {
	Kind       PieceKind
	Start, End int
	// Text is the destination if it differs from the source, because the source has attribute
	// references or several lines. If empty, the source is the destination.
	Text string
}

// Markdown yields the pieces of a document in order, by CommonMark 0.31 with GFM tables (GFM
// 4.10).
//
// Reference links have no pieces; only their texts are LinkText. So a link may contain a reference
// link, and the text of an image may contain a link. A label that begins with "^" is a footnote,
// which is running text. Blocks nested more than 100 deep are read as text. "<URL:...>" is running
// text, not an autolink.
func Markdown(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		m := markdown{text: source, yield: yield}
		m.lines()
	}
}

// markdown reads the blocks of a document line by line. It reads the inlines of a block at the end
// of the block.
type markdown struct {
	text  string
	yield func(Piece) bool
	done  bool // the caller has stopped the loop

	inside []container // the containers of the leaf, from the outermost
	leaf   leaf
	start  int // start and end of the leaf's text
	end    int
	last   int // start of the last line of a paragraph; this line may be the header of a table
	fence  fence
	ending string // ending of an HTML block; if empty, a blank line ends it

	brackets []bracket         // open "[" in a paragraph
	pieces   []Piece           // pieces of a paragraph that were not yielded yet
	labels   []textRange       // links and images in a paragraph, from their "[" to their ")"
	ticks    [maxTicks + 1]int // offset of the last run of "`" in a paragraph, by length

	mdx    bool
	script script // state of a module
	tags   tags   // state of lines of tags

	defined  map[string]bool // result of definedLabels; nil before the first search
	headings *headings       // collects headings, if not nil
}

// emit yields a piece that is not empty.
func (m *markdown) emit(kind PieceKind, start, end int) {
	if start < end && !m.done {
		m.done = !m.yield(Piece{Kind: kind, Start: start, End: end})
	}
}

// leaf is the kind of the block that contains the last line.
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
	empty bool // the container is an item without content so far
	width int  // number of columns before the content of an item
}

// fence is the first line of a fenced block of code.
type fence struct {
	mark byte
	size int
}

const (
	maxDepth = 100 // maximum number of nested containers
	codeAt   = 4   // number of columns before a line of indented code
)

// cursor is an offset in a line. A tab extends to the next column that is a multiple of four, and
// skip may stop within a tab.
type cursor struct {
	s      string // up to the end of the line
	i, col int
}

// blankWidth returns the width of c at a column, or 0 if it is not a space or tab.
func blankWidth(c byte, column int) int {
	switch c {
	case ' ':
		return 1
	case '\t':
		return 4 - column%4
	}
	return 0
}

// indent returns the width of the white space at the cursor, and its end.
func (c *cursor) indent() (columns, end int) {
	for end = c.i; end < len(c.s) && blankWidth(c.s[end], c.col+columns) > 0; end++ {
		columns += blankWidth(c.s[end], c.col+columns)
	}
	return columns, end
}

// skip skips at most that many columns of white space.
func (c *cursor) skip(columns int) {
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

// mark skips white space and the mark of a container, which has n bytes.
func (c *cursor) mark(columns, n int) {
	c.skip(columns)
	c.i, c.col = c.i+n, c.col+n
}

// lines reads the document. A line ends with LF, CR LF, or CR.
func (m *markdown) lines() {
	feed := -1 // the first LF from the start of the line on
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
		m.line(cursor{s: m.text[:end], i: i}, next)
		i = next
	}
	m.close()
}

// line reads the line at c. The next one begins at next.
func (m *markdown) line(c cursor, next int) {
	matched := m.match(&c)
	if matched == len(m.inside) && m.continues(&c, next) {
		return
	}
	if m.leaf != paragraph && (m.leaf != table || matched < len(m.inside)) {
		m.cut(matched)
	}
	for {
		columns, first := c.indent()
		if first == len(c.s) {
			m.cut(matched)
			return
		}
		if columns >= codeAt && !m.mdx {
			if m.leaf != paragraph {
				m.cut(matched)
				c.skip(codeAt)
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
		m.row(first, len(c.s))
	case m.leaf != paragraph:
		m.open(paragraph, first, len(c.s))
		m.last = first
	case matched < len(m.inside) || !m.opensTable(c.s[first:]):
		// The line continues the paragraph even if it lacks the marks of the containers.
		m.last, m.end = first, len(c.s)
		if columns >= codeAt {
			m.last = m.end // the last line is not the header of a table
		}
	}
}

// match skips the marks of the open containers that the line continues, and returns the number of
// these containers.
func (m *markdown) match(c *cursor) (n int) {
	for ; n < len(m.inside); n++ {
		columns, first := c.indent()
		blank := first == len(c.s)
		switch in := m.inside[n]; {
		case in.quote && !blank && (columns < codeAt || m.mdx) && c.s[first] == '>':
			c.mark(columns, 1)
			c.skip(1)
		case in.quote, blank && in.empty, !blank && columns < in.width:
			return n
		case !blank:
			c.skip(in.width)
		}
	}
	return n
}

// continues adds the line to the leaf if the leaf is code or HTML and does not end before the line.
// It returns false if the line is not part of the leaf.
func (m *markdown) continues(c *cursor, next int) bool {
	columns, first := c.indent()
	rest := c.s[first:]
	switch m.leaf {
	case indented:
		if rest != "" && columns < codeAt {
			return false
		}
	case fenced:
		if (columns < codeAt || m.mdx) && fenceSize(rest, m.fence.mark) >= m.fence.size && strings.Trim(rest, string(m.fence.mark)+" \t") == "" {
			m.close()
			return true
		}
	case htmlBlock:
		if m.ending == "" && rest == "" {
			return false
		}
		m.end = next
		if m.ending != "" && hasEnding(rest, m.ending) {
			m.close()
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

// openLeaf opens the heading, break, fenced code or HTML that begins at first. If there is none, it
// returns false.
func (m *markdown) openLeaf(c *cursor, first, next, matched int) bool {
	rest := c.s[first:]
	within := m.leaf == paragraph && matched == len(m.inside)
	switch mark := rest[0]; mark {
	case '#':
		if !isHeading(rest) {
			return false
		}
		m.cut(matched)
		m.open(noLeaf, first, len(c.s))
		m.inline(first, len(c.s), nil)
		m.heading(first+fenceSize(rest, '#'), len(c.s))
		return true
	case '`', '~':
		size := fenceSize(rest, mark)
		if size < 3 || mark == '`' && strings.IndexByte(rest[size:], '`') >= 0 {
			return false
		}
		m.cut(matched)
		m.open(fenced, next, next)
		m.fence = fence{mark, size}
		return true
	case '<':
		ending, ok := htmlStart(rest, m.leaf == paragraph)
		if !ok || m.mdx && ending == "" {
			return false
		}
		m.cut(matched)
		m.open(htmlBlock, first, next)
		if m.ending = ending; ending != "" && hasEnding(rest, ending) {
			m.close()
		}
		return true
	case '=', '-', '_', '*':
		under := within && (mark == '=' || mark == '-') && strings.TrimRight(rest[fenceSize(rest, mark):], " \t") == ""
		broken := mark != '=' && isBreak(rest, mark)
		if !under && !broken {
			return false
		}
		switch text := m.cut(matched); {
		case under && text:
			m.heading(m.start, m.end)
		case !broken:
			// The paragraph has only definitions, so the line does not underline a heading.
			m.open(paragraph, first, len(c.s))
			m.last = first
		}
		m.used()
		return true
	}
	return false
}

// openContainer opens the quotation or list item that begins at c. If there is none, it returns
// false.
func (m *markdown) openContainer(c *cursor, matched int) bool {
	columns, first := c.indent()
	within := m.leaf == paragraph && matched == len(m.inside)
	if c.s[first] == '>' {
		m.cut(matched)
		c.mark(columns, 1)
		c.skip(1)
		m.push(container{quote: true})
		return true
	}
	size := markerSize(c.s[first:])
	if size == 0 {
		return false
	}
	empty := strings.TrimLeft(c.s[first+size:], " \t") == ""
	if within && (empty || size > 1 && c.s[first:first+size-1] != "1") {
		// Within a paragraph, the marker is more likely part of the text.
		return false
	}
	m.cut(matched)
	c.mark(columns, size)
	blanks, _ := c.indent()
	if empty || blanks > codeAt {
		blanks = 1
	}
	c.skip(blanks)
	m.push(container{width: columns + size + blanks, empty: empty})
	return true
}

// used records that the innermost container has content.
func (m *markdown) used() {
	if n := len(m.inside); n > 0 {
		m.inside[n-1].empty = false
	}
}

func (m *markdown) push(c container) {
	m.used()
	m.inside = append(m.inside, c)
}

func (m *markdown) open(l leaf, start, end int) {
	m.used()
	m.leaf, m.start, m.end = l, start, end
}

// cut ends the leaf, and all containers except the first n. It reports whether the leaf was a
// paragraph with text other than definitions.
func (m *markdown) cut(n int) (text bool) {
	text = m.close()
	m.inside = m.inside[:n]
	return text
}

// close ends the leaf and yields its pieces. It returns the same result as cut.
func (m *markdown) close() (text bool) {
	switch m.leaf {
	case paragraph:
		for ok := true; ok; {
			m.start, ok = m.definition(m.start, m.end)
		}
		m.inline(m.start, m.end, nil)
		text = m.start < m.end
	case indented, fenced:
		m.emit(Code, m.start, m.end)
	case htmlBlock, jsx:
		m.emit(HTMLBlock, m.start, m.end)
	case comment, module:
		m.emit(Unseen, m.start, m.end)
	}
	m.leaf = noLeaf
	return text
}

// quotes returns the number of quotations around the leaf. A line of the leaf may begin with that
// many quotation marks.
func (m *markdown) quotes() (n int) {
	for _, in := range m.inside {
		if in.quote {
			n++
		}
	}
	return n
}

// fenceSize returns the number of marks at the front of s.
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

// markerSize returns the size of the list marker at the front of s, or 0
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

// hasEnding reports whether s contains the ending of an HTML block.
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

// narrowName returns the end of the tag name at the start of s. In Markdown, a tag name consists
// of letters, digits and "-".
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

// IsElement reports whether name, which must be in lower case, is an HTML element that may follow
// text.
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
