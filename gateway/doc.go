// Package gateway serves resources of every scheme over HTTP: "a gateway which
// provides objects in the new scheme for clients using an existing protocol"
// (RFC 1738 section 4).
//
//	request --guard--> Gateway --policy--> store, access client or HTTP --> resource
//	                                                       resource --> page, JSON or octets
//
// A [Gateway] is an http.Handler over an access client. [NewServer] serves it to
// untrusted clients.
//
// # As a proxy
//
// A request target that is a whole URL, of any scheme, is a request to a proxy. For
// http and https the gateway forwards method, body and header, except for hop-by-hop
// fields, and relays the answer; the client follows redirects. For every other scheme
// it supports GET and HEAD, and "Range: bytes=N-" if the scheme can do that. A menu is
// a page if Accept prefers text/html, JSON if it prefers that, and otherwise lines of a
// title, TAB and a URL. CONNECT tunnels to allowed ports, but never to the gateway
// itself.
//
// # As pages
//
// The page of a URL is at "/?url=", and at a path that holds the URL as it was
// written: "/gopher/h:70/1sel" for "gopher://h:70/1sel", and "/news:a.b" for a URL
// without "//". A URL that a browser would change in a path, such as one with "..", has
// only the first form. "/-/raw/" before such a path, or "/-/raw?url=", serves the
// octets, sandboxed. Package page draws the pages.
//
// A page links to the other views of its resource. For a Gopher item the gateway asks
// for them with a second request, "!", if the server is known to speak Gopher+: the URL
// asks for a view, or the answer names one in Content-Location. It does not ask about
// searches and answers to forms, and waits three seconds at most. The types of a WAIS
// document come with the link from the search results, as "types=TEXT,HTML".
//
// The page of a failure keeps what was typed in its box for URLs, and offers the URL that
// was probably meant. Results of a search keep the box of the search.
//
// # Below another server
//
// With [Options.Prefix] the gateway is a handler below a path of another server. It is
// not a proxy then. That server has the limits of connections and heads that a [Server]
// has otherwise, and decides which requests it accepts.
//
// # As an API
//
// Paths below "/api/" answer as the command does with --json. /api/openapi.json
// describes them.
//
// # Security
//
// A client's URL counts as found on the public Internet (policy.FromPublic): permissions for
// typed URLs do not apply to clients. The policy is asked about each URL, including
// those whose answer is cached, and about each address that is dialed.
//
//   - Readers. A request for a page must name the gateway as loopback, as the address
//     that it came to, or by a name in [Options.Names], against DNS rebinding. Pages of
//     other sites may link here, and do nothing else (Sec-Fetch-Site, Origin). No answer
//     has Access-Control-Allow-Origin.
//   - Writers. A form carries a token that is bound to a cookie of the browser, or to
//     the client of a proxy. A terminal needs the gateway's own Origin. Mail needs a
//     relay, has one sender and few recipients, is sent only after a preview, and is
//     limited by the hour.
//   - Foreign content. Pages escape it, have a Content-Security-Policy without inline
//     scripts and styles, and load nothing from elsewhere. Raw octets come with
//     "sandbox" and only harmless header fields; browsers do not get them as scripts or
//     styles. Terminal output is filtered.
//   - Credentials. Authorization and Cookie go only to the http server that the client
//     asks its proxy for; Proxy-Authorization goes nowhere. Of a browser's header, pages
//     send on Accept-Language and Cache-Control. A URL with a secret answer to a form is
//     not shown.
//   - Request smuggling. A guard before package net/http refuses requests that can be
//     read in two ways: see guard.go. Requests to servers are written by net/http.
//   - Size and time. [Limits] bound requests, clients, servers, connections and
//     terminals. Heads, forms and calls have a size limit; each wait has a deadline. For
//     a slow client the gateway holds 16 KiB of a body.
//
// The log has each request, without passwords. The labels of /metrics come from bounded
// lists.
package gateway
