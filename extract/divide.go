package extract

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Divide returns an offset near the end of text at which it can be divided: in the part
// before it and in the rest, with whatever follows text, [All] finds the URLs of the
// whole. So the parts of a long text can be searched at the same time. It is 0 if no such
// offset is found.
//
// It is the start of a line, because only a URL in a wrapper continues on the next line,
// and no wrapper is open there.
func Divide(text string) int {
	end := len(text)
	// Each attempt costs as much as maxWrapper octets do.
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

// firstOpen returns the offset of the first "<" whose wrapper text may end in, or -1.
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
