package access

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// walk opens a URL and calls Next until there is no other redirect. It uses the clients in
// turn.
func walk(t *testing.T, u locus.URL, clients ...*Client) (res *Result, err error) {
	t.Helper()
	res, err = clients[0].Do(t.Context(), Request{URL: u, NoFollow: true})
	for n := 1; err == nil; n++ {
		defer res.Close()
		if _, ok := res.Resource.(*scheme.Redirect); !ok {
			return res, nil
		}
		res, err = clients[n%len(clients)].Next(t.Context(), res)
	}
	return nil, err
}

// Next makes the same requests as Do, one at a time, even if another client made the
// previous request.
func TestNext(t *testing.T) {
	for name, s := range map[string]*cookieServer{
		"page": {},
		"chain": {
			sets: map[string][]string{"http://a.example/": {"k=1"}},
			to:   map[string]string{"http://a.example/": "http://a.example/x", "http://a.example/x": "http://b.example/", "http://b.example/": "http://a.example/y"},
		},
		"the same URL again": {
			sets: map[string][]string{"http://a.example/": {"k=1; Path=/"}},
			to:   map[string]string{"http://a.example/": "http://a.example/", "http://a.example/ k=1": ""},
		},
		"loop":    {to: map[string]string{"http://a.example/": "http://b.example/", "http://b.example/": "http://a.example/"}},
		"private": {to: map[string]string{"http://a.example/": "http://b.example/", "http://b.example/": "http://10.0.0.1/"}},
		"login":   {to: map[string]string{"http://a.example/": "http://u@b.example/"}},
	} {
		c, u := s.client(t, nil), locus.MustParse("http://a.example/#f")
		want, wantErr := c.Do(t.Context(), Request{URL: u})
		asked := s.seen
		s.seen = nil
		for _, clients := range [][]*Client{{c}, {c, s.client(t, nil)}} {
			s.seen = nil
			got, err := walk(t, u, clients...)
			if !slices.Equal(s.seen, asked) {
				t.Errorf("%s: %d clients asked %q, Do asked %q", name, len(clients), s.seen, asked)
			}
			if wantErr != nil || err != nil {
				if wantErr == nil || err == nil || err.Error() != wantErr.Error() || KindOf(err) != KindOf(wantErr) {
					t.Errorf("%s: %v, of Do: %v", name, err, wantErr)
				}
			} else if got.URL != want.URL || !slices.Equal(got.Hops, want.Hops) || got.Permanent != want.Permanent || got.LinkOrigin != want.LinkOrigin {
				t.Errorf("%s: %+v, of Do: %+v", name, got, want)
			}
		}
		if wantErr == nil {
			want.Close()
		}
	}
}

// A client can follow a redirect that another client received. The addresses that the first client
// dialed decide where the redirect may lead. A redirect from a public address must not lead to a
// private address, even if the policy allows private addresses for typed URLs.
func TestNextOfOtherClient(t *testing.T) {
	open := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		c, err := req.Dial.DialContext(ctx, "tcp", net.JoinHostPort(req.URL.Host(), "80"))
		if err != nil {
			return nil, err
		}
		c.Close()
		return &scheme.Redirect{URL: req.URL, To: []locus.URL{locus.MustParse("x-next://b.example/")}}, nil
	})
	row := scheme.Generic("x-next", scheme.Experimental)
	row.Access.Opener = open
	r, err := new(scheme.Registry).With(row)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	client := func(address string) *Client {
		c := New(r, p, &Options{
			Lookup: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr(address)}, nil
			},
			Dial: func(context.Context, string, string) (net.Conn, error) {
				c, other := net.Pipe()
				other.Close()
				return c, nil
			},
		})
		t.Cleanup(func() { c.Close() })
		return c
	}
	to := locus.MustParse("x-next://b.example/")
	for _, test := range []struct {
		first, second string
		denied        bool
	}{{"1.1.1.1", "1.1.1.2", false}, {"10.0.0.1", "10.0.0.2", false}, {"1.1.1.1", "10.0.0.2", true}} {
		from, err := client(test.first).Do(t.Context(), Request{URL: locus.MustParse("x-next://a.example/"), NoFollow: true})
		if err != nil {
			t.Fatal(err)
		}
		other := client(test.second)
		_, next := other.Next(t.Context(), from)
		_, refer := client(test.second).Redirect(t.Context(), from, to)
		if errors.Is(next, policy.ErrDenied) != test.denied || errors.Is(refer, policy.ErrDenied) != test.denied {
			t.Errorf("from %s to %s: %v, %v", test.first, test.second, next, refer)
		}
	}
}

// A program may call Next and Redirect again, and the calls change no result.
func TestNextAgain(t *testing.T) {
	s := &cookieServer{to: map[string]string{"http://a.example/": "http://b.example/", "http://b.example/": "http://c.example/"}}
	c := s.client(t, nil)
	first, err := c.Do(t.Context(), Request{URL: locus.MustParse("http://a.example/"), NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		next, err := c.Next(t.Context(), first)
		if err != nil || texts(next.Hops) != "http://a.example/ http://b.example/" || len(first.Hops) != 1 {
			t.Errorf("%+v, %v", next, err)
		}
		referred, err := c.Redirect(t.Context(), first, locus.MustParse("http://d.example/"))
		if err != nil || texts(referred.Hops) != "http://a.example/ http://d.example/" || len(first.Hops) != 1 {
			t.Errorf("%+v, %v", referred, err)
		}
	}
	made := &Result{URL: first.URL, Resource: first.Resource}
	if _, err := c.Next(t.Context(), made); err == nil || errors.Is(err, policy.ErrDenied) {
		t.Errorf("a result that no client made: %v", err)
	}
}

func TestNextPermanent(t *testing.T) {
	for _, test := range []struct{ first, second, want bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		s := new(cookieServer)
		c := s.client(t, nil)
		referral := func(permanent bool) *scheme.Redirect {
			return &scheme.Redirect{To: []locus.URL{locus.MustParse("http://b.example/")}, Permanent: permanent}
		}
		res, err := c.Do(t.Context(), Request{URL: locus.MustParse("http://a.example/"), NoFollow: true})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		res.Resource = referral(test.first)
		if res, err = c.Next(t.Context(), res); err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		res.Resource = referral(test.second)
		res.Resource.(*scheme.Redirect).To[0] = locus.MustParse("http://c.example/")
		if res, err = c.Next(t.Context(), res); err != nil || res.Permanent != test.want {
			t.Errorf("%+v: %+v, %v", test, res, err)
		}
		defer res.Close()
	}
}
