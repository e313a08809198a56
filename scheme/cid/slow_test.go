package cid_test

import (
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/cid"
)

// laws hold the package against the URI draft's production in the characters of
// RFC 1738 section 5, where cid is an otherurl:
//
//	cidaddress = "cid:" content-identifier
//
// An identifier is never empty; what else RFC 822 says is judged in its own test.
var laws = bnftest.Laws{
	Scheme: cid.Scheme(nil),
	Twin:   bnftest.Production("cid:" + bnftest.Xchar + "+"),
	Parse:  bnftest.Parser(cid.Parse),
}

var seeds = []string{
	"cid:foo4%25foo1@bar.net", "cid:partA.960830.1639@XIson.com", "cid:a/b@c", "cid:%3Ca@b%3E", "cid://a@b", "CID:image001.png",
}

func TestProduction(t *testing.T) { laws.Random(t, 20_000, seeds) }
