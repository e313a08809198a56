package nntp

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme is the registry's entry for nntp. c accesses it; nil: nothing does.
func Scheme(c *Client) scheme.Scheme {
	s := entry(name, Port, c)
	s.Status, s.Section = scheme.Standard, section
	s.Access = "NNTP (RFC 3977)"
	s.ProxyVars = []string{"news_proxy"}
	return s
}

// SecureScheme is the registry's entry for nntps: nntp with TLS from the first
// octet on. No RFC has it as a scheme. c accesses it; nil: nothing does.
func SecureScheme(c *Client) scheme.Scheme {
	s := entry(secureName, SecurePort, c)
	s.Status, s.Section = scheme.Extension, "RFC 4642 (as nntp, over TLS)"
	s.Access = "NNTP over TLS"
	s.Traits |= scheme.Secure
	return s
}

func entry(name string, port uint16, c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      name,
		Port:      port,
		Syntax:    name + "://<host>:<port>/<newsgroup-name>/<article-number>",
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
		Notes:     notes,
		Traits:    scheme.Messages | scheme.News | scheme.AcceptsItems,
		Icon:      "group",
		Split:     splitPath,
		Parents:   parents,
		MenuLabel: menuLabel,
		Freshness: freshness,
	}
	if c != nil {
		s.Opener = c
	}
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	n, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "newsgroup", Value: n.newsgroup}, {Name: "articleNumber"}}
	if n.hasNumber {
		list[1].Value = int(n.number)
	}
	return list, nil
}
