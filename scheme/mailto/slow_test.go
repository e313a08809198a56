package mailto_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mailto"
)

// invariants compares the package with the production of section 5:
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar
var invariants = bnftest.Invariants{
	Scheme:    mailto.Scheme(),
	Reference: bnftest.Production("mailto:" + bnftest.Xchar + "+"),
	Same:      sameAddress,
	Parse:     bnftest.Parser(mailto.Parse),
}

// sameAddress reports whether two addresses are equal except for the case of the domain. The text
// after a "?", which RFC 6068 reads as header fields, must be identical.
func sameAddress(a, b []scheme.Field) bool {
	x, y := a[0].Value.(string), b[0].Value.(string)
	if len(x) != len(y) || !strings.EqualFold(x, y) {
		return false
	}
	local, _, _ := addrspec.Split(escape.Encode(x, escape.Unreserved()))
	after, _, _ := addrspec.Split(escape.Encode(y, escape.Unreserved()))
	return local == after || !strings.Contains(x, "@")
}

var seeds = []string{
	"mailto:joe@host.dom", "mailto:a%25b@c.test", "mailto:%22a;b%22@Host.Dom", "mailto:a@[127.0.0.1]",
	"mailto:@one,@two:joe@host.dom", "mailto:joe@host.dom?subject=A%20b&to=c@D.e", "MAILTO:x", "mailto://a.b/c@d",
}

func TestProduction(t *testing.T) { invariants.Random(t, 20_000, seeds) }
