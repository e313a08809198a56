// Package news is the news scheme: newsgroups and articles of USENET, wherever a
// server has them (RFC 1738 section 3.6; "News" in the URI draft).
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
// "*" is all newsgroups that are available. What has an "@" is the Message-ID of
// an article, without "<" and ">". Anything else is the name of a newsgroup. No
// server is named: these URLs mean the same everywhere.
//
// # What comes of it
//
// An article is a [scheme.Object] of type message/rfc822, as the server has it. A
// newsgroup is a [scheme.Menu] of its articles, the newest last, as news URLs; so
// are all newsgroups, with their descriptions. The server is the reader's own
// ([Options]), and is asked through a [Reader], which package nntp has.
//
// # snews
//
// The same, asked of a server within TLS on port 563, is the scheme snews. No RFC
// has it. Without a server in the URL it is the reader's own that is asked so.
//
// # Where this differs
//
//   - Only a literal "*" means all newsgroups, and only a literal "@" makes an
//     article. "news:%2A" is a newsgroup named "*", and "news:a%40b" one named
//     "a@b". Neither can be: a group of section 5 has no escapes.
//   - Parse takes names and identifiers that section 5 does not have and that
//     servers do: "3b.x", a domain literal, "_" in the domain. They are findings.
//   - "news://host:port/..." is the form of RFC 5538: the same, asked of a server
//     that is named; without a group it is all its newsgroups. Its items name the
//     server too. It is an extension
//     and a violation of RFC 1738; the URI draft says it too: "News host names
//     are NOT part of news URLs". The default port is then 119.
//
// Names and identifiers are the same only if they are the same octets; case
// matters, in the domain of an identifier too.
//
// # What is refused
//
// Parse refuses "news:" with nothing behind it, and a "//" without a host. An
// identifier may decode to any octets; line ends, blanks, "<" and ">" can't be in
// one, which Check finds and access refuses before anybody is called: what follows
// a CR LF would be another command. In the name of a newsgroup it refuses blanks
// and control characters.
package news
