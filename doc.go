// Package locus parses URLs strictly (RFC 1738, and the URI draft that became
// RFC 1630). A [URL] is an immutable value that holds the text as written.
//
// [Parse] splits a text into the parts of RFC 1738 section 3.1. Parse does not decode escapes
// and does not split at "?", because section 5 lets each scheme define their meaning; see the
// packages under scheme. Parse rejects a text that can be split in more than one way. The
// error contains the offset and the fix. Parse rejects these faults: no scheme, "%" without
// two hexadecimal digits, a control character or a space, a port above 65535, two "@" before
// the host, brackets without an IPv6 address, "\" before the path, and more than [MaxLen]
// bytes. Parse accepts other faults, which the scheme's Check function reports.
//
// Parse differs from RFC 1738 in two ways. Like the URI draft, Parse reads "#" and the text
// after it as a fragment. After any scheme, Parse reads "//" as the common Internet syntax of
// section 3.1.
//
// A program must not show passwords to people. A program should show a URL with [URL.Shown],
// as packages fmt and slog do. A program should show other text with [MaskText], or with
// [Mask] if offsets in the text must stay valid.
package locus
