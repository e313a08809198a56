package prospero

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the prospero scheme, whose opener is the client c. If c is
// nil, the opener is a client with default options.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:    name,
		Port:    Port,
		Status:  scheme.Standard,
		Section: section,
		Syntax: scheme.Syntax{
			Form:      "prospero://<host>:<port>/<hsoname>[;<field>=<value>]...",
			Reserved:  escape.Chars(";="),
			Current:   inForce,
			Fields:    fields,
			Canonical: canonical,
			Check:     check,
			Clean:     bnf.CleanHostPort | locus.PathFsegment | locus.NoControl,
		},
		Access: scheme.Access{Protocol: "Prospero, version 5, over ARDP"},
		Display: scheme.Display{
			Icon:  "folder",
			Split: splitPath,
			Title: title,
		},
		Crawl: scheme.Crawl{Freshness: freshness},
	}
	if c == nil {
		c = New()
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	x, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "hsoname", Value: x.hsoname}, {Name: "version"}, {Name: "fields"}}
	if version, ok := x.Version(); ok {
		list[1].Value = version
	}
	records := [][]scheme.Field{}
	for _, f := range x.Fields() {
		records = append(records, []scheme.Field{{Name: "name", Value: f.Name}, {Name: "value", Value: f.Value}})
	}
	list[2].Value = records
	return list, nil
}
