package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const section = `URI draft, "Content-Id"`

// check returns everything that is wrong with u.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && addrspec.Sound(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	text, offset := part(u)
	if text == "" {
		f.Add("form", section, offset, "", `write a content-id after "cid:"`)
		return f.List()
	}
	set := octet.Xchar
	if p == locus.RFC1630 {
		set = octet.Xalpha
	}
	f.Chars("content-identifier", offset, text, set)
	addrspec.Report(&f, offset, text)
	return f.List()
}

// canonical returns the one spelling of u, and what it changed. The error is a
// [*locus.SyntaxError]: u is no cid URL.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	if bnf.Spelled(u, 0) && !u.Facts().Has(locus.Internet) {
		return u, 0, nil
	}
	text, _ := part(u)
	var c bnf.Canon
	c.Begin(u)
	c.Text(text, escape.Unreserved())
	return c.End()
}
