// Package document detects the type of a file and finds the URLs in it.
//
// [Links] reads plain text, Markdown, HTML and CSS, mail and mboxes. It also reads such a
// file if it is compressed with gzip, bzip2, xz, zstd or compress(1), or in a tar or zip
// archive. Compressed files and archives may be nested. [HTML], [Markdown] and [CSS] read
// a text in memory. Package extract recognizes URLs in running text.
//
// # The type of a document
//
// The first bytes identify compressed files, archives and UTF-16. For other files,
// [Options].Type or the name determines the type: Markdown, HTML, SVG, CSS, a message, an
// mbox, or a tar archive without magic. A text with any other name is an mbox, a message or
// HTML if it begins like one. A file with a NUL in its first 8 KiB is binary. Any other file
// is plain text.
//
//	page.html             HTML
//	page                  HTML, if it begins with "<!DOCTYPE html", "<html", "<head" or "<body"
//	page.html.gz          gzip; the content has the name page.html
//	notes.txt             plain text; UTF-16 if it begins with its mark
//	pictures.gz           gzip; the content may be a tar archive
//	report.docx, a.epub   zip archives, of XML and HTML
//	site.warc.gz          a web archive with archived pages; ARC files too
//	site.warc.wat.gz      a WAT file with the links of pages
//	mail/cur/1:2,S        a message, if its header has two fields that messages have
//
// # Members
//
// A link in a container has the label of its member ([Link].Member):
//
//   - archive: the name of the file
//   - web archive: the URL of the page
//   - message: the path of the part ([message.Part]), or "header"
//   - mbox: the number of the message
//
// The label of a nested member joins all labels with "/". The package decodes the parts of
// a message, so offsets and lines count in the text that a mail program shows.
//
// # Damage and limits
//
// [Links] yields an [Error] for each damaged part, and continues with the other members of
// an archive. [Options] limits the depth of containers, their unpacked size and their number
// of members, against archives that are made to exhaust resources. Plain text of any length
// needs constant memory, even in compressed files and tar archives; [Options].MaxBuffered
// limits the memory for other types. The package does not follow symbolic links in archives,
// and writes no files.
package document
