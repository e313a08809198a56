package wais

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// RFC 4156 section 2:
//
//	wais://<host>:<port>/<database>
//	wais://<host>:<port>/<database>?<search>
//	wais://<host>:<port>/<database>/<wtype>/<wpath>
var inForce = scheme.CurrentStandard{Name: "RFC 4156", Check: checkURI, Clean: isClean}

// isClean reports whether u has a database, but neither a document nor a dot segment.
func isClean(u rfc3986.URI) bool {
	database, _ := strings.CutPrefix(u.Path(), "/")
	return current.Hosted(u) && database != "" && !strings.ContainsAny(database, "/%") && database[0] != '.'
}

// decodeDots decodes escaped dots.
var decodeDots = strings.NewReplacer("%2E", ".", "%2e", ".")

func checkURI(u rfc3986.URI) []locus.Violation {
	f := current.Findings{URI: u, Section: "RFC 4156 2"}
	f.NoUserinfo(`a wais URI has no user or password: leave them and the "@" out`)
	if !f.Host() {
		return f.List()
	}
	parts := strings.Split(strings.TrimPrefix(u.Path(), "/"), "/")
	start := u.PathOffset() + min(len(u.Path()), len("/"))
	switch {
	case parts[0] == "":
		f.Add("database", start, 0, "the name of a database is missing")
	case len(parts) == 2:
		f.Add("path", u.PathOffset()+len(u.Path()), 0, "write <wtype>/<wpath> after the database: a type, \"/\" and a document")
	case len(parts) > 3:
		at := start + len(strings.Join(parts[:3], "/"))
		f.Add("path", at, len("/"), `write %2F: "/" only separates database, type and document`)
	case len(parts) == 3:
		f.NoQuery("a document has no search: leave it out")
	}
	for at := start; len(parts) > 0; parts = parts[1:] {
		if plain := decodeDots.Replace(parts[0]); plain == "." || plain == ".." {
			f.Report(locus.Impossible, "dot-segment", "RFC 3986 6.2.2.3", at, len(parts[0]), "no database, type or document has this name: programs remove it from the path")
		}
		at += len(parts[0]) + len("/")
	}
	return f.List()
}
