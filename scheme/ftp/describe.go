package ftp

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func cutTypecode(path string) (before, code string) {
	if i := lastTypeWord(path); i >= 0 {
		return path[:i], path[i+len(typeWord):]
	}
	return path, ""
}

func splitPath(s *scheme.Splitter) {
	if i := lastTypeWord(s.Rest()); i >= 0 {
		s.Cut(i, "fpath", scheme.RolePath)
		s.Delimiter(len(typeWord))
		s.All("ftptype", scheme.RoleType)
	}
	s.All("fpath", scheme.RolePath)
}

func title(u locus.URL) string {
	path, _ := cutTypecode(pathOf(u))
	return scheme.LastName(path)
}

func parents(u locus.URL) []scheme.Parent {
	path, _ := cutTypecode(pathOf(u))
	return scheme.ParentsOf(u, path)
}

func pathOf(u locus.URL) string {
	path, _ := u.Path()
	return path
}

// isListing reports whether u identifies a directory (RFC 1738 section 3.2.2).
func isListing(u locus.URL) bool {
	name, code := cutTypecode(pathOf(u))
	return name == "" || name[len(name)-1] == '/' || strings.EqualFold(code, "d")
}

func freshness(u locus.URL) scheme.Freshness {
	if isListing(u) {
		return scheme.Freshness{For: scheme.MenuAge}
	}
	return scheme.Freshness{For: scheme.FileAge, Dated: true, Fixed: true}
}
