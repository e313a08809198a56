// Package data is the data scheme of RFC 2397: URLs that contain what they name.
//
//	dataurl   = "data:" [ mediatype ] [ ";base64" ] "," data
//	mediatype = [ type "/" subtype ] *( ";" parameter )
//	data      = *urlchar
//	parameter = attribute "=" value
//
// Type, subtype, attribute and value are those of RFC 2045 with escapes. A value is a
// token, a quoted string, or a text with its tspecials escaped. Without a mediatype it is
// text/plain;charset=US-ASCII, and without type and subtype text/plain. The first "," ends
// them. A "?" belongs to the data; "#" begins a fragment.
//
// A [Client] opens a URL without a network. It gives a [scheme.Object] with the media type
// and size. Links in it have the origin of a page of the public Internet, since anyone may
// have written the URL.
//
// # What is refused
//
// Parse refuses a URL without ",", a malformed media type, a parameter that is malformed or
// there twice, and base64 that is not that of RFC 4648 section 4: white space, missing
// padding, the letters "-" and "_".
//
// # Canonical form
//
// A data URL names nothing but its media type and octets, so two with the same are the same
// resource. The canonical form has the shorter of both encodings: escapes, or base64 if that
// is shorter. The type, names of parameters and the charset are in lower case, parameters in
// order of their names, text/plain is left out before a parameter, and
// text/plain;charset=US-ASCII is left out.
package data
