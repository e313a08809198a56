package generator

import "strings"

// isModest reports whether the TOML parser can parse a text with an acceptable amount of memory.
// The parser's memory use is proportional to the square of the nesting depth. The memory use also
// depends on the length of the keys, because the parser stores the full name of each key.
func isModest(text string) bool {
	if len(text) > maxTOML {
		return false
	}
	depth, key := nesting(text)
	return depth <= maxNesting && key <= maxKey
}

// nesting examines a TOML text. The result maxDepth is the depth of nested arrays and tables, or
// the maximum number of dots in a key if that number is larger. The result maxKeyLen is the length
// of the longest key. If the text is malformed, the results are unspecified.
func nesting(text string) (maxDepth, maxKeyLen int) {
	depth, dots, start, isHeader := 0, 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				return maxDepth, maxKeyLen
			}
			i += n
			dots, start, isHeader = 0, i+1, false
		case '"', '\'':
			i += quotedLen(text[i:]) - 1
		case '[', '{':
			isHeader = isHeader || c == '[' && strings.TrimLeft(text[start:i], " \t\r") == "" && (start == 0 || text[start-1] == '\n')
			depth++
			start = i + 1
		case ']', '}':
			depth--
			if isHeader {
				maxKeyLen = max(maxKeyLen, i-start)
			}
		case '.':
			dots++
		case '=':
			maxKeyLen = max(maxKeyLen, i-start)
			dots, start = 0, i+1
		case ',', '\n':
			dots, start, isHeader = 0, i+1, false
		}
		maxDepth = max(maxDepth, depth, dots)
	}
	return maxDepth, maxKeyLen
}

// quotedLen returns the length of the string at the start of text.
func quotedLen(text string) int {
	mark := text[:1]
	end := mark
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(text, triple) {
		end = triple
	}
	i := len(end)
	for i < len(text) && !strings.HasPrefix(text[i:], end) {
		switch {
		case text[i] == '\n' && len(end) == 1:
			return i // malformed
		case text[i] == '\\' && mark == `"`:
			i++
		}
		i++
	}
	i += len(end)
	// A multi-line string may end in two more quotes.
	for range 2 {
		if len(end) == 3 && i < len(text) && text[i:i+1] == mark {
			i++
		}
	}
	return min(i, len(text))
}
