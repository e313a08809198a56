// Package roundtrip lets an [http.Client] read ftp, gopher and all other schemes with GET
// and HEAD, as a cache or a gateway needs it; for only http and https, with every method
// and status, use [access.NewTransport].
//
// It shows what an [access.Client] opens as if that were served over HTTP.
//
// A [Transport] can be the Transport of a client, for all schemes, or be registered
// for some with [http.Transport.RegisterProtocol].
//
// # Requests
//
// The methods are GET and HEAD; any other gets a response 405. The URL that is
// opened is the text of Request.URL as package net/url writes it. Package net/url keeps the "//", "%2F", "%09" and "%0D%0A" of a path, the
// user and password, and what follows a "?". A text that is not a URL is an error.
// The user and password of the URL are used if the policy allows it; the header
// Authorization, in which an http.Client repeats them, is ignored.
//
// To the policy each URL counts as typed, unless [Options.From] says where it was
// found. A program that follows links of other people's pages should set From, or
// open them with [access.Request.From]. A request by which an http.Client follows a
// redirect is judged as a referral.
//
// Accept and Accept-Language choose among the views of a Gopher+ item. "Range:
// bytes=N-" begins in the middle if the scheme can do that, and If-Range can make it
// depend on the version. Other ranges and conditions are ignored.
//
// # Responses
//
// An object is a response 200, or 206 for a part, with its properties in
// Content-Type, Content-Length, Last-Modified, Content-Encoding and ETag.
//
// A menu is written while it is read, in the [Format] that Accept prefers.
// Titles are UTF-8 if their octets are, else ISO Latin 1. Control characters and marks
// that turn the direction of writing are made visible, but for JSON, which escapes
// them. Items are links if their scheme is registered; links to files stand only on
// pages of files. Passwords are left out. A menu that breaks off ends well formed,
// with the reason, and then reading ends with the error. [Resource] returns the menu
// itself instead.
//
// The access client follows referrals. Content-Location and the URL of
// Response.Request name where they led, or the view of a Gopher+ item that was
// chosen.
//
// A missing resource is a response 404. One that needs a login is a 401 without a
// challenge, because no header could answer it. Any other failure, and a session, is
// an error of RoundTrip; those of access are an [*access.Error].
package roundtrip
