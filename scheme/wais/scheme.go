package wais

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the wais scheme. The client c opens its URLs. If c is nil,
// a client with default options opens them.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:    name,
		Port:    Port,
		Status:  scheme.Standard,
		Section: section,
		Traits:  scheme.AcceptsTypes | scheme.AcceptsLike | scheme.AcceptsItems,
		Syntax: scheme.Syntax{
			Form:      "wais://<host>:<port>/<database>[?<search>|/<wtype>/<wpath>]",
			Current:   inForce,
			Fields:    fields,
			Words:     words,
			Canonical: canonicalize,
			Check:     check,
			Clean:     bnf.CleanHostPort | locus.PathUchar,
		},
		Access: scheme.Access{Protocol: "WAIS (RFC 1625)"},
		Display: scheme.Display{
			Icon:      "search",
			Split:     splitPath,
			Title:     title,
			Parents:   parents,
			MenuLabel: func(locus.URL) string { return "Database" },
		},
		Crawl: scheme.Crawl{Freshness: freshness},
		Policy: scheme.Policy{
			ProxyVars: []string{"wais_proxy"},
			// Field 7 of a document-id is the copyright, which is one octet with a value of 0
			// to 2. Servers return a document only if the request repeats this octet. The
			// delimiters in these texts distinguish field 7 from other texts in the URL.
			OffPortTexts: []string{";7=%00;", ";7=%01;", ";7=%02;", "%3B7%3D%00%3B", "%3B7%3D%01%3B", "%3B7%3D%02%3B"},
		},
	}
	if c == nil {
		c = New(nil)
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
	return s
}

func words(u locus.URL) (string, bool) {
	x, err := Parse(u)
	if err != nil {
		return "", false
	}
	return x.Words()
}

func fields(u locus.URL) ([]scheme.Field, error) {
	x, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "database", Value: x.database}, {Name: "search"}, {Name: "wtype"}, {Name: "wpath"}, {Name: "fields"}}
	if x.hasSearch {
		list[1].Value = x.search
	}
	if x.form != NoDocument {
		list[2].Value, list[3].Value = x.wtype, x.wpath
	}
	var records [][]scheme.Field
	for _, f := range x.Fields() {
		records = append(records, []scheme.Field{{Name: "number", Value: f.Number}, {Name: "content", Value: f.Content}})
	}
	if records != nil {
		list[4].Value = records
	}
	return list, nil
}
