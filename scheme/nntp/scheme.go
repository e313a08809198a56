package nntp

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry's entry.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:      "nntp",
		Port:      Port,
		Status:    scheme.Standard,
		Section:   section,
		Syntax:    "nntp://<host>:<port>/<newsgroup-name>/<article-number>",
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
	list := []scheme.Field{{Name: "newsgroup", Value: n.newsgroup}, {Name: "articleNumber"}}
	if n.hasNumber {
		list[1].Value = int(n.number)
	}
	return list, nil
}
