package document

import (
	"bytes"
	"slices"
)

// standardInput is the name of standard input, which does not determine a type.
const standardInput = "-"

// kindOfUnnamed returns the kind of a text on standard input. The kind is plain unless the text
// contains a Markdown or HTML link. Headings and lists do not prove that a text is Markdown,
// because logs and messages also contain headings and lists.
func kindOfUnnamed(octets []byte) kind {
	switch {
	case hasMarkdownLink(octets):
		return markdown
	case hasHTMLLink(octets):
		return html
	}
	return plain
}

// hasMarkdownLink reports whether a text contains "[text](destination)" or "[label]: destination".
func hasMarkdownLink(octets []byte) bool {
	for line := range bytes.Lines(octets) {
		for rest := line; ; {
			_, after, ok := bytes.Cut(rest, []byte("]("))
			if !ok {
				break
			}
			if end := bytes.IndexByte(after, ')'); end > 0 && bytes.IndexByte(line[:len(line)-len(after)], '[') >= 0 {
				return true
			}
			rest = after
		}
		if isDefinition(line) {
			return true
		}
	}
	return false
}

// isDefinition reports whether a line is a link reference definition.
func isDefinition(line []byte) bool {
	text := bytes.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || len(text) == 0 || text[0] != '[' {
		return false
	}
	label, destination, ok := bytes.Cut(text[1:], []byte("]:"))
	return ok && len(label) > 0 && bytes.IndexByte(label, ']') < 0 && len(bytes.Fields(destination)) > 0
}

// hasHTMLLink reports whether a text begins with a tag and contains an attribute with a link.
func hasHTMLLink(octets []byte) bool {
	text := bytes.ToLower(bytes.TrimSpace(octets))
	if len(text) < 2 || text[0] != '<' || text[1] != '!' && (text[1] < 'a' || text[1] > 'z') || bytes.HasPrefix(text, []byte("<url:")) {
		return false
	}
	return slices.ContainsFunc([]string{" href=", " src=", "\nhref=", "\nsrc="}, func(attribute string) bool {
		return bytes.Contains(text, []byte(attribute))
	})
}
