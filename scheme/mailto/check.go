package mailto

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

func check(u locus.URL, p locus.Profile) []locus.Violation {
	// An hsegment may contain every xchar except "?".
	if p == locus.RFC1738 && u.Facts().Has(locus.PathHsegment) && addrspec.Sound(u) {
		return nil
	}
	text, offset := bnf.SchemePart(u)
	question := strings.IndexByte(text, '?')
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if text == "" {
		f.Add("form", "RFC 1738 3.5", offset, "", `write an address after "mailto:"`)
		return f.List()
	}
	if p == locus.RFC1630 {
		mailtoAddress(&f, offset, text)
	} else {
		f.Chars("encoded822addr", offset, text, octet.Xchar)
	}
	if strings.HasPrefix(text, "//") {
		f.Note("slashes", "RFC 1738 3.5", offset, "//", "the slashes are part of the address, not the start of a host")
	}
	if question >= 0 {
		f.Note("header-fields", "RFC 6068 2", offset+question, text[question:], `RFC 1738 reads this as part of the address, RFC 6068 as header fields: write a "?" of the address as %3F`)
	}
	addrspec.Report(&f, offset, text)
	return f.List()
}

// mailtoAddress checks the address in text by the URI draft. The argument offset is the position
// of text in the URL.
//
//	mailtoaddress = "mailto:" xalphas "@" hostname
//
// Because "@" is also an xalpha, the last "@" is the separator. After its first letter, a hostname
// may contain any xalpha.
func mailtoAddress(f *bnf.Findings, offset int, text string) {
	f.Chars("xalphas", offset, text, octet.Xalpha)
	at := strings.LastIndexByte(text, '@')
	switch {
	case at <= 0:
		f.Add("form", "URI draft, mailtoaddress", offset, text, `write a name, "@" and a host`)
	case at+1 == len(text) || !octet.Is(text[at+1], octet.Alpha):
		f.Add("host", "URI draft, hostname", offset+at+1, text[at+1:], "a host begins with a letter")
	}
}

// canonical returns the canonical form of the URL u and the changes that it made. In RFC 1738,
// "there are no reserved characters" (section 3.5). Because RFC 6068 splits at "," and "?",
// canonical neither escapes nor decodes these characters. It writes the domain in lower case. It
// escapes every "@" except the last, unless "," separates several addresses. If u is not a mailto
// URL, the error is a [*locus.SyntaxError].
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if err := form(u); err != nil {
		return locus.URL{}, 0, err
	}
	if isSpelled(u) {
		return u, 0, nil
	}
	text, _ := bnf.SchemePart(u)
	local, at, domain, tail := split(text)
	list := at == "" || strings.IndexByte(local, ',') >= 0
	if bnf.Spelled(u, 0) && !u.Facts().Has(locus.Internet) && (list || strings.IndexByte(local, '@') < 0) && !octet.HasUpper(domain) {
		return u, 0, nil
	}
	kept := escape.Chars(",?")
	if list {
		kept = kept.With("@")
	}
	octets := escape.Xchar().Without(",?@")
	var c bnf.Canon
	c.Begin(u)
	c.Octets(c.Slashes(local), octets, kept)
	if at != "" {
		c.Text(at, escape.Chars("@"))
	}
	lower := lowerCase(domain)
	if lower != domain {
		c.Change |= locus.HostCase
	}
	c.Octets(lower, octets, kept)
	c.Text(tail, plainSet())
	return c.End()
}

// isSpelled is a fast test that reports whether the URL u is in canonical form. It returns false
// for some canonical URLs, such as mailto URLs with escapes, with header fields, or without
// exactly one "@".
func isSpelled(u locus.URL) bool {
	f := u.Facts()
	if !f.Has(locus.PathHsegment) || f.Has(locus.Internet) || !bnf.Spelled(u, 0) {
		return false
	}
	_, domain, _ := strings.Cut(u.SchemePart(), "@")
	return strings.IndexByte(domain, '@') < 0 && !octet.HasUpper(domain)
}

// split splits text into a local part, "@", a domain, and the RFC 6068 header fields, which begin
// at "?". The separator is the last "@", as in RFC 1738. If there is no "@", or the last "@" is in
// the header fields, the local part is all text before the "?".
func split(text string) (local, separator, domain, tail string) {
	i := strings.IndexByte(text, '?')
	if i < 0 {
		i = len(text)
	}
	local, tail = text[:i], text[i:]
	if _, _, later := addrspec.Split(tail); later {
		return local, "", "", tail
	}
	before, domain, ok := addrspec.Split(local)
	if !ok {
		return local, "", "", tail
	}
	return before, local[len(before) : len(local)-len(domain)], domain, tail
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

// lowerCase converts text to lower case, including escaped letters.
func lowerCase(text string) string {
	if !octet.HasUpper(text) && strings.IndexByte(text, '%') < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); {
		c, size := bnf.Octet(text, i)
		switch {
		case !isUpper(rune(c)):
		case size == 1:
			b[i] += 'a' - 'A'
		default:
			b[i+1] += ('a' - 'A') >> 4 // set the case bit in the first hexadecimal digit
		}
		i += size
	}
	return string(b)
}
