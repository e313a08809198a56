// Package policy decides which URLs and addresses a client may open (RFC 1738 section 6). The
// package does no I/O, so tests need no network.
//
// There are two checks. [Policy.CheckURL] judges the scheme, password, host and port of a URL
// before any lookup or request. [Policy.CheckAddr] judges each address of the host when the client
// dials it, because the address of a name can change between two lookups. For a link or a redirect,
// the caller must first call [Policy.CheckRedirect].
//
// # Default rules
//
// The zero [Rules] apply the following rules.
//
//   - Ports: the scheme's own port, and ports from 1024 up. Ports of services that could read a
//     request as commands are excluded. [Rules.Ports] allows additional ports. Section 6 warns of
//     "using gopher URLs to cause a rude message to be sent via a SMTP server", and requires
//     caution "especially when it is a number within the reserved space".
//   - Control characters (00 to 1F, and 7F) that the server would receive decoded are allowed only
//     on the scheme's own port. TAB in a gopher URL may be sent to any allowed port, because it
//     separates the selector from the search.
//   - Only public addresses are allowed: see [IsPublic].
//   - File URLs are denied, and so are passwords in URLs, which section 6 calls "clearly unwise".
//   - Up to twenty consecutive redirects are allowed. Only a file may redirect to a file. A
//     redirect must not start a session or compose a message. It must not contain a login, or a
//     control character that the server would receive decoded. A redirect to a scheme other than
//     http and https must use that scheme's own port, or the host and port that sent the redirect.
//   - A link or a redirect must not lead from one host to the local name of another host. Local
//     names are names below .local, .internal and home.arpa, and names of one label.
//
// # Origins
//
// A person may enter the URL of a printer on the local network, but a remote server must not
// redirect a client to this printer. The [Origin] of a URL records where the URL was found.
//
// # Restrictions without an option
//
// The policy always refuses a host that violates the syntax of section 5, such as 127.1, 0x7f.1,
// 0177.0.0.1, 2130706433, full-width digits or %6c%6f. Programs disagree about the address that
// such a text represents. If a check and the code that dials read the text differently, an attacker
// can bypass the check. The policy also refuses port 0. A name may end in a dot, and is judged like
// the name without the dot. An address must not end in a dot.
package policy
