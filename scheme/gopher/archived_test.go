package gopher_test

import (
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/schemetest"
)

// If the client fetched a preferred view, the archived bytes must include the Gopher+ header.
func TestArchivedView(t *testing.T) {
	const lines = "0About\t0about\th.example\t70\r\n"
	for _, octets := range []string{lines, lines + ".\r\n", "+-1\r\n" + lines + ".\r\n", "+-2\r\n" + lines, "+28\r\n" + lines} {
		schemetest.ReadArchived(t, gopher.Scheme(nil), locus.MustParse("gopher://h/1"), "", []byte(octets))
		m := &scheme.Menu{URL: locus.MustParse("gopher://h/1"), Source: func() ([]byte, string) { return []byte(octets), "" }}
		schemetest.SameArchived(t, gopher.Scheme(nil), m, []scheme.Item{
			{URL: locus.MustParse("gopher://h.example/00about"), Title: "About", Kind: scheme.KindObject, Type: "text/plain", Size: -1},
		})
	}
}

// A client with Options.Raw must return the bytes of an archived menu as an object.
func TestArchivedRaw(t *testing.T) {
	const octets = "+-1\r\n0About\t0about\th.example\t70\r\n.\r\n"
	res, err := gopher.Scheme(gopher.New(&gopher.Options{Raw: true})).Access.Archived(locus.MustParse("gopher://h/1"), "", io.NopCloser(strings.NewReader(octets)))
	o, ok := res.(*scheme.Object)
	if err != nil || !ok {
		t.Fatalf("%T, %v", res, err)
	}
	if got, err := io.ReadAll(o.Body); string(got) != octets || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// An item in an archived gophers menu must have a gophers URL, and reading the menu from the
// archive must not need TLS.
func TestArchivedSecure(t *testing.T) {
	m := &scheme.Menu{URL: locus.MustParse("gophers://h/1"), Source: func() ([]byte, string) { return []byte("1Sub\t/sub\th\t70\r\n.\r\n"), "" }}
	schemetest.SameArchived(t, gopher.SecureScheme(nil), m, []scheme.Item{
		{URL: locus.MustParse("gophers://h/1/sub"), Title: "Sub", Kind: scheme.KindMenu, Type: "application/gopher-menu", Size: -1},
	})
}

// FuzzArchived checks that any archived bytes result in a resource or an error, and that the
// reader is closed.
func FuzzArchived(f *testing.F) {
	f.Add("0About\t0about\th.example\t70\r\n.\r\n")
	f.Add("+-1\r\n+INFO: 0About\t0about\th.example\t70\t+\r\n+VIEWS:\r\n text/plain: <1k>\r\n+ASK:\r\n Ask: Name\r\n.\r\n")
	f.Add("--1\r\n1 admin\r\nnot here\r\n.\r\n")
	f.Add("102:There was 1 match.\r\n-200:1: name: A\r\n200:Ok.\r\n")
	f.Add("3error\t\terror.host\t1\r\n.\r\n")
	s := gopher.Scheme(nil)
	f.Fuzz(func(t *testing.T, octets string) {
		for _, path := range []string{"", "1/a", "7/a%09words", "7/a", "1/a%09%09$", "1/a%09%09!", "0/a%09%09?", "2/a%09name", "0/a", "h/URL:http://x.example/"} {
			schemetest.ReadArchived(t, s, locus.MustParse("gopher://h/"+path), "", []byte(octets))
		}
	})
}
