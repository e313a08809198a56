package rfc3986

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// class is a set of the characters of section 2 and of the components of section 3.
type class uint8

const (
	unreserved class = 1 << iota
	subDelims
	colon
	at
	slash // and "?", in a query and a fragment
	hex
	alpha
	digit
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
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	set(letters+"0123456789-._~", unreserved)
	set("!$&'()*+,;=", subDelims)
	set(":", colon)
	set("@", at)
	set("/?", slash)
	set("0123456789ABCDEFabcdef", hex)
	set(letters, alpha)
	set("0123456789", digit)
	return t
}()

// checker collects violations.
type checker struct {
	uri  URI
	list []locus.Violation
}

func (c *checker) add(kind locus.Kind, rule, section string, offset int, text, help string, args ...any) {
	c.list = append(c.list, locus.Violation{Rule: rule, Kind: kind, Section: "RFC 3986 " + section, Offset: offset, Text: text, Help: fmt.Sprintf(help, args...)})
}

// Conforms reports whether u is a URI by the grammar of appendix A: whether
// [URI.Check] finds nothing but notes.
func (u URI) Conforms() bool { return locus.Conforms(u.Check()) }

// Check lists the violations of the grammar of appendix A, in the order of their
// offsets, and notes. A relative reference is a violation.
func (u URI) Check() []locus.Violation {
	c := checker{uri: u}
	c.scheme()
	if u.hasAuthority() {
		c.authority()
	}
	c.component("path", "3.3", u.path, u.Path(), pchar|slash)
	if text, ok := u.Query(); ok {
		c.component("query", "3.4", u.query+1, text, query)
	}
	if text, ok := u.Fragment(); ok {
		c.component("fragment", "3.5", u.fragment+1, text, query)
	}
	if len(c.list) < 2 {
		return c.list
	}
	slices.SortStableFunc(c.list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
	return c.list
}

func (c *checker) scheme() {
	text, ok := c.uri.Scheme()
	if !ok {
		c.add(locus.Ungrammatical, "scheme", "3", 0, "", `a URI begins with a scheme and ":"; this is a relative reference`)
		return
	}
	for i := range len(text) {
		if k := classes[text[i]]; k&alpha == 0 && (i == 0 || k&digit == 0 && !strings.Contains("+-.", text[i:i+1])) {
			c.add(locus.Ungrammatical, "scheme", "3.1", i, text[i:i+1], `a scheme is a letter, then letters, digits, "+", "-" and "."`)
			return
		}
	}
}

func (c *checker) authority() {
	u := c.uri
	if text, ok := u.Userinfo(); ok {
		start := u.colon + 1 + len("//")
		c.component("userinfo", "3.2.1", start, text, userinfo)
		if i := strings.IndexByte(text, ':'); i >= 0 {
			c.add(locus.Note, "password", "3.2.1", start+i, ":", "a password in a URI is deprecated: others can read it")
		}
	}
	c.host()
	port, _ := u.Port()
	for i := range len(port) {
		if classes[port[i]]&digit == 0 {
			c.add(locus.Ungrammatical, "port", "3.2.3", u.port+1+i, port[i:i+1], "a port is digits")
			return
		}
	}
	if port == "" {
		return
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		c.add(locus.Impossible, "port", "3.2.3", u.port+1, port, "a TCP or UDP port is 1 to 65535")
	}
}

func (c *checker) host() {
	text, _ := c.uri.Host()
	start := c.uri.host
	inner, literal := strings.CutPrefix(text, "[")
	if !literal {
		c.component("host", "3.2.2", start, text, regName)
		return
	}
	end := strings.IndexByte(inner, ']')
	if end < 0 {
		c.add(locus.Ungrammatical, "ip-literal", "3.2.2", start, "[", `an IP literal ends with "]"`)
		return
	}
	if after := inner[end+1:]; after != "" {
		c.add(locus.Ungrammatical, "ip-literal", "3.2.2", start+end+2, after, "nothing but a port follows an IP literal")
	}
	inner, start = inner[:end], start+1
	switch address, zone, zoned := strings.Cut(inner, "%"); {
	case isFuture(inner):
	case !isIPv6(address):
		c.add(locus.Ungrammatical, "ip-literal", "3.2.2", start, inner, "an IPv6 address in brackets is eight groups of hexadecimal digits, or fewer around one \"::\"")
	case !zoned:
	case !strings.HasPrefix(zone, "25"):
		c.list = append(c.list, locus.Violation{Rule: "zone", Section: "RFC 6874 2", Offset: start + len(address), Text: "%", Help: `write "%25" before the zone`})
	case zone == "25":
		c.list = append(c.list, locus.Violation{Rule: "zone", Section: "RFC 6874 2", Offset: start + len(address), Text: "%25", Help: "the zone is missing"})
	default:
		c.component("zone", "3.2.2", start+len(address)+len("%25"), zone[len("25"):], unreserved)
	}
}

// isIPv6 reports whether text is an IPv6address of section 3.2.2, without a zone. That of
// package netip is the same, as its test shows.
func isIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isFuture reports whether text is an IPvFuture of section 3.2.2.
func isFuture(text string) bool {
	if text == "" || text[0]|0x20 != 'v' {
		return false
	}
	version, rest, ok := strings.Cut(text[1:], ".")
	return ok && all(version, hex) && all(rest, userinfo)
}

// all reports whether text has at least one character, all of class k.
func all(text string, k class) bool {
	for i := range len(text) {
		if classes[text[i]]&k == 0 {
			return false
		}
	}
	return text != ""
}

// component checks that text, at offset, has only characters of class k and escapes.
func (c *checker) component(name, section string, offset int, text string, k class) {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if classes[b]&k != 0 {
			continue
		}
		switch {
		case b != '%':
			n := 1
			if b >= 0x80 { // one character of several octets is one finding
				for n < len(text)-i && text[i+n]&0xC0 == 0x80 {
					n++
				}
			}
			c.add(locus.Ungrammatical, "character", section, offset+i, text[i:i+n], "write %s in the %s", escaped(text[i:i+n]), name)
			i += n - 1
		case i+2 < len(text) && classes[text[i+1]]&classes[text[i+2]]&hex != 0:
			i += 2
		default:
			c.add(locus.Ungrammatical, "escape", "2.1", offset+i, "%", `write %%25, or two hexadecimal digits after "%%"`)
		}
	}
}

// escaped returns each octet of text as an escape.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}
