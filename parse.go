package locus

import (
	"net/netip"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Parse reads text as a URL. Parse does not change the text, and String returns the same text.
// The error is a [*SyntaxError]. Parse reads text once and allocates only for an error.
func Parse(text string) (URL, error) {
	if ends, rest, found := octet.Scan(text); ends != 0 {
		u := URL{text: text, login: ends, more: rest}
		if found&octet.ScanRare != 0 {
			u.more |= uint64(rareHostFacts(u.Host(), octet.HostDigit)) << 32
		}
		return u, nil
	}
	return parse(text)
}

// parse implements [Parse] for the texts that the fast path does not accept.
func parse(text string) (URL, error) {
	if len(text) > MaxLen {
		return URL{}, tooLong.error(text, MaxLen)
	}
	colon, lower := octet.SchemeEnd(text)
	if colon == 0 || colon == len(text) || text[colon] != ':' {
		return URL{}, schemeFault(text, colon).error(text, colon)
	}
	if colon == 1 && len(text) > 2 && text[2] == '\\' && octet.Is(text[0], octet.Alpha) {
		return URL{}, windowsPath.error(text, 0)
	}
	u := URL{text: text, login: uint64(colon)}
	facts := LoginPlain | HostLower | PortPlain | NoPort | FragmentXchar | NoEscape | NoControl | NoUser
	if lower {
		facts |= SchemeLower
	}
	i, part := colon+1, badSchemePart
	if i+1 < len(text) && text[i] == '/' && text[i+1] == '/' {
		facts |= Internet
		i += 2
		// Most logins are only a hostname or IPv4 address and an optional port.
		end, shape := octet.Host(text, i)
		stop := end
		if end < len(text) && text[end] == ':' {
			stop = plainPort(text, end+1)
		}
		if stop == len(text) || text[stop] == '/' || text[stop] == '#' {
			facts = facts&^upperFact(shape) | hostFacts(text, i, end, shape) | emptyFact(i, end)
			if stop != end {
				u.login |= uint64(end) << 48
				facts &^= NoPort
			}
			i = stop
		} else {
			l := login{start: i}
			if f, at := l.read(text); f != nil {
				return URL{}, f.error(text, at)
			}
			u.login |= uint64(l.pass)<<16 | uint64(l.at)<<32 | uint64(l.port)<<48
			if l.port != 0 {
				facts &^= NoPort
			}
			facts = facts&^l.violated | l.host
			i = l.end
		}
		if i < len(text) && text[i] != '#' {
			u.more |= uint64(i)
			part = badPath
			if text[i] == '/' {
				facts |= Slash
				i++
			}
		}
	}
	// The rest is the url-path or scheme-specific part, and the fragment.
	end, all := octet.Run(text, i)
	if all&octet.Literal == 0 {
		lacks, at := readEscapes(text, i, end)
		if lacks == 0 {
			return URL{}, badEscape.error(text, at)
		}
		facts &^= lacks
	}
	facts |= classFacts(all)
	if facts&PathHsegment != 0 || facts&PathXchar != 0 && isPathSearch(text[i:end]) {
		facts |= PathSearch
	}
	if end < len(text) {
		if text[end] != '#' {
			return URL{}, part.error(text, end)
		}
		u.more |= uint64(end) << 16
		xchars, f, at := readFragment(text, end+1)
		if f != nil {
			return URL{}, f.error(text, at)
		}
		if !xchars {
			facts &^= FragmentXchar
		}
	}
	u.more |= uint64(facts) << 32
	return u, nil
}

// MustParse is like [Parse] for texts that are known to be URLs. MustParse panics if Parse
// fails.
func MustParse(text string) URL {
	u, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

// isPathSearch reports whether no "?" or "/" follows the first "?" of text. All octets of text
// must be xchars.
func isPathSearch(text string) bool {
	_, search, _ := strings.Cut(text, "?")
	return strings.IndexByte(search, '?') < 0 && strings.IndexByte(search, '/') < 0
}

// schemeFault returns the reason why no scheme ends at offset i of s.
func schemeFault(s string, i int) *fault {
	switch {
	case i == len(s), s[i] == ':':
		return noScheme
	case strings.HasPrefix(s, `\\`):
		return windowsPath
	case octet.Is(s[i], octet.Control):
		return badScheme
	default:
		return notInScheme
	}
}

// readEscapes reads the escapes between the offsets i and end, of which there must be at least
// one. violated holds the facts that do not hold because of the escapes. If a "%" does not begin
// an escape, violated is 0, and badEscape is the offset of that "%".
func readEscapes(s string, i, end int) (violated Facts, badEscape int) {
	for {
		n := strings.IndexByte(s[i:end], '%')
		if n < 0 {
			return violated, 0
		}
		i += n
		if !octet.IsEscape(s[:end], i) {
			return 0, i
		}
		violated |= NoEscape
		if high := s[i+1]; high <= '1' || high == '7' && s[i+2]|0x20 == 'f' {
			violated |= NoControl
		}
		i += len("%00")
	}
}

// readFragment reads the fragment that begins at offset i, and reports whether the fragment
// consists of xchars.
func readFragment(s string, i int) (xchars bool, f *fault, at int) {
	xchars = true
	for {
		end, all := octet.Run(s, i)
		if all&octet.Literal == 0 {
			if lacks, at := readEscapes(s, i, end); lacks == 0 {
				return false, badEscape, at
			}
		}
		xchars = xchars && all&octet.Xchar != 0
		switch {
		case end == len(s):
			return xchars, nil, 0
		case s[end] != '#':
			return false, badFragment, end
		}
		// A second "#" is part of the fragment, but not an xchar.
		xchars = false
		i = end + 1
	}
}

// plainPort returns the end of the port that begins at offset i, if the port is 1 to 65535
// without leading zeros. Otherwise plainPort returns the offset of the ":" before the port.
func plainPort(s string, i int) (end int) {
	num := 0
	for end = i; end < len(s) && octet.Is(s[end], octet.Digit) && end-i < 5; end++ {
		num = num*10 + int(s[end]-'0')
	}
	if end == i || s[i] == '0' || num > 65535 {
		return i - 1
	}
	return end
}

// login holds the offsets of the parts of a login, and facts about the login:
//
//	login    = [ user [ ":" password ] "@" ] hostport
//	hostport = host [ ":" port ]
type login struct {
	start, end     int
	pass, at, port int   // offsets, as in URL
	violated, host Facts // facts that do not hold for the login, and facts about its host
}

func (l *login) read(s string) (f *fault, at int) {
	l.end = len(s)
	question := 0
scan:
	for i := l.start; i < len(s); i++ {
		switch c := s[i]; {
		case octet.Is(c, octet.Unreserved):
			// This case is first because most octets are unreserved.
		case c == '/' || c == '#':
			l.end = i
			break scan
		case octet.Is(c, octet.Control):
			return badLogin, i
		case c == '%' && !octet.IsEscape(s, i):
			return badEscape, i
		case c == '\\':
			return backslash, i
		case c == '@' && l.at != 0:
			return twoAts, l.at
		case c == '@':
			l.at, question = i, 0
		case c == '?' && question == 0:
			question = i
		}
	}
	// A user and a password may contain a "?". After the "@", a "?" ends the login.
	if question != 0 {
		l.end = question
	}
	host := l.start
	if l.at != 0 {
		host = l.at + 1
		l.violated |= NoUser
		l.readUser(s)
	}
	if l.port, f, at = l.readHost(s[:l.end], host); f == nil && l.port < l.end {
		return l.readPort(s, l.port+1)
	}
	l.port = 0
	return f, at
}

func (l *login) readUser(s string) {
	for i := l.start; i < l.at; i++ {
		switch {
		case octet.Is(s[i], octet.User):
		case s[i] == ':' && l.pass == 0:
			l.pass = i
		default:
			l.violated |= LoginPlain
		}
	}
}

// readHost reads the host that begins at the offset start. The host ends at the end of s, or
// at the ":" of a port.
func (l *login) readHost(s string, start int) (end int, f *fault, at int) {
	end, shape := octet.Host(s, start)
	if end < len(s) && s[end] != ':' {
		// A host that violates section 5 also ends at the ":".
		shape |= octet.HostEdges
		if s[start] != '[' {
			rest, _, _ := strings.Cut(s[end:], ":")
			end += len(rest)
		} else if end = addressEnd(s, start); end < 0 {
			return 0, badAddress, start
		}
		if strings.ContainsAny(s[start:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			shape |= octet.HostUpper
		}
	}
	l.host = hostFacts(s, start, end, shape) | emptyFact(start, end)
	l.violated |= upperFact(shape)
	return end, nil, 0
}

// addressEnd returns the offset after the "]" of the IPv6 address at offset i. addressEnd
// returns -1 if the text at i is not an IPv6 address with an optional port.
func addressEnd(s string, i int) int {
	n := strings.IndexByte(s[i:], ']')
	end := i + n + 1
	if n < 0 || !isIPv6(s[i+1:end-1]) || end < len(s) && s[end] != ':' {
		return -1
	}
	return end
}

// isIPv6 reports whether text is an IPv6 address (RFC 3986 section 3.2.2).
func isIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

func (l *login) readPort(s string, i int) (f *fault, at int) {
	n := 0
	for j := i; j < l.end; j++ {
		if !octet.Is(s[j], octet.Digit) {
			return badPort, j
		}
		if n = n*10 + int(s[j]-'0'); n > 65535 {
			return portRange, i
		}
	}
	if i == l.end || s[i] == '0' {
		l.violated |= PortPlain
	}
	return nil, 0
}
