// Package http is the syntax of http and https URLs and their access over HTTP
// (RFC 1738 section 3.3; "HTTP" in the URI draft that became RFC 1630).
//
//	http://<host>:<port>/<path>?<searchpart>
//
// The port defaults to 80. https, which is in neither text, differs in its port
// 443 and in TLS alone.
//
// # Syntax
//
// The path is "/" and segments, the searchpart what follows the first "?". Both
// are decoded after they were split, and once. "+" is not decoded: what it means
// is the server's affair, and the same goes for ";", "&" and "=". A "/" or "?"
// in the searchpart is a violation of section 5 and read as part of it.
//
// A user and password parse, although section 3.3 allows none, and are a
// violation. One that holds a "?" does not parse: "http://h?a@b/" leads to h for
// some readers and to b for others.
//
// Canonical are: "/" for no path, no "." and ".." segments (RFC 3986 section
// 5.2.4, after %2E was read as "."), no default port. "%2B" in a searchpart is
// not "+", and an escaped reserved character stays escaped everywhere.
//
// # Access
//
// A [Client] sends one GET and follows nothing: a redirect is a
// [scheme.Referral]. The request-target is what was written between host and
// "#", octet for octet, "//", ".." and "%2f" included; only what no
// request-target can hold is encoded first, as the draft says ("disallowed
// characters" must be escaped for transmission): octets from 80 hexadecimal up,
// the quotation mark, and < > [ ] { } \ ^ ` |. "~" goes out as written. The
// fragment is never sent, and neither are cookies or a Referer.
//
// Section 3.3 allows no user and password. Those of a URL are sent as Basic
// credentials (RFC 7617) to that host only, when the server asks for them with 401;
// Object.Note says so. When the server wants others, Request.Ask is asked, three
// times at most.
//
// Transfers are compressed with gzip if the server likes to, and the object
// comes out as it is without. Another coding stays, whether it was asked for or not:
// Object.Encoding and Object.Note name it. A transfer that continues a part (Request.Offset)
// is not compressed. A body that is shorter or longer than announced, or breaks
// off, ends in an error, as does one that lacks a trailer that was announced.
//
// # Proxies
//
// [Client.OpenVia] asks a proxy: "the entire URI" is the request-target (URI draft,
// "HTTP"; RFC 9112 section 3.2.2), and may be of any scheme. Its fragment is not
// sent, and neither is a password, but as Basic credentials. The answer is an
// object, whatever the scheme; a redirect is a referral, which for schemes other
// than http must be a whole URL. [Client.Tunnel] has a proxy connect to a host
// (CONNECT). The proxy's own user and password are in its URL, and go to it alone.
//
// # What is refused
//
// A host that is none by section 5, before anything is dialled; user names with
// ":" or control characters, which Basic can't carry; answers that are not HTTP
// or are HTTP/0.9; headers of more than 256 KiB; a range that is not the one that
// was asked for; a Location that is no URL.
package http
