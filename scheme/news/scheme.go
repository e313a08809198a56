package news

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Schemes returns the descriptions of the news, snews, nntp and nntps schemes. The client c
// opens their URLs. If c is nil, a client with default options opens them.
func Schemes(c *Client) []scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	currentNews, currentNNTP := currentStandards()
	news := scheme.Scheme{
		Name:    "news",
		Port:    Port,
		Status:  scheme.Standard,
		Section: newsSection,
		Traits:  scheme.Messages | scheme.News | scheme.AcceptsItems,
		Syntax: scheme.Syntax{
			Form:      "news:<newsgroup-name> or news:<message-id>",
			Current:   currentNews,
			Reserved:  escape.Chars("@*"),
			Fields:    newsFields,
			Canonical: canonicalNews,
			Check:     checkNews,
			Hierarchy: relative.Names,
		},
		Access: scheme.Access{
			Protocol: "NNTP (RFC 3977), at the reader's own server",
			Opener:   c,
			Archived: c.readArchived,
		},
		Display: scheme.Display{
			Icon:      "group",
			Split:     splitNews,
			Title:     newsTitle,
			MenuLabel: menuLabel,
		},
		Crawl:  scheme.Crawl{Freshness: newsFreshness},
		Policy: scheme.Policy{ProxyVars: []string{"news_proxy"}},
	}
	snews := news
	snews.Name, snews.Port = "snews", SecurePort
	snews.Status, snews.Section = scheme.Extension, "in no RFC (as news, over TLS)"
	snews.Syntax.Form = "snews:<newsgroup-name> or snews:<message-id>"
	snews.Access.Protocol, snews.Policy.ProxyVars = "NNTP over TLS", nil
	snews.Traits |= scheme.Secure
	nntp := scheme.Scheme{
		Name:    "nntp",
		Port:    Port,
		Status:  scheme.Standard,
		Section: nntpSection,
		Traits:  scheme.Messages | scheme.News | scheme.AcceptsItems,
		Syntax: scheme.Syntax{
			Form:      "nntp://<host>:<port>/<newsgroup-name>/<article-number>",
			Current:   currentNNTP,
			Fields:    nntpFields,
			Canonical: canonicalNNTP,
			Check:     checkNNTP,
			Notes:     nntpNotes,
		},
		Access: scheme.Access{
			Protocol: "NNTP (RFC 3977)",
			Opener:   c,
			Archived: c.readArchived,
		},
		Display: scheme.Display{
			Icon:      "group",
			Split:     splitNNTP,
			Parents:   nntpParents,
			MenuLabel: menuLabel,
		},
		Crawl:  scheme.Crawl{Freshness: nntpFreshness},
		Policy: scheme.Policy{ProxyVars: []string{"news_proxy"}},
	}
	nntps := nntp
	nntps.Name, nntps.Port = "nntps", SecurePort
	nntps.Status, nntps.Section = scheme.Extension, "RFC 4642 (as nntp, over TLS)"
	nntps.Syntax.Form = "nntps://<host>:<port>/<newsgroup-name>/<article-number>"
	nntps.Access.Protocol, nntps.Policy.ProxyVars = "NNTP over TLS", nil
	nntps.Traits |= scheme.Secure
	nntps.Syntax.Current.Name = "RFC 5538 (as nntp)" // RFC 5538 does not define nntps
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
