// Package nfs parses nfs URLs: RFC 1738 section 4 reserves the name, and RFC 2224 defines
// the syntax.
//
//	nfs://<host>:<port>/<path>
//
// The default port is 2049. The path is relative to the public filehandle of the server, or
// absolute if it begins with a second "/". An empty path means ".". Clients do not open nfs
// URLs. For RFC 1738 they have the form of otherurl.
package nfs
