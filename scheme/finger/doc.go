// Package finger opens finger URLs, with which a host reports about its users
// (draft-ietf-uri-url-finger-03; RFC 1288).
//
//	fingerurl = "finger://" hostport [ "/" request ]
//	request   = *uchar
//
// The client decodes the request and sends it as one line. An empty request lists the
// users, "user" reports about one user, "/W user" reports more, and "user@host"
// forwards the request to another host. The default port is 79. The client sends
// neither the user and password of the URL nor any information about the program.
//
// A [Client] returns a [scheme.Object] of type text/plain with all octets up to
// the end of the connection. Finger has no error codes, so the text may be an
// error message.
//
// # Refused input
//
// Parse rejects a URL without "//" and a host, and a request with "/" or "?", which the
// draft encodes. Open rejects CR, LF and NUL in a request before it dials. A request to
// another port than 79 must not contain any control octet: see package policy.
package finger
