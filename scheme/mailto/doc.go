// Package mailto parses mailto URLs, which contain the Internet mail address of an individual or
// service (RFC 1738 section 3.5; section "Mailto" of the URI draft). A mailto URL does not name an
// object that a client could open. It contains the address for a message that the user writes.
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar               ; further defined in RFC822
//
// The text after "mailto:" is one encoded addr-spec of RFC 822. RFC 1738 reserves no characters,
// so "?" and "&" are part of the address. A percent sign in a gateway address must be written
// "%25".
//
// # Parsing
//
// [Parse] accepts every text that matches the grammar in section 5, and decodes the text once. For
// each octet that is invalid in an addr-spec, Check reports a finding "addr-spec", and
// [URL.Address] returns an error. The last "@" separates the local part from the domain.
//
// RFC 6068 interprets the same text as a list of addresses and header fields, as in
// "mailto:a@b?subject=x". [URL.Headers] implements this extension, and Check adds a note. The
// canonical form preserves both meanings: it does not decode an escape of a character that RFC
// 6068 reserves, such as ",".
//
// Two addresses are considered equal if they differ only in the case of the domain. The canonical
// form does not change the local part.
//
// The current standard is RFC 6068, in which addresses follow RFC 5322 without comments and
// spaces. Notes report header fields that programs ignore or omit. Normalization moves the
// addresses in a "to" field before the "?", writes field names in lower case, and removes the
// fragment.
//
// # Refused input
//
// Parse rejects an empty address. Address and Headers reject comments and spaces around an
// address, source routes, and control characters. A line end in an address, for example, could
// insert a field into the message header.
package mailto
