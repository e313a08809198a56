// Package relative is the partial form: a URL written without what it has in
// common with the URL of the document it stands in (URI draft, "Partial
// (relative) form"; RFC 1808; RFC 3986 section 5).
//
// A partial form is not a URL, so it has a type of its own, [Ref]. A Ref and
// the base together give a [locus.URL]; [Between] goes the other way.
//
// # Rules
//
// RFC 3986 section 5.2.2 in its strict reading is the default. The draft's own
// rules, which differ where slashes stand in a row and where the partial form
// is a search alone, are there on request: [RFC1630].
//
// # Where this differs from RFC 3986
//
// Only URLs whose scheme-specific part begins with "/" have a hierarchy. In any
// other, "/" and ".." are data: mailto:a/../b@h is an address. Such a base takes
// absolute forms, fragments and the empty form alone, and such a URL given as
// an absolute form is left as it is, though section 5.2.2 would take segments
// out of it. RFC 1808 section 2.3 adds telnet to those that are never a base,
// and the draft warns of gopher, which is a base only when asked for.
//
// A result whose path begins with "//" and that has no host gets "/." before
// its path, which means the same and is not read as a host. One that has a host,
// no path, and a search with "@" in it gets "/" as its path: the host would be
// read as a user.
package relative
