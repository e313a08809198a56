package file

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) { s.All("fpath", scheme.RolePath) }

func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	return scheme.ParentsOf(u, path)
}
