// Package gopher is the gopher scheme of RFC 1738 section 3.4: items, menus and
// searches of Gopher (RFC 1436), and what Gopher+ adds to them.
//
//	gopher://<host>:<port>/<gophertype><selector>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>
//
// The port is 70 when left out. An empty path, with its "/" or without, is type
// 1 and the empty selector: the root of the server. There is no other default:
// in gopher://host/docs the type is "d" and the selector "ocs".
//
// # How it is read
//
// "Within the <gopher-path>, no characters are reserved." The path is split at
// its first two %09 and then decoded, each part once; a third %09 belongs to the
// Gopher+ string, where the forms of section 3.4.9 need it. The type is one
// octet, so %30 is type 0. "?" is a part of the selector, "+" is a plus, a copy
// of the type at the front of the selector stays there, and "." and ".." are
// names like any other. A search or Gopher+ string that is empty differs from
// one that is absent.
//
// # Where this differs from RFC 1738
//
// The "/" before gophertype is printed without quotes in section 5 and read as
// one. The production search is narrower than the selector, and can't bind,
// because %09 is an escape like those of the selector: "/" and "?" within a
// search are notes.
//
// Sections 3.4.3 and 3.4.9 disagree about an empty search before a Gopher+ string.
// The first sends selector TAB TAB string, the example of the second sends selector
// TAB string, and so do the Gopher+ text and its first client. Of the servers, UMN
// gopherd refuses two TABs, unless the item is a search (type 7), with "Malformed
// command"; pygopherd takes both forms; gophernicus ignores the string.
// [URL.AppendRequest] therefore follows section 3.4.9: one TAB, and two for type 7,
// for a search with words, and before a string that is not a command of Gopher+.
// [URL.AppendLiteralRequest] and [Options].LiteralTabs follow section 3.4.3.
//
// # What comes of it
//
// A menu, the result of a search, the attributes of items and the answer of a
// phone book are a [scheme.Menu], whose items come as they are read. The types 8
// and T, and a selector of type h that begins with "URL:", are a
// [scheme.Referral] to another URL. A search without words, and the Gopher+ string
// "?", are a form: whoever can fill it in is asked, or gets it. Anything else is a
// [scheme.Object].
//
// Texts have their dots undone as the servers there are make it right: a lone dot
// ends a text only as its last line, and a line that begins with two loses one. A
// lone dot that is followed by more shows that the server doubles no dots: then the
// text stays as it came, and Object.Note says so. An object that is cut can't be told from one that is whole, unless Gopher+ gave
// its length: the protocol has no sign for it. The octets of a text are UTF-8 if
// they can be, and else ISO Latin 1, which the media type says.
//
// A server may answer a plain request with an error of Gopher+ ("--1"), which is an
// error then too. A server that does not speak Gopher+ ignores what asks for it, and its reply is
// read as the one it is. A reply in the old style is an error, whatever was asked for,
// if all of it is the line of a menu that has the type 3 or the host error.host, and
// lines of information.
//
// # gophers
//
// The same within TLS, from the first octet and on the same port, is the scheme
// gophers. No RFC knows it. A link of its menus to the same host and port is a
// gophers URL too, and nothing else changes from one to the other.
//
// # What is refused
//
// A URL may name octets that can't be sent: TAB, CR, LF or NUL in selector or
// search, and CR, LF, NUL or a third TAB in a Gopher+ string that is not a
// filled-in form. [Parse] shows them, Check reports them, and no request is made
// of them: what follows a CR LF would be a command to whatever listens there.
// User and password are violations, and never sent. Menus, attributes and phone
// books have limits ([Limits]), a line of them too, and so has the time in which
// they must end ([Options]); what came before is good, and an error says that it
// is cut.
package gopher
