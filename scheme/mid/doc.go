// Package mid opens received mail. A mid URL names a message by its Message-ID, and
// a cid URL names a body part by its Content-ID ("Message-Id" and "Content-Id" in
// the URI draft; RFC 1738 section 4 reserves both names).
//
//	midaddress = "mid:" addr-spec
//	cidaddress = "cid:" content-identifier
//
// An identifier is encoded and written without "<" and ">". RFC 2392 defines the same
// forms. It also defines a form for a body part of a message, which this package
// reads as an extension:
//
//	mid-url = "mid" ":" message-id [ "/" content-id ]
//
// A Content-ID is unique only within its message, so a cid URL is meaningful only in the
// message that contains the URL. The function [scheme.Request].Within opens this message.
//
// # Differences
//
// RFC 2392 reserves "/", so an identifier must contain it as %2F. The draft does not
// reserve it. Therefore a "/" begins a content-id only if it follows the first "@" and
// text follows the "/". Any other "/" is part of the identifier that contains it. Check
// adds a note about each "/".
//
// Parse accepts an identifier that is not an addr-spec; Check reports a finding
// "addr-spec" for each fault. Identifiers are the same only if all their octets
// are equal: case matters, even in the domain.
//
// # RFC 2392
//
// The standard in force is RFC 2392: identifiers are addr-specs, "/" is only a separator,
// and "?" is escaped. For comparison, unnecessary escapes of an identifier are removed.
//
// # Resources
//
// A client returns a [scheme.Object]: the stored message, of type message/rfc822, or
// the decoded body part with its own media type. [Options].Store provides the
// messages of mid URLs. The message of a cid URL may come from any scheme. The
// client reads it into memory, up to 64 MiB.
//
// # Refused input
//
// Parse rejects an empty identifier. Identifiers may contain any octets. A program
// may compare them with the identifiers of messages, but must not write them into
// a header.
package mid
