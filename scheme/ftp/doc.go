// Package ftp opens ftp URLs (RFC 1738 section 3.2): files and directories on FTP
// servers (RFC 959). It also opens ftps URLs, which no RFC defines: FTP over TLS on port
// 990.
//
//	ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>
//
// User, password, port, typecode, and the whole url-path with its "/" are optional.
// The default port is 21. Any cwd and the name may be empty.
//
// # Commands
//
// Section 3.2.2 reads the url-path as commands, which [URL.Commands] returns. The
// client decodes each cwd once and sends it as the argument of a CWD command, even if
// it is empty. Then it sends TYPE and RETR with the name, or NLST with the name for
// typecode "d". It sends "." and ".." like any other cwd. So these are three different
// files:
//
//	ftp://host/etc/motd       CWD etc, RETR motd
//	ftp://host//etc/motd      CWD (with a null argument), CWD etc, RETR motd
//	ftp://host/%2Fetc/motd    CWD /etc, RETR motd
//
// Servers disagree about an empty argument: many reject it, some change to the
// login directory. The client sends it as the RFC requires, and if the server
// rejects it, the error has a hint. [CWDMode] selects two other readings of the
// url-path, for servers that need them.
//
// An empty name without a typecode means the directory: the client sends MLSD (RFC
// 3659) if the server supports it, and LIST otherwise. With typecode "d" it sends
// NLST without an argument.
//
// # Type
//
// Section 3.2.3 requires a program to "guess the appropriate mode" from the name if
// there is no typecode. This package always uses type I, which transfers a file
// unchanged. Type A rewrites line ends, which damages files that are not text, and
// supports neither a size check nor resuming. With ";type=a", lines end with CR LF.
//
// # Listings
//
// No standard describes the reply to LIST. The client reads the formats of Unix,
// NetWare, DOS and EPLF. If it cannot read some lines, it sends NLST for their
// names; their size, time and kind are then unknown.
//
// # Logins and connections
//
// If the URL has no user, the client logs in as "anonymous". Its default password
// reveals nothing about the user (section 3.2.1). If the URL has a user without a
// password and the server requires one, the client calls Request.Ask. Data connections
// are passive: the client sends EPSV, then PASV, and uses only the port in the reply.
// Over IPv6, which PASV does not support, it sends EPRT instead if the dialer can
// listen. It requests sizes with SIZE, times with MDTM, and parts of a file with REST.
//
// The client reuses an idle control connection for the same login if the next URL
// begins with its CWD commands (section 3.2.5).
//
// The client sends commands together if they do not depend on each other's replies: TYPE,
// SIZE, MDTM and EPSV. If Request.More is set, it sends EPSV for the next file together
// with RETR. If a server loses such commands, replies out of step or closes the
// connection, the client connects again and sends commands one by one from then on.
//
// # Refused input
//
// The client rejects CR, LF and NUL in user, password, cwd and name before it dials,
// because CR LF would start a new command. It rejects replies longer than
// [Options.MaxReply], listing lines over 16 KiB, objects that end before their size, and
// a 2yz reply to a transfer without a preliminary reply. A name in a listing has no URL
// if the name, or a segment of it between "/", is "." or "..".
package ftp
