// Package roundtrip lets an [http.Client] get URLs of every scheme that an
// [access.Client] opens: ftp, gopher, file and all others, as if HTTP servers were
// there.
//
// A [Transport] is the Transport of a client for all schemes, or one that
// [http.Transport.RegisterProtocol] knows for some.
//
// # Requests
//
// GET and HEAD are all there is; anything else gets a response 405. The URL that
// is opened is the text of Request.URL as package net/url writes it. That keeps
// what was written of the path, its "//", "%2F", "%09" and "%0D%0A", of the user
// and password, and of what follows a "?", whatever the scheme makes of that. A
// text that is no URL is an error. The user and password of the URL are used, if
// the policy lets them; the header Authorization, in which an http.Client repeats
// them, is not.
//
// Each request is of a URL that was typed, as far as the policy knows, unless
// [Options.From] says where it was found. A program that follows links of pages
// that others made should say that, or open them with [access.Request.From]. A
// request that an http.Client makes to follow a redirect is judged as a referral.
//
// Accept and Accept-Language choose among the views of a Gopher+ item. "Range:
// bytes=N-" begins in the middle where the scheme can, which If-Range may make
// depend on the version. Other ranges, and other conditions, are not looked at.
//
// # Responses
//
// An object is a response 200, or 206 for a part, with what is known of it in
// Content-Type, Content-Length, Last-Modified, Content-Encoding and ETag.
//
// A menu is a page, written while it is read, in the [Format] that Accept likes
// best. Titles are shown as UTF-8 if they are, else as ISO Latin 1, and what could
// act on a terminal or turn the direction of writing is made visible; only JSON
// has them as they are. Items are links if their scheme is known; those to files
// only on a page of a file. A password is in none of them. Where a menu breaks
// off, the page says so and ends well formed, and then reading ends with the
// error.
//
// Referrals are followed by the access client. Where they led stands in
// Content-Location, and in the URL of Response.Request; so does the URL of the view
// of a Gopher+ item that was chosen.
//
// What is not found is a response 404, and what wants a login 401, without a
// challenge: no header could answer it. Every other failure is an error of
// RoundTrip, an [*access.Error] if it is one of access. So is a session.
package roundtrip
