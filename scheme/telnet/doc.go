// Package telnet opens telnet, rlogin and tn3270 URLs, which name interactive services. They are
// defined in RFC 1738 section 3.8, and in the section "Telnet, rlogin, tn3270" of the URI draft. A
// tn3270 session uses Telnet with 3270 data streams.
//
//	telneturl = "telnet://" login [ "/" ]
//
// The URI draft defines one production, telnetaddress, for all three schemes, and RFC 1738 only
// reserves tn3270. All three schemes have the syntax above. The default port is 513 for rlogin,
// and 23 for telnet and tn3270. The final "/" is optional, and the canonical form adds it.
//
// The user and the password "are advisory only: clients accessing a telnet URL merely advise the
// user of the suggested username and password". This package never sends the password. It sends
// the user only in rlogin, which begins with a user name. [URL.Advice] returns the user name in a
// form that is safe to show and to pass to a program.
//
// # Access
//
// A [Client] returns a [scheme.Session], whose connection is a [scheme.Terminal]. The terminal's
// Read method returns the output for the user, and its Write method sends the user's input.
//
// The client uses Telnet (RFC 854, 855) only after the host has started to use it. The client
// negotiates options with the Q method of RFC 1143. It accepts the options BINARY, ECHO, SGA,
// TERMINAL-TYPE, NAWS, CHARSET and START-TLS. If [Options].Environment is set, it also accepts
// NEW-ENVIRON, but never sends a user name. It rejects all other options, including LINEMODE. If a
// host does not use Telnet, the client passes the host's data unchanged.
//
// An rlogin session (RFC 1282) uses a reserved local port if the dialer provides one. If the
// system reports urgent data, the client handles the server's urgent octets. In this case the
// client sends the window size, and Status reports whether the host handles ^S and ^Q. The client
// always sends ^S and ^Q to the host.
//
// For a tn3270 URL, the connection is a [Terminal3270]. The session follows RFC 1576, or RFC 2355
// if the host offers TN3270E first. It uses a screen of package tn3270. If the host sends text,
// the terminal shows the text.
//
// # Divergences
//
// Parse accepts a path after the "/", although such a path is a violation. The path has no
// meaning, and the canonical form preserves it. The production in the URI draft has no final "/",
// so Check reports a final "/" for the profile rfc1630.
//
// # Refused input
//
// Parse rejects a URL without "//" and a host. Advice rejects a user name that begins with "-",
// because programs would read such a name as an option. It also rejects octets outside 20 to 7E
// and A0 to FE hexadecimal. This excludes line ends, escape sequences and Telnet commands.
package telnet
