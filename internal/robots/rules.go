package robots

import (
	"strconv"
	"strings"
	"time"
)

// maxWild is the maximum number of rules with wildcards. Each comparison takes time proportional
// to the length of the URL, so the number of comparisons must be limited.
const maxWild = 1000

// group holds the rules for one crawler or for all crawlers.
type group struct {
	plain []rule // rules without wildcards, which match path prefixes
	wild  []rule // rules with "*" or "$"
	delay time.Duration
}

// rule is an Allow or Disallow line.
type rule struct {
	pattern string // normalized pattern without a final "*"
	octets  int    // length of the pattern as written; the longest matching rule takes precedence
	allow   bool
}

// file holds the parts of a robots.txt that concern this crawler.
type file struct {
	ownGroup, anyGroup group // groups for "locus" and for "*"
	named              bool  // the file contains a group for "locus"
	sitemaps           []string
	forOwn             bool // the current group is for "locus"
	forAll             bool // the current group is for "*"
	isInHeading        bool // the previous lines are User-agent lines
}

// parseFile parses the lines of a robots.txt (RFC 9309 section 2.2). parseFile ignores invalid
// lines and rules before the first group.
func parseFile(text string) *file {
	f := new(file)
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if ok {
			f.addLine(strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
		}
	}
	return f
}

func (f *file) addLine(key, value string) {
	switch key {
	case "user-agent", "useragent":
		if !f.isInHeading {
			f.forOwn, f.forAll = false, false
		}
		f.isInHeading = true
		token := productToken(value)
		f.forOwn = f.forOwn || strings.EqualFold(token, agent)
		f.forAll = f.forAll || value == "*"
		f.named = f.named || f.forOwn
	case "sitemap":
		if value != "" {
			f.sitemaps = append(f.sitemaps, value)
		}
	case "allow", "disallow":
		f.isInHeading = false
		f.eachGroup(func(g *group) { g.addRule(value, key == "allow") })
	case "crawl-delay", "crawldelay":
		// A Crawl-delay line does not end the User-agent lines of a group (RFC 9309 section 2.2.4).
		if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 { // the comparison is false for NaN
			delay := maxDelay
			if n < maxDelay.Seconds() {
				delay = time.Duration(n * float64(time.Second))
			}
			f.eachGroup(func(g *group) { g.delay = delay })
		}
	}
}

func (f *file) eachGroup(do func(*group)) {
	if f.forOwn {
		do(&f.ownGroup)
	}
	if f.forAll {
		do(&f.anyGroup)
	}
}

func (f *file) group() *group {
	if f.named {
		return &f.ownGroup
	}
	return &f.anyGroup
}

// productToken returns the name at the start of text, which consists of letters, "_" and "-" (RFC
// 9309 section 2.2.1).
func productToken(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '-')
	})
	if end < 0 {
		return text
	}
	return text[:end]
}

// addRule adds a rule. If there are more than maxWild rules with wildcards, addRule ignores further
// Allow rules with wildcards. It shortens further Disallow rules to the text before the wildcard.
// So the limit never allows a request that the robots.txt forbids.
func (g *group) addRule(path string, allow bool) {
	if path == "" {
		return // the rule matches no path
	}
	if path[0] != '/' && path[0] != '*' {
		path = "/" + path
	}
	path = normalize(path, true)
	pattern := strings.TrimRight(path, "*")
	wild := strings.IndexByte(pattern, '*')
	switch {
	case wild < 0 && !strings.HasSuffix(pattern, "$"):
		g.plain = append(g.plain, rule{pattern, len(path), allow})
	case len(g.wild) < maxWild:
		g.wild = append(g.wild, rule{pattern, len(path), allow})
	case !allow && wild < 0:
		g.plain = append(g.plain, rule{strings.TrimSuffix(pattern, "$"), len(path), false})
	case !allow:
		g.plain = append(g.plain, rule{pattern[:wild], len(path), false})
	}
}

// isAllowed reports whether the group allows a path with its query. The longest matching rule
// decides. If two rules have the same length, Allow takes precedence (RFC 9309 section 2.2.2).
func (g *group) isAllowed(path string) bool {
	path = normalize(path, false)
	longest, allowed := -1, true
	consider := func(r rule) {
		if r.octets > longest {
			longest, allowed = r.octets, r.allow
		} else if r.octets == longest {
			allowed = allowed || r.allow
		}
	}
	for _, r := range g.plain {
		if strings.HasPrefix(path, r.pattern) {
			consider(r)
		}
	}
	for _, r := range g.wild {
		if r.octets >= longest && matches(r.pattern, path) {
			consider(r)
		}
	}
	return allowed
}

// matches reports whether a pattern matches the start of a path, or the whole path if the pattern
// ends with "$". The search takes linear time, because a later match of a piece need not be tried.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	first, rest, wild := strings.Cut(pattern, "*")
	path, ok := strings.CutPrefix(path, first)
	if !ok || !wild {
		return ok && (!whole || path == "")
	}
	for {
		piece, after, more := strings.Cut(rest, "*")
		if !more && whole {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		if !more {
			return true
		}
		path, rest = path[i+len(piece):], after
	}
}

// normalize normalizes a path for comparison (RFC 9309 section 2.2.2). It decodes unreserved
// characters, escapes bytes that are not ASCII, and writes hexadecimal digits in upper case. It
// escapes a "%" outside an escape. In a path, it also escapes "*" and "$". In a pattern, "*" and a
// final "$" are wildcards and stay unchanged.
func normalize(path string, isPattern bool) string {
	const upper = "0123456789ABCDEF"
	b := make([]byte, 0, len(path)+16)
	for i := 0; i < len(path); i++ {
		c := path[i]
		escaped := false
		if c == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, escaped = byte(n), true
				i += 2
			}
		}
		switch {
		case isUnreserved(c):
			b = append(b, c)
		case !escaped && isPattern && (c == '*' || c == '$' && i == len(path)-1):
			if c == '$' || len(b) == 0 || b[len(b)-1] != '*' {
				b = append(b, c)
			}
		case escaped, c >= 0x80, c == '*', c == '$', c == '%':
			b = append(b, '%', upper[c>>4], upper[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
