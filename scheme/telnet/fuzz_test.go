package telnet_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/telnet"
)

func FuzzTelnet(f *testing.F) { fuzz(f, invariants(telnet.Schemes(nil)[0])) }
func FuzzRlogin(f *testing.F) { fuzz(f, invariants(telnet.Schemes(nil)[1])) }
func FuzzTN3270(f *testing.F) { fuzz(f, invariants(telnet.Schemes(nil)[2])) }

func fuzz(f *testing.F, l bnftest.Invariants) {
	l.Fuzz(f, seedsOf(l), func(t *testing.T, u locus.URL) {
		x, _ := telnet.Parse(u)
		user, err := x.Advice()
		if err != nil {
			return
		}
		for i := range len(user) {
			if c := user[i]; c < ' ' || c > '~' && c < 0xA0 || c == 0xFF || i == 0 && c == '-' {
				t.Errorf("%q: advice %q", u, user)
			}
		}
	})
}
