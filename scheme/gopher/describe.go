package gopher

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func splitPath(s *scheme.Splitter) {
	size := min(len(s.Rest()), 1)
	if strings.HasPrefix(s.Rest(), "%") {
		size = min(len(s.Rest()), 3)
	}
	s.Cut(size, "gtype", scheme.RoleType)
	if s.UpTo(tab, "selector", scheme.RolePath) && s.UpTo(tab, "search", scheme.RoleSearch) {
		s.All("gopher+_string", scheme.RoleType)
	}
}

func title(u locus.URL) string {
	selector := scheme.Decoded(split(u).selector)
	selector = strings.TrimRight(selector, "/")
	return strings.Trim(selector[strings.LastIndexByte(selector, '/')+1:], "/")
}

// parents returns the root menu of the host. For a phone book, it returns nothing, because a
// phone book is a separate server.
func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	if path == "" || path == "1" || path[0] == TypePhone {
		return nil
	}
	return []scheme.Parent{{Name: u.Host(), URL: scheme.AtPath(u, "")}}
}

func freshness(u locus.URL) scheme.Freshness {
	w := split(u)
	gtype := w.gtypeOctet()
	switch {
	case w.hasPlus && (w.plus == "" || strings.Contains(w.plus, "?") || strings.Contains(w.plus, tab)):
		return scheme.Freshness{} // this is the URL of a form, or of the reply to a form
	case w.hasPlus && strings.ContainsAny(w.plus[:1], "!$"), strings.HasPrefix(w.plus, "%21"):
		return scheme.Freshness{For: scheme.MenuAge}
	case w.search != "", strings.Contains(w.selector, "?"), gtype == TypeSearch, gtype == TypePhone:
		return scheme.Freshness{For: scheme.SearchAge}
	case gtype == TypeMenu:
		return scheme.Freshness{For: scheme.MenuAge}
	case gtype == TypeTelnet, gtype == TypeTN3270:
		return scheme.Freshness{}
	}
	return scheme.Freshness{For: scheme.FileAge, Dated: true}
}

// below implements Crawl.Below. It compares only the selectors, because the type may differ
// between links to the same menu.
func below(start, u locus.URL) bool {
	path, _ := u.Path()
	return strings.HasPrefix(withoutType(u), withoutType(start)) && (path == "" || path[0] == TypeMenu) && !strings.Contains(path, tab)
}

func withoutType(u locus.URL) string {
	text, at := u.WithoutFragmentText(), u.PathOffset()
	if at >= len(text) {
		return strings.TrimSuffix(text, "/") + "/"
	}
	return text[:at] + text[at+1:]
}
