package nfs

import "github.com/locus-url/locus/scheme"

// Port is the default port.
const Port = 2049

// Scheme returns the description of the nfs scheme.
func Scheme() scheme.Scheme {
	s := scheme.Generic("nfs", scheme.Reserved)
	s.Port = Port
	s.Section = "RFC 1738 4; RFC 2224"
	s.Syntax.Form = "Network File System file names; nfs://<host>:<port>/<path> (RFC 2224)"
	s.Syntax.Current = inForce
	return s
}
