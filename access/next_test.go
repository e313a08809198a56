package access

import (
	"errors"
	"slices"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// walk opens a URL and calls Next until there is no other referral.
func walk(t *testing.T, c *Client, u locus.URL) (res *Result, err error) {
	t.Helper()
	res, err = c.Do(t.Context(), Request{URL: u, NoFollow: true})
	for err == nil {
		defer res.Close()
		if _, ok := res.Resource.(*scheme.Referral); !ok {
			return res, nil
		}
		res, err = c.Next(t.Context(), res)
	}
	return nil, err
}

// Next makes the requests that Do makes, one at a time.
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
		got, err := walk(t, c, u)
		if !slices.Equal(s.seen, asked) {
			t.Errorf("%s: asked %q, Do asked %q", name, s.seen, asked)
		}
		switch {
		case wantErr != nil || err != nil:
			if wantErr == nil || err == nil || err.Error() != wantErr.Error() || KindOf(err) != KindOf(wantErr) {
				t.Errorf("%s: %v, of Do: %v", name, err, wantErr)
			}
		default:
			if got.URL != want.URL || !slices.Equal(got.Hops, want.Hops) || got.Permanent != want.Permanent || got.LinkOrigin != want.LinkOrigin {
				t.Errorf("%s: %+v, of Do: %+v", name, got, want)
			}
			want.Close()
		}
	}
}

// Next may be called again, and changes no result.
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
		referral := func(permanent bool) *scheme.Referral {
			return &scheme.Referral{To: []locus.URL{locus.MustParse("http://b.example/")}, Permanent: permanent}
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
		res.Resource.(*scheme.Referral).To[0] = locus.MustParse("http://c.example/")
		if res, err = c.Next(t.Context(), res); err != nil || res.Permanent != test.want {
			t.Errorf("%+v: %+v, %v", test, res, err)
		}
		defer res.Close()
	}
}
