package mid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Schemes returns the registry rows of mid and cid, opened with c. A nil c means a
// client with default options.
func Schemes(c *Client) []scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	return []scheme.Scheme{{
		Name:      "mid",
		Status:    scheme.Draft,
		Section:   midSection + "; RFC 1738 4; RFC 2392",
		Syntax:    "mid:<message-id> or mid:<message-id>/<content-id>",
		Access:    "mail that has been received",
		Fields:    midFields,
		Canonical: canonical,
		Check:     checkMID,
		Opener:    c,
	}, {
		Name:      "cid",
		Status:    scheme.Draft,
		Section:   cidSection + "; RFC 1738 4; RFC 2392",
		Syntax:    "cid:<content-id>",
		Access:    "the message that contains the URL",
		Fields:    cidFields,
		Canonical: canonical,
		Check:     checkCID,
		Notes:     cidNotes,
		Opener:    c,
	}}
}

func midFields(u locus.URL) ([]scheme.Field, error) {
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

func cidFields(u locus.URL) ([]scheme.Field, error) {
	m, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "contentId", Value: m.contentID}}, nil
}
