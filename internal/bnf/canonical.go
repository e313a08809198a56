package bnf

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// Spelled reports whether the scheme, login, port and escapes in u are in canonical form.
// Spelled uses only the facts about u. The caller must check the scheme's own rules for the
// url-path.
func Spelled(u locus.URL, defaultPort uint16) bool {
	const facts = locus.SchemeLower | locus.HostLower | locus.PortPlain | locus.NoEscape | locus.PathXchar
	const internet = locus.Internet | locus.NoUser | locus.NoPort | locus.Slash
	f := u.Facts()
	if _, fragment := u.Fragment(); fragment || !f.Has(facts) {
		return false
	}
	if f.Has(internet) && f&(locus.HostName|locus.HostNumber|locus.NoHost) != 0 {
		return true
	}
	if f.Has(locus.Internet) {
		if port, ok := u.Port(); ok && port == defaultPort {
			return false
		}
		if !f.Has(locus.NoUser) || f&(locus.HostName|locus.HostNumber) == 0 && u.Host() != "" || u.MissingSlash() {
			return false
		}
	}
	return true
}

// Canon writes the canonical form of a URL part by part, and records the changes. Before the
// first change, a Canon does not copy the text.
type Canon struct {
	URL       locus.URL
	Change    locus.Change
	prefixLen int // before startCopy is called, the output is the first prefixLen octets of URL
	copied    bool
	output    strings.Builder // the output after startCopy was called
}

// Begin writes the scheme's name and ":".
func (c *Canon) Begin(u locus.URL) {
	c.URL, c.Change, c.prefixLen, c.copied = u, 0, 0, false
	c.output.Reset()
	if u.Facts().Has(locus.SchemeLower) {
		c.prefixLen = len(u.Scheme()) + len(":")
		return
	}
	c.Change = locus.SchemeCase
	c.startCopy()
	for _, o := range []byte(u.String()) {
		c.output.WriteByte(o | 0x20) // the same octet, or the letter in lower case
		if o == ':' {
			break
		}
	}
}

func (c *Canon) mark(changed bool, what locus.Change) {
	if changed {
		c.Change |= what
	}
}

// Internet writes the text before the url-path for a URL with "//". Internet writes a "/"
// before the url-path even if the URL lacks that "/".
func (c *Canon) Internet(u locus.URL, defaultPort uint16) {
	c.Begin(u)
	c.Login(defaultPort)
	_, slash := u.Path()
	c.mark(!slash || u.MissingSlash(), locus.EmptyPath)
	c.Raw("/")
}

// Login writes "//", user, password, host and port.
func (c *Canon) Login(defaultPort uint16) {
	const plain = locus.Internet | locus.NoUser | locus.HostLower | locus.PortPlain
	if f := c.URL.Facts(); !c.copied && f.Has(plain) && f&(locus.HostName|locus.HostNumber) != 0 {
		if port, ok := c.URL.Port(); !ok || port != defaultPort {
			login, _ := c.URL.Login()
			c.prefixLen += len("//") + len(login)
			return
		}
	}
	c.Raw("//")
	if user, ok := c.URL.User(); ok {
		c.Text(user, escape.Unreserved())
		if password, ok := c.URL.Password(); ok {
			c.Raw(":")
			c.Text(password, escape.Unreserved())
		}
		c.Raw("@")
	}
	c.Host(c.URL.Host())
	if text, ok := c.URL.PortText(); ok {
		n, _ := c.URL.Port()
		switch {
		case text == "":
			c.Change |= locus.PortZeros
		case n == defaultPort && n != 0:
			c.Change |= locus.DefaultPort
		default:
			digits := text
			if !c.URL.Facts().Has(locus.PortPlain) {
				digits = strconv.Itoa(int(n))
			}
			c.mark(digits != text, locus.PortZeros)
			c.Raw(":")
			c.Raw(digits)
		}
	}
}

// Host writes a hostname in lower case, a hostnumber without leading zeros, and an IPv6
// address in the format of RFC 5952 section 4. Host writes any other host in lower case, with
// upper-case digits in escapes.
func (c *Canon) Host(host string) {
	if f := c.URL.Facts(); f.Has(locus.HostLower) && f&(locus.HostName|locus.HostNumber) != 0 && host == c.URL.Host() {
		c.Raw(host)
		return
	}
	written := host
	if !strings.HasPrefix(host, "[") { // the zone of an IPv6 address may contain "%"
		written = upperEscapes(host)
	}
	c.mark(written != host, locus.EscapeCase)
	lower := lowerHost(written)
	c.mark(lower != written, locus.HostCase)
	if strings.HasPrefix(lower, "[") {
		if a, err := netip.ParseAddr(strings.Trim(lower, "[]")); err == nil {
			text := "[" + a.String() + "]"
			c.mark(text != lower, locus.HostAddress)
			c.Raw(text)
			return
		}
	}
	plain := withoutZeros(lower)
	c.mark(plain != lower, locus.HostZeros)
	c.Raw(plain)
}

// lowerHost returns host in lower case. lowerHost does not change the digits in escapes.
func lowerHost(host string) string {
	if strings.HasPrefix(host, "[") {
		return octet.ToLower(host)
	}
	return upperEscapes(octet.ToLower(host))
}

// upperEscapes returns text with upper-case digits in its escapes.
func upperEscapes(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	b := []byte(text)
	for i := range b {
		if b[i] == '%' && octet.IsEscape(text, i) {
			copy(b[i+1:], strings.ToUpper(text[i+1:i+3]))
		}
	}
	return string(b)
}

// withoutZeros removes leading zeros from a hostnumber of section 5. withoutZeros returns any
// other host unchanged.
func withoutZeros(host string) string {
	if strings.Count(host, ".") != 3 {
		return host
	}
	numbers := strings.Split(host, ".")
	for i, n := range numbers {
		if n == "" || octet.All(n)&octet.Digit == 0 {
			return host
		}
		if numbers[i] = strings.TrimLeft(n, "0"); numbers[i] == "" {
			numbers[i] = "0"
		}
	}
	return strings.Join(numbers, ".")
}

// Raw writes text unchanged.
func (c *Canon) Raw(text string) {
	if !c.copied {
		if written := c.URL.String(); strings.HasPrefix(written[c.prefixLen:], text) {
			c.prefixLen += len(text)
			return
		}
		c.startCopy()
	}
	c.output.WriteString(text)
}

// startCopy copies the output so far to the field output, because the next octet may differ from
// URL.
func (c *Canon) startCopy() {
	if c.copied {
		return
	}
	c.copied = true
	c.output.Grow(c.URL.Len() + len("/1%XX%XX%XX"))
	c.output.WriteString(c.URL.String()[:c.prefixLen])
}

// Text writes text with canonical escapes. Text decodes each escape of a character in the set
// decodable, and writes other escapes with upper-case digits. It encodes octets that are not
// xchars. The set decodable must contain only characters that have the same meaning in this part
// with and without an escape.
func (c *Canon) Text(text string, decodable escape.Set) { c.rewrite(text, decodable, xchars) }

// Path is like Text, but for the url-path, the scheme-specific part, or a piece of these
// parts.
func (c *Canon) Path(text string, decodable escape.Set) {
	if c.URL.Facts().Has(locus.PathXchar) && hasCanonicalEscapes(text, decodable) {
		c.Raw(text)
	} else {
		c.Text(text, decodable)
	}
}

// hasCanonicalEscapes reports whether [Canon.Text] would leave the escapes in text unchanged.
func hasCanonicalEscapes(text string, decodable escape.Set) bool {
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			return true
		}
		if !octet.IsUpperEscape(text, i) || decodable.Has(octet.Unescape(text, i)) {
			return false
		}
		text = text[i+len("%XX"):]
	}
}

var xchars = escape.Xchar()

// rewrite writes text with canonical escapes. Characters in literal are not escaped. Escaped
// characters that are in decodable are decoded.
func (c *Canon) rewrite(text string, decodable, literal escape.Set) {
	for {
		i := canonicalPrefix(text, decodable, literal)
		c.Raw(text[:i])
		if i == len(text) {
			return
		}
		i += c.writeOctet(text[i:], decodable)
		text = text[i:]
	}
}

// canonicalPrefix returns the length of the longest prefix of text that rewrite would not change.
func canonicalPrefix(text string, decodable, literal escape.Set) int {
	both := literal.Has('/') && literal.Has(':') // octet.Plain contains "/" and ":", which literal may lack
	for i := 0; i < len(text); {
		if both {
			if i = octet.Plain(text, i); i == len(text) {
				break
			}
		}
		switch c := text[i]; {
		case octet.Is(c, octet.Unreserved) || literal.Has(c):
			i++
		case c == '%' && octet.IsUpperEscape(text, i) && !decodable.Has(octet.Unescape(text, i)):
			i += len("%XX")
		default:
			return i
		}
	}
	return len(text)
}

// writeOctet writes the first octet of text. If the octet is escaped and in decodable, writeOctet
// writes the octet without the escape. Otherwise, writeOctet writes an escape. size is the length
// of the octet in text.
func (c *Canon) writeOctet(text string, decodable escape.Set) (size int) {
	o, size := Octet(text, 0)
	if size > 1 && decodable.Has(o) {
		c.Change |= locus.NeedlessEscape
		c.startCopy()
		c.output.WriteByte(o)
		return size
	}
	high, low := octet.UpperHex[o>>4], octet.UpperHex[o&15]
	c.startCopy()
	c.output.WriteByte('%')
	c.output.WriteByte(high)
	c.output.WriteByte(low)
	c.mark(size == 1, locus.MissingEscape)
	c.mark(size > 1 && (text[1] != high || text[2] != low), locus.EscapeCase)
	return size
}

// Octets writes text with canonical escapes. Octets does not change the characters in preserved
// and their escapes, because only these characters differ in meaning from their escapes. Octets
// does not escape the characters of the set literal. Octets escapes all other characters. Each
// unreserved character must be in one of the two sets.
func (c *Canon) Octets(text string, literal, preserved escape.Set) {
	c.rewrite(text, literal, literal.Union(preserved))
}

// Slashes writes a leading "//" of a scheme-specific part as "/%2F", because "//" would begin
// a host. The slashes in text may be escaped. Slashes returns the text after the slashes.
func (c *Canon) Slashes(text string) (rest string) {
	i := 0
	for range 2 {
		if i == len(text) {
			return text
		}
		o, size := Octet(text, i)
		if o != '/' {
			return text
		}
		i += size
	}
	const slashes = "/%2F"
	c.mark(text[:i] == "//", locus.MissingEscape)
	c.mark(text[:i] != "//" && text[:i] != slashes, locus.NeedlessEscape)
	c.Raw(slashes)
	return text[i:]
}

// End writes the fragment and returns the canonical URL and the changes.
func (c *Canon) End() (locus.URL, locus.Change, error) {
	if fragment, ok := c.URL.Fragment(); ok {
		if fragment == "" {
			c.Change |= locus.VoidFragment
		} else {
			c.Raw("#")
			c.Text(fragment, escape.Unreserved())
		}
	}
	text := c.URL.String()[:c.prefixLen]
	if c.copied {
		text = c.output.String()
	}
	if text == c.URL.String() {
		return c.URL, 0, nil
	}
	u, err := locus.Parse(text)
	return u, c.Change, err
}
