// Package iri turns what a text has in place of a URL, an internationalized resource
// identifier, into the URL that it stands for (RFC 3987 section 3.1).
package iri

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// names is what turns a name of another script into the form that name servers know
// (RFC 5891 and Unicode Technical Standard 46), as browsers do.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true))

// URL returns the URL that u stands for: its host, or the domain of its address, in
// ASCII form, and all else that is not US-ASCII as escapes of its octets. A URL of
// US-ASCII comes back as it is. The error says what no name of a host can be.
func URL(u locus.URL) (locus.URL, error) {
	text := u.String()
	if isASCII(text) {
		return u, nil
	}
	start, end := hostOf(u)
	host := text[start:end]
	if !isASCII(host) {
		ascii, err := names.ToASCII(host)
		if err != nil {
			return locus.URL{}, fmt.Errorf("%s has no ASCII form, so it is not a host", locus.Quote(host))
		}
		host = ascii
	}
	var b strings.Builder
	escape(&b, text[:start])
	b.WriteString(host)
	escape(&b, text[end:])
	return locus.Parse(b.String())
}

// hostOf returns where in the text of u its host is, or the domain of its address.
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
	switch u.Scheme() {
	case "mailto", "mid", "cid":
		end = start + len(upTo(text[start:], "?/#"))
		return start + strings.LastIndexByte(text[start:end], '@') + 1, end
	}
	return start, start
}

// upTo returns text up to the first octet of set.
func upTo(text, set string) string {
	if n := strings.IndexAny(text, set); n >= 0 {
		return text[:n]
	}
	return text
}

// escape writes text with escapes for the octets that are not US-ASCII.
func escape(b *strings.Builder, text string) {
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', octet.UpperHex[c>>4], octet.UpperHex[c&0xF]})
		}
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
