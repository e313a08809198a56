package whatwg

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Port returns the port, or "" if the port is absent or the scheme's default port.
func (u *URL) Port() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(int(u.port))
}

// setHost implements the host parser (section 3.5). i is the offset of text in p.text.
func (p *parser) setHost(text string, i int, opaque bool) error {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if !strings.HasSuffix(inner, "]") {
			return p.fail("IPv6-unclosed", i)
		}
		pieces, at, fault := parseIPv6(inner[:len(inner)-1])
		if fault != "" {
			return p.fail(fault, i+1+at)
		}
		p.url.host = formatIPv6(pieces)
		return nil
	}
	if opaque {
		for j := range len(text) {
			if table[text[j]]&forbiddenHost != 0 {
				return p.fail("host-invalid-code-point", i+j)
			}
		}
		p.recordInvalidUnits(i, i+len(text))
		p.url.host = encode(text, controlSet)
		return nil
	}
	domain, fault, bad := domainToASCII(decode(text))
	if fault != "" {
		return p.fail(fault, i+max(strings.IndexByte(text, bad), 0))
	}
	if !endsInNumber(domain) {
		p.url.host = domain
		return nil
	}
	host, notes, fault := parseIPv4(domain)
	for _, name := range notes {
		p.recordError(name, i, len(text))
	}
	if fault != "" {
		return p.fail(fault, i)
	}
	p.url.host = host
	return nil
}

// domainToASCII implements the algorithm "domain to ASCII" (section 3.3) and the check for
// forbidden octets. If the domain contains a forbidden octet, forbidden is that octet.
func domainToASCII(domain string) (ascii, fault string, forbidden byte) {
	domain = lowerASCII(domain)
	if !isASCII(domain) {
		var ok bool
		if domain, ok = toASCII(strings.ToValidUTF8(domain, "\uFFFD")); !ok {
			return "", "domain-to-ASCII", 0
		}
	}
	for i := range len(domain) {
		if table[domain[i]]&forbiddenDomain != 0 {
			return "", "domain-invalid-code-point", domain[i]
		}
	}
	return domain, "", 0
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// endsInNumber implements the ends-in-a-number checker (section 3.5).
func endsInNumber(domain string) bool {
	domain = strings.TrimSuffix(domain, ".")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if last == "" || table[last[0]]&digit == 0 {
		return false
	}
	_, _, ok := parseIPv4Number(last)
	return ok || strings.Trim(last, "0123456789") == ""
}

// parseIPv4Number implements the IPv4 number parser. If the number is too large,
// parseIPv4Number returns MaxUint64.
func parseIPv4Number(text string) (n uint64, decimal, ok bool) {
	base := 10
	switch {
	case text == "":
		return 0, true, false
	case len(text) >= 2 && text[0] == '0' && text[1]|0x20 == 'x':
		text, base = text[2:], 16
	case len(text) >= 2 && text[0] == '0':
		text, base = text[1:], 8
	}
	if text == "" {
		return 0, false, true
	}
	for i := range len(text) {
		if table[text[i]]&hex == 0 || int(unhex(text[i])) >= base {
			return 0, false, false
		}
		if d := uint64(unhex(text[i])); n > (math.MaxUint64-d)/uint64(base) {
			n = math.MaxUint64
		} else {
			n = n*uint64(base) + d
		}
	}
	return n, base == 10, true
}

// parseIPv4 implements the IPv4 parser and serializer. notes holds the names of validation errors
// that the parser tolerates. If the address is invalid, fault is the name of the validation
// error.
func parseIPv4(text string) (address string, notes []string, fault string) {
	parts := strings.Split(text, ".")
	if last := len(parts) - 1; parts[last] == "" && last > 0 {
		notes, parts = append(notes, "IPv4-empty-part"), parts[:last]
	}
	if len(parts) > 4 {
		return "", notes, "IPv4-too-many-parts"
	}
	var sum uint64
	for i, part := range parts {
		n, decimal, ok := parseIPv4Number(part)
		if !ok {
			return "", notes, "IPv4-non-numeric-part"
		}
		if !decimal {
			notes = append(notes, "IPv4-non-decimal-part")
		}
		if n > 255 && i < len(parts)-1 || n >= 1<<(8*(5-len(parts))) && i == len(parts)-1 {
			return "", notes, "IPv4-out-of-range-part"
		}
		if n > 255 {
			notes = append(notes, "IPv4-out-of-range-part")
		}
		if i == len(parts)-1 {
			sum |= n
		} else {
			sum |= n << (8 * (3 - i))
		}
	}
	return fmt.Sprintf("%d.%d.%d.%d", sum>>24, sum>>16&255, sum>>8&255, sum&255), notes, ""
}

// parseIPv6 implements the IPv6 parser. If s is invalid, fault is the name of the validation
// error, and offset is the offset of the error in s.
func parseIPv6(s string) (pieces [8]uint16, offset int, fault string) {
	piece, compress, i := 0, -1, 0
	if strings.HasPrefix(s, ":") {
		if !strings.HasPrefix(s, "::") {
			return pieces, 0, "IPv6-invalid-compression"
		}
		i, piece, compress = 2, 1, 1
	}
	for i < len(s) {
		if piece == 8 {
			return pieces, i, "IPv6-too-many-pieces"
		}
		if s[i] == ':' {
			if compress >= 0 {
				return pieces, i, "IPv6-multiple-compression"
			}
			i++
			piece++
			compress = piece
			continue
		}
		value, start := uint16(0), i
		for i < len(s) && i-start < 4 && table[s[i]]&hex != 0 {
			value = value<<4 | uint16(unhex(s[i]))
			i++
		}
		if i < len(s) && s[i] == '.' {
			if i == start {
				return pieces, i, "IPv4-in-IPv6-invalid-code-point"
			}
			if piece > 6 {
				return pieces, i, "IPv4-in-IPv6-too-many-pieces"
			}
			high, low, at, fault := parseEmbedded(s, start)
			if fault != "" {
				return pieces, at, fault
			}
			pieces[piece], pieces[piece+1] = high, low
			piece += 2
			break // the IPv4 address ends at the end of s
		}
		if i < len(s) {
			if s[i] != ':' {
				return pieces, i, "IPv6-invalid-code-point"
			}
			if i++; i == len(s) {
				return pieces, i, "IPv6-invalid-code-point"
			}
		}
		pieces[piece] = value
		piece++
	}
	if compress >= 0 {
		to := 7
		for swaps := piece - compress; to != 0 && swaps > 0; swaps-- {
			from := compress + swaps - 1
			pieces[to], pieces[from] = pieces[from], pieces[to]
			to--
		}
	} else if piece != 8 {
		return pieces, len(s), "IPv6-too-few-pieces"
	}
	return pieces, 0, ""
}

// parseEmbedded parses an IPv4 address that ends an IPv6 address. The IPv4 address begins at
// offset i.
func parseEmbedded(s string, i int) (high, low uint16, offset int, fault string) {
	var parts [4]uint16
	for n := range parts {
		if n > 0 {
			if i >= len(s) {
				return 0, 0, i, "IPv4-in-IPv6-too-few-parts"
			}
			if s[i] != '.' {
				return 0, 0, i, "IPv4-in-IPv6-invalid-code-point"
			}
			i++
		}
		start := i
		for i < len(s) && table[s[i]]&digit != 0 {
			if i > start && s[start] == '0' {
				return 0, 0, i, "IPv4-in-IPv6-invalid-code-point"
			}
			if parts[n] = parts[n]*10 + uint16(s[i]-'0'); parts[n] > 255 {
				return 0, 0, i, "IPv4-in-IPv6-out-of-range-part"
			}
			i++
		}
		if i == start {
			if i == len(s) {
				return 0, 0, i, "IPv4-in-IPv6-too-few-parts"
			}
			return 0, 0, i, "IPv4-in-IPv6-invalid-code-point"
		}
	}
	if i < len(s) {
		return 0, 0, i, "IPv4-in-IPv6-invalid-code-point"
	}
	return parts[0]<<8 | parts[1], parts[2]<<8 | parts[3], 0, ""
}

// formatIPv6 implements the IPv6 serializer (section 3.6), and adds brackets.
func formatIPv6(pieces [8]uint16) string {
	start, size := 8, 1
	for i := 0; i < 8; {
		j := i
		for j < 8 && pieces[j] == 0 {
			j++
		}
		if j-i > size {
			start, size = i, j-i
		}
		i = max(j, i+1)
	}
	b := append(make([]byte, 0, 41), '[')
	for i := 0; i < 8; i++ {
		if i == start {
			if i == 0 {
				b = append(b, ':')
			}
			b = append(b, ':')
			i += size - 1
			continue
		}
		b = strconv.AppendUint(b, uint64(pieces[i]), 16)
		if i < 7 {
			b = append(b, ':')
		}
	}
	return string(append(b, ']'))
}
