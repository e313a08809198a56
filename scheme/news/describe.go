package news

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) {
	if strings.Contains(s.Rest(), "@") {
		s.All("article", scheme.RolePath)
	}
	s.All("group", scheme.RolePath)
}

func title(u locus.URL) string { return scheme.Decoded(strings.TrimPrefix(u.SchemePart(), "//")) }

func menuLabel(u locus.URL) string {
	if path, _ := u.Path(); path == "" && u.Host() != "" || u.SchemePart() == "*" {
		return "Newsgroups"
	}
	return "Newsgroup"
}

func freshness(u locus.URL) scheme.Freshness {
	part := u.SchemePart()
	if strings.Contains(part[strings.LastIndexByte(part, '/')+1:], "@") {
		return scheme.Freshness{For: scheme.LetterAge, Fixed: true}
	}
	return scheme.Freshness{For: scheme.ListAge}
}
