// Package telnet opens telnet, rlogin and tn3270 URLs: interactive services with Telnet
// (RFC 1738 section 3.8), with rlogin, and with Telnet and 3270 data streams ("Telnet,
// rlogin, tn3270" in the URI draft).
//
//	telneturl = "telnet://" login [ "/" ]
//
// The URI draft defines one production, telnetaddress, for all three schemes, and RFC
// 1738 only reserves tn3270. All three have the syntax above. The default port is 513
// for rlogin, and 23 for the others. The final "/" is optional; the canonical form adds
// it.
//
// User and password "are advisory only: clients accessing a telnet URL merely advise the
// user of the suggested username and password". This package never sends them, except
// the user with which rlogin begins. [URL.Advice] returns the user name in a form that
// is safe to show and to pass to a program.
//
// # Access
//
// A [Client] returns a [scheme.Session], whose connection is a [scheme.Terminal]. Its
// Read returns the output for the user, and its Write sends the user's input.
//
// Telnet (RFC 854, 855) begins when the host begins it. The client negotiates options
// with the Q method of RFC 1143: BINARY, ECHO, SGA, TERMINAL-TYPE, NAWS, CHARSET,
// START-TLS, and NEW-ENVIRON if [Options] has an environment, which never names a user.
// It rejects all other options, including LINEMODE. If a host does not use Telnet, the
// client passes its data unchanged.
//
// Rlogin (RFC 1282) uses a reserved port if the dialer has one. If the system reports
// urgent data, the client handles the server's urgent octets. It then sends the window
// size, and Status reports whether the host handles ^S and ^Q. The client always sends
// both to the host.
//
// Tn3270 returns a [Terminal3270]. A tn3270 session uses RFC 1576, or RFC 2355 if the
// host offers it first, and a screen of package tn3270. If the host sends text, the
// terminal shows it as text.
//
// # Divergences
//
// Parse accepts a path after the "/", which is a violation. It has no meaning and stays
// in the canonical form. The production of the URI draft has no final "/", so the profile
// rfc1630 reports it.
//
// # Refused input
//
// Parse rejects a URL without "//" and a host. Advice rejects a user name that begins
// with "-", which programs read as an option. It rejects octets outside 20 to 7E and A0
// to FE hexadecimal: line ends, escape sequences, and Telnet's commands.
package telnet
