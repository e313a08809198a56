// Package prospero is the prospero scheme of RFC 1738 section 3.11: objects that
// a Prospero directory server is asked about, which answers with other ways to
// get them.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The port is 1525 when left out. The hsoname is opaque, and begins behind the
// "/" after the host: most begin with a slash of their own, so that there are
// two. Any number of fields may follow.
//
// # How it is read
//
// The url-path is split at each ";" that is not escaped, and each field at its
// first "="; then hsoname, names and values are decoded, once. Fields keep their
// order. Names are compared without case, as Prospero's keywords are; the one
// that RFC 1738 speaks of is OBJECT-VERSION. Slashes and dots mean nothing here
// and are never touched.
//
// # The URI draft
//
// There %00 ends the hsoname, and a version in decimal digits follows, and after
// that attributes whose meaning no text gives. A NUL can't be in a name that is
// sent, so %00 is read like that always; by the rules of RFC 1738 it is a note.
// The attributes are kept as they are. The draft has no fields: by the rules of
// RFC 1630 each is a violation.
//
// # What comes of it
//
// The server is asked after the access methods of the object, with SIZE,
// LAST-MODIFIED and UNIX-MODES (Neuman and Augart, "The Prospero Protocol, Version
// 5"), over ARDP and so over UDP. A directory is a [scheme.Menu]; the name of an
// Archie query is one, and so may be any name that the server knows nothing else
// of. Else the methods "might themselves be represented as different URLs" (RFC 1738
// section 3.11), and the object is a [scheme.Referral] to them in the server's
// order, but that behind all is what no retrieval opens: sessions, and file systems
// that would be mounted. A method that needs a login (FTP, which is not AFTP) is left
// out: nobody logs in to it as "anonymous"; if there is no other, the error has the
// URL to which a user is to be added. If the first is Prospero's own, of this object,
// the object is got at once, as a [scheme.Object]. Later in the list it is left out,
// because it would lead back here.
// An object that has moved is a Referral to where it is now; the fields go along,
// but for the version, which is the new place's.
//
// The fields identify the object: the server is asked for the attributes of those
// names, and if the object has one with another value, it is not the object named, and
// so not found. A missing attribute decides nothing, because servers need not tell it.
// At most 16 names are asked for, those that a request can hold; no values are sent,
// but OBJECT-VERSION is, and "ID=REMOTE n" selects one of several objects.
//
// The items of a menu are the links in the server's order, those of union links in
// their place as they are asked for, each directory once. A link to a Prospero
// object has a prospero URL, and one to anything else, which Prospero calls
// external, the URL of its best access method; all of them are among its fields.
// Invisible links are left out. A link that can't be followed is there without a
// URL, and says why; so is, with its URL, a union link whose directory can't be had.
// Filters are not applied, which the item says.
//
// # The text of messages
//
// In a reply the apostrophe switches quotes on and off, anywhere within a token; two
// inside quotes are one, and no octet in quotes ends a line. CR LF, CR and a missing
// end of the last line are taken, and empty lines passed over, all of which servers
// send. A line that nobody knows is a warning. A link in error spoils no other, but a
// line that is cut short spoils the reply. The line of a link of type NULL has a name
// that its server does not quote, and is read by its first and last words. Requests
// are in version 5 of the protocol; replies of version 1 are known by their LINK
// lines, and read without quotes. Names are octets: nothing but US-ASCII means
// anything.
//
// Who asks is always "anonymous". Names with a NUL, and words that would have to be
// quoted where the protocol wants them bare, are never sent.
//
// # What is refused
//
// A URL without the "/" before the hsoname; a field without "="; a %00 that no
// digit follows, a second %00, and %00 together with the field OBJECT-VERSION.
// User and password are violations, and never sent. A version that is no number up
// to 2147483647 is not asked for.
//
// The access method LOCAL, a path on our own disk that a server chose, is never
// used and never shown as a URL. Redirects of ARDP and union links are followed by
// way of [scheme.Request].Refer; whatever else a server sends us on to is a Referral.
// Replies have limits ([Options], [Limits]), the unions of a directory are at most 8
// deep, and they cost a bounded number of requests.
package prospero
