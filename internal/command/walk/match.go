package walk

import (
	"fmt"
	"path"
	"strings"
)

// matchPart reports whether a pattern matches a name. The pattern must be a result of the function
// translate, and the name must be a result of the function runes.
func matchPart(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// runes converts each byte of text to a character, because git matches bytes, and [path.Match]
// matches characters.
func runes(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0 {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

// translate converts a pattern without "/" to the syntax of [path.Match]. The result ok is false
// if the pattern can't match, because it ends in "\", or contains an incomplete class or an
// unknown class name.
func translate(pattern string) (translated string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '[':
			n := writeClass(&b, pattern[i:])
			if n == 0 {
				return "", false
			}
			i += n - 1
			continue
		case '\\':
			if i++; i == len(pattern) {
				return "", false
			}
			b.WriteByte('\\')
		}
		b.WriteRune(rune(pattern[i]))
	}
	return b.String(), true
}

// writeClass translates the character class at the start of the pattern, such as "[a-z]" or
// "[!a-z]", and returns the length of the class. If there is no class, it returns 0.
func writeClass(b *strings.Builder, pattern string) int {
	i := 1
	b.WriteByte('[')
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		b.WriteByte('^')
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			b.WriteByte(']')
			return i + 1
		}
		if name, rest, found := strings.Cut(pattern[i:], ":]"); found && strings.HasPrefix(name, "[:") && !strings.Contains(name, "]") {
			ranges := named[name[2:]]
			if ranges == "" {
				return 0
			}
			b.WriteString(ranges)
			i = len(pattern) - len(rest)
			continue
		}
		low, next := classChar(pattern, i)
		high := low
		if next > 0 && next+1 < len(pattern) && pattern[next] == '-' && pattern[next+1] != ']' {
			high, next = classChar(pattern, next+1)
		}
		if i = next; i == 0 {
			return 0
		}
		fmt.Fprintf(b, `\%c-\%c`, low, high)
	}
	return 0
}

// classChar returns the character at offset i in a class, and the offset of the next character. If
// the pattern ends before the character, the result next is 0.
func classChar(pattern string, i int) (c byte, next int) {
	if pattern[i] == '\\' {
		i++
	}
	if i >= len(pattern) {
		return 0, 0
	}
	return pattern[i], i + 1
}

// named maps the names of character classes to their ranges. It must not be modified.
var named = map[string]string{
	"alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "xdigit": "0-9A-Fa-f",
	"space": "\t-\r ", "blank": "\t ", "punct": "!-/:-@\\[-`{-~", "graph": "!-~", "print": " -~", "cntrl": "\x00-\x1F\x7F",
}
