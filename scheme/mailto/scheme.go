package mailto

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the mailto scheme. The scheme has no opener, because a mailto
// URL does not name an object.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:    "mailto",
		Status:  scheme.Standard,
		Section: "RFC 1738 3.5",
		Traits:  scheme.Local | scheme.Composes | scheme.MailAddress,
		Syntax: scheme.Syntax{
			Form:      "mailto:<rfc822-addr-spec>",
			Current:   inForce(),
			Reserved:  escape.Chars(",?&="), // reserved only in RFC 6068; "=" and "&" only in header fields
			Fields:    fields,
			Canonical: canonical,
			Check:     check,
			Hierarchy: relative.Opaque,
		},
		Access: scheme.Access{Protocol: "it is a mail address, not an object"},
		Display: scheme.Display{
			Icon: "address",
			Split: func(s *scheme.Splitter) {
				s.UpTo("?", "encoded822addr", scheme.RolePath)
				s.All("hfields", scheme.RoleSearch)
			},
			Title: func(u locus.URL) string { return scheme.Decoded(u.SchemePart()) },
		},
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	m, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "addrSpec", Value: m.addrSpec}}, nil
}
