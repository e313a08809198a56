package gopher

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's row for gopher, accessed through c. A nil c gives a
// scheme that is known and can't be accessed.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      name,
		Port:      Port,
		Status:    scheme.Standard,
		Section:   "RFC 1738 3.4",
		Syntax:    "gopher://<host>:<port>/<gophertype><selector>[%09<search>[%09<gopher+_string>]]",
		Access:    "Gopher (RFC 1436) and Gopher+",
		Reserved:  escape.Chars("\t"),
		Fields:    fields,
		Canonical: canonical,
		Check:     Check,
		Clean:     bnf.CleanHostPort | locus.PathHsegment | locus.NoControl,
	}
	if c != nil {
		s.Opener = c
	}
	return s
}

// SecureScheme is [Scheme] for gophers, which no RFC knows.
func SecureScheme(c *Client) scheme.Scheme {
	s := Scheme(c)
	s.Name = secureName
	s.Status = scheme.Extension
	s.Section = "in no RFC"
	s.Syntax = "gophers" + s.Syntax[len(name):]
	s.Access = "Gopher within TLS"
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	g, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{
		{Name: "gophertype", Value: string([]byte{g.gtype})},
		{Name: "selector", Value: g.selector},
		{Name: "search", Value: present(g.search, g.hasSearch)},
		{Name: "gopherPlus", Value: present(g.plus, g.hasPlus)},
	}, nil
}

// present returns octets, or nil if they are absent.
func present(octets string, ok bool) any {
	if !ok {
		return nil
	}
	return octets
}
