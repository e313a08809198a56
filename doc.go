// Package locus is the URL: a value that holds what was written, and the
// grammar that every scheme shares (RFC 1738 sections 2.1, 2.2, 3.1 and 5; the
// URI draft that became RFC 1630, "URI syntax" and "Fragment-id").
//
// [Parse] splits a text into the parts that section 3.1 names and changes
// nothing: [URL.String] gives the text back, octet for octet. Nothing here
// decodes an escape and nothing here looks at "?", because section 5 lets each
// scheme say what they mean; the packages under scheme do that, each for one
// section of the standard.
//
// # What parses
//
// A text that splits into parts without doubt parses, and its faults are
// findings of the scheme's Check. A text that does not is refused with a
// [*SyntaxError]: no scheme; a "%" without two hexadecimal digits; a control
// character or a space; a port that is no number up to 65535; two "@" before
// the host; brackets around what is no IPv6 address; "\" before the path, which
// some programs read as "/"; more than [MaxLen] octets. Nothing is repaired.
//
// # Where this differs from RFC 1738
//
// "#" and what follows it is the fragment, as the URI draft has it, although no
// production of RFC 1738 knows one. Upper case in a scheme name, an IPv6
// address in brackets, "http://host?search" without "/", and an empty port
// parse, and are findings. Text that begins with "//" after the scheme claims
// the common Internet syntax of section 3.1 and must split as that says, also
// for a scheme that nobody registered.
package locus
