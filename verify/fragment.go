package verify

import (
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// fragments holds the results of the search for fragments in a document.
type fragments struct {
	found    map[string]bool // whether each fragment exists or may exist
	built    map[string]bool // fragments that only a build of the site creates
	scripted bool            // scripts build the page, so its fragments are unknown
}

const scriptedPage = "scripts build the page: its fragments are unknown"

// apply changes o from the outcome of a target to the outcome of a link to the target's fragment.
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

// isProgram reports whether a script in the page interprets the fragment. Such a fragment is a
// route of a web application, or line numbers in a source file.
func isProgram(u locus.URL, fragment string) bool {
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") || isView(fragment) {
		return true
	}
	if u.Host() == "" { // a local file
		return false
	}
	return isLines(fragment)
}

// isLines reports whether a fragment is a line number or a range of lines in the syntax of GitHub
// and GitLab, such as L10, L10-L20, L10-20 or L10C3.
func isLines(fragment string) bool {
	rest, ok := strings.CutPrefix(fragment, "L")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.Trim(rest, "0123456789LC-") == ""
}

// isView reports whether a fragment selects a part of a picture, a recording or a PDF. The
// specifications are SVG 2 section 16.3.2, Media Fragments URI 1.0 and RFC 8118.
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

// find reports whether the document contains a fragment. As HTML 7.4.6.4 requires, find looks for
// the fragment as written, and then for the decoded fragment. It also accepts "top".
func (a *anchors) find(fragment string) bool {
	name, after, _ := strings.Cut(fragment, directive)
	if wantsText(fragment) && !a.findText(after) {
		return false
	}
	if name == "" || a.hasEither(name) {
		return true
	}
	plain := decoded(name)
	return a.hasEither(plain) || strings.EqualFold(plain, "top") || a.acceptsAll || a.lines && isLines(plain) || a.hasLines(plain)
}

// isBuilt reports whether a build of the site may add the fragment to the page.
func (a *anchors) isBuilt(fragment string) bool { return a.built != nil && a.built(decoded(fragment)) }

// hasLines reports whether a fragment is a range of lines and the page contains an anchor for both
// line numbers. A script in such a page highlights the range.
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

// hasText reports whether the page contains the text that value describes. The syntax is
// "prefix-,start,end,-suffix", where only start is required.
func (a *anchors) hasText(value string) bool {
	list := strings.Split(value, ",")
	prefix, suffix := "", ""
	if len(list) > 1 && strings.HasSuffix(list[0], "-") {
		prefix, list = strings.TrimSuffix(list[0], "-"), list[1:]
	}
	if last := len(list) - 1; last > 0 && strings.HasPrefix(list[last], "-") {
		suffix, list = strings.TrimPrefix(list[last], "-"), list[:last]
	}
	// Any text may occur between the parts.
	text := a.text
	for i, written := range append(append([]string{prefix}, list...), suffix) {
		part := a.foldText(decoded(written))
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

// decoded decodes the escapes in text. If an escape is malformed, it returns text unchanged. It
// reads invalid UTF-8 as ISO Latin 1, because pages in that charset contain such links.
func decoded(text string) string {
	octets, err := escape.AppendDecode(nil, text)
	if err != nil {
		return text
	}
	return octet.Text(string(octets))
}
