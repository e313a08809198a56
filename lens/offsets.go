package lens

import "strings"

// partOffsets returns the offset of each part of r in url. The offsets increase in the order of
// the parts. If url does not contain the text of a part, because the parser changed the text,
// the result contains no offset for that part.
func partOffsets(url string, r ParseResult) map[string]int {
	found := make(map[string]int)
	at := 0
	for i, p := range r.parts() {
		name := PartNames()[i]
		if *p == nil || **p == "" {
			continue
		}
		start := at
		if name == "path" && value(r.Host) != "" && found["host"] == 0 {
			start = afterSlashes(url, at)
		}
		n := indexFold(url[start:], **p)
		if n < 0 {
			continue
		}
		found[name] = start + n
		at = start + n + len(**p)
	}
	return found
}

// afterSlashes returns the offset after the ":" and the slashes that begin at offset.
func afterSlashes(url string, offset int) int {
	return len(url) - len(strings.TrimLeft(url[offset:], `:/\`))
}

// indexFold is like strings.Index, but ignores the case of ASCII letters.
func indexFold(s, part string) int {
	if n := strings.Index(s, part); n >= 0 {
		return n
	}
	return strings.Index(lowerASCII(s), lowerASCII(part))
}

// lowerASCII returns s with its ASCII letters in lower case. The result is as long as s.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, o := range b {
		if 'A' <= o && o <= 'Z' {
			b[i] = o + 'a' - 'A'
		}
	}
	return string(b)
}
