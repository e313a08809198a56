package nfs

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce contains the rules of RFC 2224. Section 1 defines the syntax.
//
//	nfs://<host>:<port><url-path>
//
// "The <url-path> is a hierarchical directory path of the form
// /<directory>/<directory>/<directory>/.../<name>", of US-ASCII characters. "If <url-path>
// is omitted or consists solely of "/", it must default to the path "."."
var inForce = scheme.CurrentStandard{Name: "RFC 2224", Check: checkURI, Clean: isClean, Root: true}

func isClean(u rfc3986.URI) bool {
	path := u.Path()
	return current.Hosted(u) && !current.HasQuery(u) && !strings.HasPrefix(path, "//") && strings.IndexByte(path, '%') < 0
}

func checkURI(u rfc3986.URI) []locus.Violation {
	const section = "RFC 2224 1"
	f := current.Findings{URI: u, Section: section}
	f.Host()
	f.NoUserinfo(`an nfs URL has no user or password: leave them and the "@" out`)
	if u.Path() == "" {
		f.NoQuery("an nfs URL has no query: leave it out")
	} else {
		f.NoQuery(`an nfs URL has no query: write %3F in a name with "?"`)
	}
	if !f.URI.Conforms() {
		return f.List() // some escapes may be malformed
	}
	path := u.Path()
	for i := 0; i < len(path); {
		o, size := bnf.Octet(path, i)
		switch at := u.PathOffset() + i; {
		case o == 0:
			f.Report(locus.Impossible, "nul", section, at, size, "a filename cannot contain NUL")
		case o >= 0x80:
			f.Report(locus.Impossible, "not-us-ascii", section, at, size, "a path consists of US-ASCII characters")
		}
		i += size
	}
	if strings.HasPrefix(path, "//") {
		f.Note("absolute", "RFC 2224 6.1", u.PathOffset(), len("//"), `the second "/" makes the path absolute: it is not relative to the public filehandle`)
	}
	return f.List()
}
