package file

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's row for file, accessed through c. A nil c gives a
// scheme that is known and can't be accessed.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      "file",
		Status:    scheme.Standard,
		Section:   section,
		Syntax:    "file://<host>/<path>",
		Access:    "this machine's file system",
		Fields:    fields,
		Canonical: Canonical,
		Check:     Check,
		Traits:    scheme.Local | scheme.Files | scheme.Messages | scheme.Fragments,
		Icon:      "folder",
		Split:     splitPath,
		Parents:   parents,
	}
	if c != nil {
		s.Opener = c
	}
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	f, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{
		{Name: "host", Value: f.Host()},
		{Name: "segments", Value: f.Segments()},
	}, nil
}
