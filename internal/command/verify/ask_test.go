package verify

import (
	"net/netip"
	"testing"
)

// With --ipv4 or --ipv6, the client looks up only addresses of one family. Otherwise it uses the
// default lookup.
func TestAddressFamily(t *testing.T) {
	for _, c := range []struct {
		q     requestFlags
		host  string
		found bool
	}{
		{requestFlags{ipv4: true}, "127.0.0.1", true}, {requestFlags{ipv4: true}, "::1", false},
		{requestFlags{ipv6: true}, "127.0.0.1", false}, {requestFlags{ipv6: true}, "::1", true},
	} {
		list, err := c.q.lookup()(t.Context(), c.host)
		if (err == nil) != c.found || c.found && (len(list) != 1 || list[0].Unmap() != netip.MustParseAddr(c.host)) {
			t.Errorf("%+v, %s: %v, %v, want success %v", c.q, c.host, list, err, c.found)
		}
	}
	if new(requestFlags).lookup() != nil {
		t.Error("a lookup without a flag")
	}
}
