// Package message reads mail messages and news articles (RFC 5322, RFC 5536) with MIME (RFC 2045 to
// 2049).
//
// [Parse] finds the parts of a message in a file or in memory. Parse makes one pass and stores
// only the headers and the offsets of the parts. Memory therefore does not depend on the size
// of attachments. [Read] reads a message from a stream into memory. [ReadHeader] reads only
// the header. [Mbox] reads the messages of an mbox file.
//
// [Part.Open] returns the decoded bytes of a part, [Part.Text] its text in UTF-8, and
// [Message.WriteText] writes the whole message as readable text. [Message.Part] finds a part
// by its path, and [Message.Find] finds a part by its Content-ID.
//
// # Damaged messages
//
// The package reads a message despite any damage. A part that cannot be interpreted gets the
// type application/octet-stream. The package reports each problem as a [Fault] with its
// offset. Examples are a header line without ":", a multipart without its boundary or end, an
// unknown charset or encoding, invalid base64, a bare CR, and NUL. The package decodes a
// header as UTF-8 (RFC 6532) if it is valid UTF-8, and otherwise as ISO Latin 1. Charset names
// have the same meaning as on the web, so iso-8859-1 means windows-1252.
//
// Lines may end with CR LF or with LF, as in stored mail. A mix of both in one message is a
// fault. The package skips an mbox From_ line before the header.
//
// The package does not decode yEnc. It does not decrypt or decompress content, and does not fetch
// content that is stored outside the message.
//
// # Limits
//
// [Limits] bounds the header, the number of parts, their depth and the decoded size of each
// part. The limit for the depth also bounds recursion. The package stores the headers in
// memory, and each reader needs one buffer.
//
// The file name of a part is a label for display ([Part.Name]). Decoded texts may contain
// control characters, which callers must remove before writing a text to a terminal. The
// package converts HTML to text. The package lists the URLs in HTML, but does not fetch them,
// and runs no scripts.
package message
