// Package mirror copies what is at a URL, and below it, to a folder: FTP directories,
// gopher menus, web pages, newsgroups, by any scheme that has menus or documents with
// links.
//
// # What is mirrored
//
// [Run] follows the items of menus and the links of HTML, style sheets, Markdown and
// gemtext, and keeps what is below the URLs it was given, as [scheme.Scheme.Below]
// says. Where "/" in a URL means nothing, as in gopher, it also keeps the objects that those
// menus list on the same server. [Options] widen and narrow that. Searches, forms and sessions are not opened.
// Files in a directory are not read for links: the directory lists all there is.
//
// A redirect is a link: its target has a file of its own. A resource is kept in the bytes
// that the server sent, after HTTP's content coding was decoded. One in another coding is
// a failure.
//
// # Files
//
// A file has the name that its URL has on the server, below a folder for the host; see
// [Layout]. Names are valid on any system: bytes that some system refuses, and "%", are
// escaped with "%". A longer name has a hash in place of its middle. If another URL has
// the name already, in any case and in any Unicode normalization, or if a folder of that
// name is needed, a hash comes after "~". No two URLs share a file, and the same pages
// give the same names. A file has the time that the server tells.
//
// The bytes of a menu are in ".menu" of its folder, and a page of it in "index.html", or
// in ".menu.html" where menus are directories of files. A menu that was not made from bytes
// is kept as JSON lines. With [Options].Relink links between the files are relative, and
// other links are absolute.
//
// The folder ".locus-mirror" has the manifest, which says for each URL what its file is (a
// [Record] a line), the bytes of documents whose links were rewritten, and the state of
// a run. All files are opened through an [os.Root], and no symbolic link is followed. A file
// that is not of the mirror is never replaced and never deleted.
//
// # Again
//
// A run that was interrupted, even by a crash of the process, is continued by the next run
// with the same URLs and options: the result is the same as without the interrupt. What
// large objects had is continued, if the server can.
//
// A later run asks only for what may have changed. Nothing is asked for that a directory
// lists with the same size and time; a probe tells by the tag or the time of an object;
// everything else is fetched, and its file is not touched if the bytes are the same.
// A file that was altered is fetched again. What no menu and no page links to any more is
// gone, if all of them were read to their end. Below a directory that needs only the
// directory. [Options].Delete removes files that are gone and were not altered.
//
// # Politeness
//
// A host gets few requests at once, connections are used again, a robots.txt is obeyed, and
// a pause that a server asks for is kept for all its URLs.
//
// # Loops
//
// Canonical URLs are fetched once. A directory whose list is that of two directories above
// it is a loop of symbolic links, and its items are not followed. Paths that repeat a name
// many times are left out. The URLs that are still to be fetched are on the disk, with some
// hundred bytes of each in memory.
//
// # A tree of menus as a file system
//
// [FS] presents a tree of menus as an [fs.FS], without copying it: the directories of an FTP
// server, the menus of a gopher server, or any resources that are menus and objects.
// Programs walk it with [fs.WalkDir], read it with [fs.ReadFile], copy it with
// [os.CopyFS] and serve it with [net/http.FS].
//
// A menu is a directory. Its entries are the menu's items that are objects, menus, or
// of unknown kind: in the menu's order when the directory is read as a file, sorted by
// name from [FS.ReadDir]. Searches, forms, sessions, text lines and errors are left
// out. So are items of another scheme, host or port than the root, unless [FSOptions]
// include them.
//
// An item of unknown kind is a file until it is opened and turns out to be a menu.
//
// Each item is opened as a link in its menu, so the rules of the [access.Client]'s
// policy for links apply: see [access.Request]. An entry that the policy denies can't
// be opened; the error is [fs.ErrPermission].
//
// The name of an entry is the last part of its URL or, if that is not a name, its
// title, in the form of [transfer.SafeName]: a valid file name on any system, and one
// element of a path, whatever the server sent. The [FSSource] that FileInfo.Sys returns
// has the original. If a menu has the name already, " (2)" is added before its
// extension. The same menu always has the same names.
//
// Menus may link to each other and back. A menu keeps the path at which it was found
// first. All other links to it are symbolic links to that path. So [fs.WalkDir], which
// does not follow links, visits each menu once and ends. Endless trees, as a program
// can generate them, end at [FSOptions.Depth] and [FSOptions.Menus], and endless menus at
// [FSOptions.Entries], with an error that wraps [scheme.ErrTooLarge].
//
// Size and ModTime of an entry are those in the menu, or 0 and the zero time. Once it
// has been opened they are those of the object, if it has them, which Gopher's rarely
// do. If it does not, Size of an open file reads the object to its end; it keeps up to
// 1 MiB, which is not read again. Size is -1 if the object is cut or has more than 1
// GiB. [net/http.FileServer] needs the size; programs that copy or read files don't.
//
// An open file can Seek. If the scheme can't begin in the middle of an object, as
// Gopher can't, the file is read again from the start.
package mirror
