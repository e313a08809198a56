// Package nntp is the nntp scheme: an article by its number, on the server that
// gave it that number (RFC 1738 section 3.7; "NNTP" in the URI draft), and the
// conversation with such a server (RFC 3977; RFC 977 where it is all there is).
//
//	nntpurl = "nntp://" hostport "/" group [ "/" digits ]
//
// The default port is 119. The prose always has an article number and the
// grammar may leave it out: a URL with a group alone is valid, and locates the
// list of what the server has of that group. "nntp://h/g/" is not valid.
//
// # What comes of it
//
// An article is a [scheme.Object] of type message/rfc822: the octets that the
// server has, as they are; what the protocol does to dots is undone. A newsgroup
// is a [scheme.Menu] of its articles, the newest last, with what the server's
// overview says of them. Without [scheme.ItemRange] these are the newest 1000, or
// rather those with the highest 1000 numbers; a line in front says which numbers
// are not listed. Items come as they are read; if the server stops in the middle,
// what came is good, and an error that wraps [scheme.ErrProtocol] and
// io.ErrUnexpectedEOF follows.
//
// The overview is that of OVER; else of XOVER (RFC 2980), in the order of LIST
// OVERVIEW.FMT; else it is made of the fields that HDR or XHDR tells; else of the
// head of each article. A line that is none is an item of kind error.
//
// [Client.OpenArticle], [Client.OpenGroup] and [Client.OpenGroups] do for the news
// scheme what has no nntp URL.
//
// # Logins
//
// A login is sent only when the server asks for one (480), and only within TLS:
// that of nntps, or of STARTTLS, which is tried when the server offers it. In clear
// it is sent only with [Options].ClearLogin. It is the URL's, if that has a user
// and a password, or the answer to [scheme.Request].Ask. A connection that somebody
// logged in over is used again only for who answers the same.
//
// # nntps
//
// The same within TLS from the first octet on, on port 563, is the scheme nntps. No
// RFC has it.
//
// # Where this differs
//
// The URI draft has a form without a server, "nntp:group/digits", and prose that
// names one. Both parse; which is right is for the profile to say. The canonical
// form has a server if the URL has one; none is made up. Access asks the server of
// [Options].
//
// An article number is decimal, zeros at its front mean nothing, and it must fit
// an int of the machine. RFC 3977 section 6 ends the numbers at 2147483647;
// servers with more articles than that exist, so a higher one is only noted. No
// article has the number 0.
//
// A user and password in the URL are a violation of RFC 1738, and are used if the
// server wants a login.
//
// # What is refused
//
// Parse refuses a URL without a group, one whose article number is no number, or
// no number that anything can count to, and a "//" without a host.
//
// A group or message-id with a blank or control character, and whatever makes a
// command longer than 512 octets, is not sent, and no connection made for it: what
// follows a CR LF would be another command. Nothing is taken for TLS's that came in
// clear behind the reply to STARTTLS. Lists have limits ([Limits]), a line of them
// too; an article has that of the request, and its lines may be as long as they
// like.
package nntp
