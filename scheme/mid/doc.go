// Package mid opens received mail. A mid URL names a message by its Message-ID, and a cid URL
// names a body part by its Content-ID (sections "Message-Id" and "Content-Id" of the URI draft).
// RFC 1738 section 4 reserves both scheme names.
//
//	midaddress = "mid:" addr-spec
//	cidaddress = "cid:" content-identifier
//
// An identifier is written with escapes and without "<" and ">". RFC 2392 defines the same syntax.
// It also defines mid URLs for a body part of a message, which this package supports as an
// extension.
//
//	mid-url = "mid" ":" message-id [ "/" content-id ]
//
// A Content-ID is unique only within its message, so a cid URL is meaningful only in the message
// that contains the URL. The function [scheme.Request].Within must open this message.
//
// # Differences
//
// RFC 2392 reserves "/", so a "/" in an identifier must be written %2F. The draft does not reserve
// "/". Therefore Parse splits a mid URL only at a "/" that follows the first "@" and is not the
// last character. Any other "/" is part of the identifier that contains it. Check adds a note
// about each "/".
//
// Parse accepts an identifier that is not an addr-spec. For each error in such an identifier,
// Check reports a finding "addr-spec". Two identifiers are the same only if all their octets are
// equal. Case matters, even in the domain.
//
// # RFC 2392
//
// The current standard is RFC 2392. In RFC 2392, identifiers are addr-specs, "/" is only a
// separator, and "?" must be escaped. Normalization removes unnecessary escapes from identifiers.
//
// # Resources
//
// A client returns a [scheme.Object]. It contains the stored message, of type message/rfc822, or a
// decoded body part with its own media type. [Options].Store provides the messages of mid URLs.
// The message that contains a cid URL may come from any scheme. The client reads this message into
// memory, up to 64 MiB.
//
// # Refused input
//
// Parse rejects an empty identifier. Because identifiers may contain any octets, a program must
// not write an identifier into a message header. It may compare an identifier with the identifiers
// of messages.
package mid
