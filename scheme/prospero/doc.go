// Package prospero opens prospero URLs (RFC 1738 section 3.11). It requests an
// object's access methods from a Prospero directory server.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The default port is 1525. The hsoname is opaque and begins after the "/" that
// follows the host. Most hsonames begin with their own slash, so a URL has two. Any
// number of fields may follow.
//
// # Syntax
//
// Parse splits the url-path at each unescaped ";", and each field at its first "=". Then
// it decodes hsoname, names and values once. It preserves the order of the fields. Names
// are compared without case, like Prospero's keywords. RFC 1738 defines the field
// OBJECT-VERSION. Slashes and dots in an hsoname have no special meaning, and no function
// of this package changes them.
//
// In the URI draft, %00 ends the hsoname. A version in decimal digits follows, then
// attributes that no text defines. A request cannot contain a name with a NUL, so
// Parse always reads %00 this way; in RFC 1738 it gives a note. Parse stores the
// attributes. The draft defines no fields: in RFC 1630 each field is a violation.
//
// # Access
//
// The client requests the access methods of the object, with SIZE, LAST-MODIFIED and
// UNIX-MODES (Neuman and Augart, "The Prospero Protocol, Version 5"), over ARDP on UDP.
//
// A directory is a [scheme.Menu]. An Archie query names a directory. If the server does
// not find an object, or reports no access method for it, the client tries to list the
// object as a directory. Other objects become a [scheme.Redirect], because the methods
// "might themselves be represented as different URLs". The redirect lists their URLs in
// the server's order. Methods that no retrieval opens (sessions, mounted file systems)
// come last. It omits a method that needs a login (FTP, not AFTP), because the client
// would log in as "anonymous". If that is the only method, the error contains the URL, to
// which the user can add a login.
//
// If the first method is Prospero's own, for this very object, the client fetches the
// object at once and returns a [scheme.Object]. If this method comes later in the list,
// the redirect omits the method, because following it would be a loop. An object that has
// moved is a Redirect to its new address. The new URL has the same fields, except the
// version, which belongs to the old object.
//
// The fields identify the object. The client requests the attributes with those names. If
// an attribute has another value than its field, the object is a different object, so the
// error is "not found". If an attribute is missing, the client ignores the field, because
// servers need not send the attribute. The client requests at most 16 names that a
// request can contain. It does not send values, except OBJECT-VERSION, and "ID=REMOTE n",
// which selects one of several objects.
//
// A menu lists the links in the server's order. While the caller reads the items, the
// client replaces a union link by the links of its directory. It lists each directory
// once. A link to a Prospero object has a prospero URL. A link to anything else, which
// Prospero calls external, has the URL of its best access method, and its fields list all
// methods. The menu omits invisible links. A link that cannot be followed has no URL and
// a note with the reason. If the client cannot list the directory of a union link, the
// link has its URL and a note with the reason. The client does not apply filters; the
// item's note reports them.
//
// # Messages
//
// In a reply an apostrophe starts or ends quotes, anywhere within a token. Inside quotes,
// two apostrophes mean one apostrophe, and no octet ends a line. Servers also send CR LF,
// CR, no end of the last line, and empty lines; the client accepts them all. An unknown
// line is a warning. A faulty link does not affect other links, but a truncated line
// makes the reply an error. A server does not quote the name of a link of type NULL, so
// the client recognizes that line by its first and last words. Requests use version 5 of
// the protocol. The client recognizes replies of version 1, which have no quotes, by
// their LINK lines. Names are sequences of octets. Only octets of US-ASCII have a defined
// meaning.
//
// The client always identifies itself as "anonymous". It never sends names with a NUL,
// or words that would need quotes where the protocol allows none.
//
// # Refused input
//
// Parse rejects a URL without the "/" before the hsoname, a field without "=", a %00
// without a following digit, a second %00, and %00 together with the field
// OBJECT-VERSION. User and password are violations, and never sent. The client does
// not request a version that is not a number up to 2147483647.
//
// The client never uses the access method LOCAL, a path on the client's disk that a
// server chose, and never shows it as a URL. It follows redirects of ARDP and union
// links with [scheme.Request].DialerFor; any other redirection is a Redirect.
// Replies are limited to 4096 packets and 8 MiB. Unions nest at most 8 deep, and
// cost at most 16 requests.
package prospero
