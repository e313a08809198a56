// Package telnet is the telnet scheme and its two siblings: interactive services,
// reached by the Telnet protocol (RFC 1738 section 3.8), by rlogin, or by Telnet
// with 3270 data streams ("Telnet, rlogin, tn3270" in the URI draft).
//
//	telneturl = "telnet://" login [ "/" ]
//
// The URI draft has one production, telnetaddress, for all three and RFC 1738
// only reserves tn3270; all three have the syntax above. The default ports are
// 23, 513 and 23. The final "/" may be left out and is in the canonical form.
//
// User and password "are advisory only: clients accessing a telnet URL merely
// advise the user of the suggested username and password". Nothing here sends
// them, but for the user with whom rlogin begins. [URL.Advice] gives the user name
// in a form that can be shown, and given to a program as an argument.
//
// # What comes of it
//
// A [Client] gives a [scheme.Session], whose connection is a [scheme.Terminal]: it
// reads what a person sees, and writes what a person types.
//
// Telnet (RFC 854, 855) is spoken if the host does, with options by the Q method of
// RFC 1143: BINARY, ECHO, SGA, TERMINAL-TYPE, NAWS, CHARSET, START-TLS, and
// NEW-ENVIRON if [Options] has an environment, which never names a user. All others
// are refused, LINEMODE among them. What speaks no Telnet is served as it is.
//
// Rlogin (RFC 1282) is spoken from a reserved port if the dialer has one. The
// server's urgent octets are heeded where the system tells of them: it is told the
// window's size, and Status says whose ^S and ^Q are. Both go to the host, which
// stops for them if they are not its programs'.
//
// Tn3270 gives a [Terminal3270]: RFC 1576, and RFC 2355 if the host begins with
// that, around a screen of package tn3270. A host that sends text shows text.
//
// # Where this differs
//
// Parse takes a URL with something after the "/", which is a violation; it means
// nothing and stays in the canonical form. The production of the URI draft has
// no "/" at the end, so the profile rfc1630 finds it.
//
// # What is refused
//
// Parse refuses a URL without "//" and a host. Advice refuses a user name that
// begins with "-", which programs take for an option, and one with octets outside
// 20 to 7E and A0 to FE hexadecimal: line ends, escape sequences, and the octets
// that Telnet gives a meaning.
package telnet
