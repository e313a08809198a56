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
// What "/" means depends on the scheme of the base: see [Hierarchy]. Where "/" and
// ".." are data, as in mailto:a/../b@h, the base takes only absolute forms, fragments
// and the empty form. "d" in x-foo:a/b/c is x-foo:a/b/d. In news, a name replaces the
// whole name before it (draft, "News"): "alt.test" in news:x@y.z is news:alt.test. A URL
// without "/" after its scheme that is given as an absolute form is left as it is,
// though section 5.2.2 would take segments out of it.
//
// By [RFC3986], a form that begins with a name and ":" is an error if the name begins
// with no letter: "10.0.0.7:8080/foo" is neither a URI nor a partial form. RFC 1738
// allows such a name for a scheme.
//
// A result whose path begins with "//" and that has no host gets "/." before
// its path, which means the same and is not read as a host. One that has a host,
// no path, and a search with "@" in it gets "/" as its path: the host would be
// read as a user.
package relative
