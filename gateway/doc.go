// Package gateway shows the resources of every scheme to clients of HTTP: "a gateway
// which provides objects in the new scheme for clients using an existing protocol"
// (RFC 1738 section 4), which the URI draft has take the entire URI as what is asked
// for.
//
//	request --guard--> Gateway --policy--> store --> access client, or HTTP --> answer
//
// A [Gateway] is an http.Handler over an access client; [NewServer] serves it to
// clients that may mean harm.
//
// # As a proxy
//
// A target that is a whole URL, of any scheme, is what a client asks its proxy for.
// For http and https the request goes on with its method, body and header, but for
// what is of one hop, and the answer comes back as it is: redirects are for the
// client. For every other scheme there is GET and HEAD, and "Range: bytes=N-" where
// the scheme can. A menu is a page for who names text/html in Accept, JSON for who
// prefers that, and else lines of a title, TAB and a URL. CONNECT makes a tunnel to
// ports that are allowed, and never to the gateway itself.
//
// # As pages
//
// The page of a URL is at "/?url=", and at its path form, which holds what was
// written to the octet: "/gopher/h:70/1sel" for "gopher://h:70/1sel", and
// "/news:a.b" for a URL without "//". A URL that a browser would change in a path,
// as one with "..", has the first form alone. "/-/raw/" before a path form, or
// "/-/raw?url=", gives the octets, sandboxed. Package page makes the pages.
//
// A page offers the views in which its resource can be had as well, each a link to
// the page of its own URL. For an item of Gopher they are asked for by one further
// request, "!", and only if it is known that the server speaks Gopher+: the URL
// asks for a view, as the items on menus of such servers do, or the client chose
// one, which it says in Content-Location. A search and the answers to a form are
// not asked about. The page waits for that three seconds at most. No
// request tells the types of a document of WAIS: links from the results of a search
// carry them, as "types=TEXT,HTML". A browser that names languages gets another one
// if there is none of them.
//
// # As an API
//
// Below "/api/" are the questions of the command, with the answers that its --json
// has. /api/openapi.json describes them.
//
// # Whom it trusts
//
// Nobody. A client's URL counts as found on the public Internet (policy.Far): what
// the policy allows to who types is not for clients. The policy is asked about each
// URL, also one whose answer is stored, and about each address that is dialled.
//
//   - Who reads. A request for the gateway's own pages must name it as loopback, as
//     the address that it came to, or by a name in [Options.Names]: else a page
//     elsewhere could have its own name lead here and read them (DNS rebinding). A
//     page of another site may link to a page, and do nothing else: neither load
//     what is here nor send anything, by Sec-Fetch-Site and Origin. Nothing here has
//     an Access-Control-Allow-Origin. A browser sends a whole URL only to its proxy,
//     so no page can have it sent here.
//   - Who sends. A form has a token that only a page of this gateway knows, in the
//     one browser that has the cookie, or for the one client that asked its proxy for
//     it. A terminal is opened by an Origin that is the gateway's own. A letter is sent
//     only if a relay is set, from one sender, to few people, after exactly it was
//     shown, and so many in an hour.
//   - What is foreign. Pages are escaped, have a Content-Security-Policy without
//     anything inline, and load nothing from elsewhere. Octets of others come with
//     "sandbox", which is an origin of their own, and with those header fields that
//     can do nothing: no cookie is set by a server in the gateway's name. No browser
//     gets them for a script or a style. Terminals are filtered.
//   - Credentials. Authorization and Cookie go to the http server that the client
//     asks its proxy for, and nowhere else; Proxy-Authorization goes nowhere. No page
//     has a browser's header fields sent on but Accept-Language and Cache-Control. An
//     answer to a form that is nobody else's business is in no URL that is shown.
//   - Smuggling. Before package net/http reads a request, a guard refuses what could
//     be read in two ways: a length beside chunks, two of either, a coding that is
//     not chunked alone, fields that go on in the next line, blanks before a colon,
//     LF or CR alone, NUL, and a Host that is not that of the URL. What goes on to a
//     server is written anew.
//   - Size and time. [Limits] bound requests, clients, servers, connections and
//     terminals; heads, forms and calls have a most; who sends its head slowly, does
//     not send the body that it announced, takes no octet for a minute or waits for
//     nothing is let go. A body is passed on as it
//     comes, in pieces of 16 KiB: a client that reads slowly holds one.
//
// The log has each request, without passwords; /metrics has figures that no client
// can make many of.
package gateway
