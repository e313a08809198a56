package walk

import (
	"regexp"
	"strings"
	"testing"
)

// slowMatch applies a gitignore(5) rule by means of a regular expression. The result ok is false
// if slowMatch does not support the rule.
func slowMatch(line, path string, isDir bool) (matched, ok bool) {
	line = trimBlanks(line)
	line = strings.TrimPrefix(line, "!")
	if strings.ContainsAny(line, `[\`) || strings.HasPrefix(line, "#") || strings.Contains(line, "//") {
		return false, false
	}
	if rest, dir := strings.CutSuffix(line, "/"); dir {
		if line = rest; !isDir {
			return false, true
		}
	}
	if line == "" || line == "/" {
		return false, false
	}
	deep := !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if deep {
		line = "**/" + line
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	parts := strings.Split(line, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		switch {
		case part == "**" && last && !deep:
			b.WriteString(`.+`)
			continue
		case part == "**" && !last:
			b.WriteString(`(?:[^/]+/)*`)
			continue
		}
		for j := range len(part) {
			switch c := part[j]; c {
			case '*':
				b.WriteString(`[^/]*`)
			case '?':
				b.WriteString(`[^/]`)
			default:
				b.WriteString(regexp.QuoteMeta(string(c)))
			}
		}
		if !last {
			b.WriteString("/")
		}
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return false, false
	}
	return re.MatchString(path), true
}

func FuzzRule(f *testing.F) {
	for _, line := range []string{"a", "/a", "a/", "*.o", "**/a", "a/**", "a/**/b", "a/**/**/b", "?", "a*b*c", "**", "a/*/b", "*/", "a**b/c", "**/**"} {
		for _, path := range []string{"a", "a/b", "x/a", "a/x/b", "a/x/y/b", "x.o", "abbc", "a/b/c"} {
			f.Add(line, path, false)
			f.Add(line, path, true)
		}
	}
	f.Fuzz(func(t *testing.T, line, path string, isDir bool) {
		if len(line) > 100 || len(path) > 200 {
			return
		}
		r, isRule := parseRule(line) // must not panic for any line
		ascii := func(s string) bool {
			return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 || r < ' ' }) < 0
		}
		if path == "" || path[0] == '/' || path[len(path)-1] == '/' || strings.Contains(path, "//") || !ascii(line) || !ascii(path) {
			if isRule && path != "" {
				r.matches(path, path[strings.LastIndexByte(path, '/')+1:])
			}
			return
		}
		want, ok := slowMatch(line, path, isDir)
		if !ok {
			return
		}
		got := false
		if isRule {
			v := rules{r}.verdict(path, isDir)
			got = v != undecided
			if got && (v == wanted) != strings.HasPrefix(line, "!") {
				t.Errorf("%q of %q: verdict %d", line, path, v)
			}
		}
		if got != want {
			t.Errorf("rule %q, path %q, folder %v: %v, want %v", line, path, isDir, got, want)
		}
	})
}

// With exponential matching, a pattern with this many stars would never finish.
func TestManyStarsAreLinear(t *testing.T) {
	name := strings.Repeat("a", 5000)
	if matchPart(strings.Repeat("a*", 2000)+"b", name) {
		t.Error("a name without b matches")
	}
	deep := strings.Repeat("a/", 2000) + "a"
	r, ok := parseRule(strings.Repeat("**/a/", 500) + "b")
	if !ok || r.matches(deep, "a") {
		t.Error("a path without b matches")
	}
}
