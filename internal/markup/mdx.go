package markup

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// MDX is like [Markdown] for an MDX document. Comments such as "{/* ... */}" are Unseen. Modules,
// which begin with "import" or "export", are also Unseen. Other expressions are read as text. Each
// line of tags is an HTMLBlock, and the text between the tags is Markdown. MDX does not support
// indented code.
func MDX(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		m := markdown{text: source, yield: yield, mdx: true}
		m.readLines()
	}
}

// These constants are the start and the end of an MDX comment.
const (
	mdxOpen  = "{/*"
	mdxClose = "*/}"
)

// openMDX opens the comment or module that begins at the offset first. If there is neither,
// openMDX returns false.
func (m *markdown) openMDX(c *cursor, first, next, matched int) bool {
	rest := c.s[first:]
	switch {
	case isTagStart(rest):
		m.tags = tags{}
		if !m.tags.readLine(rest) {
			return false
		}
		m.closeContainers(matched)
		m.open(jsx, first, next)
		if !m.tags.inTag {
			m.closeLeaf()
		}
		return true
	case strings.HasPrefix(rest, mdxOpen) && !strings.Contains(rest, mdxClose):
		m.closeContainers(matched)
		m.open(comment, first, next)
		return true
	case matched == 0 && m.leaf != paragraph && first == c.i && isModule(rest):
		m.closeContainers(0)
		m.open(module, first, next)
		m.script = script{}
		m.script.readLine(rest)
		return true
	}
	return false
}

// continuesMDX adds the line to the open comment, module or tags. If the module or the tags end
// before the line, continuesMDX returns false. A module ends with a blank line outside brackets. A
// module also ends before a line that looks like text, because a bracket in a regular expression
// may be counted as an open bracket.
func (m *markdown) continuesMDX(columns int, rest string, next int) bool {
	switch {
	case m.leaf == jsx && rest == "" && m.tags.open == 0,
		m.leaf == module && m.script.endsBefore(columns, rest):
		return false
	}
	m.end = next
	if m.leaf == jsx {
		if only := m.tags.readLine(rest); !only || !m.tags.inTag {
			m.closeLeaf()
		}
		return true
	}
	if m.leaf == comment && strings.Contains(rest, mdxClose) {
		m.closeLeaf()
	}
	m.script.readLine(rest)
	return true
}

// isModule reports whether a line begins a JavaScript import or export. In MDX, a paragraph can't
// begin with these words.
func isModule(line string) bool {
	return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ")
}

// script tracks open brackets, strings and comments in lines of JavaScript.
type script struct {
	open  int  // number of open brackets
	quote byte // "`" in a template literal or "*" in a comment, both of which may continue on the next line
	blank bool // the previous line was blank
}

// endsBefore reports whether a module ends before a line. The line is indented by the given number
// of columns.
func (s *script) endsBefore(columns int, rest string) bool {
	switch {
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"):
		return true // the module is code in an element
	case s.quote != 0:
		return false
	case rest == "":
		s.blank = true
		return s.open <= 0
	}
	ends := s.blank && columns == 0 && strings.IndexByte("})]/", rest[0]) < 0
	s.blank = false
	return ends
}

// readLine reads a line of JavaScript.
func (s *script) readLine(text string) {
	quote := s.quote
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '*':
			if strings.HasPrefix(text[i:], "*/") {
				quote = 0
				i++
			}
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.HasPrefix(text[i:], "//"):
			s.quote = 0
			return
		case strings.HasPrefix(text[i:], "/*"):
			quote = '*'
			i++
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{' || c == '(' || c == '[':
			s.open++
		case c == '}' || c == ')' || c == ']':
			s.open--
		}
	}
	if s.quote = quote; quote == '"' || quote == '\'' {
		s.quote = 0 // a string can't extend beyond its line
	}
}

// tags tracks open braces and strings in lines of JSX tags.
type tags struct {
	inTag bool
	open  int  // number of open braces in the tag
	quote byte // quote of the open string, or 0
}

// readLine reads a line of tags. It stops at text outside tags, and reports whether the line
// contains only tags.
func (t *tags) readLine(text string) (onlyTags bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case t.inTag:
			if c == '\\' && t.quote != 0 && t.open > 0 {
				i++
			}
			t.readByte(c)
		case isTagStart(text[i:]):
			t.inTag = true
		case c != ' ' && c != '\t':
			return false
		}
	}
	if t.open > 0 && t.quote != '`' {
		t.quote = 0 // a JavaScript string can't extend beyond its line
	}
	return true
}

// readByte reads one byte of a tag.
func (t *tags) readByte(c byte) {
	switch {
	case t.quote != 0:
		if c == t.quote {
			t.quote = 0
		}
	case c == '"', c == '\'', c == '`' && t.open > 0:
		t.quote = c
	case c == '{':
		t.open++
	case c == '}':
		t.open = max(t.open-1, 0)
	case c == '>' && t.open == 0:
		t.inTag = false
	}
}

// isTagStart reports whether text begins with a JSX tag such as "<a", "</a" or "<>". A URL between
// "<" and ">" is not a tag.
func isTagStart(text string) bool {
	if len(text) < len("<a") || text[0] != '<' {
		return false
	}
	if text[1] == '/' || text[1] == '>' {
		return true
	}
	end, _ := octet.SchemeEnd(text[1:])
	return octet.Is(text[1], octet.Alpha) && !strings.HasPrefix(text[1+end:], ":") && !strings.HasPrefix(text[1+end:], "@")
}

// wholeJSX is like wholeTag, but for a JSX tag.
func wholeJSX(s string, i int) (next int, ok bool) {
	if !isTagStart(s[i:]) {
		return i + 1, false
	}
	t := tags{inTag: true}
	for i++; i < len(s) && t.inTag; i++ {
		if s[i] == '\\' && t.quote != 0 && t.open > 0 {
			i++
			continue
		}
		t.readByte(s[i])
	}
	return min(i, len(s)), !t.inTag
}

// expressionEnd returns the offset after the expression in braces that begins at the offset i. If
// the expression has no end, expressionEnd returns len(s).
func expressionEnd(s string, i int) int {
	t := tags{inTag: true}
	for ; i < len(s); i++ {
		if s[i] == '\\' && t.quote != 0 {
			i++
			continue
		}
		if t.readByte(s[i]); t.open == 0 {
			return i + 1
		}
	}
	return len(s)
}
