// Package file opens file URLs: files and directories of this machine (RFC 1738 section
// 3.10; "file" in the URI draft that became RFC 1630).
//
//	file://<host>/<path>
//
// # Syntax
//
// Parse splits the path at "/" and decodes each segment. "?" is an ordinary character.
// An empty host and "localhost", in any case, mean this machine; the canonical form has
// an empty host. It preserves "." and "..", because only the file system can resolve
// them. Parse reads "file:/x" of RFC 8089 as "file:///x", and a client opens it with a
// note, because it violates RFC 1738. Parse rejects a port and a user.
//
// [FromPath] converts a path of this system to a URL, and [Path] converts a URL to a
// path. Both return an error rather than lose a part.
//
// # Access
//
// A [Client] opens only files of this machine: the host must be empty, "localhost", or a
// name of the machine. Section 3.10 defines no protocol for other hosts, and a local file
// with the same path would be a different file. The client never tries FTP.
//
// The client joins the segments with the system's separator. It returns a file as a
// [scheme.Object], and a directory as a [scheme.Menu]. It guesses the media type of a
// file from its name, and then from its first octets.
//
// # Refused input
//
// The client rejects devices, pipes and sockets without waiting for them. It rejects a
// segment that contains "/" or NUL after decoding, and on Windows "\" or ":". It
// rejects Windows paths without a drive, which could lead to another machine. If
// Options.Root is set, it also rejects "..", and symbolic links that lead out of Root.
package file
