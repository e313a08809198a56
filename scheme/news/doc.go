// Package news opens the newsgroups and articles of USENET: the schemes news and
// nntp (RFC 1738 sections 3.6 and 3.7; "News" and "NNTP" in the URI draft), and snews
// and nntps, the same over TLS, which no RFC defines. All four talk NNTP (RFC 3977,
// or RFC 977 with older servers).
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
//	nntpurl   = "nntp://" hostport "/" group [ "/" digits ]
//
// A news URL names no server and means the same everywhere: "*" is all newsgroups, a
// text with "@" is the Message-ID of an article without "<" and ">", any other text
// is a newsgroup. An nntp URL names an article by its number on one server. The
// default ports are 119, and 563 over TLS.
//
// # Resources
//
// An article is a [scheme.Object] of type message/rfc822: the octets that the server
// has, without the dots that the protocol adds. A newsgroup is a [scheme.Menu] of its
// articles, the newest last; so are all newsgroups, with their descriptions. Without
// [scheme.ItemRange] a newsgroup lists the highest 1000 numbers, after an item that
// says which numbers are not listed. Items are read on demand: if the server stops,
// an error that wraps [scheme.ErrProtocol] and io.ErrUnexpectedEOF follows the items
// that arrived.
//
// Articles are listed with OVER, or XOVER (RFC 2980) in the order of LIST
// OVERVIEW.FMT, or HDR or XHDR, or HEAD for each article. An invalid line is an item
// of kind error.
//
// # Servers and logins
//
// A URL that names no server is opened at [Options].Server. A login is sent only
// after the server asks for one (480), and only over TLS: that of snews and nntps,
// or STARTTLS, or none if [Options].ClearLogin is set. The login is the user and
// password of the server's URL, or the answer to [scheme.Request].Ask; a kept
// connection with such an answer is used again only if the answer is the same.
//
// # Differences from RFC 1738
//
//   - Only a literal "*" means all newsgroups, and only a literal "@" makes an
//     article: "news:%2A" is a newsgroup "*", which section 5 does not allow.
//   - Parse accepts names that section 5 does not allow and servers have: "3b.x", a
//     domain literal or "_" in a message-id. They are findings.
//   - "news://host:port/..." is the form of RFC 5538 and a violation of RFC 1738.
//     Without a path it is all newsgroups of that server. Its items name the server.
//   - "nntp:group/digits" without a server is the form of the URI draft.
//   - An nntp URL without an article number is the newsgroup. The grammar allows it;
//     the prose does not mention it.
//   - An article number must fit an int. RFC 3977 section 6 ends at 2147483647;
//     servers with more articles exist, so a higher number is only noted.
//   - A user and password in an nntp URL are a violation and are used.
//
// Newsgroups and message-ids are the same only if they have the same octets: case
// matters, even in the domain of a message-id.
//
// # RFC 5538
//
// The rows' Current is RFC 5538. It has servers in news URLs, patterns of newsgroups as in
// "news:example.*", and any octet in an escape. Names of newsgroups and message-ids are
// those of RFC 3977 and RFC 5536. snews is deprecated there. It is silent about nntps, to
// which the rules of nntp apply.
//
// # Rejected input
//
// Parse refuses an empty path, a "//" without a host, an nntp URL without a newsgroup,
// and an invalid article number. A newsgroup or message-id with a blank or control
// character, a message-id with "<" or ">", and a command over 512 octets are refused
// before a connection is made: what follows CR LF would be another command. Data that
// the server sends in clear after the reply to STARTTLS is refused. Lists and their
// lines have limits ([Limits]); an article has the limit of the request.
package news
