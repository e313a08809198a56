// Package finger is the finger scheme: what a host tells about its users
// (draft-ietf-uri-url-finger-03; RFC 1288).
//
//	fingerurl = "finger://" hostport [ "/" request ]
//	request   = *uchar
//
// The request is decoded and sent as one line: empty for a list of users, "user" for
// one of them, "/W user" for more about one, "user@host" for what another host says.
// The default port is 79. User and password of the URL are not sent, nor anything about
// the program.
//
// A [Client] gives a [scheme.Object], text/plain: the octets up to the end of the
// connection. Finger has no errors of its own. The text says what went wrong.
//
// # What is refused
//
// Parse refuses a URL without "//" and a host, and a request with "/" or "?", which the
// draft encodes. Open refuses CR, LF and NUL in a request before it dials. A port other
// than 79 gets no control octet at all: see package policy.
package finger
