package telnet

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// These variables contain the rules of RFC 4248 and RFC 6270. RFC 4248 section 2 defines the
// syntax.
//
//	telnet://<user>:<password>@<host>:<port>/
//
// "The final "/" character may be omitted." By RFC 6270 section 2, tn3270 URLs have the same
// syntax: an authority, optionally followed by "/". No later document defines rlogin.
var (
	telnetInForce = scheme.CurrentStandard{Name: "RFC 4248", Check: checkURI("RFC 4248 2"), Clean: isClean, Root: true}
	tn3270InForce = scheme.CurrentStandard{Name: "RFC 6270", Check: checkURI("RFC 6270 2"), Clean: isClean, Root: true}
)

func isClean(u rfc3986.URI) bool {
	host, _ := u.Host()
	path := u.Path()
	return host != "" && (path == "" || path == "/") && !current.HasQuery(u)
}

func checkURI(section string) func(u rfc3986.URI) []locus.Violation {
	return func(u rfc3986.URI) []locus.Violation {
		f := current.Findings{URI: u, Section: section}
		if f.Host() {
			f.NoPath("a session has no path: leave it out")
		}
		f.NoQuery("a session has no query: leave it out")
		return f.List()
	}
}
