// Package news opens the newsgroups and articles of USENET with NNTP (RFC 3977; RFC 977 for
// older servers). It supports the schemes news and nntp (RFC 1738 sections 3.6 and 3.7; "News"
// and "NNTP" in the URI draft). It also supports snews and nntps, which use TLS, and which no
// RFC of that time defines.
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
//	nntpurl   = "nntp://" hostport "/" group [ "/" digits ]
//
// A news URL names no server, so it has the same meaning everywhere. After "news:", "*" means
// all newsgroups, a text with "@" is the message-id of an article (without "<" and ">"), and
// any other text is a newsgroup. An nntp URL identifies an article by its number on one
// server. The default port is 119, or 563 with TLS.
//
// # Resources
//
// A client returns an article as a [scheme.Object] of type message/rfc822, without
// dot-stuffing. It returns a newsgroup as a [scheme.Menu] of its articles, the newest last. It
// returns the list of all newsgroups as a Menu, with descriptions. By default, a newsgroup's
// menu contains the 1000 highest article numbers; [scheme.ItemRange] selects other articles.
// The first item reports which numbers are missing from the menu. The client reads items from
// the server on demand. If the connection breaks, an error that wraps [scheme.ErrProtocol] and
// io.ErrUnexpectedEOF follows the received items.
//
// The client lists articles with the best command that the server supports. The commands are,
// in order of preference: OVER; XOVER (RFC 2980) with the field order of LIST OVERVIEW.FMT;
// HDR or XHDR; HEAD for each article. An invalid line becomes an item of kind
// [scheme.KindError].
//
// # Servers and logins
//
// The client opens a URL without a server at [Options].Server. It sends a login only after the
// server requires one (reply 480), and only over TLS. The TLS connection may be a snews or
// nntps connection, or the result of STARTTLS. If [Options].ClearLogin is set, the client also
// sends a login without TLS. The login is the user and password in the server's URL, or the
// result of [scheme.Request].Ask. If a connection uses a login from Ask, the client reuses the
// connection only for requests whose Ask returns the same login.
//
// # Differences from RFC 1738
//
//   - Only a literal "*" means all newsgroups, and only a literal "@" marks an
//     article: "news:%2A" is a newsgroup "*", which section 5 does not allow.
//   - Parse accepts names that servers use but section 5 does not allow, such as
//     "3b.x", and a domain literal or "_" in a message-id. Check reports them.
//   - "news://host:port/..." is the form of RFC 5538 and a violation of RFC 1738.
//     Without a path, it means all newsgroups on that server. The URLs of its items
//     name the server.
//   - "nntp:group/digits" without a server is the form of the URI draft.
//   - An nntp URL without an article number means the newsgroup. The grammar of
//     RFC 1738 allows such a URL, but the prose does not mention it.
//   - An article number must fit into an int. RFC 3977 section 6 allows at most
//     2147483647, but some servers have more articles, so Check reports a
//     higher number only as a note.
//   - A user and password in an nntp URL are a violation, but the client uses them.
//
// Newsgroups and message-ids are the same only if all their octets are equal:
// case matters, even in the domain of a message-id.
//
// # RFC 5538
//
// The standard in force is RFC 5538. It allows servers in news URLs, patterns of
// newsgroups as in "news:example.*", and any octet in an escape. Names of newsgroups and
// message-ids follow RFC 3977 and RFC 5536. RFC 5538 deprecates snews and does not mention
// nntps, to which the rules of nntp apply.
//
// # Refused input
//
// Parse rejects an empty path, a "//" without a host, an nntp URL without a newsgroup,
// and an invalid article number. Before it connects, the client rejects a newsgroup or
// message-id with a space or control character, a message-id with "<" or ">", and a
// command over 512 octets, because text after CR LF would be another command. It
// rejects unencrypted data after the reply to STARTTLS. [Limits] bound lists and their
// lines; the limit of the request bounds an article.
package news
