package ws

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce contains the rules of RFC 6455. Section 3 defines the syntax.
//
//	ws-URI  = "ws:" "//" host [ ":" port ] path [ "?" query ]
//	wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// The productions host, port, path-abempty and query are defined in RFC 3986. A fragment "MUST NOT
// be used on these URIs". If the path is empty, the resource name is "/".
var inForce = scheme.CurrentStandard{Check: checkURI, Clean: isClean, Root: true}

func isClean(u rfc3986.URI) bool {
	_, fragment := u.Fragment()
	return current.Hosted(u) && !fragment
}

func checkURI(u rfc3986.URI) []locus.Violation {
	f := current.Findings{URI: u, Section: "RFC 6455 3"}
	f.Host()
	f.NoUserinfo(`a WebSocket URI has no user or password: leave them and the "@" out`)
	f.NoFragment(`a WebSocket URI has no fragment: leave it out, or write %23 in a path or query`)
	return f.List()
}
