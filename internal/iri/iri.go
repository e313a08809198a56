// Package iri turns internationalized resource identifiers into URLs (RFC 3987 section
// 3.1).
package iri

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/locus-url/locus"
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
			return locus.URL{}, fmt.Errorf("%s has no ASCII form, so it is not a host", locus.Quote(host))
		}
		host = ascii
	}
	var b strings.Builder
	writeEscaped(&b, text[:start])
	b.WriteString(host)
	writeEscaped(&b, text[end:])
	return locus.Parse(b.String())
}

// hostOf returns the offsets of the host of u, or of the domain of its address.
func hostOf(u locus.URL) (start, end int) {
	text := u.String()
	start = len(text) - len(u.SchemePart())
	if fragment, ok := u.Fragment(); ok {
		start -= len("#" + fragment)
	}
	if rest, ok := strings.CutPrefix(text[start:], "//"); ok {
		start += len("//")
		end = start + len(upTo(rest, "/?#"))
		start += strings.LastIndexByte(text[start:end], '@') + 1
		host := text[start:end]
		if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
			end = start + colon
		}
		return start, end
	}
	address := upTo(text[start:], "?/#")
	at := strings.LastIndexByte(address, '@')
	if at < 0 || strings.IndexByte(address[:at], ':') >= 0 {
		return start, start
	}
	return start + at + 1, start + len(address)
}

// upTo returns text up to the first octet of set.
func upTo(text, set string) string {
	if n := strings.IndexAny(text, set); n >= 0 {
		return text[:n]
	}
	return text
}

// writeEscaped writes text with escapes for the octets that are not US-ASCII.
func writeEscaped(b *strings.Builder, text string) {
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', octet.UpperHex[c>>4], octet.UpperHex[c&0xF]})
		}
	}
}

func isASCII(text string) bool { return octet.All(text)&octet.ASCII != 0 }
