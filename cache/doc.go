// Package cache is an HTTP cache on disk for every scheme. It follows RFC 9111 where
// HTTP has rules, and uses the times of each scheme where it has none. What many
// clients ask for at once is fetched once.
//
// [Store.Transport] is an [http.RoundTripper] around another one, such as [http.Transport].
// [Store.Do] is for a program that has parsed the URL, and for all schemes: the program
// encodes a resource of another scheme as a response of HTTP. The store is a shared cache:
// answers for one person are not stored.
//
// # Keys
//
// An answer is found by its URL in canonical form, without a fragment, and by the
// request fields that Vary names. For http and https all request fields that caches
// have no rules for count as well, such as X-Forwarded-Host, Origin, Referer and
// User-Agent: a server may repeat one in its answer without naming it in Vary, and a
// client must not choose what others get. For other schemes Accept and Accept-Language
// count, unless the scheme's responses are the same for everybody, as files of ftp
// and articles of news are, or Vary says otherwise. At most 32 answers are stored for one URL.
//
// # What is stored
//
// For http and https, the store keeps answers to GET that a shared cache may store
// (RFC 9111 section 3): complete ones with the statuses 200, 203, 204, 300, 301, 308,
// 404, 405, 410, 414 and 501, and 302, 303 and 307 with an explicit lifetime. They must
// be fresh for a while, or have an ETag or a Last-Modified to validate them by. A HEAD
// is answered from a stored GET, and so are one or several ranges, with If-Range.
// Partial answers (206) are not stored, but "Range: bytes=0-", the first request of
// media players, fetches the whole.
//
// The lifetime is that of s-maxage, max-age or Expires, in this order. Otherwise it is
// a tenth of the time since Last-Modified, at most a day, and 0 for a URL with a search.
// A stale answer is validated, and a 304 updates it. So is an answer that is newer than
// the clock, which was set back. The store obeys stale-while-revalidate and
// stale-if-error (RFC 5861), immutable (RFC 8246, against max-age=0), and in requests
// no-store, no-cache, max-age, min-fresh, max-stale, only-if-cached and Pragma.
//
// # Lifetimes of other schemes
//
// If the answer itself names no lifetime, that of [scheme.Scheme].Freshness applies. It is
// a minute to a few days for what a scheme knows to keep, such as an article by its
// Message-ID, and a tenth of the time since a file changed, from 10 minutes to a day.
// Answers to a form, files of this machine and sessions are never stored.
//
// An answer that something is missing keeps at most 30 seconds. After a referral
// (Content-Location) the shorter of both lifetimes applies; after one to HTTP it is 0,
// since HTTP's own fields are lost. A stale answer is fetched again. If ETag, or
// Last-Modified and length, are those of the stored answer, that one is kept, and the
// rest of the new one is not read. If the server can't be reached, the stale answer
// replaces the error for one more day. A denial by the policy is not such an error.
//
// # What is refused
//
// The store ignores URLs with a user or password, or with what may be one
// ([locus.Mask]), requests with a body, with no-store, or with another Host than the
// URL, and answers with Set-Cookie, private, no-store, "Vary: *" or trailers. A request
// with Authorization or Cookie neither waits for others nor do they wait for it. It is
// answered from the store, and its answer stored, only if the answer says public or
// s-maxage (with Authorization also must-revalidate). An unsafe method that succeeds
// removes the answers for the URL, and for those of Location and Content-Location on
// the same host.
//
// A body that breaks off, is shorter than its Content-Length or can't be written is
// never given as complete. Some gopher files have no mark at their end: of these the
// store can't tell.
//
// The store has no policy: the caller must check that the client may open the URL.
//
// # Concurrent requests
//
// Requests for the same answer wait for the header of the first. If the answer may be
// shared, all of them read the file that it grows in, from its first byte on; a slow
// client reads from there later and holds no memory. If it may not, each makes a
// request of its own, and for a minute no request waits for that URL. A client that
// disconnects does not cancel the fetch while others read. After the last one it
// continues for at most [Options].Linger bytes and a minute. An error is that of all
// who waited, and is not stored.
//
// An answer that turns out to be larger than [Options].MaxObject, or than the disk
// holds, continues to its first reader as if there were no store. Other readers get an
// error, and the whole answer when they ask again. When the disk takes no more, all
// requests bypass the store for half a minute.
//
// # Responses
//
// Each response has Cache-Status (RFC 9211): whether it is a hit, or why a request was
// made, and how long it is fresh. Those from the store have Age.
//
// # Files
//
// Each body is a file, written once and named by a hash. The index is a database of
// package bbolt. The least recently used answers, by a sample, are evicted before the
// disk holds more than [Options].Size, in which each file counts whole blocks. A store
// opens after its process was killed at any moment: bodies that are not in the index
// are deleted then, and a damaged index is replaced by an empty one. One process has a
// store open at a time.
package cache
