// Package http opens http and https URLs (RFC 1738 section 3.3; "HTTP" in the URI draft
// that became RFC 1630).
//
//	http://<host>:<port>/<path>?<searchpart>
//
// The default port is 80. https is in neither text; it has port 443, and TLS.
//
// # Syntax
//
// The searchpart follows the first "?". Path and searchpart are split first and decoded
// once. The server decides what "+", ";", "&" and "=" mean. A "/" or "?" in the
// searchpart violates section 5, and belongs to it.
//
// A user and password parse, although section 3.3 allows none, and are a violation. One
// with a "?" does not parse: "http://h?a@b/" names the host h for some parsers and b
// for others.
//
// The canonical form has "/" for no path, no "." and ".." segments (RFC 3986 section
// 5.2.4; %2E is "."), and no default port. An escaped reserved character stays escaped:
// "%2B" in a searchpart is not "+".
//
// # Access
//
// A [Client] sends one GET and follows nothing: a redirect is a [scheme.Redirect]. The
// request-target is the text between host and "#", "//", ".." and "%2f" included. Only
// what a request-target cannot hold is escaped: octets from 80 hexadecimal up, the
// quotation mark, and < > [ ] { } \ ^ ` |. The fragment is never sent, nor is a
// Referer that Request.Header does not have. Cookies come from Request.Header,
// Request.Cookies and Options.Jar. The User-Agent is
// "locus/VERSION (+URL)" by default.
//
// The user and password of a URL are sent as Basic credentials (RFC 7617), only to its
// host, and only when the server asks with 401; Object.Note says so. If the server
// refuses them, or there are none, Request.Ask is called, at most three times.
//
// Bodies may be transferred with gzip, and are decoded; the rest of a part
// (Request.Offset) is not compressed. Any other coding is left, and Object.Encoding and
// Object.Note name it. A body ends in an error if it is shorter or longer than
// announced, or breaks off, or lacks an announced trailer.
//
// # Proxies
//
// [Client.OpenVia] asks a proxy for a URL of any scheme: "the entire URI" is the
// request-target (URI draft, "HTTP"; RFC 9112 section 3.2.2), without fragment and
// password. The result is an object, whatever the scheme, or a referral, which for
// schemes other than http needs a whole URL. [Client.Tunnel] has a proxy connect to a
// host (CONNECT). The user and password of the proxy's URL are sent only to the proxy.
//
// # What is refused
//
// An invalid host, before anything is dialed; user names with ":" or control
// characters, which Basic credentials cannot have; responses that are not HTTP, or are
// HTTP/0.9; headers over 256 KiB; a range other than the requested one; an invalid
// Location.
package http
