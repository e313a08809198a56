package http

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry row of http, opened with c. A nil c means a client with
// default options.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      "http",
		Port:      Port,
		Status:    scheme.Standard,
		Section:   section,
		Syntax:    "http://<host>:<port>/<path>?<searchpart>",
		Access:    "HTTP (RFC 9110)",
		Fields:    fields,
		Words:     words,
		Canonical: Canonical,
		Check:     Check,
		Notes:     notes,
		Current:   inForce,
		Clean:     bnf.CleanHostPort | locus.PathHsegment,
		Encoded:   true,
		Traits:    scheme.Web | scheme.Fragments | scheme.AcceptsTypes,
		ProxyVars: []string{"http_proxy"},
		Icon:      "html",
		Split:     splitPath,
		Parents:   parents,
		Below:     scheme.BelowPath,
	}
	if c == nil {
		c = New(nil)
	}
	s.Opener, s.Kept = c, c.readKept
	return s
}

// SecureScheme returns the registry row of https, as [Scheme]. RFC 1738 and the draft do
// not define it.
func SecureScheme(c *Client) scheme.Scheme {
	s := Scheme(c)
	s.Name = "https"
	s.Port = SecurePort
	s.Status = scheme.Extension
	s.Section = "RFC 9110 4.2.2 (not in the RFCs of URLs)"
	s.Syntax = "https://<host>:<port>/<path>?<searchpart>"
	s.Access = "HTTP over TLS (RFC 9110)"
	s.Traits |= scheme.Secure
	s.ProxyVars = []string{"https_proxy"}
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	h, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{
		{Name: "path", Value: present(h.Path())},
		{Name: "searchpart", Value: present(h.Search())},
	}, nil
}

func words(u locus.URL) (string, bool) {
	h, err := Parse(u)
	if err != nil {
		return "", false
	}
	return strings.Join(h.Words(), " "), h.isSearch
}

// present is the value of a field that may be absent.
func present(octets string, ok bool) any {
	if !ok {
		return nil
	}
	return octets
}
