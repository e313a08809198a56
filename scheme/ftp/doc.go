// Package ftp is the ftp scheme (RFC 1738 section 3.2): files and directories on
// hosts that speak the File Transfer Protocol (RFC 959).
//
//	ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>
//
// User, password, port (21), the typecode, and the whole url-path with its "/"
// may be left out; any cwd and the name may be empty.
//
// # What is sent
//
// Section 3.2.2 reads the url-path as commands, and [URL.Plan] writes them down,
// to the letter and without a network: each cwd, decoded once, is the argument of
// a CWD command of its own, the empty one too; then TYPE and RETR with the name,
// or NLST with the name for typecode "d". So these three are three different
// files, and "." and ".." are commands like any other:
//
//	ftp://host/etc/motd       CWD etc, RETR motd
//	ftp://host//etc/motd      CWD (with a null argument), CWD etc, RETR motd
//	ftp://host/%2Fetc/motd    CWD /etc, RETR motd
//
// Servers disagree about a null argument: many refuse it, some go to the login
// directory. It is sent all the same, and a refusal says what helps. [CWDMode]
// has two other readings of the url-path, for servers that need them.
//
// A name that is empty, without a typecode, stands for the directory: MLSD where
// the server offers it (RFC 3659), else LIST. The typecode "d" with an empty name
// is NLST without an argument.
//
// # Type
//
// Section 3.2.3 says of a URL without a typecode that the program "must guess the
// appropriate mode", from the name. This package guesses nothing: the type is I,
// whatever the name is. Type I gives each file as it is. Type A rewrites line ends,
// which makes CR CR LF of CR LF on common servers, damages a file that is not text,
// and leaves neither a size to check nor an offset to resume from. With ";type=a"
// the octets are given as they come, lines ending in CR LF.
//
// # Listings
//
// No standard describes the reply to LIST. [ParseLIST] reads the lines of Unix,
// NetWare, DOS and EPLF. When a listing has lines that it does not read, NLST
// follows, and gives the names that are missing: those of VMS, MVS, OS/2, AS/400, and
// those with an unknown form of date. Their size, time and kind are unknown.
//
// # What is done besides
//
// Without a user the login is "anonymous", with a password that tells nothing about
// the user unless one is set (section 3.2.1). A password is asked for when a URL has
// a user alone and the server wants one. Data connections are passive: EPSV, then
// PASV, of which the port is used and never the host. Over IPv6, where PASV has no
// address and some servers refuse EPSV, EPRT follows: then the client listens, if its
// dialer can. Sizes and times are asked for with SIZE and MDTM, parts with REST.
//
// A control connection is kept and used again for the same login, and only if the
// cwds it has gone already are the first ones of those to come (section 3.2.5).
//
// # What is refused
//
// CR, LF and NUL in user, password, cwd and name: no server agrees with another
// about what they mean in a command, and CR LF starts a new one. Nothing is sent
// then, and nothing dialled. Replies over the limit of [Options.MaxReply], and lines
// of a listing over 16 KiB; objects that end before their size; a 2yz reply that comes in the wrong place.
// Names in a listing that are "." or "..", or hold them between "/", get no URL.
package ftp
