// Package scheme defines the interface between URL schemes and clients: the description of a
// scheme ([Scheme]), the kinds of resource ([Object], [Menu], [Session], [Redirect]), and the
// [Registry]. Package all registers every scheme, and package access opens URLs with a
// registry, a policy, redirects, limits and proxies.
//
// The interface follows RFC 1738 sections 3 and 4, and "Registration of naming schemes" in the
// URI draft. The draft requires "an algorithm for the retrieval of any object within that
// scheme", which must "take the URI and produce either a set of URL(s) which will lead to the
// desired object, or the object itself". [Opener] is this algorithm. RFC 1738 section 2
// specifies only access to resources, so an Opener has no other operation.
//
// # URLs and resources
//
// A [Registry] applies the rules of each scheme to a URL, without a connection:
// [Registry.Same], [Registry.Canonical], [Registry.Check], [Registry.Fields],
// [Registry.Resolve].
//
// # Your own scheme
//
// A [Scheme] must have a Name and should have a Section: see its example. [Connect] and
// [Limit] help to implement an opener for a protocol with one request and one response.
// [NewForm] helps to implement an opener that needs input from the user. The errors of an
// opener must wrap the errors of this package, such as [ErrNotFound], so that callers can
// distinguish them. Package schemetest tests a scheme.
package scheme
