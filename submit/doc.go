// Package submit sends mail that a person wrote and has seen: what a mailto URL
// is for (RFC 1738 section 3.5: it names "the Internet mailing address of an
// individual or service", and no object).
//
//	Draft --Compose--> Message --Preview--> a person
//	                           --Submit---> SMTP (RFC 6409), sendmail, a file
//
// A [Draft] is what somebody wants to say, in characters. [Compose] makes the
// octets of it that will be sent (RFC 5322, MIME), and an envelope: it does
// nothing else. [Message.Preview] is made of these octets, not of the draft, so
// what is shown is what is sent. Nothing here both shows and sends: that there
// was a person between is the caller's part (URI draft, "Mailto"; RFC 6068
// section 7).
//
// # What a URL may propose
//
// [Draft.Propose] takes header fields of RFC 6068 into a draft: the subject, the
// body, who else is written to, what is answered, keywords and comments. Any
// other field is named and left out: a URL does not say whom a message is from,
// who gets it unseen, where answers go, or what its octets mean.
//
// # What is refused
//
// A control character in any header field, a line end above all, which would make
// two fields of one. An address that RFC 5321 and RFC 6531 don't know. A message
// that nobody gets. Bcc is in the envelope alone.
//
// A login goes through TLS and no other way. If TLS is wanted and the server does
// not offer it, nothing more is said to it. If one recipient is refused, nobody
// gets the message. A server's words are bounded, and are quoted in errors; a
// password never is.
package submit
