package rfc3986

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// class is a set of characters that RFC 3986 defines in section 2, or for a component in
// section 3.
type class uint8

const (
	unreserved class = 1 << iota
	subDelims
	colon
	at
	slash // "/", and also "?" in a query and a fragment
)

const (
	regName  = unreserved | subDelims
	userinfo = regName | colon
	pchar    = userinfo | at
	query    = pchar | slash
)

var classes = func() (t [256]class) {
	set := func(chars string, c class) {
		for i := range len(chars) {
			t[chars[i]] |= c
		}
	}
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", unreserved)
	set("!$&'()*+,;=", subDelims)
	set(":", colon)
	set("@", at)
	set("/?", slash)
	return t
}()

// checker collects violations.
type checker struct {
	uri       URI
	reference bool // whether to accept a relative reference
	// If verdictOnly is true, the caller needs only the field faulty, and the checker does not
	// create the list of findings.
	verdictOnly bool
	faulty      bool
	list        []locus.Violation
}

// addFinding records a finding, unless the caller needs only the verdict.
func (c *checker) addFinding(kind locus.Kind, rule, section string, offset int, text, help string) {
	c.faulty = c.faulty || kind != locus.Note
	if !c.verdictOnly {
		c.list = append(c.list, locus.Violation{Rule: rule, Kind: kind, Section: section, Offset: offset, Text: text, Help: help})
	}
}

// joinHelp joins the parts of a help text. If the caller needs only the verdict, joinHelp returns
// "".
func (c *checker) joinHelp(parts ...string) string {
	if c.verdictOnly {
		return ""
	}
	return strings.Join(parts, "")
}

// Conforms reports whether u matches the grammar of RFC 3986 appendix A. If so, [URI.Check]
// returns only notes.
func (u URI) Conforms() bool {
	const plain = plainHead | plainTail | soundEscapes
	if u.facts&plain == plain {
		return true
	}
	c := checker{uri: u, verdictOnly: true}
	c.check()
	return !c.faulty
}

// areEscapes reports whether two hexadecimal digits follow every "%" at or after offset i.
func areEscapes(text string, i int) bool {
	for {
		n := strings.IndexByte(text[i:], '%')
		if n < 0 {
			return true
		}
		if i += n; !octet.IsEscape(text, i) {
			return false
		}
		i += len("%00")
	}
}

// Check returns the violations of the grammar in RFC 3986 appendix A, and notes, in order of
// offset. A relative reference is a violation. An absolute-URI (section 4.3) is a URI without
// a [URI.Fragment].
func (u URI) Check() []locus.Violation {
	if u.isPlain() {
		return nil
	}
	return u.list(false)
}

// CheckReference is like [URI.Check], but checks a URI-reference (section 4.1). CheckReference
// also accepts a relative reference (section 4.2).
func (u URI) CheckReference() []locus.Violation {
	if u.isPlain() {
		return nil
	}
	return u.list(true)
}

// isPlain reports whether the facts about u prove that u has no violations and no notes.
func (u URI) isPlain() bool {
	const plain = plainHead | noDigit | plainTail | soundEscapes
	return u.facts&plain == plain
}

func (u URI) list(reference bool) []locus.Violation {
	c := checker{uri: u, reference: reference}
	c.check()
	slices.SortStableFunc(c.list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
	return c.list
}

func (c *checker) check() {
	c.scheme()
	u := c.uri
	if u.hasAuthority() {
		c.authority()
	}
	c.checkComponent("path", "RFC 3986 3.3", u.path, u.Path(), pchar|slash)
	if text, ok := u.Query(); ok {
		c.checkComponent("query", "RFC 3986 3.4", u.query, text, query)
	}
	if text, ok := u.Fragment(); ok {
		c.checkComponent("fragment", "RFC 3986 3.5", u.fragment, text, query)
	}
}

func (c *checker) scheme() {
	text, ok := c.uri.Scheme()
	for i := range len(text) {
		if octet.Is(text[i], octet.Scheme) && (i > 0 || octet.Is(text[i], octet.Alpha)) {
			continue
		}
		if c.reference { // in a reference, the text begins a path
			c.uri.colon, c.uri.host, c.uri.port, c.uri.path = 0, 0, 0, 0
			ok = false
			break
		}
		c.addFinding(locus.Ungrammatical, "scheme", "RFC 3986 3.1", i, text[i:i+1], `a scheme is a letter, then letters, digits, "+", "-" and "."`)
		return
	}
	switch {
	case ok:
	case !c.reference:
		c.addFinding(locus.Ungrammatical, "scheme", "RFC 3986 3", 0, "", `a URI begins with a scheme and ":"; this is a relative reference`)
	case !c.uri.hasAuthority() && colonInSegment(c.uri.Path()):
		c.addFinding(locus.Ungrammatical, "path-noscheme", "RFC 3986 4.2", 0, "", `write ./ before a relative path with ":" in its first segment`)
	}
}

// colonInSegment reports whether the first segment of path contains a ":".
func colonInSegment(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ":")
}

func (c *checker) authority() {
	u := c.uri
	if text, ok := u.Userinfo(); ok {
		start := u.authorityStart()
		c.checkComponent("userinfo", "RFC 3986 3.2.1", start, text, userinfo)
		if i := strings.IndexByte(text, ':'); i >= 0 {
			c.addFinding(locus.Note, "password", "RFC 3986 3.2.1", start+i, ":", "a password in a URI is deprecated: others can read it")
		}
	}
	if bare := u.text[u.host:u.path]; !c.verdictOnly && isIPv6(bare) { // the verdict does not need this
		c.addFinding(locus.Ungrammatical, "ip-literal", "RFC 3986 3.2.2", u.host, bare, "write ["+bare+"] for an IPv6 address")
		return
	}
	c.host()
	c.port()
}

func (c *checker) port() {
	port, _ := c.uri.Port()
	start := c.uri.port + 1
	n := 0
	for i := range len(port) {
		if !octet.Is(port[i], octet.Digit) {
			c.addFinding(locus.Ungrammatical, "port", "RFC 3986 3.2.3", start+i, port[i:i+1], "a port is digits")
			return
		}
		n = min(n*10+int(port[i]-'0'), math.MaxUint16+1)
	}
	if port != "" && (n == 0 || n > math.MaxUint16) {
		c.addFinding(locus.Impossible, "port", "RFC 3986 3.2.3", start, port, "a TCP or UDP port is 1 to 65535")
	}
}

func (c *checker) host() {
	text, _ := c.uri.Host()
	start := c.uri.host
	inner, literal := strings.CutPrefix(text, "[")
	if !literal {
		c.checkComponent("host", "RFC 3986 3.2.2", start, text, regName)
		if !c.verdictOnly && isRareAddress(text) {
			c.addFinding(locus.Note, "rare-address", "RFC 3986 7.4", start, text, "a name by the grammar, but many programs read it as an IPv4 address: write four decimal numbers without leading zeros")
		}
		return
	}
	end := strings.IndexByte(inner, ']')
	if end < 0 {
		c.addFinding(locus.Ungrammatical, "ip-literal", "RFC 3986 3.2.2", start, "[", `an IP literal ends with "]"`)
		return
	}
	if after := inner[end+1:]; after != "" {
		help := "only a port follows an IP literal"
		if isAll(after, octet.Digit) && c.uri.port == 0 {
			help = c.joinHelp("write :", after, " if it is a port")
		}
		c.addFinding(locus.Ungrammatical, "ip-literal", "RFC 3986 3.2.2", start+end+2, after, help)
	}
	c.checkLiteral(inner[:end], start+1)
}

// checkLiteral checks the text between the brackets of an IP literal. The text begins at start.
func (c *checker) checkLiteral(text string, start int) {
	address, _, zoned := strings.Cut(text, "%")
	switch {
	case isFuture(text):
	case !isIPv6(address):
		c.addFinding(locus.Ungrammatical, "ip-literal", "RFC 3986 3.2.2", start, text, "an IPv6 address in brackets is eight groups of hexadecimal digits, or fewer around one \"::\"")
	case zoned:
		c.addFinding(locus.Ungrammatical, "zone", "RFC 3986 3.2.2", start+len(address), text[len(address):], "leave out the zone: an address in a URI has none (RFC 9844 obsoletes RFC 6874)")
	}
}

// isRareAddress reports whether a host is an IPv4 address in one of the unusual formats of RFC
// 3986 section 7.4. A rare address does not match the production IPv4address.
func isRareAddress(host string) bool {
	if host == "" || !octet.Is(host[0], octet.Digit) {
		return false
	}
	rare, parts := false, 0
	for part := range strings.SplitSeq(host, ".") {
		parts++
		n, err := strconv.ParseUint(part, 0, 32)
		if part == "" || err != nil && !isAll(part, octet.Digit) || strings.ContainsAny(part, "_bBoO") {
			return false
		}
		rare = rare || part != strconv.FormatUint(n, 10) || n > math.MaxUint8
	}
	return parts <= 4 && (rare || parts < 4)
}

// isIPv6 reports whether text is an IPv6address of section 3.2.2, without a zone. A test
// verifies that package netip accepts the same addresses.
func isIPv6(text string) bool {
	if strings.IndexByte(text, ':') == strings.LastIndexByte(text, ':') {
		return false // return early, because ParseAddr allocates an error
	}
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isFuture reports whether text is an IPvFuture of section 3.2.2.
func isFuture(text string) bool {
	if text == "" || text[0]|0x20 != 'v' {
		return false
	}
	version, rest, ok := strings.Cut(text[1:], ".")
	return ok && isAll(version, octet.Hex) && rest != "" && strings.IndexFunc(rest, func(r rune) bool { return r >= 0x80 || classes[r]&userinfo == 0 }) < 0
}

// isAll reports whether text consists of one or more characters of class k.
func isAll(text string, k octet.Class) bool { return text != "" && octet.All(text)&k != 0 }

// checkComponent checks that text, which begins at offset, consists of escapes and characters of
// class k.
func (c *checker) checkComponent(name, section string, offset int, text string, k class) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if classes[b]&k != 0 {
			continue
		}
		switch {
		case b != '%':
			n := 1
			if b >= 0x80 { // report only one finding for a character of several octets
				for n < len(text)-i && text[i+n]&0xC0 == 0x80 {
					n++
				}
			}
			c.addFinding(locus.Ungrammatical, "character", section, offset+i, text[i:i+n], c.joinHelp("write ", c.escapeOctets(text[i:i+n]), " in the ", name))
			i += n - 1
		case octet.IsEscape(text, i):
			i += 2
		default:
			c.addFinding(locus.Ungrammatical, "escape", "RFC 3986 2.1", offset+i, "%", `write %25, or two hexadecimal digits after "%"`)
		}
	}
}

// escapeOctets returns each octet of text as an escape, or "" if the caller needs only the
// verdict.
func (c *checker) escapeOctets(text string) string {
	if c.verdictOnly {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprintf(" % X", text), " ", "%")
}
