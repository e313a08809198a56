package telnet_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

// invariants compares one of the three schemes with the production in section 5. For rlogin and
// tn3270, only the scheme name differs:
//
//	telneturl = "telnet://" login [ "/" ]
func invariants(s scheme.Scheme) bnftest.Invariants {
	return bnftest.Invariants{
		Scheme:    s,
		Reference: bnftest.Production(s.Name + "://" + bnftest.Login + "/?"),
		Parse:     bnftest.Parser(telnet.Parse),
	}
}

func all() []bnftest.Invariants {
	return []bnftest.Invariants{invariants(telnet.Schemes(nil)[0]), invariants(telnet.Schemes(nil)[1]), invariants(telnet.Schemes(nil)[2])}
}

var seeds = []string{
	"telnet://user:password@host.dom:23/", "telnet://user@127.0.0.1", "telnet://:@h:513/", "telnet://-froot@h/", "telnet://a%0Db@h:0/",
	"telnet://host.dom/path", "telnet://;?&=@h", "telnet:h", "TELNET://H.x:023/",
}

// seedsOf returns the seeds as URLs of the scheme that l tests.
func seedsOf(l bnftest.Invariants) (list []string) {
	for _, text := range seeds {
		list = append(list, strings.Replace(text, "telnet:", l.Scheme.Name+":", 1))
	}
	return list
}

func TestProduction(t *testing.T) {
	for _, l := range all() {
		l.Random(t, 20_000, seedsOf(l))
	}
}
