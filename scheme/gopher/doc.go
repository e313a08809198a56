// Package gopher opens gopher URLs (RFC 1738 section 3.4): items, menus and
// searches of Gopher (RFC 1436), and the additions of Gopher+. It also opens
// gophers URLs, which no RFC defines: Gopher over TLS on the same port.
//
//	gopher://<host>:<port>/<gophertype><selector>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>
//
// The default port is 70. An empty path, with or without its "/", means type 1 and
// the empty selector, the root of the server. There is no other default: in
// gopher://host/docs the type is "d" and the selector is "ocs".
//
// # Reading
//
// "Within the <gopher-path>, no characters are reserved." Parse splits the path at
// its first two %09, and decodes each part once. A third %09 belongs to the Gopher+
// string, where the forms of section 3.4.9 need it. The type is one octet, so %30 is
// type 0. "?" is part of the selector, "+" is a plus sign, and "." and ".." have no
// special meaning. If the selector begins with a copy of the type, the copy stays. An
// empty search or Gopher+ string differs from an absent one.
//
// # Differences from RFC 1738
//
// Section 5 prints the "/" before gophertype without quotes; this package reads it as
// a literal "/". The production search allows fewer characters than selector. It
// cannot apply, because %09 is an escape like the escapes in the selector. So "/" and
// "?" in a search give notes.
//
// Sections 3.4.3 and 3.4.9 disagree about an empty search before a Gopher+ string.
// Section 3.4.3 sends selector TAB TAB string. The example in section 3.4.9 sends
// selector TAB string, and so do the Gopher+ text and its first client. Servers
// differ: UMN gopherd rejects two TABs with "Malformed command" unless the item is
// a search (type 7), pygopherd accepts both forms, and gophernicus ignores the
// string. [URL.AppendRequest] therefore follows section 3.4.9 and sends one TAB. It
// sends two for type 7, for a search with words, and before a string that is not a
// Gopher+ command. [Options].LiteralTabs follows section 3.4.3.
//
// # Resources
//
// Menus, search results, attributes and phone book answers are a [scheme.Menu], whose
// items the client reads on demand. Types 8 and T, and a selector of type h that
// begins with "URL:", give a [scheme.Redirect]. A search without words and the
// Gopher+ string "?" give a form: the client requests the answers with Request.Fill,
// or returns the form. Anything else is a [scheme.Object].
//
// Servers double a dot at the start of a text line. The client removes the extra dot
// as the servers in use require: a lone dot ends a text only as its last line, and a
// line that begins with two dots loses one. If more text follows a lone dot, the
// server does not double dots. Then the text is unchanged, and Object.Note reports
// it. Without a Gopher+ length, the client cannot detect a truncated object. If the
// octets of a text are valid UTF-8, the media type has that charset, and ISO Latin 1
// otherwise.
//
// If a server answers a plain request with a Gopher+ error ("--1"), the client
// reports it as an error too. A server without Gopher+ ignores Gopher+ strings, and
// the client reads its reply as a plain one. A plain reply is an error if it consists
// of information lines and one menu line of type 3 or with the host error.host.
//
// # gophers
//
// The scheme gophers means TLS from the first octet. A link in a gophers menu to the
// same host and port is a gophers URL too.
//
// # Refused input
//
// A URL may contain octets that cannot be sent: TAB, CR, LF or NUL in selector or search, and CR, LF,
// NUL or a third TAB in a Gopher+ string that is not a filled-in form. [Parse] accepts them, and
// [scheme.Registry.Check] reports them. No request contains them, because the text after a CR LF
// would be a command to the server at that port. User and password are violations, and never sent.
// [Limits] bound menus, attributes and phone books, and [Options] set their timeout. The items before
// a limit are valid, and an error reports that the rest is missing.
package gopher
