// Package prospero implements the prospero scheme (RFC 1738 section 3.11). A
// Prospero directory server answers with the ways to get an object.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The default port is 1525. The hsoname is opaque and begins after the "/" that
// follows the host. Most hsonames begin with a slash of their own, so there are two.
// Any number of fields may follow.
//
// # Syntax
//
// The url-path is split at each unescaped ";", and each field at its first "=". Then
// hsoname, names and values are decoded once. Fields keep their order. Names are
// compared without case, as Prospero's keywords are. RFC 1738 defines the field
// OBJECT-VERSION. Slashes and dots have no meaning here and are never changed.
//
// In the URI draft %00 ends the hsoname. A version in decimal digits follows, then
// attributes that no text defines. A name that is sent can't hold a NUL, so %00 is
// always read this way; by RFC 1738 it is a note. The attributes are kept. The draft
// has no fields: by RFC 1630 each field is a violation.
//
// # Access
//
// The client asks for the access methods of the object, with SIZE, LAST-MODIFIED and
// UNIX-MODES (Neuman and Augart, "The Prospero Protocol, Version 5"), over ARDP on UDP.
//
// A directory is a [scheme.Menu]. Archie queries name directories, and any name of
// which the server knows nothing else may be one. Other objects become a
// [scheme.Redirect], because the methods "might themselves be represented as different
// URLs". It lists their URLs in the server's order; methods that no retrieval opens
// (sessions, mounted file systems) come last. A method that needs a login (FTP, not
// AFTP) is left out, because nothing here logs in to it as "anonymous". If it is the
// only one, the error has the URL to which the user is added.
//
// If the first method is Prospero's own, for this very object, the client gets the
// object at once, as a [scheme.Object]. Later in the list it is left out, because it
// would lead back here. An object that has moved is a Referral to its new address. The
// fields are copied to that URL, except the version, which belongs to the old one.
//
// The fields identify the object. The client asks for the attributes of those names;
// an object that has one with another value is another object, so the result is "not
// found". A missing attribute decides nothing, because servers need not send it. At
// most 16 names are asked for, those that a request can hold. Values are not sent,
// except OBJECT-VERSION, and "ID=REMOTE n", which selects one of several objects.
//
// A menu has the links in the server's order. The links of a union link replace it
// when they are asked for; each directory is listed once. A link to a Prospero object
// has a prospero URL. A link to anything else, which Prospero calls external, has the
// URL of its best access method, and its fields have all methods. Invisible links are
// left out. A link that can't be followed has no URL and a note with the reason. A
// union link whose directory can't be listed keeps its URL and has such a note.
// Filters are not applied; the item's note says so.
//
// # Messages
//
// In a reply an apostrophe starts or ends quotes, anywhere within a token. Two inside
// quotes are one apostrophe, and no octet in quotes ends a line. Servers also send
// CR LF, CR, no end of the last line, and empty lines; all are accepted. An unknown
// line is a warning. A faulty link affects no other link, but a truncated line makes
// the reply an error. A server does not quote the name of a link of type NULL, so that
// line is recognized by its first and last words. Requests are in version 5 of the
// protocol. Replies of version 1 are recognized by their LINK lines and have no quotes.
// Names are octets: only US-ASCII has a meaning.
//
// The client always identifies itself as "anonymous". Names with a NUL, and words that
// would need quotes where the protocol wants none, are never sent.
//
// # Rejected input
//
// A URL without the "/" before the hsoname; a field without "="; a %00 that no
// digit follows, a second %00, and %00 together with the field OBJECT-VERSION.
// User and password are violations, and never sent. A version that is not a number up
// to 2147483647 is not asked for.
//
// The access method LOCAL, a path on the client's disk that a server chose, is never
// used or shown as a URL. Redirects of ARDP and union links are followed through
// [scheme.Request].Refer; any other redirection is a Referral. Replies have limits
// (4096 packets, 8 MiB), unions nest at most 8 deep, and they cost at most 16
// requests.
package prospero
