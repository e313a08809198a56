package document

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// asTemplate returns a link for a URL template that begins with the bare URL m. The rest, which
// follows the URL, must begin with a placeholder. The Ref of the link is the whole template. If the
// URL is not a part of a template, ok is false. For a URL without a host, such as a mail address,
// ok is always false, because any text may follow such a URL.
func asTemplate(m extract.Match, rest string) (l Link, size int, ok bool) {
	if m.Form != extract.Bare || !strings.HasPrefix(m.URL.SchemePart(), "//") || !isPlaceholder(rest) && !(strings.HasSuffix(m.URL.String(), "$") && strings.HasPrefix(rest, "(")) {
		return Link{}, 0, false
	}
	size = templateSize(rest)
	l.Ref, l.Element = m.URL.String()+rest[:size], "template"
	l.Match = extract.Match{Start: m.Start, End: m.End}
	return l, size, len(l.Ref) <= locus.MaxLen
}

// isPlaceholder reports whether text begins with a placeholder or an ellipsis.
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

// maxPlaceholder is the maximum length of the name in a placeholder such as "<name>".
const maxPlaceholder = 64

// isPlaceholderTag reports whether text begins with a placeholder between "<" and ">", as in
// "https://h/users/<id>". HTML tags are not placeholders, except for the elements "em", "i" and
// "var".
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
	// A name with a ":" is an XML name.
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && !markup.IsElement(name)
}

// templateSize returns the length of the rest of a URL template, which is at the start of text.
// The template ends at white space, a quote or a control character that is not in a placeholder.
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

// closings maps the first byte of a placeholder to its closing byte and the line breaks, which a
// placeholder must not contain. The map must not be modified.
var closings = [256]string{'{': "}\r\n", '<': ">\r\n", '(': ")\r\n"}
