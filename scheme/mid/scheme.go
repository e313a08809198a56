package mid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Schemes returns the descriptions of the mid and cid schemes, whose opener is the client c. If c
// is nil, the opener is a client with default options.
func Schemes(c *Client) []scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	mid := scheme.Scheme{
		Name:    "mid",
		Status:  scheme.Draft,
		Section: midSection + "; RFC 1738 4; RFC 2392",
		Traits:  scheme.Local | scheme.Messages | scheme.MailAddress,
		Syntax: scheme.Syntax{
			Form:      "mid:<message-id> or mid:<message-id>/<content-id>",
			Current:   inForce(),
			Fields:    fields,
			Canonical: canonical,
			Check:     check,
			Hierarchy: relative.Opaque,
		},
		Access: scheme.Access{Protocol: "received mail", Opener: c},
		Display: scheme.Display{
			Icon:  "letter",
			Split: func(s *scheme.Splitter) { s.All("addr-spec", scheme.RolePath) },
			Title: func(u locus.URL) string { return scheme.Decoded(u.SchemePart()) },
		},
	}
	cid := mid
	cid.Name = "cid"
	cid.Section = cidSection + "; RFC 1738 4; RFC 2392"
	cid.Syntax.Form = "cid:<content-id>"
	cid.Access.Protocol = "the message that contains the URL"
	cid.Syntax.Notes = cidNotes
	cid.Traits = scheme.Local | scheme.Contained | scheme.MailAddress
	return []scheme.Scheme{mid, cid}
}

func fields(u locus.URL) (list []scheme.Field, err error) {
	m, err := Parse(u)
	if err == nil && !isCID(u) {
		list = append(list, scheme.Field{Name: "messageId", Value: m.messageID})
	}
	if id, ok := m.ContentID(); ok {
		list = append(list, scheme.Field{Name: "contentId", Value: id})
	}
	return list, err
}
