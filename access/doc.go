// Package access dereferences URLs (RFC 1738 section 2, "access"; section 6). It
// joins three things that know nothing of each other: the registry, in which each
// scheme says how its URLs are opened; the policy, which says where a URL may
// lead; and the network.
//
// [Client.Do] looks the scheme up, asks the policy about the URL, lets the
// scheme's opener make its one exchange, and follows a referral to where that
// leads, under the same questions. An opener never follows anything, and reaches
// the network only through the [scheme.Dialer] in its request: a door that
// resolves the host, asks the policy about each address, dials only what was
// allowed, and looks once more at the address when the socket connects. A name
// that means another address the second time one asks gains nothing.
//
// # Zones
//
// A client has three doors, one for each [policy.Zone], and a door stays the same
// as long as the client is there. Openers keep connections apart by their door,
// so that what a typed URL was allowed to reach is not there, still connected, for
// a URL that a stranger's page brought.
//
// A URL without [Request.From] is typed. What a resource leads to is in zone Far
// if the URL itself was, or if a public address was dialled for it, in vain or
// not; in zone Near if only others were dialled, or if it is a file. An opener may
// use a connection that an earlier request dialled; so the client remembers of
// each host whether an address of it was ever public. What can't be told is Far:
// a name for which nothing was dialled and of which nothing is known, or a URL
// that names no host and whose opener dialled nothing.
//
// # Referrals
//
// Each is asked for once; a URL that comes up a second time, but for its
// fragment, is a loop and an error. Of several URLs in a referral the next is
// tried only when no connection came about. The login in a URL goes along only to
// the same scheme, host and port. Once encryption is left behind, as from https
// to http, nobody is asked for a login any more. A referral never ends in a
// session. The fragment of the first URL is kept, unless a referral brings one.
//
// # Gateways
//
// RFC 1738 section 4 lets a client have a gateway for a scheme, and the URI draft has
// "the entire URI" sent to one. [Options].Gateways says which URLs go by way of
// which: of any scheme, also one that is not registered.
//
//   - A template makes another URL, which is opened in place of the one. Passwords
//     don't go along; a URL that has one is refused.
//   - An HTTP proxy is asked for the URL, by whatever is registered for http, if it is
//     a [scheme.ProxyOpener]. What comes back is an object or a redirect, never a menu:
//     what a gateway makes of one, a page or lines, is its own.
//   - For what is encrypted, for sessions, and with SOCKS for everything, the proxy
//     makes the connection, and the scheme's own opener speaks to the server.
//
// Gateways are named by the program or the person who configures it, and by no URL, so
// they may be at any address and port ([policy.Policy.Configured]). Where a URL goes
// by way of one that is asked, no connection is opened to any other host.
//
// The URL itself is judged as ever, before the gateway is asked: a URL in zone Far
// names no address that is not public. A host's name is another matter. With
// "socks5" it is looked up here, and the address that it has is judged and given to
// the proxy. With all the others it is the gateway's to look up, and may mean an
// address in the gateway's network that the policy never sees: who has a proxy
// that reaches what others must not reach lets the proxy judge, or names the hosts
// as exceptions. So what comes that way is in zone Far, unless the URL named an address
// that is not public. A redirect that a gateway makes to another URL, be it one at its
// own host, is a referral like any other.
//
// Datagrams go by way of no proxy: what needs them fails, and does not go around it.
//
// # Time
//
// There are three limits in [Options]: for a connection, for the silence of a
// server, and for the whole way to the resource. The context of an open is good
// for its resource too: when it ends, reading ends, and the connection of a
// session is closed.
//
// # Refused
//
// Networks other than TCP and UDP; a data connection to another host than the
// control connection's or to a port below 1024; a data connection from another
// host.
package access
