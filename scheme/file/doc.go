// Package file opens file URLs: files and directories of this machine (RFC 1738 section
// 3.10; "file" in the URI draft that became RFC 1630).
//
//	file://<host>/<path>
//
// # Syntax
//
// The path is segments separated by "/", each decoded after they were split. "?" is an
// ordinary character. The host may be empty or "localhost", in any case, which both mean
// this machine; the canonical form leaves it empty. "." and ".." stay, because only the
// file system knows where they lead. "file:/x" of RFC 8089 is read as "file:///x" and
// opened with a note; it violates RFC 1738. A port and a user are refused.
//
// [FromPath] returns the URL of a path of this system, and [Path] the path of a URL.
// Neither loses anything: where that is not possible, it is an error.
//
// # Access
//
// A [Client] opens only files of this machine: the host must be empty, "localhost", or
// one of the machine's names. Section 3.10 gives no protocol for other hosts, and a local
// file with the same path would be another file; FTP is never tried.
//
// Segments are joined with the system's separator. A file is a [scheme.Object], whose
// media type is guessed from its name and then from its first octets; a directory is a
// [scheme.Menu].
//
// # What is refused
//
// Devices, pipes and sockets, without waiting for them; a segment that contains "/" or
// NUL after decoding, or on Windows "\" or ":"; Windows paths without a drive, which
// could lead to another machine. With Options.Root also "..", and symbolic links that
// lead out of it.
package file
