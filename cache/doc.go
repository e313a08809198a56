// Package cache implements a shared HTTP cache on disk for URLs of every scheme. For http and https
// it follows RFC 9111. For other schemes it uses lifetimes that each scheme defines. Concurrent
// requests for one URL are coalesced.
//
// [Store.Transport] wraps an [http.RoundTripper], such as an [http.Transport]. [Store.Do] takes a
// parsed URL and supports all schemes. For schemes other than http and https, the caller encodes
// the resource as an HTTP response. As a shared cache, the store does not store private responses.
//
// # Keys
//
// The key of a response consists of its canonical URL without a fragment, and the request header
// fields that Vary names. For http and https the key also includes all request fields without cache
// rules, such as X-Forwarded-Host, Origin, Referer and User-Agent. A server may repeat such a field
// in its response without naming the field in Vary. Without this rule, one client could influence
// the responses for other clients. For other schemes the key includes Accept and Accept-Language,
// unless Vary names other fields. For some resources, such as ftp files and news articles, the key
// includes no request field. The store holds at most 32 responses per URL.
//
// # What is stored
//
// For http and https, the store accepts complete responses to GET that a shared cache may store
// (RFC 9111 section 3). The status of a response must be 200, 203, 204, 300, 301, 308, 404, 405,
// 410, 414 or 501. If the response has an explicit lifetime, the status may also be 302, 303 or
// 307. A response must be fresh on arrival, or contain an ETag or Last-Modified for validation. The
// store also uses a stored response to GET for HEAD requests and range requests, with If-Range. The
// store does not store partial responses (206). For "Range: bytes=0-", the first request of media
// players, it fetches the whole resource.
//
// The lifetime is the value of s-maxage, max-age or Expires, in this order. Without these values,
// the lifetime is a tenth of the time since Last-Modified, at most a day, and zero for a URL with a
// query. The store validates a stale response, and status 304 updates the stored header. If the
// clock was set back, the store also validates responses that are newer than the clock. The store
// supports the response directives stale-while-revalidate and stale-if-error (RFC 5861), and
// immutable (RFC 8246), which overrides max-age=0 in a request. The store supports the request
// directives no-store, no-cache, max-age, min-fresh, max-stale and only-if-cached, and the Pragma
// header.
//
// # Lifetimes of other schemes
//
// If a response contains no explicit lifetime, [scheme.Scheme].Freshness determines the lifetime.
// The lifetime ranges from a minute to a week. Stable resources, such as an article with a
// Message-ID, have long lifetimes. For a file the lifetime is a tenth of the time since the last
// change, from 10 minutes to a day. The store never stores form submissions, local files and
// sessions.
//
// The lifetime of a "not found" response is at most 30 seconds. After a redirect (Content-Location)
// the shorter of both lifetimes applies. After a redirect to HTTP the lifetime is zero, because the
// HTTP header fields are lost. The store fetches a stale resource again. If the new response has
// the same ETag, or the same Last-Modified and length, the store preserves the old body and does
// not read the new body. If the server is unreachable, the store returns the stale response instead
// of the error for one more day. If the policy denies the request, the store returns the denial and
// not the stale response.
//
// # Refused input
//
// A request bypasses the store if the URL contains a user or password, or text that may be a
// password ([locus.Mask]). A request with a body or no-store also bypasses the store, as does a
// request whose Host header differs from the URL. The store does not store responses with
// Set-Cookie, private, no-store, "Vary: *" or trailers. Requests with Authorization or Cookie are
// not coalesced. The store stores and reuses a response to such a request only if the response
// contains public or s-maxage. If the request contains Authorization, must-revalidate also allows
// this. A successful unsafe method removes the responses for its URL, and for the URLs in Location
// and Content-Location of the same origin.
//
// The store never presents an incomplete body as complete. A body is incomplete if it ends with an
// error, is shorter than its Content-Length, or can't be written. Some gopher files contain no end
// mark, so the store can't detect whether such files are complete.
//
// The store applies no policy, so the caller must check that the client may open the URL.
//
// # Concurrent requests
//
// Concurrent requests for the same response wait until the first request has received the header.
// If the response is shareable, all requests read its body from the file that the store writes,
// beginning with the first byte. A slow client reads the file later and needs no buffer. If the
// response is not shareable, the store sends each request to the server. For a minute, requests for
// that URL then do not wait for each other. A client that disconnects does not cancel a fetch that
// other clients read. After the last reader has left, the fetch continues for at most
// [Options].PrefetchBytes bytes and a minute. If the fetch fails, all waiting requests get the
// error, which is not stored.
//
// If a response exceeds [Options].MaxObject or the space on disk, the first reader gets the rest
// directly from the server. Other readers get an error and must repeat the request. After a failed
// write, the store stores nothing for half a minute.
//
// # Responses
//
// Each response contains the header field Cache-Status (RFC 9211). This field shows whether the
// response is a hit, why a request was sent, and how long the response is fresh. Responses from the
// store also contain the header field Age.
//
// # Files
//
// Each body is a file that is written once and named by a hash. The index is a bbolt database. To
// stay below [Options].Size, the store evicts the least recently used responses of a sample. The
// size of each file is counted in whole blocks. A killed process does not damage a store: [Open]
// deletes bodies that are not in the index, and replaces a damaged index with an empty index. Only
// one process at a time can open a store.
package cache
