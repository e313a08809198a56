package mailto

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a mailto URL. URLs are comparable with ==, and the zero URL is invalid.
type URL struct {
	url      locus.URL
	addrSpec string
}

// Parse parses the URL u as a mailto URL. It returns a [*locus.SyntaxError] if u has another
// scheme or no address.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	return URL{url: u, addrSpec: bnf.Decode(u.SchemePart())}, nil
}

// form returns the error for Parse if u is not a mailto URL with an address.
func form(u locus.URL) error {
	if u.Scheme() != "mailto" {
		return u.Errorf(0, "scheme", "%w: not a mailto URL", locus.ErrForm)
	}
	if text, offset := bnf.SchemePart(u); text == "" {
		return u.Errorf(offset, "encoded822addr", "%w: write an address after \"mailto:\"", locus.ErrForm)
	}
	return nil
}

// URL returns the URL that was parsed.
func (m URL) URL() locus.URL { return m.url }

// AddrSpec returns the decoded text after "mailto:", which is the address by RFC 1738. The text
// may contain any octets, so a program that sends mail must use [URL.Address] instead.
func (m URL) AddrSpec() string { return m.addrSpec }

// Address returns the address. If the address is not an addr-spec by RFC 822 section 6.1, the
// error is a [*locus.SyntaxError] that wraps [locus.ErrValue].
func (m URL) Address() (string, error) {
	text, offset := bnf.SchemePart(m.url)
	if faults := addrspec.Faults(text); faults != nil {
		return "", m.url.Errorf(offset+faults[0].Start, "addr-spec", "%w: %s", locus.ErrValue, faults[0].Help)
	}
	return m.addrSpec, nil
}

// Parts are the decoded parts of a mailto URL.
type Parts struct {
	AddrSpec string // the address; required
}

// plainSet returns the characters that have the same meaning with and without an escape, in both
// RFC 1738 and RFC 6068. The set excludes ",", because RFC 6068 splits addresses at ",".
func plainSet() escape.Set { return escape.Unreserved().Without(",") }

// URL returns the URL with these parts. It escapes every possible delimiter except the last "@".
func (p Parts) URL() (URL, error) {
	text := addrspec.Encode(p.AddrSpec, plainSet())
	u, err := locus.Parts{Scheme: "mailto", SchemePart: &text}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (m URL) Format(s fmt.State, verb rune) { m.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (m URL) LogValue() slog.Value { return slog.StringValue(m.url.Shown()) }
