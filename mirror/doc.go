// Package mirror copies the resources at and below a URL to a directory, and presents trees
// of menus as a file system.
//
// It works with FTP directories, gopher menus, web pages and newsgroups, and with any other
// scheme that has menus or documents with links.
//
// # Selection
//
// [Run] follows the items of menus and the links of HTML, style sheets, Markdown and gemtext.
// It stores the resources below the URLs it was given, as [scheme.Syntax.Below] defines
// "below". In schemes where "/" has no meaning, such as gopher, it also stores the objects that
// those menus list on the same server. [Options] widen and narrow the selection. Run does not
// open searches, forms and sessions. It does not read the files in a directory for links,
// because the directory lists all of them.
//
// A redirect is a link: its target has its own file. Run stores the bytes of a resource as
// the server sent them, after decoding HTTP's gzip coding. A resource in another content
// coding is an error.
//
// # Files
//
// The name of a file is the path of its URL on the server, below a directory for the host; see
// [Layout]. Names are valid on any system: "%", and bytes that some systems reject, are escaped
// with "%". In a long name, a hash replaces the middle. If another URL already has the name,
// ignoring case and Unicode normalization, or a directory needs the name, "~" and a hash are
// appended. No two URLs share a file, and the same pages always get the same names. A file gets
// the modification time that the server reports.
//
// The bytes of a menu are in ".menu" in its directory. A page for the menu is in
// "index.html", or in ".menu.html" where menus are directories of files. A menu that was not
// made from bytes is stored as JSON lines. With [Options].Relink, links between the files are
// relative, and other links are absolute.
//
// The directory ".locus-mirror" contains the manifest, with one [Record] per line for each URL,
// the original bytes of documents with rewritten links, and the state of a run. Run opens all
// files through an [os.Root] and follows no symbolic link. It never replaces or deletes a file
// that does not belong to the mirror.
//
// # Repeated runs
//
// If a run is interrupted, even by a crash, the next run with the same URLs and options
// continues the interrupted run. The result is the same as without the interruption. If the
// server supports it, Run resumes partial downloads of large objects.
//
// A later run requests only resources that may have changed. It does not request a resource
// that a directory lists with the same size and time. It checks other objects with a probe,
// by their tag or time, if possible. It downloads everything else, and does not touch the
// file if the bytes are the same. It downloads a file again if the file was altered. A
// resource is gone if no menu and no page links to it any more, and Run read all menus and
// pages completely. If the resource is below a directory, only the directory counts.
// [Options].Delete removes files of resources that are gone, unless the files were altered.
//
// # Politeness
//
// Run limits the concurrent requests to a host, reuses connections and follows robots.txt.
// If a server requests a pause, Run delays all requests to that server.
//
// # Loops
//
// Run requests each canonical URL once. If a directory has the same list as two directories
// above it, Run treats it as a loop of symbolic links and does not follow its items. Run
// ignores paths that repeat a name many times. The queue of URLs is on disk; the memory for
// each URL is a few hundred bytes.
//
// # A tree of menus as a file system
//
// [FS] presents a tree of menus as an [fs.FS], without copying it: the directories of an FTP
// server, the menus of a gopher server, or any resources that are menus and objects.
// Programs walk it with [fs.WalkDir], read it with [fs.ReadFile], copy it with
// [os.CopyFS] and serve it with [net/http.FS].
//
// A menu is a directory. The entries of the directory are the menu's items that are
// objects, menus, or of unknown kind. They are in the menu's order when the directory is
// read as a file, and sorted by name in [FS.ReadDir]. The directory omits searches,
// forms, sessions, text lines and errors. It also omits items whose scheme, host or port
// differs from the root, unless [FSOptions] include such items.
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
// contains the original. If another item of the menu has the same name, " (2)" is added
// before the extension. The same menu always has the same names.
//
// Menus may link to each other and back. The FS presents each menu as a directory at the
// path where the FS first found the menu. All other links to the menu are symbolic links to
// that path. So [fs.WalkDir], which does not follow links, visits each menu once and ends.
// Endless trees, which a program can generate, end at [FSOptions.Depth] and
// [FSOptions.Menus], and endless menus at [FSOptions.Entries], with an error that wraps
// [scheme.ErrTooLarge].
//
// Size and ModTime of an entry come from the menu, or are 0 and the zero time. After the entry was opened, Size and
// ModTime come from the object, if the server reports them; gopher servers rarely do. Otherwise Size of an open file
// reads the object to its end, and buffers up to 1 MiB, which is not read again. Size is -1 if the object is truncated or
// larger than 1 GiB. [net/http.FileServer] needs the size; programs that copy or read files don't.
//
// An open file can Seek. If the scheme can't begin in the middle of an object, as in
// Gopher, the file is read again from the start.
package mirror
