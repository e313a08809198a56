package verify

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/policy"
)

const template = "part of a template"

// isPart reports whether a link is part of a template, or is relative to a template. In a
// wikilink, only braces and tags count, because the name of a wiki page may contain the other
// characters.
func isPart(found *document.Link) bool {
	text := cmp.Or(found.Ref, found.URL.String())
	switch found.Element {
	case "template":
		return true
	case "wikilink":
		return hasBraces(text) || hasTag(text)
	}
	return isTemplate(text) && !isSegmentOfURL(found) || found.URL.IsZero() && isTemplate(found.Base)
}

// isSegmentOfURL reports whether ":name" is a real path segment, as in "/CSS/:where". In running
// text, in code, in a relative reference and after an example host, ":name" is a placeholder.
func isSegmentOfURL(found *document.Link) bool {
	u := found.URL
	if found.Form == extract.Bare || u.Host() == "" || policy.IsReserved(u.Host()) {
		return false
	}
	text := u.String()
	return hasNamedSegment(text) && !isTemplate(strings.ReplaceAll(text, "/:", "/"))
}

// isTemplate reports whether a link contains a placeholder. A placeholder contains characters that
// are unsafe in a URL (RFC 1738 section 2.2), or that begin a variable name by convention. A URL
// without "//" may contain any text, so only template actions count in such a URL.
func isTemplate(written string) bool {
	if end, _ := octet.SchemeEnd(written); end > 0 && strings.HasPrefix(written[end:], ":") && !strings.HasPrefix(written[end:], "://") {
		return hasAction(written)
	}
	// Fast path: most links contain none of these characters.
	if !strings.ContainsAny(written, "{<$%*…") && !strings.Contains(written, "/:") && !strings.Contains(written, "...") && !hasNamedPort(written) {
		return false
	}
	before, _, _ := strings.Cut(written, "#")
	return hasAction(written) || hasBraces(written) || hasTag(written) || hasShellVariable(before) || hasWindowsVariable(before) || hasFormat(before) ||
		hasPatternHost(before) || hasNamedPort(before) || hasNamedSegment(written) || hasEllipsis(before)
}

// hasAction reports whether text contains a template action or the start of an action. If the
// action contains a quote, the quote may end the attribute value, so the rest of the action is
// missing.
func hasAction(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "<%") || strings.Contains(text, "${")
}

// maxExpression is the maximum size of an expression in braces.
const maxExpression = 256

// hasBraces reports whether text contains an expression in braces, such as "{id}" (RFC 6570),
// "${x}", "{{ x }}" or "{% url %}". JSON in a query and Windows GUIDs do not count.
func hasBraces(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return false
		}
		inside, _, closed := strings.Cut(rest[:min(len(rest), maxExpression)], "}")
		if inside = strings.TrimLeft(inside, " "); closed && inside != "" && inside[0] != '"' && inside[0] != '\'' && !isGUID(inside) {
			return true
		}
		text = rest
	}
}

// isGUID reports whether text consists of groups of 8, 4, 4, 4 and 12 hexadecimal digits.
func isGUID(text string) bool {
	const size = len("01234567-0123-0123-0123-0123456789ab")
	if len(text) != size {
		return false
	}
	for i := range size {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (text[i] == '-') || !dash && !octet.Is(text[i], octet.Hex) {
			return false
		}
	}
	return true
}

// hasTag reports whether text contains a "<" and a later ">", as in "<id>" or "<?php ?>".
func hasTag(text string) bool {
	_, rest, ok := strings.Cut(text, "<")
	return ok && strings.Contains(rest, ">")
}

// hasShellVariable reports whether text contains "$(", or a "$" before a name in upper case, such
// as "$VERSION". Before other names, "$" is ordinary data, for example in OData and in Java class
// names.
func hasShellVariable(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "$")
		if !ok {
			return false
		}
		if name := constantName(rest); strings.HasPrefix(rest, "(") || len(name) > 1 && !wordAt(rest, len(name)) {
			return true
		}
		text = rest
	}
}

// hasWindowsVariable reports whether text contains a name in upper case between two "%", such as
// "%PUBLIC_URL%". Valid escapes do not count.
func hasWindowsVariable(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "%")
		if !ok {
			return false
		}
		name := constantName(rest)
		if len(name) > 2 && strings.HasPrefix(rest[len(name):], "%") && !(isHex(rest) && isHex(rest[len(name)+1:])) {
			return true
		}
		text = rest
	}
}

func isHex(text string) bool {
	return len(text) > 1 && octet.Is(text[0], octet.Hex) && octet.Is(text[1], octet.Hex)
}

// hasFormat reports whether text contains a format verb such as "%s" or "%d".
func hasFormat(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "%")
		if !ok {
			return false
		}
		if rest != "" && strings.IndexByte("sdvquif", rest[0]) >= 0 && !wordAt(rest, 1) {
			return true
		}
		text = rest
	}
}

// constantName returns the upper-case name at the start of text, such as "API_KEY".
func constantName(text string) string {
	end := 0
	for end < len(text) && (text[end] == '_' || text[end] >= 'A' && text[end] <= 'Z' || end > 0 && octet.Is(text[end], octet.Digit)) {
		end++
	}
	return text[:end]
}

func wordAt(text string, i int) bool {
	return i < len(text) && (text[i] == '_' || octet.Is(text[i], octet.Alpha|octet.Digit))
}

// authority returns the part of text between "//" and the next "/" or "?". If text does not
// contain "//", ok is false.
func authority(text string) (host string, ok bool) {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return "", false
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest, rest != ""
}

// hasPatternHost reports whether the host is a pattern or a variable, such as "*.example.com" or
// "$host".
func hasPatternHost(text string) bool {
	host, _ := authority(text)
	name, _, _ := strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
	return strings.ContainsAny(name, "*$")
}

// hasNamedPort reports whether the port is a word, as in "http://localhost:port/". hasNamedPort
// ignores URLs with userinfo, because a message must not show the password.
func hasNamedPort(text string) bool {
	host, ok := authority(text)
	if !ok || strings.IndexByte(host, '@') >= 0 {
		return false
	}
	_, port, ok := strings.Cut(host, ":")
	return ok && isPortWord(port)
}

// isPortWord reports whether text is a placeholder for a port, such as "port", "PORT" or
// "your_port".
func isPortWord(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '-' }) {
		if strings.EqualFold(word, "port") || strings.EqualFold(word, "portnumber") {
			return true
		}
	}
	return false
}

// hasNamedSegment reports whether the path, or a route in the fragment, contains a segment such as
// ":name".
func hasNamedSegment(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "/:")
		if !ok {
			return false
		}
		name := rest
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			name = rest[:end]
		}
		if isVariable(name) {
			return true
		}
		text = rest
	}
}

// hasEllipsis reports whether text ends with an ellipsis or contains a segment that is an
// ellipsis.
func hasEllipsis(text string) bool {
	for _, dots := range [...]string{"...", "…"} {
		if strings.HasSuffix(text, dots) || strings.Contains(text, "/"+dots+"/") {
			return true
		}
	}
	return false
}

// isVariable reports whether text is a name with an optional extension, such as "id" or "id.json".
func isVariable(text string) bool {
	name, _, _ := strings.Cut(text, ".")
	name = strings.TrimRight(name, "?*+")
	for i := range len(name) {
		if !wordAt(name, i) {
			return false
		}
	}
	return name != "" && !octet.Is(name[0], octet.Digit)
}
