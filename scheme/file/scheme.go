package file

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the file scheme, whose opener is the client c. If c is nil,
// the opener is a client with default options.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:    "file",
		Status:  scheme.Standard,
		Section: section,
		Traits:  scheme.Local | scheme.Files | scheme.Messages | scheme.Fragments | scheme.Directories,
		Syntax: scheme.Syntax{
			Form:      "file://<host>/<path>",
			Fields:    fields,
			Canonical: canonical,
			Check:     check,
			Clean:     bnf.CleanHostPort | locus.PathFsegment | locus.NoEscape | locus.NoPort | locus.NoHost,
			Current:   inForce,
		},
		Access: scheme.Access{Protocol: "this machine's file system"},
		Display: scheme.Display{
			Icon:    "folder",
			Split:   splitPath,
			Parents: parents,
		},
	}
	if c == nil {
		c = New(nil)
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
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
