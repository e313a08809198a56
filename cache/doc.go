// Package cache keeps answers on disk and gives them again: by the rules of RFC 9111
// where HTTP has rules, and for sensible times where a scheme has none. What many
// ask for at once is fetched once.
//
// [Store.Transport] is an [http.RoundTripper] around another one, as package
// roundtrip has it for every scheme and [http.Transport] for http and https. It is a
// shared cache: what is for one person is not kept.
//
// # What is found again
//
// An answer is found by its URL in canonical form, without a fragment, and by the
// fields of the request that its Vary names. Of http and https it is found, besides, by
// all fields of the request that caches have no rules for, such as X-Forwarded-Host,
// Origin, Referer and User-Agent: a server may repeat one in its answer and not name it
// in Vary, and one client must not choose what others get. Where no RFC says what an answer
// depends on it is Accept and Accept-Language, but for files of ftp and articles of
// news, which are the same for everybody. There are at most 32 answers for one URL.
//
// # What is stored
//
// Of http and https, answers to GET that RFC 9111 section 3 lets a shared cache
// store: whole ones of the statuses 200, 203, 204, 300, 301, 308, 404, 405, 410, 414
// and 501, and of 302, 303 and 307 if they name a lifetime; if they are fresh for a
// while, or have an ETag or a Last-Modified by which one can ask whether they still
// are. A HEAD is answered from a stored GET, and so are ranges, one or several, with
// If-Range. Parts (206) are not stored, but "Range: bytes=0-", by which players
// begin, fetches the whole.
//
// The lifetime is that of s-maxage, max-age or Expires, in this order. Without them
// it is a tenth of the time since Last-Modified, a day at most, and none if the URL
// has a search. What is older is asked for again on condition, and a 304 brings the
// stored answer up to date. So is an answer that came later than the clock says it is:
// the clock was set back. stale-while-revalidate and stale-if-error (RFC 5861) and
// immutable (RFC 8246, against max-age=0) are followed, and of requests no-store,
// no-cache, max-age, min-fresh, max-stale, only-if-cached, and Pragma.
//
// # How long, where there are no rules
//
// [Age], unless [Options] has something else, or the answer itself names a lifetime:
//
//	ftp, ftps     listing                           5 minutes
//	              file                              a tenth of the time since it changed, from 10
//	                                                minutes to a day; an hour if that is not known
//	gopher(s)     menu, attributes                  5 minutes
//	              search, phone book                1 minute
//	              answers to a form                 never
//	              anything else                     as a file
//	news, snews   article by its Message-ID         7 days
//	              newsgroup, list of newsgroups     1 minute
//	nntp, nntps   article by its number             1 day
//	              newsgroup                         1 minute
//	wais          document                          1 day
//	              search                            1 minute
//	              description of a database         1 hour
//	prospero      anything                          5 minutes
//	all of these  that something is not there       30 seconds
//	file, mid, cid, mailto, telnet, rlogin, tn3270,
//	and schemes that are not known                  never
//
// Where a referral led elsewhere (Content-Location), the shorter of both ages counts;
// over HTTP that is none, since what HTTP said of it is lost. When the time is over
// it is fetched anew; if then ETag, or Last-Modified and length, are those of what is
// stored, that is kept, and the rest of the new one not read. If the server can't be
// reached, what is stored stands in for a day more. A denial of the policy is no such
// case.
//
// # What is refused
//
// Nothing is stored of a URL with a user or password, or with what may be one
// ([locus.Mask]), of a request with a body, with
// no-store, or with another Host than its URL has; and no answer with Set-Cookie,
// private, no-store, "Vary: *", or trailers. A request with Authorization or Cookie
// neither waits for others nor is waited for, and is answered from the store, or
// stored, only if the answer says public or s-maxage (with Authorization also
// must-revalidate). An unsafe method that succeeds makes the store forget the URL, and
// those of Location and Content-Location on the same host.
//
// What breaks off, is shorter than its Content-Length, or can't be written is never
// given as whole. That gopher has no sign for the end of some files is beyond us.
//
// The store knows no policy: the caller must check that the client may open the URL.
//
// # Fetched once
//
// Requests that want the same wait for the first one's header. If the answer may be
// shared, all read the file that it grows in, from its first octet on; whoever is
// slow reads from there later, and holds no memory. If it may not, each asks for
// itself, and for a minute nobody waits for that URL again. Who goes away ends
// nothing: the rest is fetched as long as somebody reads, and then if it is no more
// than [Options].Linger and comes within a minute. A failure is that of all who
// waited for it, and not remembered.
//
// An answer that turns out to be larger than [Options].MaxObject, or than the disk
// holds, goes on to its first reader as if there were no store; others who read the
// same get an error, and the whole when they ask again. When the disk takes nothing,
// everything passes through for half a minute.
//
// # Answers
//
// Each has Cache-Status (RFC 9211): whether it is a hit, or why it was asked for, and
// for how long it is fresh. Those of the store have Age.
//
// # On the disk
//
// Each body is a file, written once and named by a hash; what is known of it is in an
// index, a database of package bbolt. What was not used for long is evicted, as a
// sample tells, before the disk holds more than [Options].Size, in which each file
// counts whole blocks. A process that is ended at any moment leaves a store that
// opens: bodies that the index does not know are swept then, and an index that is
// damaged is made anew, with nothing in it. One process has a store open at a time.
package cache
