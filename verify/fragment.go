package verify

import (
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// fragments holds the results for fragments in a document.
type fragments struct {
	found    map[string]bool // whether each fragment exists or may exist
	built    map[string]bool // fragments that only a build of the site creates
	scripted bool            // scripts build the page, so its fragments are unknown
}

const scriptedPage = "scripts build the page: its fragments are unknown"

// apply changes o, the outcome of a target, to the outcome of a link with a fragment.
func (f *fragments) apply(o *Outcome, fragment string) {
	found, known := f.found[fragment]
	switch {
	case !isFound(o):
	case f.built[fragment]:
		o.Verdict, o.Cause, o.Detail = Ignored, NeedsBuild, "only a build of the site creates this part of the page"
	case !known || found:
	case f.scripted:
		o.Verdict, o.Detail = Warning, scriptedPage
	default:
		o.Verdict = Fragment
		o.Detail = "the document has no such fragment"
		if wantsText(fragment) {
			o.Detail = "the document has no such fragment or text"
		}
	}
}

// directive is the delimiter between the fragment and the fragment directive (Text Fragments).
const directive = ":~:"

// isProgram reports whether a script in the page interprets the fragment: a route, or line
// numbers in a source file.
func isProgram(u locus.URL, fragment string) bool {
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") || isView(fragment) {
		return true
	}
	if u.Host() == "" { // a local file
		return false
	}
	return isLines(fragment)
}

// isLines reports whether a fragment is a line or a range of lines, as GitHub and GitLab
// number them: L10, L10-L20, L10-20, L10C3.
func isLines(fragment string) bool {
	rest, ok := strings.CutPrefix(fragment, "L")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.Trim(rest, "0123456789LC-") == ""
}

// isView reports whether a fragment selects a part of a picture, a recording or a PDF: a view
// (SVG 2 section 16.3.2), a media fragment (Media Fragments URI 1.0), a page (RFC 8118).
func isView(fragment string) bool {
	for _, name := range [...]string{"svgView(", "xywh=", "t=", "page="} {
		if strings.HasPrefix(fragment, name) {
			return true
		}
	}
	return false
}

// wantsText reports whether a search for the fragment needs the text of the page.
func wantsText(fragment string) bool {
	_, after, ok := strings.Cut(fragment, directive)
	return ok && strings.Contains(after, "text=")
}

// find reports whether the document has a fragment. As in HTML 7.4.6.4, it looks for the fragment
// as written, and then for the decoded fragment. It also accepts "top".
func (a *anchors) find(fragment string) bool {
	name, after, _ := strings.Cut(fragment, directive)
	if wantsText(fragment) && !a.findText(after) {
		return false
	}
	if name == "" || a.hasEither(name) {
		return true
	}
	plain := decoded(name)
	return a.hasEither(plain) || strings.EqualFold(plain, "top") || a.leads || a.lines && isLines(plain) || a.hasLines(plain)
}

// isBuilt reports whether the page may get the fragment from a build of the site.
func (a *anchors) isBuilt(fragment string) bool { return a.built != nil && a.built(decoded(fragment)) }

// hasLines reports whether a fragment is a range of lines, and the page has an anchor for each
// line number. A script in the page highlights the range.
func (a *anchors) hasLines(name string) bool {
	first, last, ok := strings.Cut(name, "-")
	return ok && strings.Trim(name, "0123456789-") == "" && a.has(first) && a.has(last)
}

func (a *anchors) hasEither(name string) bool {
	const shown = "user-content-"
	if a.has(name) || a.has(shown+name) {
		return true
	}
	plain, ok := strings.CutPrefix(name, shown)
	return ok && a.lenient && a.has(plain)
}

func (a *anchors) findText(directives string) bool {
	return slices.ContainsFunc(strings.Split(directives, "&"), func(part string) bool {
		value, ok := strings.CutPrefix(part, "text=")
		return ok && a.hasText(value)
	})
}

// hasText looks for "prefix-,start,end,-suffix". Only start is required.
func (a *anchors) hasText(value string) bool {
	list := strings.Split(value, ",")
	prefix, suffix := "", ""
	if len(list) > 1 && strings.HasSuffix(list[0], "-") {
		prefix, list = strings.TrimSuffix(list[0], "-"), list[1:]
	}
	if last := len(list) - 1; last > 0 && strings.HasPrefix(list[last], "-") {
		suffix, list = strings.TrimPrefix(list[last], "-"), list[:last]
	}
	// White space may separate the parts in the text.
	text := a.text
	for i, written := range append(append([]string{prefix}, list...), suffix) {
		part := a.fold(decoded(written))
		if part == "" {
			if i == 1 && (written == "" || !a.words) {
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

// decoded decodes text, or returns it unchanged if an escape is malformed. It decodes bytes
// that are not UTF-8 as ISO Latin 1, because pages in that charset have such links.
func decoded(text string) string {
	octets, err := escape.AppendDecode(nil, text)
	if err != nil {
		return text
	}
	return octet.Text(string(octets))
}
