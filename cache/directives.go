package cache

import (
	"net/http"
	"strings"
	"time"
)

// forever is the longest time in a directive (RFC 9111 section 1.2.2).
const forever = (1<<31 - 1) * time.Second

// directives maps the Cache-Control directives of a request or a response to their times
// (RFC 9111 section 5.2, RFC 5861, RFC 8246).
type directives map[string]time.Duration

// isDirective reports for each directive name whether the store supports the directive.
var isDirective = map[string]bool{
	"no-store": true, "no-cache": true, "private": true, "public": true, "only-if-cached": true,
	"must-revalidate": true, "proxy-revalidate": true, "must-understand": true, "immutable": true,
	"max-age": true, "s-maxage": true, "max-stale": true, "min-fresh": true,
	"stale-if-error": true, "stale-while-revalidate": true,
}

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

// parseDirectives parses the lines of the Cache-Control header. For a repeated or invalid
// number, it uses the value with the shortest lifetime (section 4.2.1). If a directive
// lists field names, parseDirectives applies the directive to the whole response, as
// sections 5.2.2.4 and 5.2.2.7 allow.
func parseDirectives(lines []string) directives {
	if len(lines) == 0 {
		return nil
	}
	d := make(directives)
	for _, line := range lines {
		for line != "" {
			var name, value string
			var valued bool
			name, value, valued, line = nextDirective(line)
			if name = strings.ToLower(name); isDirective[name] {
				d.set(name, value, valued)
			}
		}
	}
	return d
}

func (d directives) set(name, value string, valued bool) {
	n, ok := parseSeconds(value)
	if name == "min-fresh" && !ok || name == "max-stale" && !valued {
		n = forever
	}
	switch old, repeated := d[name]; {
	case name == "min-fresh": // the longest time is the strictest
		n = max(n, old)
	case repeated:
		n = min(n, old)
	}
	d[name] = n
}

// parseSeconds parses delta-seconds (RFC 9111 section 1.2.2).
func parseSeconds(text string) (d time.Duration, ok bool) {
	if text == "" {
		return 0, false
	}
	var n int64
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), int64(forever/time.Second))
	}
	return time.Duration(n) * time.Second, true
}

// nextDirective returns the first directive of line, and the remaining line as rest. The name is
// empty if there is no directive. A quoted value is returned without its quotes.
func nextDirective(line string) (name, value string, valued bool, rest string) {
	line = strings.TrimLeft(line, " \t,")
	end := strings.IndexAny(line, "=,")
	if end < 0 {
		return strings.TrimRight(line, " \t"), "", false, ""
	}
	name, rest = strings.TrimRight(line[:end], " \t"), line[end+1:]
	if line[end] == ',' {
		return name, "", false, rest
	}
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, `"`) {
		value, rest, _ = strings.Cut(rest, ",")
		return name, strings.TrimRight(value, " \t"), true, rest
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			_, rest, _ = strings.Cut(rest[i+1:], ",")
			return name, b.String(), true, rest
		case c == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return name, "", true, "" // the closing quote is missing, so the rest is ambiguous
}

// requestDirectives returns the directives of a request. It uses the Pragma header only if
// there is no Cache-Control header (section 5.4).
func requestDirectives(h http.Header) directives {
	if lines := h["Cache-Control"]; len(lines) > 0 {
		return parseDirectives(lines)
	}
	for _, line := range h["Pragma"] {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), "no-cache") {
				return directives{"no-cache": 0}
			}
		}
	}
	return nil
}
