package rfc3986

import (
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// SURT returns u in the Sort-friendly URI Reordering Transform of web archives, in the format
// of Heritrix. For example, http://user@www.archive.org:8080/path becomes
// http://(org,archive,www,:8080@user)/path, so that sorting groups URIs by domain. SURT does
// not reverse an IPv4 or IPv6 address, as in http://(192.0.2.1)/. SURT returns a URI without a
// host unchanged.
//
// SURT does not normalize u, so the caller should call [URI.Normalize] first. The result can
// be converted back to the URI. Like [URI.String], the result contains the password, and
// [locus.Mask] does not find the password in it.
func (u URI) SURT() string {
	host, _ := u.Host()
	if host == "" {
		return u.text
	}
	start := u.authorityStart()
	b := make([]byte, 0, len(u.text)+len("(,)"))
	b = append(append(b, u.text[:start]...), '(')
	if host[0] == '[' || isDottedQuad(host) {
		b = append(b, host...)
	} else {
		labels := strings.Split(host, ".")
		for _, label := range slices.Backward(labels) {
			// The grammar allows a comma in a host. A "." replaces the comma, because no label
			// contains a ".".
			b = append(append(b, strings.ReplaceAll(label, ",", ".")...), ',')
		}
	}
	if u.port > 0 {
		b = append(b, u.text[u.port:u.path]...)
	}
	if userinfo, ok := u.Userinfo(); ok {
		b = append(append(b, '@'), userinfo...)
	}
	b = append(b, ')')
	return string(append(b, u.text[u.path:]...))
}

// isDottedQuad reports whether a host consists of four numbers of up to three digits,
// separated by dots.
func isDottedQuad(host string) bool {
	n := 0
	for part := range strings.SplitSeq(host, ".") {
		if n++; n > 4 || len(part) > 3 || !isAll(part, octet.Digit) {
			return false
		}
	}
	return n == 4
}
