// Package gemini opens gemini URLs, which name documents on servers that use TLS. Each connection
// carries one request and one response. The package follows the Gemini network protocol and
// gemtext specifications, version 0.24.
//
//	geminiurl = "gemini://" hostport [ "/" path ] [ "?" query ]
//
// The default port is 1965. If the path is missing, the client sends "/". The client sends neither
// the fragment nor any information about the user or the program.
//
// # Responses
//
// A [Client] returns a text/gemini document as a [scheme.Menu]. The items of the menu are the
// links, and the other lines as items without a URL. For any other media type, the client returns
// a [scheme.Object]. For status 1x, it returns a menu with a form that requests the query. For
// status 3x, it returns a [scheme.Redirect]. For status 4x, 5x and 6x, it returns errors of
// package scheme.
//
// # Trust on first use
//
// Most servers use self-signed certificates. A client stores the fingerprint of the first
// certificate that it receives from a host and port. Until this certificate expires, the client
// rejects any other certificate (see [Options.KnownHosts]). It does not check the hostnames in
// certificates.
//
// # Refused input
//
// Parse rejects a URL if "//" or the host is missing, or if the URL contains a user. Open rejects a request of
// more than 1024 octets before it dials, as the specification requires. A menu line must not
// exceed 64 KiB, and a menu must not exceed 16 MiB.
package gemini
