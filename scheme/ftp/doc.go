// Package ftp opens ftp URLs (RFC 1738 section 3.2): files and directories on servers of
// the File Transfer Protocol (RFC 959).
//
//	ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>
//
// User, password, port (21), the typecode, and the whole url-path with its "/" are
// optional. Any cwd and the name may be empty. ftps, which no RFC defines, is the same
// over TLS on port 990.
//
// # Commands
//
// Section 3.2.2 reads the url-path as commands, which [URL.Commands] returns: each cwd,
// decoded once, is the argument of a CWD command, the empty one too; then TYPE and RETR
// with the name, or NLST with the name for typecode "d". "." and ".." are sent like any
// other cwd. So these are three different files:
//
//	ftp://host/etc/motd       CWD etc, RETR motd
//	ftp://host//etc/motd      CWD (with a null argument), CWD etc, RETR motd
//	ftp://host/%2Fetc/motd    CWD /etc, RETR motd
//
// Servers disagree about a null argument: many refuse it, some go to the login
// directory. It is sent as the RFC says, and the error for a refusal has a hint.
// [CWDMode] has two other readings of the url-path, for servers that need them.
//
// An empty name without a typecode is the directory: MLSD where the server offers it
// (RFC 3659), else LIST. With typecode "d" it is NLST without an argument.
//
// # Type
//
// Section 3.2.3 says that without a typecode a program "must guess the appropriate mode"
// from the name. This package always uses type I, which transfers a file unchanged. Type
// A rewrites line ends, which damages files that are not text and leaves neither a size
// to check nor an offset to resume from. With ";type=a" lines end with CR LF.
//
// # Listings
//
// No standard describes the reply to LIST. The client reads the formats of Unix,
// NetWare, DOS and EPLF. If it cannot read some lines, NLST is sent for their names;
// size, time and kind are then unknown.
//
// # Logins and connections
//
// Without a user the login is "anonymous", with a password that says nothing about the
// user by default (section 3.2.1). Request.Ask is called when a URL has only a user and
// the server wants a password. Data connections are passive: EPSV, then PASV, of which
// only the port is used. Over IPv6, which PASV does not support, EPRT follows if the
// dialer can listen. Sizes and times come from SIZE and MDTM, parts from REST.
//
// An idle control connection is used again for the same login if its CWD commands are
// the first ones of the next URL (section 3.2.5).
//
// Commands that do not depend on each other's replies are sent together: TYPE, SIZE, MDTM
// and EPSV; and if Request.More is set, EPSV for the next file with RETR. A server that
// loses such commands, replies out of step or closes the connection gets a new connection
// and from then on its commands one by one.
//
// # What is refused
//
// CR, LF and NUL in user, password, cwd and name, before anything is dialed: CR LF
// starts a new command. Replies over [Options.MaxReply]; lines of a listing over 16 KiB;
// objects that end before their size; a 2yz reply to a transfer without a preliminary
// one. Names in a listing that are "." or "..", or contain them between "/", have no
// URL.
package ftp
