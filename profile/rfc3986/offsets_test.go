package rfc3986_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locus-url/locus/profile/rfc3986"
)

// Each component must begin at its offset, after its delimiter.
func TestOffsets(t *testing.T) {
	pieces := []string{"", "s", ":", "/", "//", "@", "[::1]", "?", "#", "h", "8", "p:w", "é"}
	rnd := rand.New(rand.NewPCG(3986, 3))
	for range 20_000 {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		u := rfc3986.Parse(b.String())
		userinfo, hasUserinfo := u.Userinfo()
		host, hasHost := u.Host()
		port, hasPort := u.Port()
		query, hasQuery := u.Query()
		fragment, hasFragment := u.Fragment()
		for _, c := range []struct {
			name, text string
			ok         bool
			before     string
			offset     int
		}{
			{"userinfo", userinfo, hasUserinfo, "//", u.UserinfoOffset()},
			{"host", host, hasHost, "", u.HostOffset()},
			{"port", port, hasPort, ":", u.PortOffset()},
			{"path", u.Path(), true, "", u.PathOffset()},
			{"query", query, hasQuery, "?", u.QueryOffset()},
			{"fragment", fragment, hasFragment, "#", u.FragmentOffset()},
		} {
			if c.offset < 0 || c.offset > len(u.String()) {
				t.Fatalf("%q: %s at %d", u.String(), c.name, c.offset)
			}
			before, after := u.String()[:c.offset], u.String()[c.offset:]
			if !strings.HasPrefix(after, c.text) || c.ok && !strings.HasSuffix(before, c.before) {
				t.Fatalf("%q: %s %q at %d", u.String(), c.name, c.text, c.offset)
			}
		}
		if hasHost && u.HostOffset()+len(host)+len(port) > u.PathOffset() || u.QueryOffset() < u.PathOffset()+len(u.Path()) {
			t.Fatalf("%q: host %d, path %d, query %d", u.String(), u.HostOffset(), u.PathOffset(), u.QueryOffset())
		}
	}
}
