package prospero

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// maxSpans is the maximum number of fields that Split separates.
const maxSpans = 64

func splitPath(s *scheme.Splitter) {
	s.UpTo(";", "ppath", scheme.RolePath)
	for i := 1; s.Rest() != "" && i < maxSpans; i++ {
		if s.UpTo("=", "fieldname", scheme.RoleType) {
			s.UpTo(";", "fieldvalue", scheme.RoleSearch)
		}
	}
	s.All("fieldspec", scheme.RoleSearch)
}

func title(u locus.URL) string { return scheme.LastName(split(u).ppath) }

func freshness(locus.URL) scheme.Freshness { return scheme.Freshness{For: scheme.MenuAge} }
