package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/octet"
)

// SplitPoint returns an offset near the end of text at which a program can split a long text to
// search the parts concurrently. In the two parts, [All] finds the same URLs as in the whole text.
// More text may follow the second part. If SplitPoint finds no such offset, SplitPoint returns 0.
//
// The offset is the start of a line that is not in a wrapper, because only a URL in a wrapper can
// continue on the next line.
func SplitPoint(text string) int {
	if at := afterParagraph(text); at > 0 {
		return at
	}
	end := len(text)
	// The number of attempts is limited, because each attempt costs as much as a search of
	// maxWrapper bytes.
	for range 4 {
		at := strings.LastIndexByte(text[:end], '\n') + 1
		if at == 0 {
			break
		}
		open := firstOpen(text[:at])
		if open < 0 {
			return at
		}
		end = open
	}
	return 0
}

// maxParagraph is the number of bytes at the end of the text in which afterParagraph searches for
// a paragraph.
const maxParagraph = 4 << 10

// afterParagraph returns the end of the first line of a paragraph, or 0 if it finds none. The end
// of such a line is not in a wrapper, because the blank line before a paragraph ends each wrapper.
// Only a blank line in a page break does not end a wrapper. To search for such a line is cheaper
// than to search for the end of each wrapper.
func afterParagraph(text string) int {
	least := max(0, len(text)-maxParagraph)
	for end := len(text); ; {
		n := strings.LastIndex(text[least:end], "\n\n")
		if n < 0 {
			return 0
		}
		end = least + n + 1
		before := text[least : end-1]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		line, _, whole := strings.Cut(text[end+1:], "\n")
		if whole && isBody(before) && isBody(line) && strings.IndexByte(line, '<') < 0 {
			return end + 1 + len(line) + 1
		}
	}
}

// isBody reports whether a line contains the text of a paragraph. isBody returns false for a line
// of a page break, and for a line that contains only a margin.
func isBody(line string) bool {
	if line == "" || strings.IndexByte(line, '\f') >= 0 {
		return false
	}
	// Page footers and headers end in a number or a "]". Blanks may follow.
	if last := line[len(line)-1]; !octet.Is(last, octet.Alpha) && strings.IndexByte(".,;:(){}>", last) < 0 {
		return false
	}
	return strings.IndexFunc(line, func(r rune) bool { return r < utf8.RuneSelf && octet.Is(byte(r), octet.Alpha) }) >= 0
}

// firstOpen returns the offset of the first "<" that may begin a wrapper without an end in text.
// If there is none, firstOpen returns -1.
func firstOpen(text string) int {
	for i := max(0, len(text)-maxWrapper); ; i++ {
		n := strings.IndexByte(text[i:], '<')
		if n < 0 {
			return -1
		}
		if i += n; isOpen(text, i) {
			return i
		}
	}
}

// isOpen reports whether the "<" at the offset start may begin a wrapper without an end in text.
func isOpen(text string, start int) bool {
	inner := start + 1
	for inner < len(text) && strings.IndexByte(" \t\r\n", text[inner]) >= 0 {
		inner++
	}
	colon := inner
	for colon < len(text) && octet.Is(text[colon], octet.Scheme) {
		colon++
	}
	switch {
	case colon == len(text):
		return true
	case text[colon] != ':':
		return false
	case strings.EqualFold(text[inner:colon], "URL"):
		inner = colon + 1
	}
	f := wrapperReader{text: text, open: start, i: inner, limit: min(len(text), start+maxWrapper), loose: true}
	f.readContent()
	return f.v == needsMore && f.limit == len(text)
}
