// Package file is the syntax of file URLs and the access to what they locate on
// this machine (RFC 1738 section 3.10; "file" in the URI draft that became RFC
// 1630).
//
//	file://<host>/<path>
//
// # Syntax
//
// The path is segments with "/" between them, decoded one by one after they were
// split. "?" is a character of a name like any other. The host may be empty or
// "localhost", in any case, which both mean the machine that reads the URL; the
// canonical form leaves it empty. "." and ".." stay as they are: only the file
// system knows what they lead to. "file:/x", which section 3.10 does not have and
// RFC 8089 does, is read as "file:///x" and opened with a note; it is a violation of
// RFC 1738. A port and a user are refused.
//
// # Access
//
// A [Client] opens files of this machine alone: the host must be empty,
// "localhost", or one of the machine's names. For any other host section 3.10
// gives no protocol, and a local file of the same path would be another file; it
// is refused, and never tried over FTP.
//
// Segments are joined with the system's separator. A file gives a
// [scheme.Object] with its media type guessed from its name, then from its first
// octets; a directory gives a [scheme.Menu].
//
// # What is refused
//
// Devices, pipes and sockets, without waiting for one; a segment whose decoded
// octets hold "/" or NUL, or on Windows "\" or ":", and paths there that begin
// with no drive, which could lead to another machine. With Options.Root set also
// "..", and symbolic links that lead out of it.
package file
