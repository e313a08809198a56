// Package scheme is the contract of a URL scheme: what a scheme declares ([Scheme]), the
// four kinds of resource ([Object], [Menu], [Session], [Redirect]), and the registry (RFC
// 1738 sections 3 and 4; "Registration of naming schemes" in the URI draft).
//
// The draft asks for "an algorithm for the retrieval of any object within that scheme",
// which must "take the URI and produce either a set of URL(s) which will lead to the
// desired object, or the object itself". That is [Opener]. By RFC 1738 section 2 only
// access needs to be specified, so there are no other operations.
//
// # URLs and resources
//
// A [Registry] tells what the rules of a scheme say about a URL, without a connection:
// [Registry.Same], [Registry.Canonical], [Registry.Check], [Registry.Fields],
// [Registry.Resolve]. Package access opens URLs with a registry: it adds the policy,
// redirects, limits and proxies. Package all has the registry of every scheme.
//
// # A scheme of your own
//
// A scheme is a row, in which only Name and Section are required: see the example of
// [Scheme]. An opener of one request and one response needs [Connect] and [Limit]; one that
// asks questions has [NewForm]. Its errors wrap those of this package, such as
// [ErrNotFound], which callers tell apart. Package schemetest has the tests of a row.
package scheme
