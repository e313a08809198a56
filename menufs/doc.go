// Package menufs presents a tree of menus as a file system: the directories of an FTP
// server, the menus of a gopher server, or any resources that are menus and objects.
// Programs walk it with [fs.WalkDir], read it with [fs.ReadFile], copy it with
// [os.CopyFS] and serve it with [net/http.FS].
//
// # Contents
//
// A menu is a directory. Its entries are the menu's items that are objects, menus, or
// of unknown kind: in the menu's order when the directory is read as a file, sorted by
// name from [FS.ReadDir]. Searches, forms, sessions, text lines and errors are left
// out. So are items of another scheme, host or port than the root, unless [Options]
// include them.
//
// An item of unknown kind is a file until it is opened and turns out to be a menu.
//
// Each item is opened as a link in its menu, so the rules of the [access.Client]'s
// policy for links apply: see [access.Request]. An entry that the policy denies can't
// be opened; the error is [fs.ErrPermission].
//
// # Names
//
// The name of an entry is the last part of its URL or, if that is not a name, its
// title, in the form of [transfer.SafeName]: a valid file name on any system, and one
// element of a path, whatever the server sent. The [Source] that FileInfo.Sys returns
// has the original. If a menu has the name already, " (2)" is added before its
// extension. The same menu always has the same names.
//
// # Menus with several paths
//
// Menus may link to each other and back. A menu keeps the path at which it was found
// first. All other links to it are symbolic links to that path. So [fs.WalkDir], which
// does not follow links, visits each menu once and ends. Endless trees, as a program
// can generate them, end at [Options.Depth] and [Options.Menus], and endless menus at
// [Options.Entries], with an error that wraps [scheme.ErrTooLarge].
//
// # Sizes and times
//
// Size and ModTime of an entry are those in the menu, or 0 and the zero time. Once it
// has been opened they are those of the object, if it has them, which Gopher's rarely
// do. If it does not, Size of an open file reads the object to its end; it keeps up to
// 1 MiB, which is not read again. Size is -1 if the object is cut or has more than 1
// GiB. [net/http.FileServer] needs the size; programs that copy or read files don't.
//
// An open file can Seek. If the scheme can't begin in the middle of an object, as
// Gopher can't, the file is read again from the start.
package menufs
