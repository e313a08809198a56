package cache

import (
	"net/http"
	"strings"
	"time"
)

// forever is the longest time that a directive can name (RFC 9111 section 1.2.2).
const forever = (1<<31 - 1) * time.Second

// never is the time of a missing directive.
const never = -1

// directives are those of Cache-Control, in a request or a response (RFC 9111 section
// 5.2; RFC 5861; RFC 8246). A missing time is [never].
type directives struct {
	noStore, noCache, private, public, onlyIfCached bool
	mustRevalidate, proxyRevalidate, mustUnderstand bool
	immutable                                       bool
	maxAge, sMaxAge, maxStale, minFresh             time.Duration
	staleIfError, staleWhileRevalidate              time.Duration
}

// parseDirectives reads the lines of Cache-Control. It skips unknown directives. A
// repeated or invalid number counts as the one that keeps an answer for the shortest
// time (section 4.2.1).
func parseDirectives(lines []string) directives {
	d := directives{maxAge: never, sMaxAge: never, maxStale: never, minFresh: never, staleIfError: never, staleWhileRevalidate: never}
	for _, line := range lines {
		for line != "" {
			var name, value string
			var valued bool
			name, value, valued, line = nextDirective(line)
			d.set(name, value, valued)
		}
	}
	return d
}

func (d *directives) set(name, value string, valued bool) {
	switch strings.ToLower(name) {
	case "no-store":
		d.noStore = true
	case "no-cache": // with names of fields too: section 5.2.2.4 allows it
		d.noCache = true
	case "private":
		d.private = true
	case "public":
		d.public = true
	case "only-if-cached":
		d.onlyIfCached = true
	case "must-revalidate":
		d.mustRevalidate = true
	case "proxy-revalidate":
		d.proxyRevalidate = true
	case "must-understand":
		d.mustUnderstand = true
	case "immutable":
		d.immutable = true
	case "max-age":
		shortest(&d.maxAge, seconds(value))
	case "s-maxage":
		shortest(&d.sMaxAge, seconds(value))
	case "max-stale":
		if !valued {
			value = "2147483647" // however old
		}
		shortest(&d.maxStale, seconds(value))
	case "min-fresh": // the longest is what asks for most
		n, ok := parseSeconds(value)
		if !ok {
			n = forever
		}
		d.minFresh = max(d.minFresh, n)
	case "stale-if-error":
		shortest(&d.staleIfError, seconds(value))
	case "stale-while-revalidate":
		shortest(&d.staleWhileRevalidate, seconds(value))
	}
}

func shortest(to *time.Duration, d time.Duration) {
	if *to == never || d < *to {
		*to = d
	}
}

// seconds reads a number of seconds; an invalid one is 0.
func seconds(text string) time.Duration {
	d, _ := parseSeconds(text)
	return d
}

// parseSeconds reads delta-seconds (RFC 9111 section 1.2.2).
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

// nextDirective cuts the first directive off a line; its name is empty if there is
// none. A quoted value is returned without its quotes.
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
	return name, "", true, "" // the quotes have no end, and nothing is sure
}

// requestDirectives reads those of a request. Pragma counts only without Cache-Control
// (section 5.4).
func requestDirectives(h http.Header) directives {
	lines := h["Cache-Control"]
	d := parseDirectives(lines)
	if len(lines) == 0 {
		for _, line := range h["Pragma"] {
			for part := range strings.SplitSeq(line, ",") {
				d.noCache = d.noCache || strings.EqualFold(strings.TrimSpace(part), "no-cache")
			}
		}
	}
	return d
}
