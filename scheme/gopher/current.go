package gopher

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// RFC 4266 section 2.1:
//
//	gopher://<host>:<port>/<gopher-path>
//
//	gopher-path = <gophertype><selector>
//	            / <gophertype><selector>%09<search>
//	            / <gophertype><selector>%09<search>%09<gopher+_string>
//
// "The entire <gopher-path> may also be empty, in which case the delimiting "/" is also
// optional and the <gophertype> defaults to "1"." A selector may contain any octets except
// HT, LF and CR.
var inForce = scheme.CurrentStandard{Name: "RFC 4266", Check: checkURI, Clean: isClean, Normalize: normalizeURI, Root: true}

func isClean(u rfc3986.URI) bool {
	selector, _, _ := strings.Cut(u.Path(), "%09")
	return current.Hosted(u) && !current.HasQuery(u) && !strings.Contains(selector, "%0")
}

func checkURI(u rfc3986.URI) []locus.Violation {
	const section = "RFC 4266 2.1"
	f := current.Findings{URI: u, Section: section}
	f.Host()
	f.NoUserinfo(`a gopher URI has no user or password: leave them and the "@" out`)
	selector, _, _ := strings.Cut(u.Path(), "%09")
	for i := 0; i+2 < len(selector); i++ {
		if text := selector[i : i+3]; strings.EqualFold(text, "%0D") || text == "%0A" || text == "%0a" {
			f.Report(locus.Impossible, "line-end", section, u.PathOffset()+i, len(text), "a selector cannot contain CR or LF")
		}
	}
	if _, ok := u.Query(); ok {
		f.Note("query", "RFC 3986 3.4", u.QueryOffset()-len("?"), len("?"), `RFC 3986 ends the path here: write %3F in a selector, and %09 before a search`)
	}
	return f.List()
}

// normalizeURI replaces an empty gopher-path by "1", which is the type of the root.
func normalizeURI(u rfc3986.URI) rfc3986.URI {
	if _, query := u.Query(); query || u.Path() != "/" {
		return u
	}
	return current.WithPath(u, "/1", false)
}
