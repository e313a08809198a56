package mid_test

import (
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mid"
)

// invariants compares the package with the production in the URI draft. The allowed characters are
// the characters of an otherurl in RFC 1738 section 5:
//
//	midaddress = "mid:" addr-spec
//
// An addr-spec is never empty. Another test checks the other rules of RFC 822.
var invariants = bnftest.Invariants{
	Scheme:    mid.Schemes(nil)[0],
	Reference: bnftest.Production("mid:" + bnftest.Xchar + "+"),
	Parse:     bnftest.Parser(mid.Parse),
}

var seeds = []string{
	"mid:960830.1639@XIson.com", "mid:960830.1639@XIson.com/partA.960830.1639@XIson.com", "mid:a/b@c/d@e", "mid:a%2Fb@c/",
	"mid:%3Ca@b%3E", "mid://a@b/c", "MID:x", "mid:@/x",
}

// cidInvariants compares the package with the production in the URI draft. The allowed characters
// are the characters of an otherurl in RFC 1738 section 5:
//
//	cidaddress = "cid:" content-identifier
//
// An identifier is never empty.
var cidInvariants = bnftest.Invariants{
	Scheme:    mid.Schemes(nil)[1],
	Reference: bnftest.Production("cid:" + bnftest.Xchar + "+"),
	Parse:     bnftest.Parser(mid.Parse),
}

var cidSeeds = []string{
	"cid:foo4%25foo1@bar.net", "cid:partA.960830.1639@XIson.com", "cid:a/b@c", "cid:%3Ca@b%3E", "cid://a@b", "CID:image001.png",
}

func TestProduction(t *testing.T) {
	invariants.Random(t, 20_000, seeds)
	cidInvariants.Random(t, 20_000, cidSeeds)
}
