package mailto

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a mailto URL. It is a comparable value; the zero URL is none.
type URL struct {
	url      locus.URL
	addrSpec string
}

// Parse reads u as a mailto URL. The error is a [*locus.SyntaxError]: u has
// another scheme, or no address.
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "mailto" {
		return URL{}, u.Errorf(0, "scheme", "%w: it is no mailto URL", locus.ErrForm)
	}
	text, offset := bnf.SchemePart(u)
	if text == "" {
		return URL{}, u.Errorf(offset, "encoded822addr", "%w: an address follows \"mailto:\"", locus.ErrForm)
	}
	return URL{url: u, addrSpec: bnf.Decode(text)}, nil
}

// URL returns the URL as it was parsed.
func (m URL) URL() locus.URL { return m.url }

// AddrSpec returns all that follows "mailto:", decoded: what RFC 1738 says is
// the address. It may hold any octets; [URL.Address] is for use.
func (m URL) AddrSpec() string { return m.addrSpec }

// Address returns the address if it is an addr-spec of RFC 822 section 6.1. The
// error is a [*locus.SyntaxError] that wraps [locus.ErrValue].
func (m URL) Address() (string, error) {
	text, offset := bnf.SchemePart(m.url)
	if faults := addrspec.Faults(text); faults != nil {
		return "", m.url.Errorf(offset+faults[0].Start, "addr-spec", "%w: %s", locus.ErrValue, faults[0].Help)
	}
	return m.addrSpec, nil
}

// Parts are what a mailto URL is made of, decoded.
type Parts struct {
	AddrSpec string // the address; needed
}

// plain are the characters that mean the same escaped and unescaped, to RFC 1738
// and to RFC 6068, which splits at ",".
func plain() escape.Set { return escape.Unreserved().Without(",") }

// URL makes the URL. Whatever a reader might take for a delimiter is encoded,
// but for the last "@".
func (p Parts) URL() (URL, error) {
	text := addrspec.Encode(p.AddrSpec, plain())
	u, err := locus.Parts{Scheme: "mailto", SchemePart: &text}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
