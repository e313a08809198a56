// Package access opens URLs (RFC 1738 section 2, "access"; section 6). It joins the
// registry, in which each scheme says how its URLs are opened, the policy, which says
// where a URL may lead, and the network.
//
// Package scheme/all makes a [Client] with every scheme in one call. For only http and
// https, [NewTransport] makes any [http.Client] safe for URLs from other people.
//
// [Client.Do] looks the scheme up, asks the policy about the URL, calls the scheme's
// opener for one request, and follows redirects under the same rules. An opener follows
// nothing, and reaches the network only through the [scheme.Dialer] of its request. That
// dialer resolves the host, asks the policy about each address, dials only allowed ones,
// and checks the address again when the socket connects. A name that changes its address
// between two lookups gains nothing.
//
// # Origins
//
// A person may name a printer on the local network, but a page from the Internet may not
// lead there. So each URL has a [policy.Origin]. [Client.Open] is for a URL that a person
// names, which is typed, and [Client.Follow] for a link in a resource. A link is
// FromPrivate if the resource is a file, or if only private addresses were dialed for it.
// It is FromPublic if the URL of the resource was, or if a public address was dialed, even
// without success. An opener may reuse a connection and dial nothing, so the client records
// for each host whether one of its addresses was public. In doubt a link is FromPublic.
//
// A client has one dialer for each origin. Openers keep idle connections by dialer, so a
// connection that a typed URL was allowed to open is not reused for a URL from an unknown
// page. A program that speaks to a server itself, as a proxy does, gets its dialer from
// [Client.DialerFor].
//
// # Redirects
//
// Each URL is requested once. A second request, for the same URL apart from its fragment,
// is a loop and an error. If a redirect has several URLs, the next one is tried only if no
// request was sent for the one before.
// The login in a URL is passed on only to the same scheme, host and port. After an
// encrypted connection, as from https to http, the client asks for no login on an
// unencrypted one. A redirect never starts a session. The fragment of the first URL is
// kept unless a redirect brings one.
//
// # Gateways
//
// RFC 1738 section 4 lets a client have a gateway for a scheme, and the URI draft sends
// "the entire URI" to one. [Options].Gateways says which URLs go through which, also for
// schemes that are not registered.
//
//   - A template makes another URL, which is opened instead. A URL with a password is
//     refused.
//   - An HTTP proxy gets a request for the URL, from the opener of http if that is a
//     [scheme.ProxyOpener]. The response is an object or a redirect, never a menu.
//   - For encrypted schemes and sessions, and for everything with SOCKS, the proxy makes
//     the connection, and the scheme's own opener speaks to the server.
//
// The program or its user names gateways, never a URL, so they may have any address and
// port ([policy.Policy.ForConfiguredServer]). A URL that goes through a template or an HTTP proxy
// opens no connection to another host.
//
// The policy judges the URL first: one that is FromPublic names no private address. With
// "socks5" the client resolves the name, judges the address and gives it to the proxy.
// All other gateways resolve the name themselves, and it may mean an address in their
// network that the policy never sees. A proxy that reaches a private network must decide
// for itself, or the hosts must be exceptions. Links in resources from such gateways are
// FromPublic, unless the URL named an address that is not public. A redirect by a gateway
// is a redirect like any other.
//
// Datagrams go through no proxy. A scheme that needs them fails, and does not bypass it.
//
// # Time
//
// [Options] has four limits: for a connection, for the silence of a server, for an open,
// and for an open and its resource together. The context of an open applies to its resource too: when it ends, reading
// ends, and the connection of a session is closed.
//
// # Refused
//
// Networks other than TCP and UDP; a data connection to another host than that of the
// control connection, or to a port below 1024; a data connection from another host.
package access
