// Package mailstore finds received mail by its Message-ID. Package mailstore serves mid URLs,
// which identify a message in "a body of mail already received" (RFC 1738 section 4).
//
// The package reads Maildirs with the subfolders of Maildir++, mbox files, and files that
// contain one message (.eml, MH). A source is a Maildir, a file, or any other directory, which
// the package reads recursively. The package detects the kind of a file from the file's
// content. The package follows a symbolic link, unless the link points to a directory that
// contains the link. The package skips files that are unreadable or not regular, and reports
// them to [Options].Note.
//
// # mbox
//
// [message.Mbox] describes how mboxes are read. The package returns a message without its
// From_ line and the blank line after the message. If a line of the body begins with one or
// more ">" and "From ", the package removes one ">" (mboxrd). In a file with mboxo quoting,
// the original message may contain a line that begins with ">From ". [Message].Quoted counts
// these doubtful lines.
//
// # The index
//
// The index is a file in [Options].Cache with the locations of messages. Before the package
// returns a location, it reads the Message-ID from the message itself. An outdated index
// therefore costs time, but never gives wrong results. [Store.Refresh] updates the index.
// Store.Refresh reads only the new part of an mbox that has grown, and the new files of a
// Maildir. [Store.Find] also updates the index if an identifier is missing or a location is
// wrong. The refresh after an interrupted refresh continues where the first one stopped. The
// package renames a damaged index to a name that ends in ".damaged", and builds a new index.
//
// Several processes may share the index. Only one process at a time updates the index. Lookups
// wait only during a transaction of that process.
//
// # Limits
//
// The package ignores Message-ID fields of more than 4 KiB and uses the first 100 identifiers
// of a header. Header lines may have any length. Find returns at most 1,000 messages for an
// identifier. If a message in an mbox contains more than a million quoted lines, these lines
// stay quoted.
package mailstore
