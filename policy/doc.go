// Package policy decides which URLs and addresses a client may open (RFC 1738 section 6). It
// does no I/O, so every rule can be tested with values.
//
// There are two checks. [Policy.CheckURL] judges a URL before any lookup or request: file,
// password, host and port. [Policy.CheckAddr] judges each address of the host when it is
// dialed, because a name can change its address between two lookups. For a link or a
// redirect, the caller must first call [Policy.CheckRedirect].
//
// # Default rules
//
// The zero [Rules] allow:
//
//   - Ports: the scheme's own port, and ports from 1024 up except the ports of services that
//     could read a request as commands. [Rules.Ports] allows more. Section 6 warns of "using
//     gopher URLs to cause a rude message to be sent via a SMTP server", and requires caution
//     "especially when it is a number within the reserved space".
//   - Control characters (00 to 1F, and 7F) that the server would receive decoded: only on
//     the scheme's own port. TAB in a gopher URL may be sent to any allowed port, because it
//     separates the selector from the search.
//   - Addresses: only public ones, see [IsPublic].
//   - No files, and no passwords in URLs, which section 6 calls "clearly unwise".
//   - Twenty consecutive redirects. Only a file may redirect to a file. A redirect must not
//     contain a login or such a control character, start a session or compose a message. To a
//     scheme other than http and https it must use that scheme's own port, or the host and
//     port that sent it.
//   - Names: a link or a redirect from one host must not lead to a name of a local network
//     on another (.local, .internal, home.arpa, a name of one label).
//
// # Origins
//
// A person may enter the URL of a printer on the local network, but a remote server must not
// redirect to it. The [Origin] of a URL records where the URL was found.
//
// # Restrictions without an option
//
// The policy always refuses a host that is not in the form of section 5, such as 127.1,
// 0x7f.1, 0177.0.0.1, 2130706433, full-width digits or %6c%6f. Programs disagree about the
// address that such a text means. If a check and the code that dials read the text
// differently, an attacker can bypass the check. The policy also refuses port 0. A name
// may have a final dot, and is judged like the name without it; an address must not have a
// final dot.
package policy
