package walk

import "strings"

// matchPart reports whether a valid pattern without "/" matches a name. It backtracks
// only to the last "*": a longer match of an earlier one can't succeed if the last fails.
func matchPart(pattern, name string) bool {
	i, at := 0, 0
	star, from := -1, 0
	for at < len(name) {
		if i < len(pattern) {
			if pattern[i] == '*' {
				star, from = i, at
				i++
				continue
			}
			if n, ok := matchOne(pattern[i:], name[at]); ok {
				i += n
				at++
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		i, at = star+1, from
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// matchOne reports whether the first element of pattern matches c, and its length.
func matchOne(pattern string, c byte) (n int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		return 2, pattern[1] == c
	case '[':
		return class(pattern, c)
	}
	return 1, pattern[0] == c
}

// isValid reports whether a pattern can match: it does not end in "\", and each class
// is complete.
func isValid(pattern string) bool {
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '\\':
			if i+1 == len(pattern) {
				return false
			}
			i += 2
		case '[':
			n, _ := class(pattern[i:], 0)
			if n == 0 {
				return false
			}
			i += n
		default:
			i++
		}
	}
	return true
}

// class reports whether the class at the start of pattern, "[a-z]" or "[!a-z]",
// contains c, and its length: 0 if it is incomplete or has an unknown name in it.
func class(pattern string, c byte) (n int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated
		}
		if name, rest, found := strings.Cut(pattern[i:], ":]"); found && strings.HasPrefix(name, "[:") && !strings.Contains(name, "]") {
			is := named[name[2:]]
			if is == nil {
				return 0, false
			}
			ok = ok || is(c)
			i = len(pattern) - len(rest)
			continue
		}
		low, next := classChar(pattern, i)
		if next == 0 {
			return 0, false
		}
		i = next
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if high, next = classChar(pattern, i+1); next == 0 {
				return 0, false
			}
			i = next
		}
		ok = ok || low <= c && c <= high
	}
	return 0, false
}

// classChar returns the character of a class at i, and the offset after it, or 0 at the
// end.
func classChar(pattern string, i int) (c byte, next int) {
	if pattern[i] == '\\' {
		i++
	}
	if i >= len(pattern) {
		return 0, 0
	}
	return pattern[i], i + 1
}

// named are the classes that have a name. It is never changed.
var named = map[string]func(byte) bool{
	"alpha":  isAlpha,
	"digit":  isDigit,
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"punct":  func(c byte) bool { return '!' <= c && c <= '~' && !isAlpha(c) && !isDigit(c) },
	"graph":  func(c byte) bool { return '!' <= c && c <= '~' },
	"print":  func(c byte) bool { return ' ' <= c && c <= '~' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7F },
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
