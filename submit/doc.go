// Package submit composes and sends mail, for mailto URLs (RFC 1738 section 3.5).
//
//	Draft --Compose--> Message --Preview--> the user
//	                           --Submit---> SMTP (RFC 6409), sendmail, a file
//
// The user writes a [Draft]. [Compose] encodes the draft as a message (RFC 5322, MIME) with an
// envelope. [Message.Preview] decodes the encoded message, so that the user sees the text that
// will be sent. No function both shows and sends a message. Before sending, the caller must
// show the preview and get the user's consent (URI draft, "Mailto"; RFC 6068 section 7).
//
// # What a URL may propose
//
// [Draft.Propose] adds the fields of a mailto URL (RFC 6068) to a draft. Propose accepts
// subject, body, To, Cc, In-Reply-To, References, Keywords and Comments, and returns all other
// fields. A URL therefore can't choose the sender, hidden recipients, the reply address or the
// encoding.
//
// # Rejected messages
//
// Compose rejects control characters in header fields, such as line ends, which would start
// another field. Compose also rejects addresses that violate RFC 5321 and RFC 6531, and
// messages without recipients. Bcc recipients appear only in the envelope.
//
// The package logs in only over TLS. If TLS is required and the server does not offer TLS, the
// package does not send the message. If the server refuses one recipient, no recipient gets
// the message. Errors quote the server's text, which is limited in size. Errors never contain
// a password.
package submit
