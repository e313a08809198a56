package news

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's entry.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:      "news",
		Port:      Port,
		Status:    scheme.Standard,
		Section:   section,
		Syntax:    "news:<newsgroup-name> or news:<message-id>",
		Fields:    fields,
		Canonical: canonical,
		Check:     check,
	}
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
