// Package gemini opens gemini URLs: documents over TLS, with one request and one
// response per connection (Gemini network protocol and gemtext specifications,
// version 0.24).
//
//	geminiurl = "gemini://" hostport [ "/" path ] [ "?" query ]
//
// The default port is 1965. The client sends "/" for a missing path. It does not send
// the fragment, nor any information about the user and the program.
//
// # Responses
//
// A [Client] returns text/gemini as a [scheme.Menu]. Its items are the links, and the
// other lines without a URL. It returns any other media type as a [scheme.Object].
// Status 1x gives a menu with a form that requests the query, and status 3x a
// [scheme.Redirect]. Status 4x, 5x and 6x give errors of package scheme.
//
// # Trust on first use
//
// Most servers use self-signed certificates. A client stores the fingerprint of the
// first certificate of a host and port, and rejects another certificate until the first
// one expires: see [Options.KnownHosts]. It does not check the host names in
// certificates.
//
// # Refused input
//
// Parse rejects a URL without "//" and a host, and a URL with a user. Open rejects a
// request of more than 1024 octets before it dials, as the specification requires. A line
// of a menu must not exceed 64 KiB, and a menu must not exceed 16 MiB.
package gemini
