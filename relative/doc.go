// Package relative resolves relative references. A relative reference is a URL without the parts
// that it shares with its base, which is the URL of the document. See RFC 3986 section 5, RFC
// 1808, and the URI draft, which calls it a "partial (relative) form".
//
// A relative reference is not a URL and has its own type, [Ref]. [Ref.Resolve] resolves a Ref with
// a base and returns a [locus.URL]. [Between] returns the shortest Ref that resolves to a given
// URL.
//
// # Rules
//
// By default, references are resolved with the strict rules of RFC 3986 section 5.2.2. [RFC1630]
// selects the rules of the URI draft. The two sets of rules differ for consecutive slashes, and
// for a reference that contains only a query.
//
// # Where this differs from RFC 3986
//
// The meaning of "/" depends on the scheme of the base: see [Hierarchy]. If "/" and ".." are data,
// as in mailto:a/../b@h, only absolute URLs, fragments and the empty reference can be resolved.
// Otherwise a base need not contain "/" after its scheme: "d" in x-foo:a/b/c resolves to
// x-foo:a/b/d. In a news URL, a name replaces the whole previous name (draft, "News"): "alt.test"
// in news:x@y.z resolves to news:alt.test. An absolute URL without "/" after its scheme stays
// unchanged, although section 5.2.2 would remove its dot segments.
//
// With [RFC3986], a reference that begins with a name and ":" is invalid if the name does not
// begin with a letter. For example, "10.0.0.7:8080/foo" is neither a URI nor a relative reference.
// In RFC 1738, a scheme name may begin with a digit.
//
// If the result contains no host and a path that begins with "//", Resolve adds "/." before the
// path, because "//" would begin a host. If the result contains a host, no path, and a query with
// "@", Resolve adds the path "/", because the host would otherwise become a user name.
package relative
