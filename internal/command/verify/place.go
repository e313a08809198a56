package verify

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/verify"
)

// setBase sets the fields of the source s that are needed for relative links. The parameter name is
// the path of the document, which verify found in the argument arg. For standard input, name and
// arg are empty, and relative links are resolved in the current directory.
func (c *selectionFlags) setBase(s *verify.Source, arg, name string) {
	dir := "."
	if name != "" {
		dir = filepath.Dir(name)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		s.Top = c.topURL(abs)
	}
	if name == "" && s.URL.IsZero() {
		// Without a URL, verify would ignore relative links.
		s.URL, _ = folderURL(".")
	}
	if s.Root = c.root; s.Root.IsZero() && s.Top.IsZero() {
		s.Root, _ = folderURL(folderOf(arg, dir))
		s.RootGuessed = true
	}
}

// folderOf returns arg if arg is a directory, and dir otherwise.
func folderOf(arg, dir string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return arg
	}
	return dir
}

// topURL returns the root URL of the repository that contains the directory dir, or the zero URL if
// there is no repository. The path dir must be absolute.
func (c *selectionFlags) topURL(dir string) locus.URL {
	u, ok := c.tops[dir]
	if ok {
		return u
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		u, _ = folderURL(dir)
	} else if above := filepath.Dir(dir); above != dir {
		u = c.topURL(above)
	}
	c.tops[dir] = u
	return u
}

// folderURL returns the URL of a directory. The URL ends in "/".
func folderURL(dir string) (locus.URL, error) {
	u, err := base.FileURL(dir)
	if err != nil {
		return u, err
	}
	return locus.Parse(strings.TrimSuffix(u.String(), "/") + "/")
}
