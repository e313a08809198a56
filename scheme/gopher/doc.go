// Package gopher opens gopher URLs (RFC 1738 section 3.4), which identify items, menus and
// searches on Gopher servers (RFC 1436), and supports Gopher+. It also opens gophers URLs,
// which mean Gopher over TLS on the same port, and which no RFC defines.
//
//	gopher://<host>:<port>/<gophertype><selector>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>
//	gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>
//
// The default port is 70. An empty path, with or without "/", means type 1 and the empty
// selector, that is, the root menu of the server. There is no other default. In
// gopher://host/docs, for example, the type is "d" and the selector is "ocs".
//
// # Reading
//
// RFC 1738 says: "Within the <gopher-path>, no characters are reserved." Parse splits the path
// at the first two %09, and decodes each part once. A third %09 belongs to the Gopher+ string,
// because the forms of section 3.4.9 need it. The type is one decoded octet, so %30 is type 0.
// A "?" is part of the selector, "+" is a plus sign, and "." and ".." have no special meaning.
// If the selector begins with a copy of the type, Parse preserves the copy. An empty search or
// Gopher+ string differs from a missing one.
//
// # Differences from RFC 1738
//
// In section 5, the "/" before gophertype has no quotes; this package interprets it as a
// literal "/". The production search allows fewer characters than the production selector.
// However, the difference has no effect, because a selector may also contain the escape %09.
// Therefore, Check reports "/" and "?" in a search only as notes.
//
// Sections 3.4.3 and 3.4.9 disagree about an empty search before a Gopher+ string. In section
// 3.4.3, two TABs separate the selector from the Gopher+ string. In section 3.4.9, in the
// Gopher+ specification and in its first client, there is only one TAB. Servers differ, too:
// UMN gopherd rejects two TABs with "Malformed command" unless the item is a search (type 7),
// pygopherd accepts both forms, and gophernicus ignores the string. Therefore,
// [URL.AppendRequest] follows section 3.4.9 and sends one TAB. It sends two TABs for type 7,
// for a search with words, and before a string that is not a Gopher+ command. If
// [Options].LiteralTabs is set, the client follows section 3.4.3.
//
// # Resources
//
// A client returns menus, search results, attributes and phone book entries as a
// [scheme.Menu], and reads the items on demand. It returns a [scheme.Redirect] for types 8 and
// T, and for a selector of type h that begins with "URL:". For a search without words and for
// the Gopher+ string "?", the client calls Request.Fill, or returns a form. It returns
// anything else as a [scheme.Object].
//
// A server should double a dot at the beginning of a text line, and should end a text with a
// lone dot. The client removes the extra dots, and the lone dot if it is the last line. If
// more text follows a lone dot, the server does not double dots. In that case, the client
// returns the text unchanged, and Object.Note reports this. Without a Gopher+ length, the
// client cannot detect a truncated object. The charset in the media type of a text is UTF-8 if
// the text is valid UTF-8, and ISO Latin 1 otherwise.
//
// If the reply to a plain request is a Gopher+ error ("--1"), the client returns an error. A
// server without Gopher+ ignores Gopher+ strings, and the client accepts its plain reply. A
// plain reply is an error if it consists of information lines and one menu line that has type
// 3 or the host error.host.
//
// # gophers
//
// A gophers connection uses TLS from the first byte. In a gophers menu, links to the same host
// and port have gophers URLs too.
//
// # Refused input
//
// A request must not contain some octets that a URL may contain, because the text after a CR
// LF would be another command. These octets are TAB, CR, LF and NUL in the selector or search.
// In a Gopher+ string that is not a filled-in form, they are CR, LF, NUL and a third TAB.
// [Parse] accepts the octets, [scheme.Registry.Check] reports them, and the client rejects the
// URL. A user and password are a violation, and the client never sends them. [Limits] bounds
// menus, attributes and phone book replies, and [Options].ReplyTimeout limits their time. The
// items before a limit are valid, and an error reports that the rest is missing.
package gopher
