// Package file opens file URLs, which name files and directories of this machine. They are defined
// in RFC 1738 section 3.10, and in the section "file" of the URI draft that became RFC 1630.
//
//	file://<host>/<path>
//
// # Syntax
//
// Parse splits the path at "/" and decodes each segment. In file URLs, "?" is an ordinary
// character. An empty host and the host "localhost" (in upper or lower case) mean this machine. In
// the canonical form, the host is empty. The canonical form preserves "." and "..", because only
// the file system can resolve them. Parse reads the RFC 8089 form "file:/x" as "file:///x". A
// client adds a note to such a resource, because the form violates RFC 1738. Parse rejects a URL
// with a port or a user.
//
// [FromPath] converts a path of this system to a URL, and [Path] converts a URL to a path. Both
// functions return an error if the result could not express every part of their argument.
//
// # Access
//
// A [Client] opens only files of this machine, so the host must be empty, "localhost", or a name
// of this machine. Section 3.10 defines no protocol for other hosts, and a local file with the
// same path would be a different file. The client never tries FTP.
//
// The client joins the path segments with the system's separator. It returns a file as a
// [scheme.Object], and a directory as a [scheme.Menu]. It guesses the media type of a file from
// its name, and then from its first octets.
//
// # Refused input
//
// The client rejects devices, pipes and sockets without waiting for them. It rejects a segment
// that contains "/" or NUL after decoding. On Windows, it also rejects a segment that contains "\"
// or ":", and a path without a drive, which could name another machine. If Options.Root is set,
// the client also rejects ".." and symbolic links to files outside Root.
package file
