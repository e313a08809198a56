package verify

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/verify"
)

// place fills in what links of a document are resolved by. name is the path of its file, which
// was found in arg. Both are empty for standard input, a document of this folder.
func (c *choice) place(s *verify.Source, arg, name string) {
	dir := "."
	if name != "" {
		dir = filepath.Dir(name)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		s.Top = c.top(abs)
	}
	if name == "" && s.URL.IsZero() {
		// Without a URL, relative links are ignored.
		s.URL, _ = folderURL(".")
	}
	if s.Root = c.root; s.Root.IsZero() && s.Top.IsZero() {
		s.Root, _ = folderURL(folderOf(arg, dir))
		s.RootGuessed = true
	}
}

// folderOf returns the folder that an argument names, or else dir.
func folderOf(arg, dir string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return arg
	}
	return dir
}

// top returns the top of the repository that the absolute path of a folder is in. The zero
// URL means that it is in none.
func (c *choice) top(dir string) locus.URL {
	u, ok := c.tops[dir]
	if ok {
		return u
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		u, _ = folderURL(dir)
	} else if above := filepath.Dir(dir); above != dir {
		u = c.top(above)
	}
	c.tops[dir] = u
	return u
}

// folderURL returns the URL of a folder, which ends in "/".
func folderURL(dir string) (locus.URL, error) {
	u, err := base.FileURL(dir)
	if err != nil {
		return u, err
	}
	return locus.Parse(strings.TrimSuffix(u.String(), "/") + "/")
}
