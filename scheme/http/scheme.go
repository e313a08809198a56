package http

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the http scheme. The client c opens its URLs. If c is nil,
// a client with default options opens them.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:    "http",
		Port:    Port,
		Status:  scheme.Standard,
		Section: section,
		Traits:  scheme.Web | scheme.Fragments | scheme.AcceptsTypes,
		Syntax: scheme.Syntax{
			Form:      "http://<host>:<port>/<path>?<searchpart>",
			Fields:    fields,
			Words:     words,
			Canonical: Canonical,
			Check:     Check,
			Notes:     loginNotes,
			Current:   inForce,
			Clean:     bnf.CleanHostPort | locus.PathSearch,
		},
		Access: scheme.Access{Protocol: "HTTP (RFC 9110)"},
		Display: scheme.Display{
			Icon:    "html",
			Split:   splitPath,
			Parents: parents,
		},
		Crawl:  scheme.Crawl{Below: scheme.BelowPath},
		Policy: scheme.Policy{Encoded: true, ProxyVars: []string{"http_proxy"}},
	}
	if c == nil {
		c = New(nil)
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
	return s
}

// SecureScheme is like [Scheme], but returns the description of the https scheme. Neither RFC
// 1738 nor the URI draft defines https.
func SecureScheme(c *Client) scheme.Scheme {
	s := Scheme(c)
	s.Name = "https"
	s.Port = SecurePort
	s.Status = scheme.Extension
	s.Section = "RFC 9110 4.2.2 (not in the RFCs of URLs)"
	s.Syntax.Form = "https://<host>:<port>/<path>?<searchpart>"
	s.Access.Protocol = "HTTP over TLS (RFC 9110)"
	s.Traits |= scheme.Secure
	s.Policy.ProxyVars = []string{"https_proxy"}
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	h, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{
		{Name: "path", Value: fieldValue(h.Path())},
		{Name: "searchpart", Value: fieldValue(h.Search())},
	}, nil
}

func words(u locus.URL) (string, bool) {
	h, err := Parse(u)
	if err != nil {
		return "", false
	}
	return strings.Join(h.Words(), " "), h.isSearch
}

// fieldValue returns the value of a field. If the part is absent, ok is false and the value is
// nil.
func fieldValue(octets string, ok bool) any {
	if !ok {
		return nil
	}
	return octets
}
