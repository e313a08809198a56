package mailto

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) {
	s.UpTo("?", "encoded822addr", scheme.RolePath)
	s.All("hfields", scheme.RoleSearch)
}

func title(u locus.URL) string { return scheme.Decoded(u.SchemePart()) }
