// Package gateway serves resources of every scheme over HTTP. The package implements "a
// gateway which provides objects in the new scheme for clients using an existing protocol"
// (RFC 1738 section 4). It offers an HTTP proxy, web pages for browsers, and a JSON API.
//
//	request --guard--> Gateway --policy--> store, access client or HTTP --> resource
//	                                                       resource --> page, JSON or octets
//
// A [Gateway] is an http.Handler over an access client. [NewServer] serves it to
// untrusted clients.
//
// # As a proxy
//
// If the request target is an absolute URL, the gateway acts as a proxy. For http and https
// it forwards the method, the body and the header without hop-by-hop fields, and relays the
// response. Redirects are left to the client. For other schemes the gateway supports GET
// and HEAD, and "Range: bytes=N-" if the scheme supports it. The Accept header selects the
// format of menus: an HTML page, JSON, or text lines with a title, TAB and a URL. CONNECT
// opens tunnels to allowed ports, but never to the gateway itself.
//
// # As pages
//
// The page of a URL has two addresses. The first address is "/?url=" with the encoded URL.
// The second address is a path that contains the URL as written: "/gopher/h:70/1sel" for
// "gopher://h:70/1sel", and "/news:a.b" for a URL without "//". A URL that a browser would
// change in a path, such as a URL with "..", has only the first address. The paths that
// begin with "/-/raw/" or "/-/raw?url=" serve the raw bytes in a sandbox. Package page
// renders the pages.
//
// A page links to the other views of its resource. For a Gopher item, the gateway requests
// the list of views with the Gopher+ string "!" if the server supports Gopher+. The server
// supports Gopher+ if the URL names a view, or if the response names a view in
// Content-Location. The gateway waits at most three seconds for the list. The gateway does
// not request a list of views for search results and form submissions. Links in WAIS search
// results contain the types of the document, as in "types=TEXT,HTML".
//
// After an error, the page repeats the input in its URL box and suggests a corrected URL.
// Pages of search results repeat the search form.
//
// # Below another server
//
// With [Options.Prefix] the gateway serves paths below a prefix on another server, and does
// not act as a proxy. The other server must limit connections and request headers as
// [Server] does, and must reject ambiguous requests.
//
// # As an API
//
// Paths below "/api/" return the same JSON as the command with the flag --json. The file
// /api/openapi.json describes these paths.
//
// # Security
//
// A URL from a client counts as found on the public Internet (policy.FromPublic), so
// permissions for typed URLs do not apply to clients. The gateway checks the policy for
// each URL, even if the response is cached, and for each address before dialing it.
//
//   - Readers. To prevent DNS rebinding, a request for a page must name the gateway by a
//     loopback address, by the address that received the request, or by a name in
//     [Options.Names]. Pages of other sites may only link to the gateway (Sec-Fetch-Site,
//     Origin). No response has Access-Control-Allow-Origin.
//   - Writers. A form contains a token that is bound to a cookie of the browser, or to the
//     address of a proxy client. A terminal requires the gateway's own Origin. Sending mail
//     requires a relay. A message has a fixed sender and few recipients, and is sent only
//     after a preview. An hourly limit applies.
//   - Foreign content. Pages escape it, forbid inline scripts and styles by a
//     Content-Security-Policy, and load nothing from other origins. Raw responses have the
//     policy "sandbox" and only harmless header fields. Browsers can't load raw responses
//     as scripts or styles. The gateway filters terminal output.
//   - Credentials. The proxy forwards Authorization and Cookie only to the requested http
//     server, and never forwards Proxy-Authorization. For pages, the gateway forwards only
//     Accept-Language and Cache-Control. Pages do not show URLs that contain secret form
//     answers.
//   - Request smuggling. A guard reads requests before package net/http and rejects
//     ambiguous requests: see guard.go. Package net/http writes the requests to servers.
//   - Size and time. [Limits] bounds requests, clients, servers, connections and terminals.
//     Headers, forms and API calls have a size limit, and each wait has a deadline. For a
//     slow client, the gateway buffers 16 KiB of a body.
//
// The log contains an entry for each request, without passwords. The labels of /metrics
// come from bounded lists.
package gateway
