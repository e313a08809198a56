// Package cache implements a shared HTTP cache on disk for URLs of every scheme. For http
// and https it follows RFC 9111. For other schemes it uses the lifetimes of the scheme.
// Concurrent requests for one URL are coalesced.
//
// [Store.Transport] wraps an [http.RoundTripper], such as an [http.Transport]. [Store.Do]
// takes a parsed URL and supports all schemes: the caller encodes a resource of another
// scheme as an HTTP response. As a shared cache, the store does not store private
// responses.
//
// # Keys
//
// The key of a response is its canonical URL without a fragment, and the request header fields
// that Vary names. For http and https the key also includes all request fields that caches
// have no rules for, such as X-Forwarded-Host, Origin, Referer and User-Agent. A server may
// repeat such a field in its response without naming it in Vary, and one client must not
// influence the responses for others. For other schemes the key includes Accept and
// Accept-Language, unless Vary names other fields or the responses of the scheme do not depend
// on the request, as for ftp files and news articles. The store has at most 32 responses per
// URL.
//
// # What is stored
//
// For http and https, the store stores complete responses to GET that a shared cache may store
// (RFC 9111 section 3). The status of a response must be 200, 203, 204, 300, 301, 308, 404,
// 405, 410, 414 or 501. If the response has an explicit lifetime, the status may also be 302,
// 303 or 307. A response must be fresh on arrival, or contain an ETag or Last-Modified for
// validation. The store also uses a stored response to GET for HEAD requests, and for requests
// of one or several ranges, with If-Range. It does not store partial responses (206). For
// "Range: bytes=0-", the first request of media players, it fetches the whole resource.
//
// The lifetime is the value of s-maxage, max-age or Expires, in this order. Otherwise it is
// a tenth of the time since Last-Modified, at most a day, and zero for a URL with a query.
// The store validates a stale response; status 304 updates it. If the clock was set back,
// the store also validates responses that are newer than the clock. The store supports
// stale-while-revalidate and stale-if-error (RFC 5861), immutable (RFC 8246, against
// max-age=0), and in requests no-store, no-cache, max-age, min-fresh, max-stale,
// only-if-cached and Pragma.
//
// # Lifetimes of other schemes
//
// If a response has no explicit lifetime, [scheme.Scheme].Freshness determines it. The
// lifetime is a minute to a few days for stable resources, such as an article by its
// Message-ID. For a file it is a tenth of the time since the last change, from 10 minutes
// to a day. The store never stores form submissions, local files and sessions.
//
// The lifetime of a "not found" response is at most 30 seconds. After a redirect
// (Content-Location) the shorter of both lifetimes applies. After a redirect to HTTP the
// lifetime is zero, because the HTTP header fields are lost. The store fetches a stale
// resource again. If the new response has the same ETag, or the same Last-Modified and
// length, the store preserves the old body and does not read the new one. If the server
// is unreachable, the store returns the stale response instead of the error for one more
// day. If the policy denies the request, the store returns the denial and not the stale
// response.
//
// # Refused input
//
// A request bypasses the store if the URL contains a user or password, or text that may be a
// password ([locus.Mask]). It also bypasses the store if it contains a body or no-store, or if
// its Host differs from the URL. The store does not store responses with Set-Cookie, private,
// no-store, "Vary: *" or trailers. Requests with Authorization or Cookie are not coalesced.
// The store stores and reuses a response to such a request only if the response has public or
// s-maxage. If the request has Authorization, must-revalidate is also enough. A successful
// unsafe method removes the responses for its URL, and for the URLs in Location and
// Content-Location of the same origin.
//
// The store never presents an incomplete body as complete: a body that ends with an error,
// is shorter than its Content-Length, or can't be written. Some gopher files have no end
// mark; the store can't detect whether these are complete.
//
// The store has no policy: the caller must check that the client may open the URL.
//
// # Concurrent requests
//
// Concurrent requests for the same response wait until the first request has received the
// header. If the response is shareable, all requests read its body from the file that the
// store writes, from the first byte on. A slow client reads the file later and needs no
// buffer. If the response is not shareable, the store sends each request to the server.
// For a minute, requests for that URL then do not wait for each other. A client that
// disconnects does not cancel a fetch that others read. After the last reader has left,
// the fetch continues for at most [Options].PrefetchBytes bytes and a minute. If the fetch
// fails, all waiting requests get the error, which is not stored.
//
// If a response exceeds [Options].MaxObject or the space on disk, its first reader gets the
// rest directly from the server. Other readers get an error and must repeat the request.
// After a failed write, the store stores nothing for half a minute.
//
// # Responses
//
// Each response contains the header field Cache-Status (RFC 9211). It shows whether the
// response is a hit, why a request was sent, and how long the response is fresh. Responses from
// the store contain Age.
//
// # Files
//
// Each body is a file that is written once and named by a hash. The index is a bbolt
// database. To stay below [Options].Size, the store evicts the least recently used
// responses of a sample; each file counts in whole blocks. A killed process does not damage
// a store: [Open] deletes bodies that are not in the index, and replaces a damaged index
// with an empty one. Only one process at a time can open a store.
package cache
