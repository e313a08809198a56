// Package prospero opens prospero URLs (RFC 1738 section 3.11). It requests an
// object's access methods from a Prospero directory server.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The default port is 1525. The hsoname is opaque and begins after the "/" that follows the host.
// Most hsonames begin with a slash of their own, so most URLs contain two slashes at this
// position. Any number of fields may follow.
//
// # Syntax
//
// Parse splits the url-path at each unescaped ";", and each field at its first "=". Then it
// decodes the hsoname and the names and values of the fields once. It preserves the order of the
// fields. Field names are case-insensitive, like the keywords of Prospero. RFC 1738 defines the
// field OBJECT-VERSION. Slashes and dots in an hsoname have no special meaning, and no function of
// this package changes them.
//
// In the URI draft, %00 ends the hsoname. A version in decimal digits follows, and then attributes
// whose meaning no document defines. Because a request cannot contain a name with a NUL, Parse
// always interprets %00 in this way. For the RFC 1738 profile, Check adds a note about %00. Parse
// stores the attributes. The draft defines no fields, so each field is a violation for the RFC
// 1630 profile.
//
// # Access
//
// The client requests the access methods of the object, and the attributes SIZE, LAST-MODIFIED and
// UNIX-MODES (Neuman and Augart, "The Prospero Protocol, Version 5"). It uses the protocol ARDP
// over UDP.
//
// For a directory, the client returns a [scheme.Menu]. An Archie query names a directory. If the
// server does not find an object, or reports no access method for it, the client tries to list the
// object as a directory. For any other object, the client returns a [scheme.Redirect], because the
// access methods "might themselves be represented as different URLs". The redirect lists the URLs
// of the methods in the server's order. Methods that do not retrieve the object (sessions, mounted
// file systems) come last. The redirect omits methods that need a login (FTP, but not AFTP),
// because the client would log in as "anonymous". If such a method is the only method, the error
// contains its URL, to which the user can add a login.
//
// If the first method is retrieval of the same object from the Prospero server itself, the client
// fetches the object at once and returns a [scheme.Object]. If this method comes later in the
// list, the redirect omits the method, because following it would cause a loop. For an object that
// has moved, the client returns a Redirect to the new address. The new URL has the same fields,
// except the version, which belongs to the old object.
//
// The fields identify the object. The client requests the attributes with the names of the fields.
// If the value of an attribute differs from the field, the object is a different object, so the
// error is "not found". If an attribute is missing, the client ignores the field, because servers
// need not send the attribute. The client requests at most 16 attribute names, and only names that
// a request can contain. It sends no field values except the values of OBJECT-VERSION and
// "ID=REMOTE n", which selects one of several objects.
//
// A menu lists the links in the server's order. While the caller reads the items, the client
// replaces each union link with the links of the directory that it names. It lists each directory
// only once. A link to a Prospero object has a prospero URL. The protocol calls an object outside
// Prospero external. A link to an external object has the URL of the best access method. The fields
// of the menu item contain all access methods. The menu omits invisible links. If a link cannot be
// followed, its item has no URL and has a note with the reason. If the client cannot list the
// directory of a union link, the menu contains an item for the union link itself, with its URL and
// a note with the reason. The client does not apply filters, but reports filters in the item's
// note.
//
// # Messages
//
// In a reply, an apostrophe at any position in a token starts or ends a quoted text. Inside
// quotes, two apostrophes mean one apostrophe, and no octet ends a line. Some servers end lines
// with CR LF or CR, omit the end of the last line, or send empty lines. The client accepts all
// these variants. An unknown line is a warning. A malformed link does not affect other links, but
// a truncated line makes the whole reply invalid. A server does not quote the name of a link of
// type NULL, so the client recognizes that line by its first and last words. The client's requests
// use version 5 of the protocol. The client recognizes replies in version 1, which contain no
// quotes, by their LINK lines. Names are sequences of octets, of which only US-ASCII has a defined
// meaning.
//
// The client always identifies itself as "anonymous". It never sends a name that contains a NUL,
// or a word that needs quotes at a position where the protocol does not allow quotes.
//
// # Refused input
//
// Parse rejects a URL without the "/" before the hsoname, or a field without "=". It also rejects
// a %00 without a following digit, a second %00, and %00 together with the field OBJECT-VERSION. For
// a user or a password, Check returns a violation, and the client never sends either. The client does not request
// a version unless it is a number up to 2147483647.
//
// The access method LOCAL is a path on the client's disk that the server chooses. The client never
// uses this method and never shows the path as a URL. It follows ARDP redirects and union links
// through [scheme.Request].DialerFor. For any other redirection, it returns a Redirect. A reply
// must not exceed 4096 packets and 8 MiB. The client follows union links up to 8 levels deep, and
// sends at most 16 requests for the union links of a directory.
package prospero
