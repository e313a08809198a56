package telnet_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/telnet"
)

func FuzzParse(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Add("rlogin://a:b@h")
	f.Add("tn3270://h:23/")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range all() {
			l.Text(t, text)
		}
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		x, err := telnet.Parse(u)
		if err != nil {
			return
		}
		if again, err := telnet.Parse(x.URL()); again != x || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		user, err := x.Advice()
		if err != nil {
			return
		}
		for i := range len(user) {
			if c := user[i]; c < ' ' || c > '~' && c < 0xA0 || c == 0xFF || i == 0 && c == '-' {
				t.Errorf("%q: advice %q", text, user)
			}
		}
	})
}
