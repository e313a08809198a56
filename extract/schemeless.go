package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/octet"
)

// If [Options].Schemeless is set, the search also stops at each "@" and ".", and looks for a mail
// address or the name of a web server. GitHub Flavored Markdown calls these the extended email and
// www autolinks (section 6.9). Autolinks end at the same characters as other bare URLs.

// maxLocal is the maximum number of octets before the "@" in an address (RFC 5321 section
// 4.5.3.1.1).
const maxLocal = 64

// nextAny is like findURL, but also finds the autolinks that [Options].Schemeless adds.
func (s *scanner) nextAny(text string, pos int, final bool, m *Match) (next int, v verdict) {
	for {
		n := strings.IndexAny(text[pos:], ":@.")
		if n < 0 {
			return len(text), noURL
		}
		i := pos + n
		next, v = i+1, noURL
		switch {
		case text[i] == '@':
			next, v = s.matchAddress(text, i, final, m)
		case text[i] == '.':
			next, v = s.matchServer(text, i, final, m)
		case s.mayName(text, i):
			next, v = s.matchAt(text, i, final, m)
		}
		switch v {
		case foundURL:
			s.end = next
			return next, foundURL
		case needsMore:
			return i, needsMore
		}
		pos = max(next, i+1)
	}
}

// assumes reports whether the options select bare URLs of the named scheme.
func (s *scanner) assumes(name string) bool {
	_, ok := s.partOf(name)
	return ok && !s.NoBare
}

// matchServer searches for the name of a web server, such as "www.example.org". The first "." in
// the name is at the offset dot.
func (s *scanner) matchServer(text string, dot int, final bool, m *Match) (next int, v verdict) {
	start := dot - len("www")
	if start < s.end || !strings.EqualFold(text[start:dot], "www") || !s.assumes(webScheme) || !isFree(text, start, ".") {
		return dot + 1, noURL
	}
	r := run{text: text, start: start, i: start, final: final}
	r.readLogin()
	if r.v != foundURL {
		return dot + 1, r.v
	}
	end := r.trimmedEnd(start - 1)
	login := text[start:end]
	if n := strings.IndexAny(login, "/?#"); n >= 0 {
		login = login[:n]
	}
	name, _, _ := strings.Cut(login, ":")
	if strings.IndexByte(login, '@') >= 0 || !isDomain(name) || isOmitted(text[start:end], text[end:r.i]) || !s.parse(webScheme+"://"+r.urlText(end), start, end, Bare, Host, m) {
		return dot + 1, noURL
	}
	m.Assumed = true
	return end, foundURL
}

// isDomain reports whether name is a domain in the sense of GFM. A domain consists of at least two
// labels, and the last two labels contain no "_".
func isDomain(name string) bool {
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	n := len(labels)
	return n > 1 && !slices.Contains(labels, "") && !strings.Contains(labels[n-2]+labels[n-1], "_")
}

// matchAddress searches for a mail address with the "@" at the offset atSign.
func (s *scanner) matchAddress(text string, atSign int, final bool, m *Match) (next int, v verdict) {
	if !s.assumes(mailScheme) {
		return atSign + 1, noURL
	}
	start := atSign
	for start > 0 && atSign-start <= maxLocal && isLocal(text[start-1]) {
		start--
	}
	if atSign-start > maxLocal {
		return atSign + 1, noURL
	}
	for start < atSign && (text[start] == '.' || text[start] == '-') {
		start++
	}
	if start == atSign || !isFree(text, start, ".-:!)]}") {
		return atSign + 1, noURL
	}
	end := atSign + 1
	for end < len(text) && end-atSign-1 <= maxHost && (octet.Is(text[end], octet.Label) || text[end] == '_' || text[end] == '.' && text[end-1] != '.') {
		end++
	}
	if (end == len(text) || !utf8.FullRuneInString(text[end:])) && end-atSign-1 <= maxHost && !final {
		return 0, needsMore
	}
	if end-atSign-1 > maxHost || !endsAddress(text, atSign+1, end) {
		return atSign + 1, noURL
	}
	if text[end-1] == '.' {
		end--
	}
	if text[start] == '_' && text[end-1] == '_' {
		// The character is an emphasis mark.
		start++
		end--
	}
	domain := text[atSign+1 : max(end, atSign+1)]
	if end < len(text) && text[end] == ':' {
		// The domain may end in the scheme of the next URL, as in "a@b.http://c".
		switch _, v = s.matchAt(text, end, final, m); v {
		case needsMore:
			return 0, needsMore
		case foundURL:
			return atSign + 1, noURL
		}
	}
	if start < s.end || start == atSign || domain == "" || !octet.Is(domain[len(domain)-1], octet.Alpha) || strings.IndexByte(strings.Trim(domain, "."), '.') < 0 || domain[0] == '.' {
		return atSign + 1, noURL
	}
	if !s.parse(mailScheme+":"+text[start:end], start, end, Bare, Address, m) {
		return atSign + 1, noURL
	}
	m.Assumed = true
	return end, foundURL
}

// endsAddress reports whether the domain text[start:end] is complete. endsAddress returns false if
// the domain is part of a longer name in another script.
func endsAddress(text string, start, end int) bool {
	if end == len(text) {
		return true
	}
	if text[end] < utf8.RuneSelf {
		return text[end] != '@'
	}
	r, n := utf8.DecodeRuneInString(text[end:])
	switch letterOf(r) {
	case word, joiner:
		return false
	case ideograph:
		stop, ok := foreignEnd(text, start, end+n)
		return ok && stop == end
	}
	return true
}

func isLocal(c byte) bool {
	return octet.Is(c, octet.Alpha|octet.Digit) || strings.IndexByte(".+_-", c) >= 0
}

// isFree reports whether the byte before the offset i separates a name from other text. Such a byte
// is white space, a bracket, a quotation mark, an emphasis mark, or a byte in extra.
func isFree(text string, i int, extra string) bool {
	if i == 0 {
		return true
	}
	c := text[i-1]
	if c >= utf8.RuneSelf {
		return !inWord(text, i)
	}
	if c == '.' && strings.IndexByte(extra, '.') >= 0 {
		// The dots are an ellipsis, not part of a domain.
		return i == 1 || text[i-2] == '.' || text[i-2] <= ' '
	}
	return c <= ' ' || strings.IndexByte("([{<>\"'`=,;|*_~", c) >= 0 || strings.IndexByte(extra, c) >= 0
}
