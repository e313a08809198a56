package octet

import "testing"

func TestHostEnd(t *testing.T) {
	for _, c := range []struct {
		text     string
		at       int
		disputed bool
	}{
		{"http://h?q=a@b", 8, true}, {"http://h:9?@", 10, true}, {"http://a@b?@c/", 10, true}, {"//h?q@/x", 3, true}, {"//?@evil", 2, true}, {"http://h?a?b@c", 8, true},
		{"http://h?q", 8, false}, {"http://h#f", 8, false}, {"http://h#a@b", 8, false}, {"file://#x", 7, false}, {"http://h?q/a@b", 8, false}, {"http://h?q#a@b", 8, false},

		{"", 0, false}, {"h?q@b", 0, false}, {"?//h?q@b", 0, false}, {"http:?//h@b", 0, false}, {"http://h", 0, false}, {"http://h/?q@b", 0, false},
		{"mailto:a?b@c", 0, false}, {"/a//h?q@b", 0, false}, {"://h?q@b", 0, false}, {"a b://h?q@b", 0, false}, {"http:/h?q@b", 0, false}, {"//", 0, false},
	} {
		if at, disputed := HostEnd(c.text); at != c.at || disputed != c.disputed {
			t.Errorf("%q: %d, %v", c.text, at, disputed)
		}
	}
}
