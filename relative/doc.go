// Package relative resolves relative references, which the URI draft calls partial forms:
// URLs without the parts that they share with the URL of their document, the base (URI
// draft, "Partial (relative) form"; RFC 1808; RFC 3986 section 5).
//
// A relative reference is not a URL and has its own type, [Ref]. [Ref.Resolve] returns
// the [locus.URL] of a Ref and a base. [Between] does the opposite.
//
// # Rules
//
// The default is RFC 3986 section 5.2.2, strict. [RFC1630] selects the rules of the
// draft. They differ for consecutive slashes, and for a form that is only a search.
//
// # Where this differs from RFC 3986
//
// The meaning of "/" depends on the scheme of the base: see [Hierarchy]. If "/" and
// ".." are data, as in mailto:a/../b@h, only absolute forms, fragments and the empty
// form can be resolved. "d" in x-foo:a/b/c is x-foo:a/b/d. In news, a name replaces
// the whole previous name (draft, "News"): "alt.test" in news:x@y.z is news:alt.test.
// An absolute form without "/" after its scheme stays unchanged, though section 5.2.2
// would remove its dot segments.
//
// With [RFC3986], a form that begins with a name and ":" is an error if the name does not
// begin with a letter: "10.0.0.7:8080/foo" is neither a URI nor a relative reference. RFC
// 1738 allows a scheme name that begins with a digit.
//
// If the result has no host and its path begins with "//", Resolve writes "/." before
// the path, because "//" would begin a host. If it has a host, no path, and a search
// with "@", Resolve writes "/" as the path, because the host would be read as a user.
package relative
