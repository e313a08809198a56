package document

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// asTemplate returns the link for a bare URL that a placeholder follows: the URL is only the
// front of a template, whose text is the Ref. after is the text after the URL, as long as a
// template can be; ok is false for other URLs. One without a host, such as a mail address, may
// be followed by any text.
func asTemplate(m extract.Match, after string) (l Link, size int, ok bool) {
	if m.Form != extract.Bare || !strings.HasPrefix(m.URL.SchemePart(), "//") || !isPlaceholder(after) && !(strings.HasSuffix(m.URL.String(), "$") && strings.HasPrefix(after, "(")) {
		return Link{}, 0, false
	}
	size = templateSize(after)
	l.Ref, l.Element = m.URL.String()+after[:size], "template"
	l.Match = extract.Match{Start: m.Start, End: m.End}
	return l, size, len(l.Ref) <= locus.MaxLen
}

// isPlaceholder reports whether text begins with a part that a person or a program fills in,
// or with an ellipsis.
func isPlaceholder(text string) bool {
	for _, begin := range [...]string{"{{", "{%", "${", "<%", "<?", "...", "…"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	if len(text) < len("{x") {
		return false
	}
	switch c := text[1]; text[0] {
	case '{':
		return octet.Is(c, octet.Alpha) || c == '_'
	case '<':
		return isPlaceholderTag(text)
	}
	return false
}

// maxPlaceholder is the most octets of the name in "<name>".
const maxPlaceholder = 64

// isPlaceholderTag reports whether text begins with a name in "<" and ">" that HTML has no
// element for: "https://h/users/<id>". The elements "em", "i" and "var" mark placeholders, too.
func isPlaceholderTag(text string) bool {
	text = text[1:min(len(text), maxPlaceholder)]
	text, _, ok := strings.Cut(text, ">")
	if !ok || text == "" || !octet.Is(text[0], octet.Alpha) {
		return false
	}
	name, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch name {
	case "em", "i", "var":
		return true
	}
	// Names of XML have a ":".
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && !markup.IsElement(name)
}

// templateSize returns how much of text belongs to the template that a URL before it
// begins: up to a blank, a quote or a control character outside of placeholders.
func templateSize(text string) int {
	text = text[:min(len(text), maxGenerated)]
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '{', c == '<', c == '(':
			n := strings.IndexAny(text[i:], closings[c])
			if n < 0 || closings[c][0] != text[i+n] {
				return i
			}
			i += n + 1
		case octet.Is(c, octet.Control), c == ' ', c == '"', c == '\'', c == '`', c == '>', c == ')', c == '|':
			return i
		default:
			i++
		}
	}
	return len(text)
}

// closings has the end of a placeholder by its first octet, and the line ends, which no
// placeholder has. It is never written.
var closings = [256]string{'{': "}\r\n", '<': ">\r\n", '(': ")\r\n"}
