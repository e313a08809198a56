package wais

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// databaseOf splits a url-path into the encoded database and the rest. The rest is a search or
// document with the delimiter before it.
func databaseOf(u locus.URL) (database, rest string) {
	path, _ := u.Path()
	if i := strings.IndexAny(path, "?/"); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

func splitPath(s *scheme.Splitter) {
	text := s.Rest()
	if i := strings.IndexAny(text, "?/"); i >= 0 && text[i] == '?' {
		s.UpTo("?", "database", scheme.RolePath)
		s.All("search", scheme.RoleSearch)
		return
	}
	if s.UpTo("/", "database", scheme.RolePath) && s.UpTo("/", "wtype", scheme.RoleType) {
		s.All("wpath", scheme.RolePath)
	}
}

// title returns a title that contains the database's name, because a document-id is not
// readable.
func title(u locus.URL) string {
	database, rest := databaseOf(u)
	if words, ok := strings.CutPrefix(rest, "?"); ok && words != "" {
		return scheme.Decoded(words) + " in " + scheme.Decoded(database)
	}
	return scheme.Decoded(database)
}

func parents(u locus.URL) []scheme.Parent {
	database, rest := databaseOf(u)
	if rest == "" {
		return nil
	}
	return []scheme.Parent{{Name: u.Host()}, {Name: scheme.Decoded(database), URL: scheme.AtPath(u, database)}}
}

func freshness(u locus.URL) scheme.Freshness {
	_, rest := databaseOf(u)
	path, _ := u.Path()
	switch {
	case strings.Contains(path, "?"):
		return scheme.Freshness{For: scheme.SearchAge}
	case rest != "":
		return scheme.Freshness{For: scheme.NumberAge} // the types of a document have different URLs
	}
	return scheme.Freshness{For: scheme.AboutAge}
}
