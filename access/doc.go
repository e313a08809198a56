// Package access opens URLs of every scheme under a policy (RFC 1738 sections 2 and 6).
//
// A [Client] combines a [scheme.Registry] with a [policy.Policy]. The registry contains an opener
// for each scheme, and the policy decides which URLs and addresses the client may open. Package
// scheme/all makes a Client with every scheme in one call. For http and https alone, [NewTransport]
// makes an [http.Client] that is safe for URLs from other people.
//
// [Client.Do] looks up the scheme, checks the URL against the policy, calls the scheme's opener for
// one request, and follows redirects under the same rules. An opener does not follow redirects. An
// opener reaches the network only through the [scheme.Dialer] of its request. The dialer resolves
// the host, checks each address against the policy, dials only allowed addresses, and checks the
// address again when the socket connects. So DNS rebinding does not bypass the policy.
//
// # Origins
//
// A person may enter the URL of a printer on the local network, but a page from the Internet must
// not link to it. So each URL has a [policy.Origin]. [Client.Open] opens a URL that a person
// entered, so the origin of the URL is Typed. [Client.Follow] opens a link in a resource. The link
// is FromPrivate if the resource is a file, or if the client dialed only private addresses to open
// the resource. The link is FromPublic if the URL of the resource was FromPublic, or if the client
// dialed a public address, even without success. An opener may reuse a connection and dial nothing,
// so the client records for each host whether one of its addresses was public. In case of doubt,
// the link is FromPublic.
//
// A client uses one dialer for each origin. Openers store idle connections by dialer, so a
// connection for a typed URL is not reused for a URL from an unknown page. A program that speaks to
// a server itself, as a proxy does, gets its dialer from [Client.DialerFor].
//
// # Redirects
//
// While the client follows redirects, it requests each URL only once. If a redirect leads to a URL
// that the client has already requested, the client returns an error. It ignores fragments when it
// compares the URLs. If a redirect lists several URLs, the client tries the next URL only if it
// sent no request for the previous URL.
//
// The client passes the login in a URL only to the same scheme, host and port. After a redirect
// from an encrypted to an unencrypted connection, as from https to http, the client does not prompt
// for a login. A redirect never starts a session. The final URL includes the fragment of the first
// URL, unless a redirect specifies another fragment.
//
// # Proxies
//
// RFC 1738 section 4 lets a client use a gateway for a scheme. This package calls such a gateway a
// proxy. [Options].Proxies selects the proxy for each URL, also for schemes that are not
// registered.
//
//   - A template converts the URL to another URL, which the client opens instead. The client
//     refuses a URL with a password.
//   - An HTTP proxy receives a request for the URL. The http opener sends this request if it is a
//     [scheme.ProxyOpener]. The response is an object or a redirect, never a menu.
//   - For encrypted schemes and sessions, and for every URL with SOCKS, the proxy makes the
//     connection, and the scheme's own opener speaks to the server.
//
// Only the program or its user chooses proxies, never a URL. So proxies may have any address
// and port ([policy.Policy.ForConfiguredServer]). A request through a template or an HTTP
// proxy connects to no other host.
//
// The policy judges the URL first: a URL that is FromPublic must not name a private address.
// With "socks5" the client resolves the name, checks the address and passes it to the proxy.
// All other proxies resolve the name themselves, and the policy never sees the address. If a
// proxy can reach a private network, the proxy must restrict its clients, or
// [ProxyRules].Except must list the hosts of that network. Links in resources from such
// proxies are FromPublic, unless the URL named an address that is not public.
//
// Proxies do not carry datagrams. A scheme that needs datagrams fails and does not bypass the
// proxy.
//
// # Time
//
// [Options] contains four time limits. DialTimeout limits the time to connect, and IdleTimeout
// limits the idle time of a server. Timeout limits the time to open a URL. Total also includes the
// time to read the resource. The context passed to Do also applies to the resource. When the
// context ends, reading fails, and the connection of a session is closed.
//
// # Observation
//
// Options.Observe is called at the start and the end of each request, and is the basis of
// logs, metrics and traces. Two other functions of Options receive the exchanged data.
// Trace receives lines of text for people, and Record receives bytes for a web archive.
//
// # Restrictions
//
// The dialer supports only TCP and UDP. The dialer refuses a data connection to or from a host
// other than the host of the control connection. It also refuses a data connection to a port below
// 1024.
package access
