package markup

import "strings"

// isLabelled reports whether the text between a "[" and a "]" is the text of a reference link,
// such as "[text][label]", "[label][]" or "[label]". The brackets are at the offsets start and i.
func (l *inlines) isLabelled(start, i int) bool {
	rest := l.s[i+1 : min(len(l.s), i+1+maxLabel+len("[]"))]
	if label, _, ok := strings.Cut(rest, "]"); ok && len(label) > 1 && label[0] == '[' {
		return l.defines(label[1:])
	}
	return l.defines(l.s[start+1 : i])
}

// defines reports whether the document seems to define a label. A definition in code also counts.
func (m *markdown) defines(label string) bool {
	if len(label) > maxLabel || strings.IndexByte(label, '[') >= 0 {
		return false
	}
	if m.defined == nil {
		m.defined = definedLabels(m.text)
	}
	return len(m.defined) > 0 && m.defined[normalLabel(label)]
}

// definedLabels returns the labels at the start of a line that a ":" follows.
func definedLabels(text string) map[string]bool {
	list := map[string]bool{}
	for open, i := -1, 0; ; i++ {
		n := strings.IndexAny(text[i:], "[]")
		if n < 0 {
			return list
		}
		i += n
		switch {
		case text[i] == '[':
			open = i
		case open >= 0:
			if i-open <= maxLabel+1 && strings.HasPrefix(text[i+1:], ":") && text[open+1] != '^' && isFirst(text, open) {
				list[normalLabel(text[open+1:i])] = true
			}
			open = -1
		}
	}
}

// maxMarks is the maximum size of the container markers before a definition.
const maxMarks = 64

// isFirst reports whether only container markers precede the offset i on the same line.
func isFirst(text string, i int) bool {
	before := text[max(0, i-maxMarks):i]
	before = before[strings.LastIndexAny(before, "\r\n")+1:]
	return strings.Trim(before, " \t>-+*0123456789.)") == ""
}
