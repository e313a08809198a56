package http

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// RFC 9110 section 4.2:
//
//	http-URI  = "http" "://" authority path-abempty [ "?" query ]
//	https-URI = "https" "://" authority path-abempty [ "?" query ]
//
// Section 4.2.1 forbids an empty host, and section 4.2.4 forbids senders to generate a
// userinfo. Fragments have the syntax of RFC 3986 (section 4.2.5). Section 4.2.3 adopts the
// normalization of RFC 3986 section 6.2.3, in which "/" replaces an empty path.
var inForce = scheme.CurrentStandard{Name: "RFC 9110", Check: checkURI, Clean: current.Hosted, Root: true}

func checkURI(u rfc3986.URI) []locus.Violation {
	section := "RFC 9110 4.2.1"
	if name, _ := u.Scheme(); len(name) > len("http") {
		section = "RFC 9110 4.2.2"
	}
	f := current.Findings{URI: u, Section: section}
	f.Host()
	f.Section = "RFC 9110 4.2.4"
	f.NoUserinfo(`leave out "@" and the user and password before it: senders must not write them, and recipients may take them for an attack`)
	return f.List()
}
