package access

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// The client sends the fields for a URL only with requests for that URL. After an encrypted
// connection, it does not send them over an unencrypted connection.
func TestHeaderFor(t *testing.T) {
	var seen []string
	open := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		h := http.Header(req.Header)
		seen = append(seen, req.URL.String()+" "+h.Get("Authorization")+" "+h.Get("X-All"))
		if _, to, ok := strings.Cut(req.URL.String(), "?"); ok {
			return &scheme.Redirect{URL: req.URL, To: []locus.URL{locus.MustParse(to)}}, nil
		}
		return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
	})
	clear, secure := scheme.Generic("x-clear", scheme.Experimental), scheme.Generic("x-secure", scheme.Experimental)
	clear.Access.Opener, secure.Access.Opener = open, open
	secure.Traits |= scheme.Secure
	r, err := new(scheme.Registry).With(clear, secure)
	if err != nil {
		t.Fatal(err)
	}
	c := New(r, policy.Policy{}, &Options{
		Header: http.Header{"X-All": {"all"}},
		HeaderFor: func(u locus.URL) http.Header {
			if u.Host() == "own.example" {
				return http.Header{"authorization": {"sesame"}, "X-All": {"own"}}
			}
			return nil
		},
	})
	defer c.Close()
	for _, u := range []string{
		"x-clear://own.example/", "x-clear://own.example/?x-clear://else.example/", "x-clear://else.example/?x-clear://own.example/",
		"x-secure://own.example/?x-clear://own.example/",
	} {
		res, err := c.Open(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
	}
	want := []string{
		"x-clear://own.example/ sesame own",
		"x-clear://own.example/?x-clear://else.example/ sesame own", "x-clear://else.example/  all",
		"x-clear://else.example/?x-clear://own.example/  all", "x-clear://own.example/ sesame own",
		"x-secure://own.example/?x-clear://own.example/ sesame own", "x-clear://own.example/  all",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}
