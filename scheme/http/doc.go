// Package http opens http and https URLs (RFC 1738 section 3.3; "HTTP" in the URI draft
// that became RFC 1630).
//
//	http://<host>:<port>/<path>?<searchpart>
//
// The default port of http is 80. Neither text defines https, whose default port is 443.
//
// # Syntax
//
// The searchpart follows the first "?". Parse splits path and searchpart and decodes
// each once. The server determines the meaning of "+", ";", "&" and "=". A "/" or "?"
// in the searchpart belongs to it, and violates section 5.
//
// Parse accepts a user and password, although section 3.3 allows none, and Check
// reports a violation. Parse rejects a user or password with a "?": some parsers read
// the host h in "http://h?a@b/", and others read b.
//
// The canonical form has "/" for an empty path, no "." and ".." segments (RFC 3986
// section 5.2.4; %2E is "."), and no default port. An escaped reserved character stays
// escaped: "%2B" in a searchpart is not "+".
//
// # Access
//
// A [Client] sends one GET and does not follow redirects: it returns a
// [scheme.Redirect]. The request-target is the text between host and "#", including
// "//", ".." and "%2f". The client escapes only octets that a request-target cannot
// contain: octets from 80 hexadecimal up, the quotation mark, and < > [ ] { } \ ^ ` |.
// It never sends the fragment, and sends a Referer only if Request.Header has one.
// Cookies come from Request.Header, Request.Cookies and Options.Jar. The default
// User-Agent is "locus/VERSION (+URL)".
//
// The client sends the user and password of a URL as Basic credentials (RFC 7617),
// only to its host, and only after the server responds with 401. Object.Note reports
// that. If the server rejects them, or there are none, the client calls Request.Ask at
// most three times.
//
// The client accepts and decodes gzip. It requests the rest of a part (Request.Offset)
// without compression. It leaves any other coding unchanged, and Object.Encoding and
// Object.Note name it. Reading a body fails if the body is shorter or longer than
// announced, breaks off, or lacks an announced trailer.
//
// # Proxies
//
// [Client.OpenVia] requests a URL of any scheme from a proxy: "the entire URI" is the
// request-target (URI draft, "HTTP"; RFC 9112 section 3.2.2), without fragment and
// password. The result is an object, whatever the scheme, or a redirect. For schemes
// other than http, the redirect must contain a whole URL. [Client.Tunnel] requests a
// connection to a host from a proxy (CONNECT). The client sends the user and password
// of the proxy's URL only to the proxy.
//
// # Refused input
//
// The client rejects an invalid host before it dials, and user names with ":" or
// control characters, which Basic credentials cannot contain. It rejects responses
// that are not HTTP, or are HTTP/0.9, headers over 256 KiB, a range other than the
// requested one, and an invalid Location.
package http
