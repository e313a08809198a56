package news

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Schemes returns the registry rows of news, snews, nntp and nntps, opened with c.
// A nil c means a client with default options.
func Schemes(c *Client) []scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	currentNews, currentNNTP := inForce()
	news := scheme.Scheme{
		Name:      "news",
		Port:      Port,
		Status:    scheme.Standard,
		Section:   newsSection,
		Syntax:    "news:<newsgroup-name> or news:<message-id>",
		Access:    "NNTP (RFC 3977), at the reader's own server",
		Current:   currentNews,
		Reserved:  escape.Chars("@*"),
		Fields:    newsFields,
		Canonical: canonicalNews,
		Check:     checkNews,
		Opener:    c,
		Kept:      c.readKept,
		Traits:    scheme.Messages | scheme.News | scheme.AcceptsItems,
		Hierarchy: relative.Names,
		Icon:      "group",
		Split:     splitNews,
		Title:     newsTitle,
		MenuLabel: menuLabel,
		Freshness: newsFreshness,
		ProxyVars: []string{"news_proxy"},
	}
	snews := news
	snews.Name, snews.Port = "snews", SecurePort
	snews.Status, snews.Section = scheme.Extension, "in no RFC (as news, over TLS)"
	snews.Syntax = "snews:<newsgroup-name> or snews:<message-id>"
	snews.Access, snews.ProxyVars = "NNTP over TLS", nil
	snews.Traits |= scheme.Secure
	nntp := scheme.Scheme{
		Name:      "nntp",
		Port:      Port,
		Status:    scheme.Standard,
		Section:   nntpSection,
		Syntax:    "nntp://<host>:<port>/<newsgroup-name>/<article-number>",
		Access:    "NNTP (RFC 3977)",
		Current:   currentNNTP,
		Fields:    nntpFields,
		Canonical: canonicalNNTP,
		Check:     checkNNTP,
		Notes:     nntpNotes,
		Opener:    c,
		Kept:      c.readKept,
		Traits:    scheme.Messages | scheme.News | scheme.AcceptsItems,
		Icon:      "group",
		Split:     splitNNTP,
		Parents:   nntpParents,
		MenuLabel: menuLabel,
		Freshness: nntpFreshness,
		ProxyVars: []string{"news_proxy"},
	}
	nntps := nntp
	nntps.Name, nntps.Port = "nntps", SecurePort
	nntps.Status, nntps.Section = scheme.Extension, "RFC 4642 (as nntp, over TLS)"
	nntps.Syntax = "nntps://<host>:<port>/<newsgroup-name>/<article-number>"
	nntps.Access, nntps.ProxyVars = "NNTP over TLS", nil
	nntps.Traits |= scheme.Secure
	nntps.Current.Name = "RFC 5538 (as nntp)" // which does not have nntps
	return []scheme.Scheme{news, snews, nntp, nntps}
}

func newsFields(u locus.URL) ([]scheme.Field, error) {
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

func nntpFields(u locus.URL) ([]scheme.Field, error) {
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
