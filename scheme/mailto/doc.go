// Package mailto reads mailto URLs: the Internet mailing address of an
// individual or service (RFC 1738 section 3.5; "Mailto" in the URI draft). A
// mailto URL does not name an object that a client could open. It is the
// address of a message that the user writes.
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar               ; further defined in RFC822
//
// The text after "mailto:" is one encoded addr-spec of RFC 822. There are no reserved
// characters: "?" and "&" are part of the address. The percent sign of a gateway address
// is written "%25".
//
// # Parsing
//
// [Parse] accepts every text of section 5 and decodes it once. Check reports a finding
// "addr-spec" for each octet that is invalid in an addr-spec, and [URL.Address] returns an
// error. The last "@" separates local part and domain.
//
// RFC 6068 reads the same text as a list of addresses and header fields:
// "mailto:a@b?subject=x". [URL.Headers] implements this extension, and Check adds a note. The
// canonical form preserves both meanings: it does not decode an escape of a character that
// RFC 6068 reserves, such as ",".
//
// Two addresses are the same if they differ only in the case of the domain. The canonical
// form does not change the local part.
//
// The standard in force is RFC 6068. Its addresses follow RFC 5322 without comments and
// spaces. Notes report header fields that programs ignore or omit. The normal form moves the
// addresses of a "to" field before the "?", writes field names in lower case, and removes the
// fragment.
//
// # Refused input
//
// Parse rejects an empty address. Address and Headers reject comments and spaces around an
// address, source routes, and control characters such as line ends, which would be in a
// message's header.
package mailto
