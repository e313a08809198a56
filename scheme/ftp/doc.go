// Package ftp opens ftp URLs (RFC 1738 section 3.2), which identify files and directories on
// FTP servers (RFC 959). It also opens ftps URLs, which mean FTP over TLS on port 990, and
// which no RFC defines.
//
//	ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>
//
// The user, password, port and typecode are optional, and so is the url-path together with the
// "/" before it. The default port is 21. Each cwd and the name may be empty.
//
// # Commands
//
// In RFC 1738 section 3.2.2, a url-path is a sequence of commands, which [URL.Commands]
// returns. The client decodes each cwd once and sends the result as the argument of a CWD
// command, even if it is empty. Then the client sends TYPE and RETR with the name or, for
// typecode "d", NLST with the name. It sends "." and ".." like any other cwd. Therefore, these
// URLs identify three different files:
//
//	ftp://host/etc/motd       CWD etc, RETR motd
//	ftp://host//etc/motd      CWD (with a null argument), CWD etc, RETR motd
//	ftp://host/%2Fetc/motd    CWD /etc, RETR motd
//
// Many servers reject a CWD command with an empty argument, and some change to the login
// directory. The client sends the empty argument, as the RFC requires. If the server rejects
// it, the error contains a hint. For such servers, [CWDMode] selects two other interpretations
// of the url-path.
//
// An empty name without a typecode means the directory. In this case, the client sends MLSD
// (RFC 3659) if the server supports it, and LIST otherwise. For an empty name with typecode
// "d", it sends NLST without an argument.
//
// # Type
//
// If the URL contains no typecode, section 3.2.3 requires a program to "guess the appropriate
// mode" from the name. This package always uses type I, which transfers a file unchanged. Type
// A changes line endings, which damages files that are not text. It also supports neither a
// size check nor resuming. With ";type=a", lines end with CR LF.
//
// # Listings
//
// No standard defines the reply to LIST. The client parses the formats of Unix, NetWare, DOS
// and EPLF. If it cannot parse some lines, it requests the names of these entries with NLST;
// the size, time and kind of the entries are then unknown.
//
// # Logins and connections
//
// If the URL has no user, the client logs in as "anonymous". The default password for
// anonymous logins reveals nothing about the user (section 3.2.1). If the URL has a user
// without a password and the server requires one, the client calls Request.Ask. By default,
// data connections are passive. The client sends EPSV or, if the server rejects that, PASV,
// and uses only the port in the reply. PASV does not support IPv6, so over IPv6, the client
// sends EPRT instead if the dialer can listen. The client requests sizes with SIZE and times
// with MDTM, and resumes transfers with REST.
//
// The client reuses an idle control connection if the next URL has the same login, and if the
// URL's CWD commands begin with the commands that were sent over the connection (section
// 3.2.5).
//
// The client sends commands together if they do not depend on each other's replies. These
// commands are TYPE, SIZE, MDTM and EPSV. If Request.More is set, the client sends EPSV for
// the next file together with RETR. If a server loses such commands, sends the wrong replies
// or closes the connection, the client connects again, and from then on sends commands to this
// server one by one.
//
// # Refused input
//
// Before it dials, the client rejects CR, LF and NUL in the user, password, cwds and name,
// because CR LF would start a new command. It rejects replies longer than [Options.MaxReply],
// listing lines over 16 KiB, files that are shorter than their announced size, and a 2yz reply
// to a transfer command without a preliminary reply. An entry in a listing has no URL if a
// segment of its name is "." or "..".
package ftp
