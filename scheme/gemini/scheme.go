package gemini

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the gemini scheme, whose opener is the client c. If c is nil,
// the opener is a client with default options.
func Scheme(c *Client) scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	return scheme.Scheme{
		Name:    "gemini",
		Port:    Port,
		Status:  scheme.Extension,
		Section: "Gemini network protocol 0.24",
		Traits:  scheme.Secure | scheme.Lines,
		Syntax:  scheme.Syntax{Form: "gemini://<host>:<port>/<path>?<query>", Fields: fields},
		Access: scheme.Access{
			Protocol: "Gemini, over TLS",
			Opener:   c,
			Archived: readArchived,
		},
		Display: scheme.Display{
			Icon:    "gopher",
			Split:   split,
			Parents: parents,
		},
		Crawl: scheme.Crawl{
			Freshness: func(locus.URL) scheme.Freshness { return scheme.Freshness{For: scheme.MenuAge, Fixed: true} },
			Below:     scheme.BelowPath,
		},
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	g, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "path", Value: g.Path()}, {Name: "query"}}
	if query, ok := g.Query(); ok {
		list[1].Value = query
	}
	return list, nil
}

func split(s *scheme.Splitter) {
	s.UpTo("?", "path", scheme.RolePath)
	s.All("query", scheme.RoleSearch)
}

func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	path, _, _ = strings.Cut(path, "?")
	return scheme.ParentsOf(u, path)
}
