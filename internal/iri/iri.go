// Package iri converts internationalized resource identifiers to URLs (RFC 3987 section 3.1).
package iri

import (
	"fmt"
	"strings"

	"golang.org/x/net/idna"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// profile converts hostnames to ASCII in the same way as browsers (RFC 5891 and Unicode
// Technical Standard 46).
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// maxHost is the maximum length in bytes of a host outside US-ASCII. A DNS name has at most
// 253 characters. Converting a host takes time that grows with the square of the length.
const maxHost = 4 << 10

// URL converts the host of u, or the domain of a mail address in u, to ASCII. URL escapes the
// UTF-8 octets of all other characters outside US-ASCII. URL returns a US-ASCII URL unchanged.
// URL fails if the host can't be converted to ASCII.
func URL(u locus.URL) (locus.URL, error) {
	text := u.String()
	if isASCII(text) {
		return u, nil
	}
	start, end := hostOf(u)
	host := text[start:end]
	if !isASCII(host) {
		if len(host) > maxHost {
			return locus.URL{}, fmt.Errorf("invalid host: it has %d bytes, more than a DNS name can have", len(host))
		}
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

// hostOf returns the start and end of the host of u, or of the domain in a mail address.
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
