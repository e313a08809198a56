// Package message reads mail messages and news articles (RFC 5322, RFC 5536) with MIME (RFC 2045 to
// 2049).
//
// [Parse] finds the parts of a message in a file or in memory. It makes one pass and stores only
// the headers and the offsets of the parts, so an attachment of any size needs one buffer. [Read]
// reads a message from a stream into memory. [ReadHeader] reads only the header. [Mbox] reads the
// messages of an mbox file.
//
// [Part.Open] returns the decoded bytes of a part, [Part.Text] its text in UTF-8, and
// [Message.WriteText] writes the whole message as readable text. [Message.Part] finds a part by its
// path, [Message.Find] by its Content-ID.
//
// # Damaged messages
//
// No damage makes a message unreadable. A part that cannot be interpreted is
// application/octet-stream. The package reports each problem as a [Fault] with its offset: a
// header line without ":", a multipart without its boundary or end, an unknown charset or
// encoding, invalid base64, a bare CR, or NUL. The package reads non-ASCII bytes in a header as
// UTF-8 (RFC 6532) if they are valid, otherwise as ISO Latin 1. Charset names have their meaning
// on the web, so iso-8859-1 means windows-1252.
//
// Lines may end with CR LF or with LF, as in stored mail. A message with both has a fault. A From_
// line of an mbox before the header is skipped.
//
// The package does not decode yEnc, or encrypted, compressed and external content.
//
// # Limits
//
// [Limits] bounds the header, the number of parts, their depth and the decoded size of each part.
// Recursion stays within these limits, and memory within the headers and one buffer for each
// reader.
//
// The file name of a part is a label for display ([Part.Name]). Texts contain the control
// characters of the message, so callers must filter them before writing to a terminal. HTML is
// converted to text. The package runs no scripts and fetches no URLs of it; it only lists the URLs.
package message
