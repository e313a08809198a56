package telnet_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/telnet"
)

func FuzzTelnet(f *testing.F) { fuzz(f, laws(telnet.Telnet(telnet.New(nil)))) }
func FuzzRlogin(f *testing.F) { fuzz(f, laws(telnet.Rlogin(telnet.New(nil)))) }
func FuzzTN3270(f *testing.F) { fuzz(f, laws(telnet.TN3270(telnet.New(nil)))) }

func fuzz(f *testing.F, l bnftest.Laws) {
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
