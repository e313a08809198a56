// Package mailstore finds messages by their Message-Id in mail that has been
// received already: "a body of mail already received", as RFC 1738 section 4 and
// the URI draft's "Message-Id" have it for mid URLs.
//
// Mail is in files: Maildir folders (with the subfolders of Maildir++), mbox
// files, and files of one message each (.eml, MH). A source is any of them, or a
// directory, which is walked with all that is in it; what a file is, its content
// tells. Symbolic links are followed, but not in circles. What can't be read, and
// what is no ordinary file, is skipped, and [Options].Note is told.
//
// # mbox
//
// A message begins with a From_ line: "From " at the start of the file, behind an
// empty line and with a date or a header field behind it, or anywhere with both.
// It ends before the next one. A Content-Length (mboxcl, mboxcl2) is believed for
// each message by itself, and only if a From_ line or the end of the file follows
// where it says.
//
// The octets of a message are those between, without the From_ line and the empty
// line at the end, and with one ">" taken from each line of the body that is
// some ">" and "From " (mboxrd). In mboxo, and in mboxcl made like it, a line
// ">From " may also have been just that before: [Message].Quoted counts the lines
// in doubt, and [Options].KeepQuotes leaves them. If a Content-Length was
// believed and the body has lines that begin with "From ", nothing is quoted
// there (mboxcl2).
//
// # The index
//
// Where messages are is kept in an index: a file in [Options].Cache. It never
// decides: before a place is named, the message there is asked for its
// Message-Id. So an index that is old or wrong costs time, and gives no wrong
// answers. It is brought up to date by [Store.Refresh], and by itself when it does
// not have an identifier or names a place that no longer holds it: of an mbox
// that has grown the new part is read, of a Maildir the new files. What was
// interrupted goes on from where it was. An index that is damaged is set aside
// and made anew.
//
// Processes may share the index: one at a time writes, and who looks something up
// waits only while a part of it is written.
//
// # Limits
//
// A Message-Id field of more than 4 KiB is not one, and a message is found by the
// first 100 identifiers of its header. Header lines may have any length. An
// identifier leads to at most 1,000 messages. Of an mbox whose message has more than
// a million quoted lines, they are left.
package mailstore
