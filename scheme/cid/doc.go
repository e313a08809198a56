// Package cid is the cid scheme: a body part of a MIME message by its Content-Id
// ("Content-Id" in the URI draft; RFC 1738 section 4 reserves the name).
//
//	cidaddress = "cid:" content-identifier
//
// The draft does not say what a content-identifier is. RFC 1521 does: the same as
// the addr-spec of a Message-Id, and so RFC 2392 has it:
//
//	cid-url = "cid" ":" content-id
//
// "Content identifiers are only required to be unique within the context of a
// given MIME message, and so the cid: URL is only meaningful with the context the
// same MIME message." A body part of another message is for mid.
//
// # Where this differs
//
// An identifier does not have to be an addr-spec to parse; Check has a finding
// "addr-spec" for each place where it is none. Identifiers are the same only if
// they are the same octets; case matters, in the domain too.
//
// # What comes of it
//
// A [scheme.Object]: the body part, decoded and with its own media type. The message
// is what [scheme.Request].Within opens, whatever scheme that is of. It is held in
// memory, 64 MiB of it at most; of a larger one in a mail store, mid gives the parts.
//
// # What is refused
//
// Parse refuses "cid:" with nothing behind it. An identifier may decode to any
// octets, and is for comparing with those of body parts, never for a header.
package cid
