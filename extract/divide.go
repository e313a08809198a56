package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/octet"
)

// SplitPoint returns an offset near the end of text at which a long text can be split and
// searched concurrently. The URLs that [All] finds in the two parts are the URLs of the
// whole text. More text may follow the second part. SplitPoint returns 0 if it finds no
// such offset.
//
// The offset is the start of a line at which no wrapper is open, because only a URL in a
// wrapper continues on the next line.
func SplitPoint(text string) int {
	if at := afterParagraph(text); at > 0 {
		return at
	}
	end := len(text)
	// Each attempt costs as much as a search of maxWrapper bytes.
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

// maxParagraph limits the distance from the end of the text at which afterParagraph searches for a
// paragraph.
const maxParagraph = 4 << 10

// afterParagraph returns the end of the first line of a paragraph, or 0. No wrapper is open at this
// end, because a blank line ends each wrapper unless it is part of a page break. The search for
// such a line is cheaper than the search for the end of each wrapper.
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

// isBody reports whether a line is text of a paragraph. Lines of a page break and lines with only a
// margin are not.
func isBody(line string) bool {
	if line == "" || strings.IndexByte(line, '\f') >= 0 {
		return false
	}
	// Footers and headers end in a number or a "]", and blanks may follow.
	if last := line[len(line)-1]; !octet.Is(last, octet.Alpha) && strings.IndexByte(".,;:(){}>", last) < 0 {
		return false
	}
	return strings.IndexFunc(line, func(r rune) bool { return r < utf8.RuneSelf && octet.Is(byte(r), octet.Alpha) }) >= 0
}

// firstOpen returns the offset of the first "<" whose wrapper may still be open at the end of text.
// If there is none, it returns -1.
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

// isOpen reports whether text may end in a wrapper that begins with the "<" at open.
func isOpen(text string, open int) bool {
	inner := open + 1
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
	f := folded{text: text, open: open, i: inner, limit: min(len(text), open+maxWrapper), loose: true}
	f.read()
	return f.v == more && f.limit == len(text)
}
