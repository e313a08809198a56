// Package menufs shows a tree of menus as a file system: an FTP server's
// directories, a gopher hole, anything whose resources are menus and objects. Go
// programs walk it with [fs.WalkDir], read it with [fs.ReadFile], copy it with
// [os.CopyFS] and serve it with [net/http.FS].
//
// # What is in it
//
// A menu is a directory. Its entries are the items of the menu that are objects,
// menus, or of an unknown kind, in the order of the menu when the directory is
// read as a file and sorted by name from [FS.ReadDir]. Searches, forms, sessions,
// lines of text and errors are left out, and so is what leads to another scheme,
// host or port than the root's, unless [Options] say otherwise.
//
// An item of an unknown kind counts as a file until it is opened and turns out to
// be a menu.
//
// Each item is opened as a link that was found in its menu, so what the policy of
// the [access.Client] says about links holds: see [access.Request]. A link that it
// refuses is an entry that can't be opened, with [fs.ErrPermission].
//
// # Names
//
// An entry's name is what its URL ends in, or its title if that is no name,
// written as [transfer.SafeName] writes it: it is one element of a path, whatever
// the server sent, and can be a file's name on any system. What it was stands in
// the [Source] that FileInfo.Sys returns. A name that was given in this menu
// before gets " (2)" behind it, in front of its suffix. The same menu gives the
// same names each time it is read.
//
// # Menus with more than one path
//
// Menus link to each other, and back to where one came from. A menu has the path
// at which it was seen first as long as the FS is there; wherever else it is
// linked, the entry is a symbolic link to that path. So [fs.WalkDir], which
// follows no links, comes to each menu once and ends. Links that go on for ever
// to new menus, as a program can make them up, end at [Options.Depth] and
// [Options.Menus], and a menu without an end at [Options.Entries], with an error
// that wraps [scheme.ErrTooLarge].
//
// # Sizes and times
//
// Size and ModTime of an entry are what the menu tells; 0 and the zero time stand
// for what it does not. Once it has been opened they are the object's, as far as
// that tells. Gopher hardly ever does. If it does not, the Size of an open file is
// found by reading the object to its end, at the moment when Size is called; up to
// 1 MiB of it is kept and not read a second time. It is -1 if the object breaks
// off, or does not end within 1 GiB. [net/http.FileServer] needs this, and a program
// that copies or reads files does not ask.
//
// An open file can Seek. Where the scheme can't begin in the middle of an object,
// as gopher can't, it is read again from its start.
package menufs
