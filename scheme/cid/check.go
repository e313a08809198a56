package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

const section = `URI draft, "Content-Id"`

// check returns everything that is wrong with u.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && addrspec.Sound(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	text, offset := bnf.SchemePart(u)
	if text == "" {
		f.Add("form", section, offset, "", `write a content-id after "cid:"`)
		return f.List()
	}
	f.Xchars("content-identifier", offset, text)
	addrspec.Report(&f, offset, text)
	return f.List()
}

// canonical returns the one spelling of u, and what it changed. The error is a
// [*locus.SyntaxError]: u is no cid URL.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	return addrspec.Canonical(u)
}

// notes says where a cid URL has a meaning.
func notes(u locus.URL) []locus.Violation {
	return []locus.Violation{{
		Rule: "within-message", Kind: locus.Note, Section: "RFC 2392 1", Text: u.String()[:len("cid")],
		Help: "a cid URL has a meaning only in the message that contains it: elsewhere write mid:, a message-id, \"/\" and the content-id",
	}}
}
