package markup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Headings returns the visible text of each heading in a Markdown document. The text contains link
// texts but no markup, HTML or images. Escapes are decoded.
func Headings(source string) []string { return headingsOf(source, false) }

// MDXHeadings is like [Headings] for an [MDX] document.
func MDXHeadings(source string) []string { return headingsOf(source, true) }

func headingsOf(source string, mdx bool) []string {
	h := headings{labels: map[string]bool{}}
	m := markdown{text: source, yield: func(Piece) bool { return true }, headings: &h, mdx: mdx}
	m.readLines()
	list := make([]string, len(h.at))
	for i, at := range h.at {
		p := plainText{copied: at.Start, labels: h.labels}
		m.inline(at.Start, at.End, &p)
		list[i] = p.text()
	}
	return list
}

// headings collects the headings of a document. The text of the headings is computed at the end,
// when all link labels are known.
type headings struct {
	at     []Piece
	labels map[string]bool
}

// addHeading records a heading without the surrounding spaces and "#" characters.
func (m *markdown) addHeading(start, end int) {
	if m.headings == nil {
		return
	}
	start = blanksEnd(m.text[:end], start)
	text := strings.TrimRight(m.text[start:end], " \t\r\n")
	if open := strings.TrimRight(text, "#"); open == "" || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "\t") {
		text = strings.TrimRight(open, " \t")
	}
	m.headings.at = append(m.headings.at, Piece{Start: start, End: start + len(text)})
}

// normalLabel normalizes a label for comparison (CommonMark 4.7).
func normalLabel(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}

// plainText collects the text of a heading. The methods of a nil *plainText do nothing.
type plainText struct {
	out    []byte
	copied int // offset in the source up to which text was copied to out and markup removed
	labels map[string]bool
}

// delimiter represents a "_" in plainText.out that may be emphasis. A NUL in the source is never
// copied to out, because CommonMark replaces NUL (section 2.3).
const delimiter = 0

func (p *plainText) add(text string) {
	if p != nil {
		p.out = append(p.out, strings.ReplaceAll(text, string(rune(delimiter)), "\uFFFD")...)
	}
}

// copyText appends the text between the offsets p.copied and end to out. It ignores the text
// between the offsets end and next.
func (p *plainText) copyText(s string, end, next int) {
	if p == nil {
		return
	}
	if p.copied < end {
		text := Decode(s[p.copied:end], MarkdownText).Text
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				line = " " + strings.TrimLeft(line, " \t>")
			}
			p.add(strings.TrimRight(line, "\r"))
		}
	}
	p.copied = max(p.copied, next)
}

// addUnderscore handles the "_" at the offset i.
func (p *plainText) addUnderscore(s string, i int) {
	if p != nil {
		p.copyText(s, i, i+1)
		p.out = append(p.out, delimiter)
	}
}

// beginLink handles the "[" at the offset i, and returns the length of out before the "[" is added.
func (p *plainText) beginLink(s string, i int, image bool) int {
	if p == nil {
		return 0
	}
	before := i
	if image {
		before--
	}
	p.copyText(s, before, before)
	n := len(p.out)
	p.copyText(s, i+1, i+1)
	return n
}

// endLink handles the link or image whose text ends at the offset i. It preserves the text of a
// link, and removes the text of an image.
func (p *plainText) endLink(s string, opening bracket, i, next int) {
	if p == nil {
		return
	}
	p.copyText(s, i, next)
	if opening.image {
		p.out = p.out[:opening.text]
	} else {
		p.out = slices.Delete(p.out, opening.text, opening.text+1)
	}
}

// referenceEnd returns the offset after a reference link such as "[text][label]", "[label][]" or
// "[label]". The text of the link is s[start:end]. If the document does not define the label, it
// returns 0.
func (p *plainText) referenceEnd(s string, start, end int) (next int) {
	if p == nil {
		return 0
	}
	label, next := s[start:end], end+1
	if rest := s[end+1:]; strings.HasPrefix(rest, "[") {
		if n := strings.IndexByte(rest, ']'); n >= 0 && n <= maxLabel {
			next += n + 1
			if n > 1 {
				label = rest[1:n]
			}
		}
	}
	if len(label) > maxLabel || !p.labels[normalLabel(label)] {
		return 0
	}
	return next
}

// text returns the collected text without "_" characters that are emphasis (CommonMark 6.2).
func (p *plainText) text() string {
	type run struct{ end, n int } // n open delimiters that end at the offset end
	var open []run
	for i := 0; i < len(p.out); i++ {
		if p.out[i] != delimiter {
			continue
		}
		start := i
		for i < len(p.out) && p.out[i] == delimiter {
			p.out[i] = '_'
			i++
		}
		before, _ := utf8.DecodeLastRune(p.out[:start])
		after, _ := utf8.DecodeRune(p.out[i:])
		left := !isBlankOrEnd(after) && (!isMark(after) || isBlankOrEnd(before) || isMark(before))
		right := !isBlankOrEnd(before) && (!isMark(before) || isBlankOrEnd(after) || isMark(after))
		for right && (!left || isMark(after)) && start < i && len(open) > 0 {
			top := &open[len(open)-1]
			n := min(top.n, i-start)
			clear(p.out[start : start+n])
			clear(p.out[top.end-n : top.end])
			start, top.end, top.n = start+n, top.end-n, top.n-n
			if top.n == 0 {
				open = open[:len(open)-1]
			}
		}
		if left && (!right || isMark(before)) && start < i {
			open = append(open, run{i, i - start})
		}
		i--
	}
	return strings.ReplaceAll(string(p.out), string(rune(delimiter)), "")
}

// isBlankOrEnd reports whether r is white space, or the rune that utf8 functions return at the end
// of a text.
func isBlankOrEnd(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

func isMark(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
