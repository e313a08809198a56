package walk

import (
	"slices"
	"strings"
)

// verdict is the result of applying ignore rules to a path.
type verdict uint8

const (
	undecided verdict = iota
	ignored
	wanted // a rule with "!" matches the path
)

// rules holds the rules in one ignore file. The last matching rule takes precedence.
type rules []rule

// rule is one line in an ignore file (gitignore(5)).
type rule struct {
	want    bool     // the line begins with "!"
	dirOnly bool     // the pattern ends with "/"
	literal string   // the pattern, if it consists of one segment without special characters
	suffix  string   // the pattern without its "*", if the rest has no special characters
	parts   []string // the translated segments of the pattern
	deep    bool     // the pattern consists of one segment, which matches at any depth
}

// parseRules parses an ignore file. It ignores lines that can't match.
func parseRules(text string) (r rules) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if rule, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			r = append(r, rule)
		}
	}
	return r
}

func parseRule(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") || strings.Contains(line, "//") {
		// No path contains an empty segment.
		return r, false
	}
	line, r.want = strings.CutPrefix(trimBlanks(line), "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.deep = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	r.parts = strings.Split(line, "/")
	for i, part := range r.parts {
		translated, valid := translate(part)
		if !valid {
			return r, false
		}
		r.parts[i] = translated
		// Several consecutive "**" segments have the same effect as a single "**".
		if part == "**" && i > 0 && r.parts[i-1] == "**" && i < len(r.parts)-1 {
			r.parts[i-1] = ""
		}
	}
	r.parts = slices.DeleteFunc(r.parts, func(part string) bool { return part == "" })
	if len(r.parts) == 1 {
		switch rest := strings.TrimPrefix(line, "*"); {
		case !isSpecial(line):
			r.literal = line
		case len(rest) < len(line) && !isSpecial(rest):
			r.suffix = rest
		}
	}
	return r, true
}

// trimBlanks removes trailing spaces, except a space after "\".
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if len(trimmed) < len(line) && slashes%2 == 1 {
		trimmed += " "
	}
	return trimmed
}

func isSpecial(part string) bool { return strings.ContainsAny(part, `*?[\`) }

// verdict applies the rules to a path, which is relative to the directory of the ignore file.
func (r rules) verdict(path string, isDir bool) verdict {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(r) - 1; i >= 0; i-- {
		rule := &r[i]
		if rule.dirOnly && !isDir || !rule.matches(path, base) {
			continue
		}
		if rule.want {
			return wanted
		}
		return ignored
	}
	return undecided
}

func (r *rule) matches(path, base string) bool {
	subject := path
	if r.deep {
		subject = base
	}
	switch {
	case r.literal != "":
		return subject == r.literal
	case r.suffix != "":
		return strings.HasSuffix(subject, r.suffix) && (r.deep || !strings.Contains(subject, "/"))
	case r.deep:
		return matchPart(r.parts[0], runes(base))
	}
	return matchPath(r.parts, runes(path))
}

// matchPath reports whether the segments of a pattern match the segments of path. A "**" matches
// any number of segments; at the end of the pattern, it matches at least one segment.
func matchPath(parts []string, path string) bool {
	i, at := 0, 0       // the next part, and the offset of the next segment
	star, from := -1, 0 // the last "**", and the offset of its next attempt
	for at <= len(path) {
		if i < len(parts) && parts[i] == "**" {
			if i == len(parts)-1 {
				return at < len(path)
			}
			star, from = i, at
			i++
			continue
		}
		end := segmentEnd(path, at)
		if i < len(parts) && matchPart(parts[i], path[at:end]) && (i < len(parts)-1 || end == len(path)) {
			i++
			at = end + 1
			continue
		}
		if star < 0 {
			return false
		}
		// Let "**" match one more segment.
		from = segmentEnd(path, from) + 1
		i, at = star+1, from
	}
	return i == len(parts)
}

func segmentEnd(path string, at int) int {
	if n := strings.IndexByte(path[at:], '/'); n >= 0 {
		return at + n
	}
	return len(path)
}
