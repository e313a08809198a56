package document

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// CSS yields the references in a style sheet in document order (CSS Syntax section 4.3, CSS
// Cascade section 2). CSS also yields the URLs in comments, strings and namespaces, which it reads
// as plain text.
//
//	@import "a.css"; @import url(b.css);
//	p { background: image-set("e.png" 1x, url(f.png) 2x) }
//	p { background: url("c.png"), URL( d\.png ) }
//	/* http://host/ */                  Bare, as from [extract.All]
//
// Each reference has the Form Attribute and the Element "style". A reference is a URL or a
// relative reference, as in [HTML].
func CSS(text string, o *Options) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		read := 0
		references := newLinkFinder(text, o, func(l Link) bool {
			d.readProse(read, int(l.Start), markup.Literal)
			read = int(l.End)
			d.emit(l)
			return !d.done
		})
		references.o.Hidden = false // all text counts as visible
		references.readCSS(&source{markup.Decoded{Text: text}, 0, "style"})
		d.readProse(read, len(text), markup.Literal)
	}
}

// readCSS reports the references in a style sheet or style attribute (CSS Syntax 4.3). A reference
// is the argument of url(...), with or without quotes, or the string after @import. Comments, other
// strings and namespaces contain no references.
func (d *linkFinder) readCSS(v *source) {
	s := v.Text
	for i := 0; i < len(s) && !d.done; {
		switch c := s[i]; {
		case c == '/' && strings.HasPrefix(s[i:], "/*"):
			i = markup.After(s, i+len("/*"), "*/")
		case c == '"' || c == '\'':
			_, i, _ = cssString(s, i)
		case c == '\\':
			i += 2
		case c == '@':
			i = d.readAtRule(v, i)
		case octet.Is(c, octet.Alpha|octet.High) || c == '_' || c == '-':
			end := identEnd(s, i)
			if end < len(s) && s[end] == '(' {
				end = d.readFunction(v, i, end)
			}
			i = end
		default:
			i++
		}
	}
}

// readAtRule reads the name of the at-rule at the offset i. For @import, it also reads the string
// after the name.
func (d *linkFinder) readAtRule(v *source, i int) int {
	s := v.Text
	end := identEnd(s, i+1)
	switch name := s[i+1 : end]; {
	case markup.SameName(name, "namespace"):
		return markup.After(s, end, ";")
	case markup.SameName(name, "import"):
		start := markup.SkipSpace(s, end)
		if start == len(s) || s[start] != '"' && s[start] != '\'' {
			break
		}
		last, next, ok := cssString(s, start)
		if ok {
			d.emitOne(v, start+1, last, markup.CSSText)
		}
		return next
	}
	return end
}

// readFunction reads the function at the offset i if the function may contain references. The name
// of the function ends at the offset end. The result is the offset at which the caller must
// continue.
func (d *linkFinder) readFunction(v *source, i, end int) int {
	switch name := v.Text[i:end]; {
	case markup.SameName(name, "url"):
		return d.cssURL(v, end+1)
	case markup.SameName(name, "image-set"), markup.SameName(name, "-webkit-image-set"):
		return d.readImageSet(v, end+1)
	}
	return end
}

// readImageSet reports the images in the image-set() function at the offset i. The images are
// strings and url(...). Strings in nested functions such as type("image/png") are not images (CSS
// Images 4 section 2.4).
func (d *linkFinder) readImageSet(v *source, i int) int {
	s := v.Text
	for depth := 1; depth > 0 && i < len(s) && !d.done; {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			last, next, ok := cssString(s, i)
			if ok && depth == 1 {
				d.emitOne(v, i+1, last, markup.CSSText)
			}
			i = next
		case c == ';' || c == '}':
			return i // the function has no ")" at its end
		case strings.HasPrefix(s[i:], "/*"):
			i = markup.After(s, i+len("/*"), "*/")
		case octet.Is(c, octet.Alpha):
			end := identEnd(s, i)
			if end < len(s) && s[end] == '(' && markup.SameName(s[i:end], "url") {
				end = d.cssURL(v, end+1)
			}
			i = end
		default:
			switch c {
			case '\\':
				i++
			case '(':
				depth++
			case ')':
				depth--
			}
			i++
		}
	}
	return min(i, len(s))
}

func (d *linkFinder) cssURL(v *source, i int) int {
	s := v.Text
	start := markup.SkipSpace(s, i)
	if start == len(s) {
		return start
	}
	end, next, ok := 0, 0, true
	if s[start] == '"' || s[start] == '\'' {
		end, next, ok = cssString(s, start)
		start++
	} else {
		end = start
		for end < len(s) && !markup.IsSpace(s[end]) && strings.IndexByte(`"'()`, s[end]) < 0 {
			end += markup.CSSCharSize(s[end:])
		}
		next = end
	}
	next = markup.SkipSpace(s, next)
	if ok && next < len(s) && s[next] == ')' {
		d.emitOne(v, start, end, markup.CSSText)
		next++
	}
	return next
}

// cssString reads the string at the offset i. cssString returns the offsets of the closing quote
// and of the text after the string. If the string contains a line break, which CSS does not allow,
// ok is false.
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

func identEnd(s string, i int) int {
	for i < len(s) && (octet.Is(s[i], octet.Alpha|octet.Digit|octet.High) || s[i] == '_' || s[i] == '-') {
		i++
	}
	return i
}
