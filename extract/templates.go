package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/octet"
)

// A URL template contains placeholders, as in "http://h/<name>/x", "http://h/$(id)/x" or
// "http://h/...". The search never truncates a template before a placeholder, because the result
// would be a different URL.

// joints lists the bytes after which a URL is incomplete.
const joints = "/-_=.:?&#@$+%~"

func isJoint(c byte) bool { return strings.IndexByte(joints, c) >= 0 }

// endsAt decides whether the character at the offset i ends a URL. endsAt returns foundURL if the
// URL ends, noURL if the character begins a placeholder, and needsMore if the decision needs more
// text.
func (r *run) endsAt(i int) verdict {
	switch {
	case strings.IndexByte("<&\\{(\xE2", r.text[i]) < 0:
		return foundURL
	case strings.IndexByte("<\\", r.text[i]) >= 0 && !mayGoOn(r.text, i):
		return foundURL
	case !r.hasBytes(i, maxFollow):
		return needsMore
	}
	if isCut(r.text[r.start:i], r.text[i:min(len(r.text), i+maxFollow)]) {
		return noURL
	}
	return foundURL
}

// isCut reports whether a placeholder continues a URL. The URL is in before, and the text that
// follows the URL is in after. That text begins with a character that ends a URL.
func isCut(before, after string) bool {
	last := before[len(before)-1]
	switch after[0] {
	case '<':
		return isPlaceholder(last, after, "<", ">")
	case '&':
		return isPlaceholder(last, after, "&lt;", "&gt;")
	case '(':
		return last == '$'
	case '{':
		return strings.HasPrefix(after, "{{") || strings.HasPrefix(after, "{%") || isJoint(last) || isBlock(after)
	case '\\':
		return isPattern(before, after)
	}
	return strings.HasPrefix(after, ellipsis) && (isOpenEnd(before) || continuesURL(after[len(ellipsis):], true))
}

const ellipsis = "…"

// isOpenEnd reports whether an ellipsis after the URL in text means that the rest of the URL is
// missing.
func isOpenEnd(text string) bool {
	login, ok := loginOf(text)
	return isJoint(text[len(text)-1]) || ok && !hasPath(login) && !isDotted(login[strings.LastIndexByte(login, '@')+1:])
}

// loginOf returns the part of a URL after the scheme and "//". If there is no "//", loginOf
// returns the whole text and false.
func loginOf(text string) (login string, ok bool) {
	_, part, _ := strings.Cut(text, ":")
	if login, ok = strings.CutPrefix(part, "//"); ok {
		return login, true
	}
	return text, false
}

func hasPath(login string) bool { return strings.ContainsAny(login, "/?#") }

// isPlaceholder reports whether text begins with a placeholder that continues a URL. The
// placeholder is a name between the strings opening and closing, such as "<name>". The URL ends in
// lastByte. An HTML tag such as "<br>" is not a placeholder.
func isPlaceholder(lastByte byte, text, opening, closing string) bool {
	name, ok := strings.CutPrefix(text, opening)
	if !ok {
		return false
	}
	if opening == "<" && (name != "" && name[0] == '%' || strings.HasPrefix(name, "?=") || strings.HasPrefix(name, "?php")) {
		return true
	}
	name, after, ok := strings.Cut(name, closing)
	if !ok || name == "" || !octet.Is(name[0], octet.Alpha) || isElement(name) {
		return false
	}
	for i := range len(name) {
		if !octet.Is(name[i], octet.Label) && strings.IndexByte(" _.:|", name[i]) < 0 {
			return false
		}
	}
	return isJoint(lastByte) || continuesURL(after, false)
}

// elements lists the HTML elements that often follow a URL directly in the source of a page.
const elements = " a b br dd div dl dt em font h1 h2 h3 h4 h5 h6 hr i img li ol p pre span table td th tr u ul wbr "

func isElement(name string) bool { return strings.Contains(elements, " "+strings.ToLower(name)+" ") }

// isBlock reports whether the braces at the start of text belong to a URL, because the URL
// continues after the braces.
func isBlock(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	_, after, ok := strings.Cut(line, "}")
	return ok && continuesURL(after, true)
}

// continuesURL reports whether text continues a URL after a placeholder. If letters is true, a
// letter also continues the URL.
func continuesURL(text string, letters bool) bool {
	switch {
	case text == "":
		return false
	case strings.IndexByte("/?=&#_-", text[0]) >= 0:
		return true
	case text[0] == '.':
		return letterAt(text, 1)
	}
	return letters && letterAt(text, 0)
}

// isPattern reports whether a text is a Windows path or a regular expression instead of a URL. The
// text consists of two parts, and the second part begins with "\".
func isPattern(before, after string) bool {
	n := len(before)
	switch {
	case n > 2 && before[n-1] == ':' && before[n-3] == '/' && octet.Is(before[n-2], octet.Alpha):
		return true // "file:///C:\"
	case len(after) < 2:
		return false
	case after[1] == '{':
		return isJoint(before[n-1])
	case after[1] == '_':
		login, _ := loginOf(before)
		return letterAt(after, 2) && !hasPath(login)
	case strings.IndexByte(".-", after[1]) >= 0:
		return letterAt(after, 2)
	case strings.IndexByte("dswDSW", after[1]) >= 0:
		return len(after) > 2 && strings.IndexByte("+*{", after[2]) >= 0
	}
	return false
}

// isFormat reports whether text begins with a format placeholder such as "%s" or "%(id)s". A
// percent sign that the author forgot to escape is not a placeholder.
func isFormat(text string) bool {
	i := 1
	if i < len(text) && strings.IndexByte("%@({", text[i]) >= 0 {
		return true
	}
	if i < len(text) && (text[i] == '+' || text[i] == '-' && isDigitAt(text, i+1)) {
		i++
	}
	if width := i; isDigitAt(text, i) {
		for i < len(text) && i-width < maxWidth && strings.IndexByte("0123456789.$", text[i]) >= 0 {
			i++
		}
		if i == width+1 && !letterAt(text, i) {
			return true
		}
	}
	i += lengthOf(text[i:])
	return i < len(text) && octet.Is(text[i], octet.Alpha) && !letterAt(text, i+1)
}

// maxWidth is the maximum length of the width and precision in a format placeholder.
const maxWidth = 8

// lengthOf returns the size of the length modifier at the start of text, such as the "l" in "ld".
func lengthOf(text string) int {
	for _, length := range [...]string{"ll", "hh", "l", "h", "z"} {
		if n := len(length); strings.HasPrefix(text, length) && n < len(text) && strings.IndexByte("diouxXs", text[n]) >= 0 {
			return n
		}
	}
	return 0
}

func isDigitAt(text string, i int) bool { return i < len(text) && octet.Is(text[i], octet.Digit) }

// escapeSize returns the size of the TeX or Markdown escape at the offset i in a URL, as in
// "{a\_b}" or "a_\(b\)". Outside of such text, "\_" occurs as often in program code as in an
// escape.
func (r *run) escapeSize(i int) (n int, known bool) {
	switch {
	case !r.escapable || i+1 < len(r.text) && strings.IndexByte("()_#%&~?=", r.text[i+1]) < 0:
		return 0, true
	case !r.hasBytes(i, maxBracket+utf8.UTFMax):
		return 0, false
	case !r.isEscape(i):
		return 0, true
	}
	c := r.text[i+1]
	r.query = r.query || c == '?'
	r.fragment = r.fragment || c == '#'
	r.escaped = true
	return 2, true
}

// isEscape reports whether the backslash at the offset i escapes the next byte, and counts escaped
// brackets.
func (r *run) isEscape(i int) bool {
	if i+1 == len(r.text) {
		return false
	}
	switch c := r.text[i+1]; {
	case c == '(' && (r.escapedRound > 0 || closesEscaped(r.text[i+2:min(len(r.text), i+maxBracket)])):
		r.escapedRound++
	case c == ')' && r.escapedRound > 0:
		r.escapedRound--
	case c == '_' && r.isAfter('{') || strings.IndexByte("#%&~?=", c) >= 0:
		return letterAt(r.text, i+2) || i+2 < len(r.text) && strings.IndexByte("/_-=%~+\\", r.text[i+2]) >= 0
	default:
		return false
	}
	return true
}

// closesEscaped reports whether "\)" follows in the URL.
func closesEscaped(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"<>^`|(", r) })
	if end >= 0 {
		text = text[:end]
	}
	return strings.Contains(text, `\)`)
}

// isOmitted reports whether the punctuation after a URL is an ellipsis that replaces the rest of
// the URL. The URL is in text, and the punctuation is in tail.
func isOmitted(text, tail string) bool {
	return strings.HasPrefix(tail, "...") && isOpenEnd(text)
}

// withPercents replaces each "%" that does not begin an escape by "%25". If text is a template, or
// contains such a "%" before the path, ok is false.
func withPercents(text string) (escaped string, ok bool) {
	scheme, part, _ := strings.Cut(text, ":")
	first := len(scheme) + 1
	if strings.HasPrefix(part, "//") {
		path := strings.IndexAny(part[len("//"):], "/?#")
		if path < 0 {
			return "", false
		}
		first += len("//") + path
	}
	var b strings.Builder
	done := 0
	for i := strings.IndexByte(text, '%'); i < len(text); i++ {
		if text[i] != '%' || octet.IsEscape(text, i) {
			continue
		}
		if i < first || isFormat(text[i:]) {
			return "", false
		}
		b.WriteString(text[done:i])
		b.WriteString("%25")
		done = i + 1
	}
	b.WriteString(text[done:])
	return b.String(), true
}
