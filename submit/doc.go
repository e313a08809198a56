// Package submit composes and sends mail, for mailto URLs (RFC 1738 section 3.5).
//
//	Draft --Compose--> Message --Preview--> the user
//	                           --Submit---> SMTP (RFC 6409), sendmail, a file
//
// A [Draft] is what the user writes. [Compose] encodes it as a message (RFC 5322, MIME) with an
// envelope. [Message.Preview] decodes these bytes, not the draft, so that the user sees what will
// be sent. No function both shows and sends a message. The caller must get the user's consent in
// between (URI draft, "Mailto"; RFC 6068 section 7).
//
// # What a URL may propose
//
// [Draft.Propose] adds header fields of RFC 6068 to a draft: subject, body, To, Cc,
// In-Reply-To, References, Keywords and Comments. It returns all other fields: a URL can't
// choose the sender, hidden recipients, the reply address or the encoding.
//
// # Rejected messages
//
// Compose rejects control characters in header fields, such as line ends, which would start another
// field. It also rejects addresses that are invalid in RFC 5321 and RFC 6531, and messages without
// recipients. Bcc is only in the envelope.
//
// A login needs TLS. If TLS is required and the server does not offer it, nothing is sent. If the
// server refuses one recipient, no recipient gets the message. Server text is limited in size and
// quoted in errors. Errors never contain a password.
package submit
