// Package document detects the type of a file and finds the URLs in it.
//
// [Links] reads plain text, Markdown, HTML and CSS, mail and mboxes, and any of those
// compressed with gzip, bzip2, xz, zstd or compress(1), or in a tar or zip archive, one
// within another. [HTML], [Markdown] and [CSS] read a text in memory. Package extract
// decides what is a URL in running text.
//
// # The type of a document
//
// The first octets decide for compressed files, archives and UTF-16. For others
// [Options.Type] decides, or the name: for Markdown, HTML, SVG, CSS, mail and mboxes, and
// for tar archives without magic. A text with any other name is an mbox, a message or HTML
// if it begins like one. A file with a NUL in its first 8 KiB is binary. Everything else is
// plain text.
//
//	page.html             HTML
//	page                  HTML, if it begins with "<!DOCTYPE html", "<html", "<head" or "<body"
//	page.html.gz          gzip; the content has the name page.html
//	notes.txt             plain text; UTF-16 if it begins with its mark
//	pictures.gz           gzip; the content may be a tar archive
//	report.docx, a.epub   zip archives, of XML and HTML
//	site.warc.gz          a web archive, of the pages that were kept; ARC files too
//	site.warc.wat.gz      a WAT file, of the links that pages have
//	mail/cur/1:2,S        a message, if its header has two fields that messages have
//
// # Members
//
// A link of a container has the label of its member: the name in an archive, the URL in a
// web archive, the path of a message's part ([message.Part]) or "header", the number of a
// message in an mbox. Nested members have all labels with "/" between them. The text of a
// message's part is decoded, so offsets and lines are those that a reader sees.
//
// # Damage and limits
//
// Damage does not stop the reading: each is an [Error] among the links, and the other
// members of an archive are read. Limits bound the depth of containers, their unpacked
// size and their number of members, against archives made to be costly. Plain text of any
// length needs constant memory, in compressed files and tar archives too; [Options.MaxBuffered]
// bounds the memory for the rest. Links in archives are not followed, and nothing is
// written.
package document
