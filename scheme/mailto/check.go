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

// mailtoAddress checks text, which begins at offset, by the URI draft:
//
//	mailtoaddress = "mailto:" xalphas "@" hostname
//
// "@" is also an xalpha; the last one is the separator. After its first letter, a hostname
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

// canonical returns the canonical form of u and the changes that it made. "There are no
// reserved characters" (section 3.5), but RFC 6068 splits at "," and "?", so canonical does
// not change these two. It writes the domain in lower case. It escapes every "@" except the
// last, unless "," separates addresses. If u is not a mailto URL, the error is a
// [*locus.SyntaxError].
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
	c.Text(tail, plain())
	return c.End()
}

// isSpelled reports whether u is in canonical form. This fast test returns true only for
// mailto URLs with exactly one "@", and without escapes and header fields.
func isSpelled(u locus.URL) bool {
	f := u.Facts()
	if !f.Has(locus.PathHsegment) || f.Has(locus.Internet) || !bnf.Spelled(u, 0) {
		return false
	}
	_, domain, _ := strings.Cut(u.SchemePart(), "@")
	return strings.IndexByte(domain, '@') < 0 && !octet.HasUpper(domain)
}

// split splits text into a local part, "@", a domain, and the header fields of RFC 6068,
// which begin at "?". In RFC 1738 the last "@" is the separator. If there is no "@", or the
// last "@" is in the header fields, the local part is all text before the "?".
func split(text string) (local, at, domain, tail string) {
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

// lowerCase returns text in lower case, including escaped letters.
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
			b[i+1] += ('a' - 'A') >> 4 // sets the case bit of the first digit
		}
		i += size
	}
	return string(b)
}
