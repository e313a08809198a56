package archive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// A redirect is recorded without passwords, and can be followed in the archive.
func TestRedirect(t *testing.T) {
	u := locus.MustParse("x-own://h.example/")
	for _, permanent := range []bool{true, false} {
		to := []locus.URL{locus.MustParse("x-own://h2.example/a%20b"), locus.MustParse("ftp://user:secret@h3.example/")}
		registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{URL: req.URL, To: to, Permanent: permanent}, nil
		}})
		r, name := recorder(t, registry)
		if _, err := newClient(registry, r).Do(t.Context(), access.Request{URL: u, NoFollow: true}); err != nil {
			t.Fatal(err)
		}
		closed(t, r)
		s := openWith(t, registry, nil, name)
		res, err := s.Open(t.Context(), &scheme.Request{URL: u})
		got, ok := res.(*scheme.Redirect)
		if err != nil || !ok || len(got.To) != 2 || got.To[0] != to[0] || got.To[1].String() != "ftp://user@h3.example/" || got.Permanent != permanent {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

func TestRedirectHostile(t *testing.T) {
	for body, want := range map[string]error{"": nil, "# a comment\r\n\r\n": nil, "no URL\r\n": scheme.ErrProtocol, "x:\x00\r\n": scheme.ErrProtocol} {
		s := openStore(t, nil, resource("gemini://h.example/", day, "text/uri-list; locus-referral=permanent", body))
		if res, err := s.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gemini://h.example/")}); !errors.Is(err, want) {
			t.Errorf("%q: %+v, %v", body, res, err)
		}
		wantError(t, s, "gemini://h.example/", scheme.ErrProtocol, "")
	}
	// Only the first 1000 URLs of a long list count. A list of more than 1 MiB is an error.
	for octets, want := range map[int]error{1 << 20: nil, 1<<20 + 1: scheme.ErrTooLarge} {
		body := strings.Repeat("http://h.example/\r\n", 999)
		for _, padding := range []string{strings.Repeat("#\r\n", octets/3+1)[:octets-len(body)-len("\r\nhttp://h.example/x")] + "\r\nhttp://h.example/x", strings.Repeat("http://h.example/\r\n", 30_000)} {
			s := openStore(t, nil, resource("gemini://h.example/", day, "text/uri-list; locus-referral=permanent", body+padding))
			res, err := s.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gemini://h.example/")})
			if padding[0] == 'h' {
				want = nil
			}
			if r, ok := res.(*scheme.Redirect); !errors.Is(err, want) || want == nil && (!ok || len(r.To) != 1000) {
				t.Errorf("%d octets: %T, %v", len(body+padding), res, err)
			}
		}
	}
	// A URL list that a server sent is an object, and not a redirect.
	s := openStore(t, nil, resource("gemini://h.example/l", day, "text/uri-list", "http://h.example/\r\n"))
	want(t, s, "gemini://h.example/l", "http://h.example/\r\n")
}
