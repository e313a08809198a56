// Package news opens the newsgroups and articles of USENET with NNTP (RFC 3977; RFC
// 977 for older servers). It supports the schemes news and nntp (RFC 1738 sections
// 3.6 and 3.7; "News" and "NNTP" in the URI draft), and snews and nntps, the same
// over TLS, which no RFC of that time defines.
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
//	nntpurl   = "nntp://" hostport "/" group [ "/" digits ]
//
// A news URL names no server and means the same everywhere. "*" means all
// newsgroups, a text with "@" is the Message-ID of an article without "<" and ">",
// and any other text is a newsgroup. An nntp URL names an article by its number on
// one server. The default ports are 119, and 563 over TLS.
//
// # Resources
//
// A client returns an article as a [scheme.Object] of type message/rfc822, without
// the dots that the protocol adds. It returns a newsgroup as a [scheme.Menu] of its
// articles, the newest last, and all newsgroups as a Menu with their descriptions. By
// default a newsgroup lists the highest 1000 numbers, after an item that says which
// numbers it omits; [scheme.ItemRange] selects others. The client reads items on
// demand. If the server stops, the received items are followed by an error that wraps
// [scheme.ErrProtocol] and io.ErrUnexpectedEOF.
//
// The client lists articles with the best command that the server supports. From best to
// worst, these are OVER, XOVER (RFC 2980) with the field order of LIST OVERVIEW.FMT, HDR
// or XHDR, and HEAD for each article. An invalid line becomes an item of kind error.
//
// # Servers and logins
//
// The client opens a URL without a server at [Options].Server. It sends a login only
// after the server requires one (480), and only over TLS: the TLS of snews and nntps, or
// STARTTLS. If [Options].ClearLogin is set, the client also sends a login without TLS.
// The login is the user and password of the server's URL, or the answer to
// [scheme.Request].Ask. If the login of a connection came from Ask, the client reuses the
// connection only for a request with the same answer.
//
// # Differences from RFC 1738
//
//   - Only a literal "*" means all newsgroups, and only a literal "@" marks an
//     article: "news:%2A" is a newsgroup "*", which section 5 does not allow.
//   - Parse accepts names that servers use but section 5 does not allow, such as
//     "3b.x", and a domain literal or "_" in a message-id. Check reports them.
//   - "news://host:port/..." is the form of RFC 5538 and a violation of RFC 1738.
//     Without a path it means all newsgroups of that server. The URLs of its items
//     name the server.
//   - "nntp:group/digits" without a server is the form of the URI draft.
//   - An nntp URL without an article number means the newsgroup. The grammar allows
//     it; the prose does not mention it.
//   - An article number must fit into an int. RFC 3977 section 6 allows at most
//     2147483647, but some servers have more articles, so Check only adds a
//     note to a higher number.
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
