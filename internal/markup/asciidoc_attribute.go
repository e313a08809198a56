package markup

import (
	"sort"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// attributes holds the attributes of an AsciiDoc document that are defined before the current
// line.
type attributes struct {
	values map[string]string
	unsure map[string]bool // attributes whose definitions depend on an unknown condition
	spare  int             // number of bytes that references may still add to the document
}

const (
	// maxAttribute is the maximum size of a stored attribute value.
	maxAttribute = 4096
	// maxAdded is the maximum number of bytes that attribute references may add to a document.
	maxAdded = 1 << 20
)

// builtin holds Asciidoctor's predefined attributes for characters.
var builtin = map[string]string{
	"empty": "", "blank": "", "sp": " ", "nbsp": "\u00A0", "zwsp": "\u200B", "wj": "\u2060", "apos": "'", "quot": `"`,
	"amp": "&", "lt": "<", "gt": ">", "startsb": "[", "endsb": "]", "vbar": "|", "caret": "^", "asterisk": "*", "tilde": "~",
	"backslash": `\`, "backtick": "`", "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "cxx": "C++", "pp": "++", "plus": "+",
	"lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "brvbar": "¦",
}

// get returns the value of an attribute. If the value is unknown or uncertain, ok is false.
func (a *attributes) get(name string) (value string, ok bool) {
	if a.unsure[name] {
		return "", false
	}
	if value, ok = a.values[name]; !ok {
		value, ok = builtin[name]
	}
	return value, ok
}

// set defines or removes an attribute. If the definition depends on a condition, the value becomes
// uncertain, unless the condition is that the attribute is not defined yet.
func (a *attributes) set(name, value string, remove bool, condition string) {
	_, defined := a.values[name]
	switch {
	case condition != "" && (condition != name || defined || remove):
		a.unsure[name] = true
		return
	case remove:
		delete(a.values, name)
	case len(value) <= maxAttribute:
		a.values[name] = value
	}
	delete(a.unsure, name)
}

// entry parses a line such as ":name: value", ":name!:" or ":!name:". For other lines, ok is
// false.
func entry(line string) (name, value string, remove, ok bool) {
	rest, begins := strings.CutPrefix(line, ":")
	name, value, ends := strings.Cut(rest, ":")
	if !begins || !ends || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false, false
	}
	plain := strings.TrimSuffix(strings.TrimPrefix(name, "!"), "!")
	if plain == "" || attributeEnd(plain) != len(plain) {
		return "", "", false, false
	}
	return strings.ToLower(plain), strings.TrimSpace(value), plain != name, true
}

// attributeEnd returns the end of the attribute name at the start of s.
func attributeEnd(s string) int {
	end := 0
	for end < len(s) && (octet.Is(s[end], octet.Alpha|octet.Digit) || s[end] == '_' || s[end] >= 0x80 || end > 0 && s[end] == '-') {
		end++
	}
	return end
}

// define defines or removes an attribute. It first replaces the attribute references in value.
func (a *attributes) define(name, value string, remove bool, condition string) {
	if rest, ok := strings.CutPrefix(value, "pass:"); ok && strings.HasSuffix(rest, "]") {
		if subs, inner, ok := strings.Cut(rest, "["); ok && strings.IndexByte(subs, ' ') < 0 {
			value = strings.TrimSuffix(inner, "]")
		}
	}
	resolved := a.resolve(value)
	a.set(name, resolved.s, remove, condition)
}

// substitution maps a range of a resolved text to a range of the source.
type substitution struct{ resolvedStart, resolvedEnd, sourceStart, sourceEnd int }

// resolvedText is a text in which attribute references are replaced by their values. References to
// unknown attributes are unchanged.
type resolvedText struct {
	s     string
	swaps []substitution
}

// resolve replaces the attribute references in text.
func (a *attributes) resolve(text string) resolvedText {
	r := resolvedText{s: text}
	if strings.IndexByte(text, '{') < 0 {
		return r
	}
	var b strings.Builder
	from := 0
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '{')
		if n < 0 {
			break
		}
		i += n
		end := i + 1 + attributeEnd(text[i+1:])
		if end == i+1 || end == len(text) || text[end] != '}' {
			i++
			continue
		}
		value, ok := a.get(strings.ToLower(text[i+1 : end]))
		start := i
		end++
		i = end
		switch {
		case start > from && text[start-1] == '\\':
			start--
			value = text[start+1 : end]
		case !ok || len(value) > a.spare:
			continue
		}
		a.spare -= len(value)
		b.WriteString(text[from:start])
		to := b.Len()
		b.WriteString(value)
		r.swaps = append(r.swaps, substitution{to, b.Len(), start, end})
		from = end
	}
	if r.swaps != nil {
		b.WriteString(text[from:])
		r.s = b.String()
	}
	return r
}

// startOf converts the start offset of a range in the text to an offset in the source.
func (r *resolvedText) startOf(i int) int {
	n := sort.Search(len(r.swaps), func(n int) bool { return r.swaps[n].resolvedStart > i }) - 1
	switch {
	case n < 0:
		return i
	case i < r.swaps[n].resolvedEnd:
		return r.swaps[n].sourceStart
	}
	return r.swaps[n].sourceEnd + i - r.swaps[n].resolvedEnd
}

// endOf converts the end offset of a range in the text to an offset in the source.
func (r *resolvedText) endOf(i int) int {
	n := sort.Search(len(r.swaps), func(n int) bool { return r.swaps[n].resolvedStart >= i }) - 1
	switch {
	case n < 0:
		return i
	case i <= r.swaps[n].resolvedEnd:
		return r.swaps[n].sourceEnd
	}
	return r.swaps[n].sourceEnd + i - r.swaps[n].resolvedEnd
}

// isChanged reports whether the text between the offsets i and end differs from the source.
func (r *resolvedText) isChanged(i, end int) bool {
	n := sort.Search(len(r.swaps), func(n int) bool { return r.swaps[n].resolvedEnd > i || r.swaps[n].resolvedStart >= i })
	return n < len(r.swaps) && r.swaps[n].resolvedStart < end
}

// hasReference reports whether text contains an attribute reference.
func hasReference(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return false
		}
		if end := attributeEnd(rest); end > 0 && end < len(rest) && (rest[end] == '}' || rest[end] == ':') {
			return true
		}
		text = rest
	}
}
