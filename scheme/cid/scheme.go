package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's entry.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:      "cid",
		Status:    scheme.Draft,
		Section:   section + "; RFC 1738 4; RFC 2392",
		Syntax:    "cid:<content-id>",
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	c, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "contentId", Value: c.contentID}}, nil
}
