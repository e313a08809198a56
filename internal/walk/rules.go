package walk

import "strings"

// verdict is what rules have to say about a path.
type verdict uint8

const (
	undecided verdict = iota
	ignored
	wanted // by a rule with "!"
)

// rules are those of one file. The last one that matches counts.
type rules struct{ list []rule }

// rule is one line of a file of rules (gitignore(5)).
type rule struct {
	want    bool     // "!": it is wanted after all
	dirOnly bool     // "/" at the end
	literal string   // the whole pattern, if nothing in it is special and it is of one segment
	suffix  string   // what follows "*", if that is all of the pattern
	parts   []string // the pattern's segments
	deep    bool     // matches at any depth: a pattern of one segment
}

// parseRules reads a file of rules. A line that can match nothing is left out.
func parseRules(text string) *rules {
	r := &rules{}
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if rule, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			r.list = append(r.list, rule)
		}
	}
	if len(r.list) == 0 {
		return nil
	}
	return r
}

func parseRule(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") || strings.Contains(line, "//") {
		// No path has an empty segment.
		return r, false
	}
	line = trimBlanks(line)
	if rest, no := strings.CutPrefix(line, "!"); no {
		line, r.want = rest, true
	}
	if rest, dir := strings.CutSuffix(line, "/"); dir {
		line, r.dirOnly = rest, true
	}
	r.deep = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	r.parts = strings.Split(line, "/")
	for i, part := range r.parts {
		if !isValid(part) {
			return r, false
		}
		// One that follows another adds nothing.
		if part == "**" && i > 0 && r.parts[i-1] == "**" && i < len(r.parts)-1 {
			r.parts[i-1] = ""
		}
	}
	r.parts = compact(r.parts)
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

// compact leaves out what is empty.
func compact(parts []string) []string {
	kept := parts[:0]
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept
}

// trimBlanks leaves out blanks at the end, but for one behind "\".
func trimBlanks(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	if end < len(line) {
		slashes := 0
		for end-slashes > 0 && line[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 1 {
			end++
		}
	}
	return line[:end]
}

func isSpecial(part string) bool { return strings.ContainsAny(part, `*?[\`) }

// verdict says what the rules have about path, which is below their folder.
func (r *rules) verdict(path string, isDir bool) verdict {
	if r == nil {
		return undecided
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(r.list) - 1; i >= 0; i-- {
		rule := &r.list[i]
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
		return matchPart(r.parts[0], base)
	}
	return matchPath(r.parts, path)
}

// matchPath reports whether the segments of a pattern match those of path. "**"
// matches any number of them; the last one, one or more.
func matchPath(parts []string, path string) bool {
	i, at := 0, 0       // the next part, and where the next segment begins
	star, from := -1, 0 // the last "**", and where its next try begins
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
		// "**" takes one segment more.
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
