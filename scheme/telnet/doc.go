// Package telnet implements the telnet scheme and its two siblings: interactive
// services over Telnet (RFC 1738 section 3.8), rlogin, and Telnet with 3270 data streams
// ("Telnet, rlogin, tn3270" in the URI draft).
//
//	telneturl = "telnet://" login [ "/" ]
//
// The URI draft has one production, telnetaddress, for all three, and RFC 1738 only
// reserves tn3270; all three have the syntax above. The default ports are 23, 513 and
// 23. The final "/" is optional; the canonical form has it.
//
// User and password "are advisory only: clients accessing a telnet URL merely advise the
// user of the suggested username and password". This package never sends them, except
// the user with whom rlogin begins. [URL.Advice] returns the user name in a form that is
// safe to show and to pass to a program.
//
// # Access
//
// A [Client] returns a [scheme.Session], whose connection is a [scheme.Terminal]: its
// Read returns what the user sees, and its Write takes what the user types.
//
// Telnet (RFC 854, 855) begins when the host begins it, with options by the Q method of
// RFC 1143: BINARY, ECHO, SGA, TERMINAL-TYPE, NAWS, CHARSET, START-TLS, and NEW-ENVIRON
// if [Options] has an environment, which never names a user. All others are refused,
// also LINEMODE. A host that does not speak Telnet is served unchanged.
//
// Rlogin (RFC 1282) uses a reserved port if the dialer has one. Where the system reports
// urgent data, the server's urgent octets are obeyed: the client sends the window size,
// and Status says whether the host wants ^S and ^Q. Both always go to the host.
//
// Tn3270 returns a [Terminal3270]: RFC 1576, or RFC 2355 if the host begins with it,
// with a screen of package tn3270. A host that sends text shows text.
//
// # Divergences
//
// Parse accepts a path after the "/", which is a violation. It has no meaning and stays
// in the canonical form. The production of the URI draft has no final "/", so the profile
// rfc1630 reports it.
//
// # Rejected input
//
// Parse refuses a URL without "//" and a host. Advice refuses a user name that begins
// with "-", which programs take for an option, and one with octets outside 20 to 7E and
// A0 to FE hexadecimal: line ends, escape sequences, and Telnet's commands.
package telnet
