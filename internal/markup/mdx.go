package markup

import (
	"iter"
	"strings"
)

// MDX is [Markdown] for a document of MDX: comments in braces, "{/* ... */}", and the
// modules before the text, which begin with "import" or "export", are Unseen. Other
// expressions are read as text.
func MDX(source string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		m := markdown{text: source, yield: yield, mdx: true}
		m.lines()
	}
}

// Comments of MDX begin and end with these.
const (
	mdxOpen  = "{/*"
	mdxClose = "*/}"
)

// openMDX opens the comment or the module that begins at first, and reports whether there
// is one.
func (m *markdown) openMDX(c *cursor, first, next, matched int) bool {
	rest := c.s[first:]
	switch {
	case strings.HasPrefix(rest, mdxOpen) && !strings.Contains(rest, mdxClose):
		m.cut(matched)
		m.open(comment, first, next)
		return true
	case matched == 0 && m.leaf != paragraph && first == c.i && isModule(rest):
		m.cut(0)
		m.open(module, first, next)
		m.script = script{}
		m.script.line(rest)
		return true
	}
	return false
}

// continuesMDX adds the line to a comment or a module, and reports whether that continues
// there. A module ends with a blank line outside of brackets, or before a line that looks
// like text: brackets in a regular expression may seem to be open.
func (m *markdown) continuesMDX(columns int, rest string, next int) bool {
	if m.leaf == module && m.script.endsBefore(columns, rest) {
		return false
	}
	m.end = next
	if m.leaf == comment && strings.Contains(rest, mdxClose) {
		m.close()
	}
	m.script.line(rest)
	return true
}

// isModule reports whether a line begins an import or export of JavaScript. In MDX no
// sentence begins with these words.
func isModule(line string) bool {
	return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ")
}

// script knows what is open in lines of JavaScript.
type script struct {
	open  int  // brackets
	quote byte // "`" or "*" (a comment), which continue on the next line
	blank bool // the last line was blank
}

// endsBefore reports whether a module ends before a line, which begins with columns of blanks.
func (s *script) endsBefore(columns int, rest string) bool {
	switch {
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"):
		return true // The module is code within an element.
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

// line reads a line.
func (s *script) line(text string) {
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
		s.quote = 0 // A string ends with its line.
	}
}
