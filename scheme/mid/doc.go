// Package mid is the mid scheme: a mail message by its Message-Id, within mail
// that has been received already ("Message-Id" in the URI draft; RFC 1738 section
// 4 reserves the name).
//
//	midaddress = "mid:" addr-spec
//
// "The rest of the URL after the "mid:" is the RFC822 msg-id with the constant <>
// wrapper removed", encoded. RFC 2392 gave it a second form, for a body part of
// the message, which is read here as an extension:
//
//	mid-url = "mid" ":" message-id [ "/" content-id ]
//
// # Where this differs
//
// In RFC 2392 "/" is reserved, and a "/" of an identifier is written %2F. The
// draft knows nothing of that, so only a "/" behind the first "@", with something
// after it, begins a content-id; any other is part of its identifier. Check has a
// note about each.
//
// Neither identifier has to be an addr-spec to parse; Check has a finding
// "addr-spec" for each place where it is none. Identifiers are the same only if
// they are the same octets; case matters, in the domain too.
//
// # What comes of it
//
// A [scheme.Object]: the message, message/rfc822, its octets as they are stored; or,
// with a content-id, the body part, decoded and with its own media type. The mail
// to look in is [Options].Store. If several messages have the identifier, the first
// counts.
//
// # What is refused
//
// Parse refuses "mid:" with nothing behind it. Identifiers may decode to any
// octets, and are for comparing with those of messages, never for a header.
package mid
