package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// cookieServer responds to a URL with a cookie, a redirect, or both. It records the
// requests.
type cookieServer struct {
	sets map[string][]string // Set-Cookie fields by URL
	to   map[string]string   // redirect targets by URL, or by URL and cookies
	seen []string            // URL and cookies
}

func (s *cookieServer) client(t *testing.T, o *Options) *Client {
	t.Helper()
	open := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		u, with := req.URL.String(), ""
		if req.Cookies != nil {
			with = req.Cookies.Header(req.URL)
			req.Cookies.Set(req.URL, s.sets[u])
		}
		asked := strings.TrimSpace(u + " " + with)
		s.seen = append(s.seen, asked)
		to, ok := s.to[asked]
		if !ok {
			to, ok = s.to[u]
		}
		if ok && to != "" {
			return &scheme.Redirect{URL: req.URL, To: []locus.URL{locus.MustParse(to)}}, nil
		}
		return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
	})
	plain, secure := scheme.Generic("http", scheme.Experimental), scheme.Generic("https", scheme.Experimental)
	plain.Access.Opener, secure.Access.Opener = open, open
	plain.Policy.Encoded, secure.Policy.Encoded = true, true
	secure.Traits |= scheme.Secure
	r, err := new(scheme.Registry).With(plain, secure)
	if err != nil {
		t.Fatal(err)
	}
	c := New(r, policy.Policy{}, o)
	t.Cleanup(func() { c.Close() })
	return c
}

// The client sends cookies as RFC 6265 requires, and only within a chain of redirects.
func TestCookies(t *testing.T) {
	long := strings.Repeat("x", maxCookie)
	for _, c := range []struct {
		name string
		sets map[string][]string
		to   map[string]string
		want string // requests for opening http://a.example/ twice
	}{
		{"the same URL again",
			map[string][]string{"http://a.example/": {"k=1; Path=/"}},
			map[string]string{"http://a.example/": "http://a.example/", "http://a.example/ k=1": ""},
			"http://a.example/, http://a.example/ k=1"},
		{"another path",
			map[string][]string{"http://a.example/": {"k=1; Path=/b", "m=2"}},
			map[string]string{"http://a.example/": "http://a.example/c", "http://a.example/c m=2": "http://a.example/b/x"},
			"http://a.example/, http://a.example/c m=2, http://a.example/b/x k=1; m=2"},
		{"another host",
			map[string][]string{"http://a.example/": {"k=1", "n=2; Domain=b.example", "o=3; Domain=example"}},
			map[string]string{"http://a.example/": "http://b.example/"},
			"http://a.example/, http://b.example/"},
		{"a host below the domain",
			map[string][]string{"http://a.example/": {"k=1; Domain=a.example", "m=2"}},
			map[string]string{"http://a.example/": "http://w.a.example/"},
			"http://a.example/, http://w.a.example/ k=1"},
		{"a public suffix",
			map[string][]string{"http://a.example/": {"k=1; Domain=example"}},
			map[string]string{"http://a.example/": "http://c.example/"},
			"http://a.example/, http://c.example/"},
		{"only over TLS",
			map[string][]string{"http://a.example/": {"k=1; Secure"}, "https://a.example/": {"s=1; Secure", "t=2"}},
			map[string]string{"http://a.example/": "https://a.example/", "https://a.example/": "http://a.example/x"},
			"http://a.example/, https://a.example/ k=1, http://a.example/x t=2"},
		{"too long",
			map[string][]string{"http://a.example/": {"k=" + long, "m=1"}},
			map[string]string{"http://a.example/": "http://a.example/x"},
			"http://a.example/, http://a.example/x m=1"},
		{"no cookies at all", nil, map[string]string{"http://a.example/": "http://a.example/x"}, "http://a.example/, http://a.example/x"},
	} {
		s := &cookieServer{sets: c.sets, to: c.to}
		client := s.client(t, nil)
		for range 2 {
			res, err := client.Open(t.Context(), "http://a.example/")
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			res.Close()
		}
		if got := strings.Join(s.seen, ", "); got != c.want+", "+c.want {
			t.Errorf("%s: got\n%s\nwant twice\n%s", c.name, got, c.want)
		}
	}
}

// A redirect loop with the same cookies ends at once. A loop with new cookies ends at the
// limit.
func TestCookieLoops(t *testing.T) {
	s := &cookieServer{
		sets: map[string][]string{"http://a.example/": {"k=1"}},
		to:   map[string]string{"http://a.example/": "http://a.example/"},
	}
	_, err := s.client(t, nil).Open(t.Context(), "http://a.example/")
	if !errors.Is(err, ErrRedirectLoop) || len(s.seen) != 2 {
		t.Errorf("%v: %q", err, s.seen)
	}
	s = &cookieServer{sets: map[string][]string{}, to: map[string]string{}}
	for i := range 60 {
		u := fmt.Sprintf("http://a.example/%d", i)
		s.to[u] = fmt.Sprintf("http://a.example/%d", (i+1)%2)
		s.sets[u] = []string{fmt.Sprintf("k%d=1", i), "k=1"}
	}
	s.sets["http://a.example/0"] = make([]string, 0, 60)
	for i := range 60 {
		s.sets["http://a.example/0"] = append(s.sets["http://a.example/0"], fmt.Sprintf("c%d=1", i))
	}
	if _, err = s.client(t, nil).Open(t.Context(), "http://a.example/0"); !errors.Is(err, ErrRedirectLoop) {
		t.Errorf("%v", err)
	}
	if n := strings.Count(s.seen[len(s.seen)-1], "="); n != maxCookies {
		t.Errorf("%d cookies were sent", n)
	}
}

// Redirect continues a chain, with the same cookies, loop check, limit and policy.
func TestClientRedirect(t *testing.T) {
	s := &cookieServer{
		sets: map[string][]string{"http://a.example/": {"k=1"}},
		to:   map[string]string{"http://a.example/": "http://a.example/x", "http://a.example/y": "http://a.example/z"},
	}
	c := s.client(t, nil)
	open := func() *Result {
		res, err := c.Open(t.Context(), "http://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Close() })
		return res
	}
	first := open()
	res, err := c.Redirect(t.Context(), first, locus.MustParse("http://a.example/y#f"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if got := texts(res.Hops); got != "http://a.example/ http://a.example/x http://a.example/y http://a.example/z" || res.URL.String() != "http://a.example/z#f" || res.Permanent {
		t.Errorf("%s: %+v", got, res)
	}
	if len(first.Hops) != 2 || s.seen[3] != "http://a.example/z k=1" {
		t.Errorf("%v, %q", first.Hops, s.seen)
	}
	for to, want := range map[string]error{"http://a.example/x": ErrRedirectLoop, "http://10.0.0.1/": policy.ErrDenied, "http://u@b.example/": policy.ErrDenied} {
		if _, err := c.Redirect(t.Context(), open(), locus.MustParse(to)); !errors.Is(err, want) {
			t.Errorf("%s: %v", to, err)
		}
	}
	at := open()
	for i := 2; err == nil && i < 40; i++ {
		if at, err = c.Redirect(t.Context(), at, locus.MustParse(fmt.Sprintf("http://a.example/%d", i))); err == nil {
			defer at.Close()
		}
	}
	if deniedBy(err) != "hops" {
		t.Errorf("%v", err)
	}
	made := &Result{URL: locus.MustParse("http://a.example/"), LinkOrigin: policy.FromPublic}
	if res, err := c.Redirect(t.Context(), made, locus.MustParse("http://b.example/")); err != nil || !slices.Equal(res.Hops, []locus.URL{locus.MustParse("http://b.example/")}) {
		t.Errorf("%+v, %v", res, err)
	}
}
