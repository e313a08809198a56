// Package mailstore finds received mail by its Message-ID. It serves mid URLs, which identify a
// message in "a body of mail already received" (RFC 1738 section 4).
//
// It reads Maildir folders (with the subfolders of Maildir++), mbox files, and files with one
// message each (.eml, MH). A source is such a folder or file, or another directory, which the
// package reads recursively. The package detects the kind of a file from its content. It follows
// symbolic links, except to directories that contain them. It skips files that can't be read or are
// not regular, and calls [Options].Note.
//
// # mbox
//
// Package message reads mboxes: see [message.Mbox]. The package returns a message without its From_
// line and the blank line after the message. In a line of the body that begins with one or more ">"
// and "From ", it removes one ">" (mboxrd). In mboxo, and in mboxcl with the same quoting, the
// original message may contain a line ">From ". [Message].Quoted counts these doubtful lines.
//
// # The index
//
// The index is a file in [Options].Cache with the locations of messages. The package confirms each
// location by the message's own Message-ID. So an outdated index costs time but never gives wrong
// results. [Store.Refresh] updates the index: it reads the new part of an mbox that has grown, and
// the new files of a Maildir. [Store.Find] also updates it if the index lacks an identifier or has
// a wrong location. An interrupted refresh continues where it stopped. A damaged index is renamed
// (".damaged") and replaced.
//
// Processes may share the index. One process at a time writes, and lookups wait only while it
// writes a part.
//
// # Limits
//
// The package ignores Message-ID fields of more than 4 KiB and uses the first 100 identifiers of a
// header. Header lines may have any length. Find returns at most 1,000 messages for an identifier.
// If a message of an mbox has more than a million quoted lines, they stay quoted.
package mailstore
