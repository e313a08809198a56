// Package gopher is the gopher scheme of RFC 1738 section 3.4: items, menus and
// searches of Gopher (RFC 1436), and what Gopher+ adds to them.
//
//	gopher://<host>:<port>/<gophertype><selector>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>
//
// The default port is 70. An empty path, with or without its "/", is type 1 and the
// empty selector: the root of the server. There is no other default: in
// gopher://host/docs the type is "d" and the selector "ocs".
//
// # Reading
//
// "Within the <gopher-path>, no characters are reserved." The path is split at
// its first two %09, and then each part is decoded once. A third %09 belongs to the
// Gopher+ string, where the forms of section 3.4.9 need it. The type is one octet, so
// %30 is type 0. "?" is part of the selector, "+" is a plus, a copy of the type at
// the start of the selector stays there, and "." and ".." have no special meaning.
// An empty search or Gopher+ string differs from an absent one.
//
// # Differences from RFC 1738
//
// Section 5 prints the "/" before gophertype without quotes; it is read as a literal
// "/". The production search is narrower than selector, but can't apply, because
// %09 is an escape like those of the selector. So "/" and "?" in a search give notes.
//
// Sections 3.4.3 and 3.4.9 disagree about an empty search before a Gopher+ string.
// The first sends selector TAB TAB string. The example of the second sends selector
// TAB string, and so do the Gopher+ text and its first client. Among servers, UMN
// gopherd refuses two TABs with "Malformed command" unless the item is a search
// (type 7); pygopherd accepts both forms; gophernicus ignores the string.
// [URL.AppendRequest] therefore follows section 3.4.9: one TAB, and two for type 7,
// for a search with words, and before a string that is not a Gopher+ command.
// [Options].LiteralTabs follows section 3.4.3.
//
// # Resources
//
// Menus, search results, attributes and phone book answers are a [scheme.Menu],
// whose items are read on demand. Types 8 and T, and a selector of type h that begins
// with "URL:", are a [scheme.Redirect]. A search without words and the Gopher+ string
// "?" are a form: the client asks for the answers, or returns the form. Anything
// else is a [scheme.Object].
//
// The doubled dots of texts are undone as the servers in use require: a lone dot ends
// a text only as its last line, and a line that begins with two dots loses one. A
// lone dot that is followed by more shows that the server does not double dots: then
// the text is unchanged, and Object.Note says so. Without a Gopher+ length, a cut
// object can't be told from a whole one. The media type of a text names UTF-8 if its
// octets are valid, and otherwise ISO Latin 1.
//
// A server may answer a plain request with a Gopher+ error ("--1"), which is an error
// then too. A server without Gopher+ ignores Gopher+ strings, and its reply is read
// as a plain one. A plain reply is an error if it consists of one menu line of type 3
// or with the host error.host, and information lines.
//
// # gophers
//
// The scheme gophers is the same within TLS, from the first octet on and on the same
// port. It is in no RFC. A link in its menus to the same host and port is a gophers
// URL too.
//
// # Refusals
//
// A URL may name octets that can't be sent: TAB, CR, LF or NUL in selector or
// search, and CR, LF, NUL or a third TAB in a Gopher+ string that is not a
// filled-in form. [Parse] accepts them, [scheme.Registry.Check] reports them, and no request contains
// them: what follows a CR LF would be a command to the server at that port. User and
// password are violations, and never sent. Menus, attributes and phone books have
// limits ([Limits]) and a timeout ([Options]). What precedes a limit is valid, and an
// error says that the rest is missing.
package gopher
