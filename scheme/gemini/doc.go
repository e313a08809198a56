// Package gemini is the gemini scheme: documents over TLS with one request and one
// response a connection (the Gemini network protocol and gemtext specifications,
// version 0.24).
//
//	geminiurl = "gemini://" hostport [ "/" path ] [ "?" query ]
//
// The default port is 1965. "/" is sent for a missing path. User and password are
// refused, and a fragment is not sent. Nothing about the user and the program is sent.
//
// # Responses
//
// A [Client] gives a [scheme.Menu] for text/gemini: its links, and its other lines as
// items without a URL. Any other media type is a [scheme.Object]. Status 1x is a menu
// with a form that asks for the query; status 3x is a [scheme.Redirect]; 4x, 5x and 6x
// are errors of package scheme.
//
// # Trust on first use
//
// Servers have certificates that no authority signed. A client stores the fingerprint of
// the first certificate of a host and port, and refuses another one until the first has
// expired: see [Options.KnownHosts]. Host names in certificates are not compared.
//
// # What is refused
//
// Parse refuses a URL without "//" and a host, and one with a user. Open refuses a request
// of more than 1024 octets before it dials, as the specification does. Lines of a menu
// have 64 KiB at most, and a menu 16 MiB.
package gemini
