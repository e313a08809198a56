// Package nfs is the nfs scheme: RFC 1738 section 4 reserves the name, and RFC 2224 has the
// syntax.
//
//	nfs://<host>:<port>/<path>
//
// The default port is 2049. The path is relative to the public filehandle of the server,
// or absolute if it begins with a second "/". An empty path is ".". URLs are not opened. By
// the rules of RFC 1738 they are any otherurl.
package nfs
