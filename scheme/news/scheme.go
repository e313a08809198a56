package news

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme is the registry's entry for news. c accesses it; nil: nothing does.
func Scheme(c *Client) scheme.Scheme {
	s := entry(name, Port, c)
	s.Status, s.Section = scheme.Standard, section
	s.Access = "NNTP (RFC 3977), at the reader's own server"
	s.ProxyVars = []string{"news_proxy"}
	return s
}

// SecureScheme is the registry's entry for snews: news within TLS. No RFC has it.
// c accesses it; nil: nothing does.
func SecureScheme(c *Client) scheme.Scheme {
	s := entry(secureName, SecurePort, c)
	s.Status, s.Section = scheme.Extension, "in no RFC (as news, over TLS)"
	s.Access = "NNTP over TLS"
	s.Traits |= scheme.Secure
	return s
}

func entry(name string, port uint16, c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:      name,
		Port:      port,
		Syntax:    name + ":<newsgroup-name> or " + name + ":<message-id>",
		Reserved:  escape.Chars("@*"),
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
		Traits:    scheme.Messages | scheme.News | scheme.AcceptsItems,
		Hierarchy: relative.Names,
		Icon:      "group",
		Split:     splitPath,
		Title:     title,
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
	list := []scheme.Field{{Name: "newsgroup"}, {Name: "messageId"}, {Name: "all"}}
	switch {
	case n.newsgroup != "":
		list[0].Value = n.newsgroup
	case n.messageID != "":
		list[1].Value = n.messageID
	default:
		list[2].Value = true
	}
	return list, nil
}
