// Package iri turns internationalized resource identifiers into URLs (RFC 3987 section
// 3.1).
package iri

import (
	"fmt"
	"strings"

	"golang.org/x/net/idna"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// profile converts hostnames to their ASCII form as browsers do (RFC 5891 and Unicode
// Technical Standard 46).
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// URL returns u with its host, or the domain of its address, in ASCII form, and its other
// characters that are not US-ASCII as escapes of their UTF-8. It returns a URL of US-ASCII
// unchanged. It fails if the host has no ASCII form.
func URL(u locus.URL) (locus.URL, error) {
	text := u.String()
	if isASCII(text) {
		return u, nil
	}
	start, end := hostOf(u)
	host := text[start:end]
	if !isASCII(host) {
		ascii, err := profile.ToASCII(host)
		if err != nil {
			return locus.URL{}, fmt.Errorf("invalid host %s: it has no ASCII form", locus.Quote(host))
		}
		host = ascii
	}
	b := escape.AppendSafer(nil, text[:start], escape.Set{}, escape.Set{})
	b = escape.AppendSafer(append(b, host...), text[end:], escape.Set{}, escape.Set{})
	return locus.Parse(string(b))
}

// hostOf returns the offsets of the host in u, or of the domain in its mail address.
func hostOf(u locus.URL) (start, end int) {
	if u.Facts().Has(locus.Internet) {
		return u.HostOffset(), u.HostOffset() + len(u.Host())
	}
	address, start := u.SchemePart(), u.PathOffset()
	if n := strings.IndexAny(address, "?/#"); n >= 0 {
		address = address[:n]
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 || strings.IndexByte(address[:at], ':') >= 0 {
		return start, start
	}
	return start + at + 1, start + len(address)
}

func isASCII(text string) bool { return octet.All(text)&octet.ASCII != 0 }
