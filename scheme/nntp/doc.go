// Package nntp is the nntp scheme: an article by its number, on the server that
// gave it that number (RFC 1738 section 3.7; "NNTP" in the URI draft).
//
//	nntpurl = "nntp://" hostport "/" group [ "/" digits ]
//
// The default port is 119. The prose always has an article number and the
// grammar may leave it out: a URL with a group alone is valid, and locates the
// list of what the server has of that group. "nntp://h/g/" is not valid.
//
// # Where this differs
//
// The URI draft has a form without a server, "nntp:group/digits", and prose that
// names one. Both parse; which is right is for the profile to say. The canonical
// form has a server if the URL has one; none is made up.
//
// An article number is decimal, zeros at its front mean nothing, and it must fit
// an int of the machine. RFC 3977 section 6 ends the numbers at 2147483647;
// servers with more articles than that exist, so a higher one is only noted. No
// article has the number 0.
//
// # What is refused
//
// Parse refuses a URL without a group, one whose article number is no number, or
// no number that anything can count to, and a "//" without a host.
package nntp
