// Package rfc3986 parses, checks and normalizes URIs by RFC 3986. The package rejects zones in
// IPv6 addresses, because RFC 9844 obsoletes the syntax of RFC 6874.
//
// [Parse] splits any text, as in appendix B. [URI.Check] returns every violation of the
// grammar, and [URI.Conforms] reports whether a URI has no violations. [URI.CheckReference]
// accepts relative references. [URI.Normalize] applies the normalizations of section 6.2.2 and
// 6.2.3, and [Equal] compares normalized URIs. Only Normalize decodes escapes. [URI.SURT]
// returns the sort key that web archives use.
//
// The grammar applies to any scheme. Neither the grammar nor this package defines the meaning
// of a component (RFC 8820).
package rfc3986

import (
	"fmt"
	"math"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// URI is a text split into its components. A URI is an immutable value. The zero URI is the
// empty reference.
//
// On 64-bit processors, functions return the nine words of a URI in registers.
type URI struct {
	text string
	// The following fields are offsets in octets. The offset zero means that the component is
	// absent.
	colon    int // offset of the ":" after the scheme
	host     int // start of the host, after "//" or "@"
	port     int // offset of the ":" before the port
	path     int // start of the path, which is never absent
	query    int // start of the query, after the "?"
	fragment int // start of the fragment, after the "#"
	facts    facts
}

// facts are properties that [Parse] finds in its single pass. For most URIs, Check then needs
// no second pass.
type facts uint

const (
	// plainHead means that the scheme is valid and the authority is absent or plain. A plain
	// authority is a host of letters, digits, "-" and ".", with an optional port from 1 to
	// 65535.
	plainHead facts = 1 << iota
	// noDigit means that no label of the host begins with a digit.
	noDigit
	// plainTail means that the path, the query and the fragment contain only valid characters
	// and "%".
	plainTail
	// soundEscapes means that two hexadecimal digits follow each "%" in the path, the query
	// and the fragment.
	soundEscapes
)

// Parse splits text into components, as in RFC 3986 appendix B. Parse accepts every text, and
// [URI.Check] reports the faults. Parse does not allocate memory.
func Parse(text string) URI {
	ends, rest, found := octet.Scan(text)
	known := locus.Facts(rest >> 32)
	if ends == 0 || !known.Has(tailFacts) || !octet.Is(text[0], octet.Alpha) {
		colon, host, port, path, query, fragment, facts := readAny(text)
		return URI{text, colon, host, port, path, query, fragment, facts}
	}
	// Local variables stay in registers. The fields of a URI would be in memory, and reading
	// them directly after writing is slow.
	colon, port, slash, hash, question := int(uint16(ends)), int(ends>>48), int(uint16(rest)), int(uint16(rest>>16)), int(uint16(found))
	host, path, end, query, fragment, facts := 0, colon+1, len(text), 0, 0, plainHead|noDigit|plainTail|soundEscapes
	if hash > 0 {
		end, fragment = hash, hash+1
	}
	if question > 0 {
		query = question + 1
	}
	if known.Has(locus.Internet) {
		host, path = colon+len("://"), end
		if slash > 0 {
			path = slash
		}
		if !known.Has(locus.HostName) && host < path && startsWithDigit(text, host) {
			facts &^= noDigit
		}
	}
	return URI{text, colon, host, port, path, query, fragment, facts}
}

// tailFacts are the facts that together imply plainTail. The only valid character that is not an
// xchar is "~", which readAny handles.
const tailFacts = locus.PathXchar | locus.FragmentXchar

// startsWithDigit reports whether a label of the host that begins at offset i begins with a
// digit.
func startsWithDigit(text string, i int) bool {
	_, shape := octet.Host(text, i)
	return shape&octet.HostDigit != 0
}

// readAny returns the offsets and facts of any text.
func readAny(text string) (colon, host, port, path, query, fragment int, facts facts) {
	colon, host, port, path, facts = readPlain(text)
	if facts == 0 {
		colon, host, port, path = readHead(text)
	}
	end, all := octet.Run(text, path)
	if end < len(text) && text[end] != '#' {
		all = 0 // the text contains a character that no component allows
		end = indexAnyFrom(text, end, "#")
	}
	if all&octet.NoQuery == 0 {
		if i := strings.IndexByte(text[path:end], '?'); i >= 0 {
			query = path + i + 1
		}
	}
	if end < len(text) {
		fragment = end + 1
		all &= octet.All(text[fragment:])
	}
	if all&octet.Generic != 0 {
		facts |= plainTail
	}
	if all&octet.Literal != 0 || areEscapes(text, path) {
		facts |= soundEscapes
	}
	return colon, host, port, path, query, fragment, facts
}

// readPlain reads the text before the path, if [plainHead] holds for this text. Otherwise,
// readPlain returns no facts.
func readPlain(text string) (colon, host, port, path int, facts facts) {
	colon, _ = octet.SchemeEnd(text)
	if colon == 0 || colon == len(text) || text[colon] != ':' || !octet.Is(text[0], octet.Alpha) {
		return 0, 0, 0, 0, 0
	}
	host = colon + len("://")
	if host > len(text) || text[colon+1] != '/' || text[colon+2] != '/' {
		return colon, 0, 0, colon + 1, plainHead | noDigit
	}
	path, shape := octet.Host(text, host)
	if path < len(text) && text[path] == ':' {
		port = path
		path = plainPort(text, port+1)
	}
	if path < len(text) && text[path] != '/' && text[path] != '?' && text[path] != '#' {
		return 0, 0, 0, 0, 0
	}
	if shape&octet.HostDigit == 0 {
		facts = noDigit
	}
	return colon, host, port, path, facts | plainHead
}

// plainPort returns the offset after the port that begins at offset i, if the port is 1 to
// 65535 without leading zeros. Otherwise, plainPort returns the offset of the ":" before the
// port.
func plainPort(text string, i int) (end int) {
	n := 0
	for end = i; end < len(text) && octet.Is(text[end], octet.Digit) && end-i < len("65535"); end++ {
		n = n*10 + int(text[end]-'0')
	}
	if end == i || text[i] == '0' || n > math.MaxUint16 {
		return i - 1
	}
	return end
}

// readHead reads the part of any text that precedes the path.
func readHead(text string) (colon, host, port, path int) {
	if i := strings.IndexAny(text, ":/?#"); i > 0 && text[i] == ':' {
		colon, path = i, i+1
	}
	if !strings.HasPrefix(text[path:], "//") {
		return colon, 0, 0, path
	}
	host = path + len("//")
	path = indexAnyFrom(text, host, "/?#")
	if i := strings.LastIndexByte(text[host:path], '@'); i >= 0 {
		host += i + 1
	}
	if i := strings.LastIndexByte(text[host:path], ':'); i >= 0 && i > strings.LastIndexByte(text[host:path], ']') {
		port = host + i
	}
	return colon, host, port, path
}

// indexAnyFrom returns the offset of the first character at or after offset i that chars
// contains. If there is no such character, indexAnyFrom returns the length of text.
func indexAnyFrom(text string, i int, chars string) int {
	if n := strings.IndexAny(text[i:], chars); n >= 0 {
		return i + n
	}
	return len(text)
}

// String returns the text as written, including a password.
func (u URI) String() string { return u.text }

// Format writes u with a hidden password, for every verb of package fmt.
func (u URI) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), locus.Mask(u.text))
}

// Scheme returns the scheme as written (section 3.1). ok reports whether u has a scheme. A URI
// without a scheme is a relative reference (section 4.2).
func (u URI) Scheme() (text string, ok bool) { return u.text[:u.colon], u.colon > 0 }

// hasAuthority reports whether u contains "//" before the path (section 3.2).
func (u URI) hasAuthority() bool { return u.host > 0 }

// Authority returns userinfo, host and port as written (section 3.2). ok reports whether u
// contains the "//" before them.
func (u URI) Authority() (text string, ok bool) {
	if !u.hasAuthority() {
		return "", false
	}
	return u.text[u.authorityStart():u.path], true
}

// authorityStart returns the offset after the "//".
func (u URI) authorityStart() int {
	if u.colon == 0 {
		return len("//")
	}
	return u.colon + len("://")
}

// Userinfo returns the userinfo as written, including a password (section 3.2.1). ok reports
// whether u contains the "@" after the userinfo.
func (u URI) Userinfo() (text string, ok bool) {
	if start := u.authorityStart(); u.host > start {
		return u.text[start : u.host-1], true
	}
	return "", false
}

// Host returns the host as written, including the brackets of an IP literal (section 3.2.2).
// ok reports whether u has an authority. The host of an authority may be empty.
func (u URI) Host() (text string, ok bool) {
	switch {
	case !u.hasAuthority():
		return "", false
	case u.port > 0:
		return u.text[u.host:u.port], true
	}
	return u.text[u.host:u.path], true
}

// Port returns the port as written (section 3.2.3). ok reports whether u contains the ":"
// before the port. The port after the ":" may be empty.
func (u URI) Port() (text string, ok bool) {
	if u.port == 0 {
		return "", false
	}
	return u.text[u.port+1 : u.path], true
}

// Path returns the path as written (section 3.3). Every URI has a path, which may be empty.
func (u URI) Path() string {
	switch {
	case u.query > 0:
		return u.text[u.path : u.query-1]
	case u.fragment > 0:
		return u.text[u.path : u.fragment-1]
	}
	return u.text[u.path:]
}

// Query returns the query as written (section 3.4). ok reports whether u contains the "?"
// before the query.
func (u URI) Query() (text string, ok bool) {
	switch {
	case u.query == 0:
		return "", false
	case u.fragment > 0:
		return u.text[u.query : u.fragment-1], true
	}
	return u.text[u.query:], true
}

// Fragment returns the fragment as written (section 3.5). ok reports whether u contains the
// "#" before the fragment.
func (u URI) Fragment() (text string, ok bool) {
	if u.fragment == 0 {
		return "", false
	}
	return u.text[u.fragment:], true
}
