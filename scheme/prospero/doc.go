// Package prospero is the prospero scheme of RFC 1738 section 3.11: objects that
// a Prospero directory server is asked about, which answers with other ways to
// get them.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The port is 1525 when left out. The hsoname is opaque, and begins behind the
// "/" after the host: most begin with a slash of their own, so that there are
// two. Any number of fields may follow.
//
// # How it is read
//
// The url-path is split at each ";" that is not escaped, and each field at its
// first "="; then hsoname, names and values are decoded, once. Fields keep their
// order. Names are compared without case, as Prospero's keywords are; the one
// that RFC 1738 speaks of is OBJECT-VERSION. Slashes and dots mean nothing here
// and are never touched.
//
// # The URI draft
//
// There %00 ends the hsoname, and a version in decimal digits follows, and after
// that attributes whose meaning no text gives. A NUL can't be in a name that is
// sent, so %00 is read like that always; by the rules of RFC 1738 it is a note.
// The attributes are kept as they are. The draft has no fields: by the rules of
// RFC 1630 each is a violation.
//
// # What is refused
//
// A URL without the "/" before the hsoname; a field without "="; a %00 that no
// digit follows, a second %00, and %00 together with the field OBJECT-VERSION.
// User and password are violations, and never sent.
package prospero
