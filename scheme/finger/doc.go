// Package finger opens finger URLs, which request information about the users of a host
// (draft-ietf-uri-url-finger-03; RFC 1288).
//
//	fingerurl = "finger://" hostport [ "/" request ]
//	request   = *uchar
//
// The client decodes the request and sends it as one line. For an empty request, the server lists
// its users. The request "user" returns information about one user, "/W user" returns more
// details, and "user@host" forwards the request to another host. The default port is 79. The
// client sends neither the user and password of the URL nor any information about the program.
//
// A [Client] returns a [scheme.Object] of type text/plain, which contains all octets until the
// server closes the connection. Finger has no error codes, so the text may be an error message.
//
// # Refused input
//
// Parse rejects a URL without "//" and a host. It also rejects a request that contains "/" or "?",
// because the draft requires escapes for these characters. Open rejects CR, LF and NUL in a
// request before it dials. If the port is not 79, the request must not contain any control
// character (see package policy).
package finger
