// Package message reads messages of mail and articles of news (RFC 5322, RFC 5536)
// with MIME (RFC 2045 to 2049).
//
// [Parse] finds the parts of a message in a file or in memory. It makes one pass, and
// keeps only the headers and the offsets of the parts, so an attachment of any size
// costs one buffer. [Read] reads a message from a stream into memory. [ReadHeader] reads
// only the header. [Mbox] reads the messages of an mbox one after another.
//
// [Part.Open] returns the decoded bytes of a part, [Part.Text] its text in UTF-8, and
// [Message.WriteText] writes the whole message as text for people. [Message.Part] finds a
// part by its path, [Message.Find] by its Content-ID.
//
// # Damaged messages
//
// No damage makes a message unreadable. A part that can't be understood is
// application/octet-stream, and each problem is a [Fault] with its offset: a header line
// without ":", a multipart without its boundary or end, an unknown charset or encoding,
// invalid base64, a bare CR, NUL. Non-ASCII bytes in a header are read as UTF-8 (RFC 6532)
// if they are valid, otherwise as ISO Latin 1. Charset names mean what they mean on the
// web first: iso-8859-1 is read as windows-1252.
//
// Lines may end with CR LF or with LF, as in stored mail. Both in one message are a fault.
// A "From " line of an mbox before the header is skipped.
//
// Not read: yEnc, and encrypted, compressed and external content.
//
// # Limits
//
// [Limits] bound the header, the number of parts, their depth and the decoded size of
// each. Nothing recurses deeper than they allow, or holds more than the headers and one
// buffer for each reader.
//
// The file name of a part is a label to show ([Part.Name]). Text keeps the control
// characters of the message: filter it before it goes to a terminal. HTML is converted to
// text. Nothing of it is run or fetched, and its URLs are only listed.
package message
