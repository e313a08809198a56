package policy

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// Pattern describes a set of URLs. A Pattern is one of the following forms.
//
//	telnet:                     the URLs of a scheme
//	example.com                 a host
//	.example.com                a host and all hosts below it
//	*.example.com               only the hosts below it
//	192.0.2.7, [2001:db8::1]    an address
//	192.0.2.0/24                a range of addresses
//	gopher://example.com/1/pub  URLs that begin so
//	mailto:*@example.com        URLs that begin so, without "//"
//	"*"                         every URL, written without the quotes
//
// A host, an address in brackets and "*" may end in ":" and a port. The comparison ignores the case
// of hosts and schemes, and the spelling of addresses. No name is looked up.
//
// In a URL pattern, "*" matches any characters. Between "//" and the next "/", it does not match
// "/", "?" and "#". A "$" at the end of the pattern matches the end of the URL, as in robots.txt
// (RFC 9309 section 2.2.3). Only a pattern that contains "#" is compared with fragments. A pattern
// that begins with "*" and contains "/" or "#" matches any scheme and host. For example,
// "*/private/" matches URLs with "/private/" in the path. Escapes are decoded before the
// comparison, except the escapes of "/", "?", "#", "%", ";" and of control characters.
//
// The zero Pattern matches nothing. A Pattern is an immutable value.
type Pattern struct {
	text   string
	host   string // hostname in lower case, "*", or empty
	below  bool   // matches the hosts below host
	itself bool   // matches host itself
	block  netip.Prefix
	port   uint16 // zero means any port
	url    *urlPattern
}

// urlPattern is a URL pattern with globs.
type urlPattern struct {
	scheme string
	slash  bool   // the pattern contains "//" or matches any URL
	user   string // user with its "@"; empty if the pattern contains no user
	host   string
	port   string // port with its ":"; empty if the pattern contains no port
	rest   string
	end    bool // the pattern ends after rest
}

// errPattern lists the valid kinds of patterns.
var errPattern = fmt.Errorf(`%w: write "telnet:", "example.com", ".example.com", "example.com:70", "192.0.2.0/24", "gopher://example.com/1/pub" or "*"`, locus.ErrValue)

// ParsePattern parses a pattern. isKnown reports whether a scheme with the given name, in lower
// case, exists. If isKnown is nil, ParsePattern accepts any name. The error is a
// [*locus.SyntaxError].
func ParsePattern(text string, isKnown func(name string) bool) (Pattern, error) {
	fail := func(offset int, format string, args ...any) (Pattern, error) {
		return Pattern{}, locus.NewSyntaxError(text, offset, "pattern", fmt.Errorf(format, args...))
	}
	if block, err := netip.ParsePrefix(text); err == nil {
		return Pattern{text: text, block: block.Masked()}, nil
	}
	if a, err := netip.ParseAddr(text); err == nil {
		if a.Zone() != "" {
			return fail(strings.IndexByte(text, '%'), "%w: an address in a pattern must not have a zone", locus.ErrValue)
		}
		return Pattern{text: text, block: blockOf(a)}, nil
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] == 0x7F {
			return fail(i, "%w: a pattern must not contain spaces or control characters", locus.ErrValue)
		}
	}
	if name := strings.ToLower(text); isKnown != nil && isKnown(name) {
		// The user may mean the scheme with that name. A host pattern would not match URLs of that
		// scheme.
		return fail(0, `%w: write %q for the scheme, or %q for a host of that name`, locus.ErrValue, name+":", "."+name)
	}
	colon := strings.IndexByte(text, ':')
	isURL := strings.Contains(text, "://") || strings.HasPrefix(text, "*") && strings.ContainsAny(text, "/#")
	if !isURL && colon > 0 && locus.IsScheme(strings.ToLower(text[:colon])) && !strings.Contains(text[:colon], ".") {
		_, err := strconv.Atoi(text[colon+1:])
		isURL = err != nil
	}
	if isURL {
		u, offset, err := parseURLPattern(text, isKnown)
		if err != nil {
			return fail(offset, "%w", err)
		}
		return Pattern{text: text, url: u}, nil
	}

	p, host := Pattern{text: text, itself: true}, text
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		n, err := strconv.ParseUint(text[i+1:], 10, 16)
		if err != nil || n == 0 {
			return fail(i+1, "%w: port %s is out of range (1-65535)", locus.ErrValue, quotePart(text, i+1, len(text)))
		}
		host, p.port = text[:i], uint16(n)
	}
	if a, err := netip.ParseAddr(trimBrackets(host)); err == nil && a.Zone() == "" && a.Is6() == strings.HasPrefix(host, "[") {
		p.block = blockOf(a)
		return p, nil
	}
	if host == "*" {
		p.host = host
		return p, nil
	}
	if name, ok := strings.CutPrefix(host, "*."); ok {
		host, p.below, p.itself = name, true, false
	} else {
		host, p.below = strings.CutPrefix(host, ".")
	}
	p.host = CanonicalHost(host)
	if _, err := netip.ParseAddr(trimBrackets(p.host)); err == nil || !locus.IsHost(p.host) {
		return fail(0, "%w", errPattern)
	}
	return p, nil
}

func parseURLPattern(text string, known func(string) bool) (p *urlPattern, offset int, err error) {
	p = new(urlPattern)
	if strings.HasPrefix(text, "*") && !strings.Contains(text, "://") {
		p.scheme, p.slash, p.host, p.rest = "*", true, "*", text
		p.rest, p.end = strings.CutSuffix(p.rest, "$")
		return p, 0, nil
	}
	p.scheme, p.rest, _ = strings.Cut(text, ":")
	p.rest, p.end = strings.CutSuffix(p.rest, "$")
	p.scheme = strings.ToLower(p.scheme)
	if name := strings.ReplaceAll(p.scheme, "*", ""); name != "" && !locus.IsScheme(name) {
		return nil, 0, fmt.Errorf("%w: %s is not a scheme name", locus.ErrValue, locus.Quote(p.scheme))
	} else if name == p.scheme && known != nil && !known(name) {
		return nil, 0, fmt.Errorf("%w: unknown scheme %s", locus.ErrValue, locus.Quote(name))
	}
	authority, ok := strings.CutPrefix(p.rest, "//")
	if !ok {
		return p, 0, nil
	}
	p.slash, p.rest = true, ""
	if i := strings.IndexAny(authority, "/#"); i >= 0 {
		authority, p.rest = authority[:i], authority[i:]
	}
	start := len(p.scheme) + len("://")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if strings.Contains(authority[:i], ":") {
			return nil, start, fmt.Errorf("%w: a pattern must not have a password", locus.ErrValue)
		}
		p.user, authority = authority[:i+1], authority[i+1:]
		start += len(p.user)
	}
	if i := strings.IndexByte(authority, '?'); i >= 0 {
		authority, p.rest = authority[:i], authority[i:]+p.rest
	}
	if path, _, _ := strings.Cut(p.rest, "#"); HasDots(path) {
		return nil, strings.LastIndex(text, p.rest), fmt.Errorf(`%w: a pattern must not have a "." or ".." segment`, locus.ErrValue)
	}
	p.host = authority
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		p.host, p.port = authority[:i], authority[i:]
		n, err := strconv.ParseUint(p.port[1:], 10, 16)
		switch {
		case p.port == ":": // an empty port counts as absent, as in a URL
			p.port = ""
		case err == nil && n != 0:
			p.port = ":" + strconv.FormatUint(n, 10)
		case p.port != ":*":
			at := start + i + 1
			return nil, at, fmt.Errorf("%w: port %s is out of range (1-65535)", locus.ErrValue, quotePart(text, at, start+len(authority)))
		}
	}
	end := start + len(p.host)
	p.host = CanonicalHost(p.host)
	if name := strings.ReplaceAll(p.host, "*", "a"); !locus.IsHost(name) && (p.host != "" || p.rest == "") {
		return nil, start, fmt.Errorf("%w: %s is not a host", locus.ErrValue, quotePart(text, start, end))
	}
	return p, 0, nil
}

// quotePart quotes text[start:end] without passwords. If text is a mistyped URL, its password
// may look like a host or a port.
func quotePart(text string, start, end int) string { return locus.Quote(locus.Mask(text)[start:end]) }

// MustParsePattern is like [ParsePattern], but accepts any scheme and panics on an error.
// MustParsePattern simplifies the use of constant patterns in a program.
func MustParsePattern(text string) Pattern {
	p, err := ParsePattern(text, nil)
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.text }

// MarshalText returns the pattern as written.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText parses text as [ParsePattern] does, and accepts any scheme.
func (p *Pattern) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePattern(string(text), nil)
	return err
}

// IsHost reports whether the pattern describes only hosts or addresses. For such a pattern,
// [Pattern.MatchesHost] is sufficient.
func (p Pattern) IsHost() bool { return p.host != "" || p.block.IsValid() }

// Matches reports whether the pattern p describes the URL u, which must be in canonical form.
// port is the port for u, or 0 if there is no port. A path with a segment "." or ".." matches no
// pattern that contains a path.
func (p Pattern) Matches(u locus.URL, port uint16) bool { return p.matches(u, port, false) }

// MayMatch is like [Pattern.Matches], but also returns true if a server might read u as a
// URL that p describes. MayMatch ignores the user in u, decodes paths before it compares
// them, and treats "//" in a path as "/". A path with a segment "." or ".." matches any
// path.
func (p Pattern) MayMatch(u locus.URL, port uint16) bool { return p.matches(u, port, true) }

func (p Pattern) matches(u locus.URL, port uint16, loose bool) bool {
	if p.url != nil {
		return p.url.matches(u, port, loose)
	}
	return p.host == "*" && p.port == 0 || u.Host() != "" && p.MatchesHost(u.Host(), port)
}

// MatchesHost reports whether the pattern p describes a host and port. host is a name or an
// address, with or without brackets.
func (p Pattern) MatchesHost(host string, port uint16) bool {
	if p.port != 0 && p.port != port {
		return false
	}
	host = CanonicalHost(host)
	switch a, err := netip.ParseAddr(trimBrackets(host)); {
	case p.host == "*":
		return true
	case p.block.IsValid():
		return err == nil && p.block.Contains(a.Unmap())
	case err == nil || p.host == "":
		return false
	}
	return p.itself && host == p.host || p.below && strings.HasSuffix(host, "."+p.host)
}

// MatchesAddr reports whether the pattern p describes the address and port in a. Patterns
// for names or URLs never match.
func (p Pattern) MatchesAddr(a netip.AddrPort) bool {
	return p.block.IsValid() && p.block.Contains(a.Addr().Unmap().WithZone("")) && (p.port == 0 || p.port == a.Port())
}

func (p *urlPattern) matches(u locus.URL, port uint16, loose bool) bool {
	if !matchesGlob(p.scheme, strings.ToLower(u.Scheme())) {
		return false
	}
	fragment := ""
	if text, ok := u.Fragment(); ok && strings.Contains(p.rest, "#") {
		fragment = "#" + text
	}
	if !p.slash {
		return p.matchesRest(u.WithoutFragment().SchemePart()+fragment, plainEscapes)
	}
	if _, ok := u.Login(); !ok {
		return false
	}
	if user, ok := u.User(); !loose && p.host != "*" && (ok != (p.user != "") || ok && !matchesGlob(plainEscapes(p.user), plainEscapes(user)+"@")) {
		return false
	}
	if !p.matchesHost(u, port) {
		return false
	}
	path, ok := u.Path()
	dots := HasDots(path)
	if loose && p.rest != "" && (dots || p.matchesRest("/"+path+fragment, plainPath)) {
		return true
	}
	if ok && !u.MissingSlash() {
		path = "/" + path
	}
	return (p.rest == "" || !dots) && p.matchesRest(path+fragment, plainEscapes)
}

func (p *urlPattern) matchesHost(u locus.URL, port uint16) bool {
	host := CanonicalHost(u.Host())
	_, written := u.Port()
	switch at := ":" + strconv.Itoa(int(port)); {
	case p.port != "":
		return matchesGlob(p.port, at) && matchesGlob(p.host, host)
	case written && strings.HasSuffix(p.host, "*"):
		return matchesGlob(p.host, host+at)
	}
	return !written && matchesGlob(p.host, host)
}

// matchesRest reports whether the pattern matches the text after the host. matchesRest applies
// normalize to the text and the pattern.
func (p *urlPattern) matchesRest(text string, normalize func(string) string) bool {
	parts := strings.Split(p.rest, "*")
	for i := range parts {
		parts[i] = normalize(parts[i])
	}
	if !p.end {
		parts = append(parts, "")
	}
	return matchesParts(parts, normalize(text))
}

// matchesGlob reports whether text matches a pattern in which "*" matches any characters.
func matchesGlob(pattern, text string) bool { return matchesParts(strings.Split(pattern, "*"), text) }

// matchesParts reports whether text consists of the given parts in order, with any characters
// between two parts. The maximum time is proportional to the product of the two lengths.
func matchesParts(parts []string, text string) bool {
	if len(parts) == 1 {
		return text == parts[0]
	}
	last := len(parts) - 1
	text, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1:last] {
		if !ok {
			return false
		}
		_, text, ok = strings.Cut(text, part)
	}
	return ok && strings.HasSuffix(text, parts[last])
}

// blockOf returns the block that contains only the address a.
func blockOf(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()) }

// trimBrackets returns an IPv6 address without the brackets of a URL.
func trimBrackets(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return host
}

// CanonicalHost returns a host in canonical form. It converts a name to lower case and removes a
// final dot. It writes an IPv6 address in brackets as RFC 5952 requires, and an IPv4-mapped address
// as an IPv4 address.
func CanonicalHost(host string) string {
	a, err := netip.ParseAddr(trimBrackets(host))
	switch a = a.Unmap(); {
	case err != nil:
		return strings.TrimSuffix(strings.ToLower(host), ".")
	case a.Is6():
		return "[" + a.String() + "]"
	}
	return a.String()
}

// plainEscapes decodes the escapes in text, except escapes that are needed to preserve the meaning.
func plainEscapes(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if i+2 < len(text) && c == '%' {
			if decoded, err := escape.Decode(text[i : i+3]); err == nil {
				if d := decoded[0]; d <= ' ' || d == 0x7F || strings.IndexByte("/?#%;", d) >= 0 {
					decoded = strings.ToUpper(text[i : i+3])
				}
				b.WriteString(decoded)
				i += 2
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// plainPath decodes a path and replaces each run of "/" by one "/".
func plainPath(path string) string {
	if decoded, err := escape.Decode(path); err == nil {
		path = decoded
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// HasDots reports whether a decoded path contains a segment "." or "..". Both "/" and "\\"
// separate segments.
func HasDots(path string) bool {
	if decoded, err := escape.Decode(path); err == nil {
		path = decoded
	}
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
