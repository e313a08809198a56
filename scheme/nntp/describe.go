package nntp

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) {
	s.UpTo("/", "group", scheme.RolePath)
	s.All("digits", scheme.RoleType)
}

// parents returns the host's list of groups, and the group of an article.
func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	group, number, _ := strings.Cut(path, "/")
	if group == "" || u.Host() == "" {
		return nil
	}
	list := []scheme.Parent{{Name: u.Host()}}
	if number != "" {
		list = append(list, scheme.Parent{Name: scheme.Decoded(group), URL: scheme.AtPath(u, group)})
	}
	return list
}

func menuLabel(u locus.URL) string {
	if path, _ := u.Path(); path == "" && u.Host() != "" || u.SchemePart() == "*" {
		return "Newsgroups"
	}
	return "Newsgroup"
}

func freshness(u locus.URL) scheme.Freshness {
	path, _ := u.Path()
	if u.Host() == "" {
		path = u.SchemePart()
	}
	if strings.Contains(path, "/") {
		return scheme.Freshness{For: scheme.NumberAge, Fixed: true}
	}
	return scheme.Freshness{For: scheme.ListAge}
}
