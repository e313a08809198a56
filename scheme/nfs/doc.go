// Package nfs describes the nfs scheme, whose name RFC 1738 section 4 reserves and whose syntax
// RFC 2224 defines.
//
//	nfs://<host>:<port>/<path>
//
// The default port is 2049. The path is relative to the server's public filehandle. A path that
// begins with a second "/" is absolute. An empty path means ".". Clients do not open nfs URLs. In
// RFC 1738, the syntax of nfs URLs is otherurl.
package nfs
