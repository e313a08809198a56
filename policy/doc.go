// Package policy decides where a URL may lead (RFC 1738 section 6). It does no I/O, so
// every rule can be tested with values.
//
// There are two checks. [Policy.CheckURL] judges a URL before anything is sent or looked
// up: file, password, host, port. [Policy.CheckAddr] judges each address of the host when
// it is dialed, because a name can change its address between two lookups. A link or a
// redirect first passes [Policy.CheckRedirect].
//
// # What is allowed by the zero Rules
//
//   - Ports: the scheme's own, and those from 1024 up except the ports of services that
//     could read a request as commands ([Rules.Ports] adds to them). Section 6 warns of
//     "using gopher URLs to cause a rude message to be sent via a SMTP server", and asks
//     for caution "especially when it is a number within the reserved space".
//   - Control characters (00 to 1F, and 7F) that the server would receive decoded: only on
//     the scheme's own port. TAB in a gopher URL may go to any allowed port, because it
//     separates the selector from the search.
//   - Addresses: only public ones, see [IsPublic].
//   - No passwords in URLs, which section 6 calls "clearly unwise", and no files.
//   - Twenty consecutive redirects. A redirect leads to a file only from a file. It never
//     brings a login or such a control character, and never starts a session or composes a
//     message. It leads to a scheme other than http and https only on that scheme's own
//     port, or at the host and port that sent it.
//   - Names: a link or a redirect never leads from one host to a name of a local network
//     on another (.local, .internal, home.arpa, a name of one label).
//
// # Origins
//
// A person may name a printer on the local network, but a remote server may not redirect
// to it. The [Origin] of a URL says how it came to be opened.
//
// # What is always refused
//
// A host that is not in the form of section 5, such as 127.1, 0x7f.1, 0177.0.0.1,
// 2130706433, full-width digits or %6c%6f: programs read those differently, and a check that
// differs from the connection can be bypassed. Port 0. A name may have a final dot, and is
// judged as the name without it; an address may not.
package policy
