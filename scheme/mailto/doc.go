// Package mailto is the mailto scheme: the Internet mailing address of an
// individual or service (RFC 1738 section 3.5; "Mailto" in the URI draft).
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar               ; further defined in RFC822
//
// The text after "mailto:" is one encoded addr-spec of RFC 822. There are no reserved
// characters: "?" and "&" are part of the address. A percent sign, which gateway addresses
// have, is written "%25".
//
// A mailto URL names no object that could be opened. It is the address of a message that
// the user writes.
//
// # Parsing
//
// [Parse] accepts every text of section 5 and decodes it once. Check reports a finding
// "addr-spec" for each octet that is invalid in an addr-spec, and [URL.Address] returns an
// error. The last "@" splits local part and domain.
//
// RFC 6068 reads the same text as a list of addresses and header fields:
// "mailto:a@b?subject=x". [URL.Headers] implements this extension, and Check adds a note. The
// canonical form preserves both meanings: an escape of a character that RFC 6068 reserves,
// such as ",", stays.
//
// Two addresses are the same if they differ only in the case of the domain. The local part
// is never changed.
//
// The row's Current is RFC 6068: addresses are those of RFC 5322 without comments and blanks,
// and notes are about header fields that programs ignore or leave out. In its normal form the
// addresses of a field "to" are before the "?", names of fields are in lower case, and the
// fragment is left out.
//
// # What is refused
//
// Parse refuses an empty address. Address and Headers refuse control characters that would
// be in a message's header, such as line ends, comments and blanks around an address, and
// source routes.
package mailto
