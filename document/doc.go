// Package document finds URLs in documents: it tells what a file is, and reads it as
// that.
//
// [Links] reads plain text, paged text and source code (all are plain text), Markdown,
// HTML and CSS, mail and mboxes, and what of those is compressed with gzip, bzip2, xz,
// zstd or compress(1), or in a tar or zip archive, one within another. What is a URL
// in a text is package extract's to say.
//
// # What a document is
//
// The first octets say it if they can: those of what is compressed, of an archive, of
// UTF-16. If not, [Options.Type] does, or else the name, for Markdown, HTML, SVG, CSS,
// mail and mboxes, and for tar archives of the kind that has no magic. A text whose name
// says nothing is an mbox, a message or HTML if it begins like one. Whatever has a NUL
// in its first 8 KiB is binary, and no text. All else is plain text.
//
//	page.html             HTML
//	page                  HTML, if it begins with "<!DOCTYPE html", "<html", "<head" or "<body"
//	page.html.gz          what is in it has the name page.html
//	notes.txt             plain text; if it begins with a mark of UTF-16, that is read
//	pictures.gz           a tar archive, if that is what is in it
//	report.docx, a.epub   zip archives, of XML and HTML
//	mail/cur/1:2,S        a message, if its header has two fields that messages have
//
// # Members
//
// A link of a container has the label of its member: the name in an archive, the path
// of a message's part ([message.Part]) or "header", the number of a message in an
// mbox, and one behind the other with "/" for those in each other. The text of a
// message's part is decoded, so offsets and lines are those of what a reader sees.
//
// # Damage, and what is refused
//
// No document ends the reading of what can still be read: each damage is an [Error]
// beside the links, and the other members of an archive go on. Limits bound the depth
// of containers, the octets that they give and the members that they have, so that
// little that stands for much costs little. Plain text of any length needs constant
// memory, in compressed files and tar archives too; [Options.Held] bounds what has to
// be held. No name in an archive becomes the name of a file, links in it are not
// followed, and nothing is written anywhere.
package document
