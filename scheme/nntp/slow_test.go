package nntp_test

import (
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/nntp"
)

// laws hold the package against the production of section 5:
//
//	nntpurl = "nntp://" hostport "/" group [ "/" digits ]
var laws = bnftest.Laws{
	Scheme: nntp.Scheme(nil),
	Twin:   bnftest.Production("nntp://" + bnftest.HostPort + "/" + bnftest.Group + "(?:/" + bnftest.Digits + ")?"),
	Parse:  bnftest.Parser(nntp.Parse),
}

var seeds = []string{
	"nntp://host.dom:119/comp.infosystems.www.misc/12345", "nntp://127.0.0.1/alt.a-b_c+d", "nntp://h/g/0", "nntp://h/g/007", "nntp://h/g/",
	"nntp://h/g/99999999999999999999", "nntp://u:p@h:0/g/1", "nntp:group/12", "NNTP://H.x:563/3b.x/2",
}

func TestProduction(t *testing.T) { laws.Random(t, 20_000, seeds) }
