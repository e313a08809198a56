package file

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestArchived(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b", "caf\xe9", "line\nend", `back\slash "quoted"`, "\u202e", "-", "ünï"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Log(err) // not every file system allows such names
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "broken")); err != nil {
		t.Log(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := Scheme(New(&Options{Root: root}))
	schemetest.Archived(t, s, locus.MustParse("file:///"), nil)
	schemetest.Archived(t, s, locus.MustParse("file:///sub/"), nil)
	schemetest.Archived(t, s, locus.MustParse("file:///sub#part"), nil)
}

func TestArchivedObject(t *testing.T) {
	res, err := Scheme(nil).Access.Archived(locus.MustParse("file:///a/b.html"), "", io.NopCloser(strings.NewReader("text")))
	if o, ok := res.(*scheme.Object); err != nil || !ok || o.Name != "b.html" || o.Type != "text/html; charset=utf-8" && o.Type != "text/html" {
		t.Errorf("%+v, %v", res, err)
	}
}

// FuzzArchived checks that reading any archived listing closes the listing, and that writing its
// items again produces the same octets.
func FuzzArchived(f *testing.F) {
	f.Add("object 3 2020-01-02T03:04:05.6Z \"\" \"a\"\n")
	f.Add("menu -1 - \"symbolic link\" \"a b\\xff\"\n")
	f.Add("object 3 - \"\" \"\"\n")
	f.Fuzz(func(t *testing.T, octets string) {
		schemetest.ReadArchived(t, Scheme(nil), locus.MustParse("file:///a/"), listingType, []byte(octets))
	})
}
