// Package mid opens received mail: the scheme mid names a message by its Message-ID,
// and cid a body part by its Content-ID ("Message-Id" and "Content-Id" in the URI
// draft; RFC 1738 section 4 reserves both names).
//
//	midaddress = "mid:" addr-spec
//	cidaddress = "cid:" content-identifier
//
// An identifier is written without "<" and ">", and encoded. RFC 2392 has the same
// forms, and another one for a body part of a message, which is read as an extension:
//
//	mid-url = "mid" ":" message-id [ "/" content-id ]
//
// A Content-ID is unique only within its message, so a cid URL has a meaning only in
// the message that contains it, which [scheme.Request].Within opens.
//
// # Differences
//
// RFC 2392 reserves "/", and writes a "/" of an identifier %2F. The draft does not,
// so only a "/" after the first "@", with something after it, begins a content-id;
// any other belongs to its identifier. Check has a note about each.
//
// An identifier need not be an addr-spec to parse; Check has a finding "addr-spec" for
// each offence. Identifiers are the same only if they have the same octets: case
// matters, even in the domain.
//
// # RFC 2392
//
// The row's Current is RFC 2392: identifiers are addr-specs, "/" only separates, and "?" is
// escaped. Escapes of an identifier that it does not need are removed for comparison.
//
// # Resources
//
// A [scheme.Object]: the message, message/rfc822, as it is stored, or the body part,
// decoded and with its own media type. [Options].Store has the messages of mid URLs.
// The message of a cid URL may be of any scheme; it is read into memory, up to
// 64 MiB.
//
// # What is refused
//
// Parse refuses an empty identifier. Identifiers may hold any octets: they are for
// comparing with those of messages, never for writing into a header.
package mid
