package http

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) {
	s.UpTo("?", "hpath", scheme.RolePath)
	s.All("search", scheme.RoleSearch)
}

func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	path, _, _ = strings.Cut(path, "?")
	return scheme.ParentsOf(u, path)
}
