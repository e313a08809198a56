// Package document detects the type of a file and finds the URLs in it.
//
// [Links] reads plain text, Markdown, HTML, CSS, mail messages and mboxes. It also reads tar and
// zip archives, and files that are compressed with gzip, bzip2, xz, zstd or compress(1).
// Compressed files and archives may be nested. [HTML], [Markdown] and [CSS] read a text in memory.
// Package extract finds the URLs in running text.
//
// # The type of a document
//
// Compressed files, archives and UTF-16 text are identified by their first bytes. For other files,
// [Options].Type or the name determines the type: Markdown, HTML, SVG, CSS, a message, an mbox, or
// a tar archive without magic bytes. If the name is not sufficient, the first bytes show whether a
// text is an mbox, a message or HTML. A file with a NUL byte in its first 8 KiB is binary. Any
// other file is plain text.
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
// If a link is in a container, such as an archive or a message, its field [Link].Member is the
// label of the member:
//
//   - archive: the name of the file
//   - web archive: the URL of the page
//   - message: the path of the part ([message.Part]), or "header"
//   - mbox: the number of the message
//
// For a nested member, the label begins with the label of each enclosing container, outermost
// first. A "/" separates the labels. The package decodes the parts of a message. Offsets and line
// numbers refer to the decoded text, which mail programs show.
//
// # Damage and limits
//
// [Links] yields an [Error] for each damaged part, and continues with the other members of an
// archive. An archive may be designed to exhaust resources. Therefore [Options] limits the nesting
// depth, the unpacked size and the number of members. Plain text of any length needs constant
// memory, even in compressed files and tar archives. [Options].MaxBuffered limits the memory for
// other types. The package does not follow symbolic links in archives, and does not write files.
package document
