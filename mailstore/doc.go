// Package mailstore finds received mail by its Message-ID. So it opens mid URLs, which
// name a message in "a body of mail already received" (RFC 1738 section 4).
//
// Mail is in files: Maildir folders (with the subfolders of Maildir++), mbox files, and
// files with one message each (.eml, MH). A source is any of them, or a directory,
// which is read with its subdirectories. The kind of a file follows from its content.
// Symbolic links are followed, but not in circles. Files that can't be read or are not
// regular are skipped, and [Options].Note is called.
//
// # mbox
//
// Package message reads mboxes: see [message.Mbox]. A message is returned without its
// From_ line and the blank line after it, and with one ">" removed from each line of the
// body that begins with one or more ">" and "From " (mboxrd). In mboxo, and in mboxcl
// made like it, a line ">From " may be what the message had: [Message].Quoted counts the
// lines in doubt.
//
// # The index
//
// The index is a file in [Options].Cache that says where messages are. It is only a
// hint: each location is confirmed by the message's own Message-ID. So an outdated index
// costs time, but gives no wrong answers. [Store.Refresh] updates it, and so does
// [Store.Find] if the index does not have an identifier or names a wrong location: it
// reads the new part of an mbox that has grown, and the new files of a Maildir. An
// interrupted refresh continues where it stopped. A damaged index is renamed (".damaged")
// and replaced.
//
// Processes may share the index: one at a time writes, and lookups wait only while a
// part of it is written.
//
// # Limits
//
// A Message-ID field of more than 4 KiB is ignored, and a message is found by the
// first 100 identifiers of its header. Header lines may have any length. An identifier
// leads to at most 1,000 messages. If a message of an mbox has more than a million
// quoted lines, they stay quoted.
package mailstore
