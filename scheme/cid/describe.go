package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) { s.All("addr-spec", scheme.RolePath) }

func title(u locus.URL) string { return scheme.Decoded(u.SchemePart()) }
