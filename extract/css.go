package extract

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// CSS returns what a style sheet refers to, in order, and the URLs in the rest of it,
// which is read as plain text: in comments, in strings, of namespaces (CSS Syntax
// section 4.3, CSS Cascade section 2).
//
//	@import "a.css"; @import url(b.css);
//	p { background: url("c.png"), URL( d\.png ) }
//	/* http://host/ */                  bare, as [All] has it
//
// What is referred to has the Form Attribute and the Element "style", and is a URL or
// a partial form, as in [HTML].
func CSS(text string, o *Options) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		d := newDocument(text, o, yield)
		read := 0
		references := newDocument(text, o, func(m Match) bool {
			d.prose(read, int(m.Start), literal)
			read = int(m.End)
			d.emit(m)
			return !d.done
		})
		references.o.Hidden = false // Nothing is.
		references.css(&source{decoded{text: text}, 0, "style"})
		d.prose(read, len(text), literal)
	}
}

// css reports what a style sheet, or the declarations of a style attribute, refer
// to: url(...), quoted or not, and the text after @import (CSS Syntax 4.3). What
// is in comments and strings is no reference, nor is the name of a namespace.
func (d *document) css(v *source) {
	s := v.text
	for i := 0; i < len(s) && !d.done; {
		switch c := s[i]; {
		case c == '/' && strings.HasPrefix(s[i:], "/*"):
			i = after(s, i+len("/*"), "*/")
		case c == '"' || c == '\'':
			_, i, _ = cssString(s, i)
		case c == '\\':
			i += 2
		case c == '@':
			i = d.atRule(v, i)
		case octet.Is(c, octet.Alpha|octet.High) || c == '_' || c == '-':
			end := identEnd(s, i)
			if end < len(s) && s[end] == '(' && sameName(s[i:end], "url") {
				end = d.cssURL(v, end+1)
			}
			i = end
		default:
			i++
		}
	}
}

// atRule reads the name of the at-rule at i, and the text after @import.
func (d *document) atRule(v *source, i int) int {
	s := v.text
	end := identEnd(s, i+1)
	switch name := s[i+1 : end]; {
	case sameName(name, "namespace"):
		return after(s, end, ";")
	case sameName(name, "import"):
		start := skipSpace(s, end)
		if start == len(s) || s[start] != '"' && s[start] != '\'' {
			break
		}
		last, next, ok := cssString(s, start)
		if ok {
			d.one(v, start+1, last, cssText)
		}
		return next
	}
	return end
}

// cssURL reads what is behind the "(" of url(, which is before i.
func (d *document) cssURL(v *source, i int) int {
	s := v.text
	start := skipSpace(s, i)
	if start == len(s) {
		return start
	}
	end, next, ok := 0, 0, true
	if s[start] == '"' || s[start] == '\'' {
		end, next, ok = cssString(s, start)
		start++
	} else {
		end = start
		for end < len(s) && !isSpace(s[end]) && strings.IndexByte(`"'()`, s[end]) < 0 {
			end += escapeSize(s[end:])
		}
		next = end
	}
	next = skipSpace(s, next)
	if ok && next < len(s) && s[next] == ')' {
		d.one(v, start, end, cssText)
		next++
	}
	return next
}

// cssString returns where the content of the string at i ends, and the place
// behind it. A line end ends what is no string.
func cssString(s string, i int) (end, next int, ok bool) {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch s[i] {
		case quote:
			return i, i + 1, true
		case '\\':
			i++
		case '\n':
			return i, i, false
		}
	}
	return len(s), len(s), false
}

// identEnd returns where the identifier ends that is at i.
func identEnd(s string, i int) int {
	for i < len(s) && (octet.Is(s[i], octet.Alpha|octet.Digit|octet.High) || s[i] == '_' || s[i] == '-') {
		i++
	}
	return i
}
