package mid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's row for mid, accessed through c. A nil c gives a
// scheme that is known and can't be accessed.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      "mid",
		Status:    scheme.Draft,
		Section:   section + "; RFC 1738 4; RFC 2392",
		Syntax:    "mid:<message-id> or mid:<message-id>/<content-id>",
		Access:    "mail that has been received",
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
		Traits:    scheme.Local | scheme.Messages | scheme.MailAddress,
		Hierarchy: relative.Opaque,
		Icon:      "letter",
		Split:     splitPath,
		Title:     title,
	}
	if c != nil {
		s.Opener = c
	}
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	m, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "messageId", Value: m.messageID}}
	if id, ok := m.ContentID(); ok {
		list = append(list, scheme.Field{Name: "contentId", Value: id})
	}
	return list, nil
}
