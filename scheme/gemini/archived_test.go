package gemini_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gemini"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestArchived(t *testing.T) {
	s := start(t, map[string]string{
		"/a/":       "20 text/gemini; charset=utf-8\r\n# T\n=> b.gmi  The b\n=>\t//other.example/c.txt\n=> %zz bad\n```\n=> no\n```\nlast",
		"/menu.txt": "20 text/gemini\r\n=> a\r\n",
		"/empty":    "20 text/gemini\r\n",
		"/ask":      "10 What?\r\n",
		"/secret":   "11 Word\r\n",
	})
	c := client()
	for _, path := range []string{"/a/", "/menu.txt", "/empty", "/ask", "/secret"} {
		res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gemini://" + s.Addr() + path), Dial: new(net.Dialer), Source: true})
		if err != nil {
			t.Fatal(err)
		}
		m := res.(*scheme.Menu)
		var list []scheme.Item
		for item, err := range m.Items {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, item)
		}
		schemetest.SameArchived(t, gemini.Scheme(c), m, list)
		m.Close()
	}
}

// If the media type is missing, the client must use the file name to distinguish a menu from an
// object.
func TestArchivedObject(t *testing.T) {
	row := gemini.Scheme(nil)
	for path, want := range map[string]string{"/a.txt|": "text/plain", "/a|text/plain": "text/plain", "/|text/plain": "text/plain", "/a.gmi|": "", "/|": "", "/a.png|text/gemini": ""} {
		path, kind, _ := strings.Cut(path, "|")
		res, err := row.Access.Archived(locus.MustParse("gemini://h"+path), kind, io.NopCloser(strings.NewReader("=> a\n")))
		if err != nil {
			t.Fatal(err)
		}
		switch r := res.(type) {
		case *scheme.Menu:
			if want != "" {
				t.Errorf("%s %s: a menu", path, kind)
			}
		case *scheme.Object:
			if r.Type != want {
				t.Errorf("%s %s: %q", path, kind, r.Type)
			}
		}
	}
}

// FuzzArchived checks that reading arbitrary archived octets returns a resource and closes the
// archived body.
func FuzzArchived(f *testing.F) {
	f.Add("10 What?\r\n")
	f.Add("# T\n=> b.gmi  The b\n```\n=> no\n```\nlast")
	f.Fuzz(func(t *testing.T, octets string) {
		for _, kind := range []string{"", "text/gemini"} {
			schemetest.ReadArchived(t, gemini.Scheme(nil), locus.MustParse("gemini://h/"), kind, []byte(octets))
		}
	})
}
