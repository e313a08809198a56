package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's row for cid, accessed through c. A nil c gives a
// scheme that is known and can't be accessed.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      "cid",
		Status:    scheme.Draft,
		Section:   section + "; RFC 1738 4; RFC 2392",
		Syntax:    "cid:<content-id>",
		Access:    "the message that the URL stands in",
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
		Notes:     notes,
		Traits:    scheme.Local | scheme.Contained | scheme.MailAddress,
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
	c, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "contentId", Value: c.contentID}}, nil
}
