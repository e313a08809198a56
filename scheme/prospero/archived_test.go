package prospero_test

import (
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/schemetest"
)

// An archived object that begins like a reply must still be an object.
func TestArchivedObject(t *testing.T) {
	for _, text := range []string{"", "LINK to something\n", "VERSION 5\x00 and more", "text"} {
		schemetest.ReadArchived(t, prospero.Scheme(nil), locus.MustParse(theServer+"x"), "", []byte(text))
		res, err := prospero.Scheme(nil).Access.Archived(locus.MustParse(theServer+"a/x.txt"), "", io.NopCloser(strings.NewReader(text)))
		o, ok := res.(*scheme.Object)
		if err != nil || !ok {
			t.Fatalf("%q: %T, %v", text, res, err)
		}
		if got, err := io.ReadAll(o.Body); string(got) != text || err != nil || o.Name != "x.txt" {
			t.Errorf("%q, %v, %+v", got, err, o)
		}
	}
}

// FuzzArchived checks that reading arbitrary archived octets returns a resource or an error, and
// closes the archived body.
func FuzzArchived(f *testing.F) {
	f.Add(aDirectory + "\x00" + link("L", "a", "h.example", "a") + "\x00")
	f.Add(aDirectory + "\x00" + link("U", "a", "h.example", "a") + "\x00\x00")
	f.Add("FAILURE NOT-FOUND\n\x00NONE-FOUND\n\x00")
	f.Add("a text")
	s := prospero.Scheme(nil)
	f.Fuzz(func(t *testing.T, octets string) {
		for _, text := range []string{"x", "/a/b;VERSION=1", "x;key=value"} {
			schemetest.ReadArchived(t, s, locus.MustParse(theServer+text), "", []byte(octets))
		}
	})
}
