// Package data opens data URLs (RFC 2397), which contain the resource itself.
//
//	dataurl   = "data:" [ mediatype ] [ ";base64" ] "," data
//	mediatype = [ type "/" subtype ] *( ";" parameter )
//	data      = *urlchar
//	parameter = attribute "=" value
//
// The elements type, subtype, attribute and value follow RFC 2045, and may contain escapes. A
// value is a token, a quoted string, or text with escaped tspecials. The default mediatype is
// text/plain;charset=US-ASCII. If only the type and subtype are missing, the type is text/plain.
// The first "," ends the mediatype. A "?" belongs to the data; "#" begins a fragment.
//
// A [Client] opens a URL without a network and returns a [scheme.Object] with the media type and
// size. Because anyone may have written a data URL, the policy treats links in the data like links
// in a page from the public Internet.
//
// # Refused input
//
// Parse rejects a URL that contains no ",". It also rejects a malformed media type, and a
// malformed or repeated parameter. Base64 must follow RFC 4648 section 4, so Parse rejects white
// space, missing padding, "-" and "_" in base64.
//
// # Canonical form
//
// Two data URLs with the same media type and octets name the same resource. The canonical form
// uses the shorter encoding: escapes or base64. It writes the type, parameter names and charset in
// lower case, and sorts parameters by name. It omits the default type text/plain before
// parameters, and the default mediatype text/plain;charset=US-ASCII.
package data
