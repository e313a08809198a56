package verify

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// directive divides a fragment into what names a part and what is for the browser
// alone (Text Fragments, "fragment directive").
const directive = ":~:"

// isProgram reports whether a fragment of u is for a program in the page, which
// nobody can look up: a route, or lines of a file that a site shows.
func isProgram(u locus.URL, fragment string) bool {
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		return true
	}
	if u.Host() == "" { // a local file
		return false
	}
	// Lines, as GitHub and GitLab number them: L10, L10-L20, L10-20, L10C3.
	rest, ok := strings.CutPrefix(fragment, "L")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.Trim(rest, "0123456789LC-") == ""
}

// wantsText reports whether it takes the text of the page to find the fragment.
func wantsText(fragment string) bool {
	_, after, ok := strings.Cut(fragment, directive)
	return ok && strings.Contains(after, "text=")
}

// find reports whether the document has a fragment, which is as the URL has it. It
// goes by HTML 7.4.6.4: the name as it is written, then decoded, and then "top".
func (a *anchors) find(fragment string) bool {
	name, after, _ := strings.Cut(fragment, directive)
	if wantsText(fragment) && !a.findText(after) {
		return false
	}
	if name == "" || a.hasEither(name) {
		return true
	}
	plain := decoded(name)
	return a.hasEither(plain) || strings.EqualFold(plain, "top") || a.leads || a.hasLines(plain)
}

// hasLines reports whether a fragment is lines of a file, from the one to the other,
// each of which has its number as its name. A program in the page shows them.
func (a *anchors) hasLines(name string) bool {
	first, last, ok := strings.Cut(name, "-")
	return ok && strings.Trim(name, "0123456789-") == "" && a.has(first) && a.has(last)
}

// hasEither looks for a name, and for it as GitHub has it in its pages, where a
// program finds it. A document in Markdown may already say it so.
func (a *anchors) hasEither(name string) bool {
	const shown = "user-content-"
	if a.has(name) || a.has(shown+name) {
		return true
	}
	plain, ok := strings.CutPrefix(name, shown)
	return ok && a.lenient && a.has(plain)
}

// findText reports whether one of the texts of a directive is on the page.
func (a *anchors) findText(directives string) bool {
	found := false
	for part := range strings.SplitSeq(directives, "&") {
		if value, ok := strings.CutPrefix(part, "text="); ok {
			found = found || a.hasText(value)
		}
	}
	return found
}

// hasText looks for "prefix-,start,end,-suffix", of which start alone must be there.
func (a *anchors) hasText(value string) bool {
	list := strings.Split(value, ",")
	prefix, suffix := "", ""
	if len(list) > 1 && strings.HasSuffix(list[0], "-") {
		prefix, list = strings.TrimSuffix(list[0], "-"), list[1:]
	}
	if last := len(list) - 1; last > 0 && strings.HasPrefix(list[last], "-") {
		suffix, list = strings.TrimPrefix(list[last], "-"), list[:last]
	}
	// Whether there is a blank between these is not written.
	text := a.text
	for i, part := range append(append([]string{prefix}, list...), suffix) {
		part = folded(decoded(part))
		if part == "" {
			if i == 1 {
				return false
			}
			continue
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// decoded is text with its escapes decoded; as it is if one is none.
func decoded(text string) string {
	octets, err := escape.AppendDecode(nil, text)
	if err != nil {
		return text
	}
	return string(octets)
}
