// Package mailto is the mailto scheme: the Internet mailing address of an
// individual or service (RFC 1738 section 3.5; "Mailto" in the URI draft).
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar               ; further defined in RFC822
//
// The whole of what follows "mailto:" is one addr-spec of RFC 822, encoded.
// There are no reserved characters: "?" and "&" are letters of the address like
// others. A percent sign, which gateway addresses have, is written "%25".
//
// A mailto URL names no object, so there is nothing to open: it says where a
// message would go that a person writes.
//
// # What is read
//
// [Parse] takes every text that section 5 has and decodes it once. What the
// octets are worth is a second question: Check has a finding "addr-spec" for each
// place where they are no addr-spec, and [URL.Address], which is there for use,
// refuses then. The last "@" splits local part and domain.
//
// RFC 6068, which came later, reads the same text as a list of addresses and
// header fields: "mailto:a@b?subject=x". That is an extension here, with its own
// accessor, [URL.Headers], and a note in Check. Both readings are of the same
// text, so the canonical form keeps apart what either of them keeps apart: an
// escape for a reserved character, or for ",", stays.
//
// Two addresses are the same if they differ in the case of the domain alone. The
// local part is the business of its host and is never changed.
//
// # What is refused
//
// Parse refuses "mailto:" with nothing behind it. Address and Headers refuse
// control characters, a line end above all, wherever they would end up in a
// header of a message; comments and blanks around an address; source routes.
package mailto
