// Package http opens http and https URLs (RFC 1738 section 3.3; "HTTP" in the URI draft
// that became RFC 1630).
//
//	http://<host>:<port>/<path>?<searchpart>
//
// The default port of http is 80. The default port of https, which neither document defines,
// is 443.
//
// # Syntax
//
// The searchpart follows the first "?". [Parse] splits the path from the searchpart, and
// decodes each part once. The server determines the meaning of "+", ";", "&" and "=". Parse
// accepts "/" and "?" in the searchpart, although RFC 1738 section 5 forbids them there.
//
// Parse accepts a user and password, although section 3.3 forbids them; [Check] reports a
// violation. Parse rejects a "?" in the user or password, because URL parsers disagree about
// such URLs: in "http://h?a@b/", the host is h for some parsers and b for others.
//
// In the canonical form, "/" replaces an empty path, dot segments are resolved (RFC 3986
// section 5.2.4; "%2E" counts as a dot), and the default port is omitted. An escaped reserved
// character stays escaped, because "%2B" in a searchpart is not equivalent to "+".
//
// # Access
//
// A [Client] sends one GET and does not follow redirects, but returns a [scheme.Redirect]. The
// request-target is the unchanged text between the host and "#", including "//", ".." and
// "%2f". The client escapes only bytes that a request-target cannot contain: bytes above 7F
// hexadecimal, the quotation mark, and < > [ ] { } \ ^ ` |. The client never sends the
// fragment. It sends a Referer only if Request.Header contains one. It sends the cookies in
// Request.Header, Request.Cookies and Options.Jar. The default User-Agent is "locus/VERSION
// (+URL)".
//
// The client sends the user and password in a URL as Basic credentials (RFC 7617). It sends
// them only to the URL's host, only after the server responds with 401, and sets Object.Note.
// If the server rejects the login, or if the URL contains none, the client calls Request.Ask
// up to three times.
//
// The client requests and decodes gzip compression. It requests no compression when it resumes
// a transfer (Request.Offset). It does not decode any other content coding, whose name is then
// in Object.Encoding and Object.Note. Reading a body fails if the body is incomplete, is
// longer than its Content-Length, or lacks an announced trailer.
//
// # Proxies
//
// [Client.OpenVia] requests a URL of any scheme from a proxy. The request-target is "the
// entire URI" (URI draft, "HTTP"; RFC 9112 section 3.2.2), without fragment and password. The
// result is an object or a redirect, whatever the scheme. For schemes other than http, a
// redirect must contain an absolute URL. [Client.Tunnel] asks a proxy to connect to a host
// (CONNECT). The client sends the user and password in the proxy's URL only to the proxy.
//
// # Refused input
//
// The client rejects an invalid host before it dials. It rejects user names that Basic
// credentials cannot contain, that is, with ":" or control characters. It rejects responses
// that are not HTTP/1 or HTTP/2, response headers over 256 KiB, any range other than the
// requested range, and an invalid Location.
package http
