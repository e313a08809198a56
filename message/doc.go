// Package message reads messages of mail and articles of news (RFC 5322, RFC 5536)
// with MIME (RFC 2045 to 2049), for people and for programs.
//
// [Parse] finds the parts of a message that is somewhere, in a file or in memory, in
// one pass that keeps the headers and the places of the parts alone. A part is read
// from its place: an attachment of any size costs a buffer. [Read] takes a message
// from a stream and holds it; [ReadHeader] takes its header only.
//
// [Part.Open] gives the octets of a part, [Part.Text] its text in UTF-8, and
// [Message.WriteText] the whole message as people read it. [Message.Part] finds a part
// by its path, [Message.Find] by its Content-ID.
//
// # What is read beyond the rules
//
// No damage makes a message unreadable. What can't be understood is a part of octets,
// and each place is a [Fault] with its offset: a header line without ":", a multipart
// without its boundary or its end, an unknown charset or encoding, junk in base64, a
// bare CR, NUL. Octets in a header beyond US-ASCII are read as UTF-8 (RFC 6532) if
// they are that, and else as ISO Latin 1. The names that the web has for charsets
// count first, which reads what calls itself iso-8859-1 as windows-1252.
//
// Lines may end with CR LF or with LF, as stored mail has them; both in one message
// are a fault. The "From " line of an mbox before the header is gone over; taking the
// messages of an mbox apart, and undoing ">From ", is for who stores them.
//
// Not read: UTF-7, yEnc, and what is encrypted, compressed or external.
//
// # What is refused
//
// [Limits] bound the header, the number of parts, their depth and the size of each
// when decoded. Nothing here recurses deeper than they allow, or holds more than the
// headers and one buffer for each reader.
//
// A name of a file is a label ([Part.Name]). Text comes with the control characters
// that the message has: it is filtered where it goes to a terminal. HTML is made into
// text: nothing of it is run or fetched, and its URLs are listed and not followed.
package message
