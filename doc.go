// Package locus parses URLs strictly (RFC 1738, and the URI draft that became
// RFC 1630). A [URL] is an immutable value that holds the text as it was
// written.
//
// [Parse] splits a text into the parts of RFC 1738 section 3.1. It decodes no
// escape and does not look at "?", because section 5 lets each scheme define
// them: see the packages under scheme. It refuses, with the offset and the fix,
// a text that does not split without doubt: no scheme, "%" without two
// hexadecimal digits, a control character or a space, a port above 65535, two
// "@" before the host, brackets without an IPv6 address, "\" before the path,
// more than [MaxLen] bytes. Other faults parse, and the Check of the scheme
// reports them.
//
// Unlike RFC 1738, Parse reads "#" and what follows it as a fragment, as the URI
// draft does, and "//" after any scheme as the common Internet syntax of section
// 3.1.
//
// To hide passwords from people, show a URL with [URL.Shown] (packages fmt and slog do so)
// and other text with [MaskText], or with [Mask] if offsets in it must stay right.
package locus
