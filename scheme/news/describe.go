package news

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitNews(s *scheme.Splitter) {
	if strings.Contains(s.Rest(), "@") {
		s.All("article", scheme.RolePath)
	}
	s.All("group", scheme.RolePath)
}

func splitNNTP(s *scheme.Splitter) {
	s.UpTo("/", "group", scheme.RolePath)
	s.All("digits", scheme.RoleType)
}

func newsTitle(u locus.URL) string {
	return scheme.Decoded(strings.TrimPrefix(u.SchemePart(), "//"))
}

// nntpParents returns the menus above an article, which are the server's list of newsgroups
// and the article's newsgroup.
func nntpParents(u locus.URL) []scheme.Parent {
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

func newsFreshness(u locus.URL) scheme.Freshness {
	part := u.SchemePart()
	if strings.Contains(part[strings.LastIndexByte(part, '/')+1:], "@") {
		return scheme.Freshness{For: scheme.MessageAge, Fixed: true}
	}
	return scheme.Freshness{For: scheme.ListAge}
}

func nntpFreshness(u locus.URL) scheme.Freshness {
	if strings.Contains(path(u), "/") {
		return scheme.Freshness{For: scheme.NumberAge, Fixed: true}
	}
	return scheme.Freshness{For: scheme.ListAge}
}
