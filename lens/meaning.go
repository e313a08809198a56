package lens

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/locus-url/locus/scheme"
)

// meaning is a normalized result. Results with the same meaning have equal parts.
type meaning struct {
	parts  map[string]string
	unseen []string
	nested bool // whether the host comes from a URL within the URL
}

func (l *Lens) meaning(r ParseResult) meaning {
	m := meaning{parts: make(map[string]string, len(PartNames())), unseen: r.Unseen}
	name := strings.ToLower(value(r.Scheme))
	row, known := l.registry.Lookup(name)
	m.parts["scheme"] = name
	m.parts["user"] = unescape(value(r.User))
	m.parts["password"] = unescape(value(r.Password))
	m.parts["host"] = dialedHost(value(r.Host))
	if known && row.Traits.Has(scheme.Files) && m.parts["host"] == "localhost" {
		m.parts["host"] = "" // an absent host and localhost both mean this machine (RFC 1738 section 3.10)
	}
	m.parts["port"] = portNumber(value(r.Port), row.Port)
	if !known && m.parts["port"] == "" {
		m.unseen = append(slices.Clone(m.unseen), "port") // the parser may return the default port of the scheme
	}
	m.parts["path"] = normalizeEscapes(value(r.Path))
	if m.parts["path"] == "" && m.parts["host"] != "" {
		m.parts["path"] = "/"
	}
	m.parts["query"] = normalizeEscapes(value(r.Query))
	m.parts["fragment"] = normalizeEscapes(value(r.Fragment))
	return m
}

// bothExpose reports whether both parsers expose the part.
func (m meaning) bothExpose(other meaning, part string) bool {
	return !slices.Contains(m.unseen, part) && !slices.Contains(other.unseen, part)
}

func (m meaning) differences(other meaning) (list []string) {
	for _, part := range PartNames() {
		if m.bothExpose(other, part) && m.parts[part] != other.parts[part] {
			list = append(list, part)
		}
	}
	return list
}

// sameTarget reports whether both results contact the same target. If one result contacts no
// host, sameTarget compares only the schemes.
func (m meaning) sameTarget(other meaning) bool {
	if !m.samePart(other, "scheme") {
		return false
	}
	return m.hasNoHost() || other.hasNoHost() || m.samePart(other, "host") && m.samePart(other, "port")
}

// dangerRank returns a rank for how clearly m shows a danger. The rank is highest for the host of
// a nested URL. If m has no host, the rank is zero.
func (m meaning) dangerRank() int {
	switch {
	case m.parts["host"] == "":
		return 0
	case m.nested:
		return 3
	}
	return 1
}

// hasNoHost reports whether m contacts no host.
func (m meaning) hasNoHost() bool { return m.parts["host"] == "" && !slices.Contains(m.unseen, "host") }

// samePart reports whether the given part is the same in both results. In a hostname, samePart
// ignores a dot at the end and a ":" at the end, which some parsers return for an empty port. If
// a result has no scheme, the caller must compare the schemes.
func (m meaning) samePart(other meaning, part string) bool {
	a, b := m.parts[part], other.parts[part]
	switch part {
	case "host":
		a, b = strings.TrimSuffix(strings.TrimSuffix(a, ":"), "."), strings.TrimSuffix(strings.TrimSuffix(b, ":"), ".")
	case "scheme":
		if a == "" || b == "" {
			return true
		}
	}
	return a == b || !m.bothExpose(other, part)
}

// portNumber returns the port number, or byDefault if text contains no port number.
func portNumber(text string, byDefault uint16) string {
	if text == "" && byDefault != 0 {
		return strconv.Itoa(int(byDefault))
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil && text[0] != '+' {
		return strconv.FormatUint(n, 10)
	}
	return text
}

// labelConverter converts the labels of a hostname to A-labels. The conversion does not replace a
// character with an equivalent character.
var labelConverter = idna.New(idna.ValidateForRegistration(), idna.StrictDomainName(false))

// dialedHost returns the host that a program would dial. An IPv6 address is returned in one
// spelling, and a hostname is returned in lower case with A-labels. Any other text is returned
// unchanged. An IPv4 address in octal or with fewer than four numbers stays unchanged, because
// only some programs dial such a text as an address.
func dialedHost(text string) string {
	inner := text
	if strings.HasPrefix(inner, "[") && strings.HasSuffix(inner, "]") {
		inner = inner[1 : len(inner)-1]
	}
	if strings.Contains(inner, ":") {
		if ip, err := netip.ParseAddr(strings.Replace(inner, "%25", "%", 1)); err == nil {
			return "[" + ip.String() + "]"
		}
		return text
	}
	if !utf8.ValidString(text) {
		return text // the octets are not UTF-8, so they have no equivalent hostname
	}
	lower := strings.ToLower(text)
	if isASCII(lower) {
		return lower
	}
	if name, err := labelConverter.ToASCII(lower); err == nil {
		return name
	}
	return lower
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

const hexDigits = "0123456789ABCDEF"

// unescape decodes every escape in text. The result is not decoded again.
func unescape(text string) string {
	return mapEscapes(text, func(b []byte, o byte, _ bool) []byte { return append(b, o) })
}

// normalizeEscapes normalizes the escapes in text. Each octet that only some programs escape is
// escaped, and escapes that never change the meaning are decoded. Delimiters do not change.
func normalizeEscapes(text string) string {
	const unreserved = "-._~"
	const delimiters = "!$&()*+,;=:@/?#%"
	return mapEscapes(text, func(b []byte, o byte, escaped bool) []byte {
		switch {
		case isAlphanumeric(o), strings.IndexByte(unreserved, o) >= 0,
			!escaped && strings.IndexByte(delimiters, o) >= 0:
			return append(b, o)
		}
		return append(b, '%', hexDigits[o>>4], hexDigits[o&15])
	})
}

// mapEscapes calls appendOctet for each octet of text, and returns the result. escaped is true if
// the octet is escaped in text.
func mapEscapes(text string, appendOctet func(b []byte, o byte, escaped bool) []byte) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if isEscape(text[i:]) {
			n, _ := strconv.ParseUint(text[i+1:i+3], 16, 8)
			b = appendOctet(b, byte(n), true)
			i += 2
			continue
		}
		b = appendOctet(b, text[i], false)
	}
	return string(b)
}

// isEscape reports whether text begins with an escape.
func isEscape(text string) bool {
	return len(text) > 2 && text[0] == '%' && strings.Trim(text[1:3], "0123456789ABCDEFabcdef") == ""
}

func isAlphanumeric(o byte) bool {
	return 'a' <= o && o <= 'z' || 'A' <= o && o <= 'Z' || '0' <= o && o <= '9'
}
