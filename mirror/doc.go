// Package mirror copies the resources at and below a URL to a directory. The package also
// presents a tree of menus as a file system.
//
// The package supports FTP directories, gopher menus, web pages and newsgroups, and every
// other scheme with menus or with documents that contain links.
//
// # Selection
//
// [Run] follows the items of menus and the links of HTML, style sheets, Markdown and gemtext.
// Run stores the resources at and below the starting URLs, as defined by
// [scheme.Syntax.Below]. In schemes where "/" has no meaning, such as gopher, Run also stores
// the objects that the menus list on the same server. [Options] extend and restrict the
// selection. Run does not open searches, forms and sessions. Run does not search the files in
// a directory for links, because the directory lists all files.
//
// Run treats a redirect as a link, so the target gets its own file. Run stores the bytes of a
// resource as the server sent them, after decoding HTTP's gzip coding. Run reports an error
// for a resource in another content coding.
//
// # Files
//
// The name of a file is the path of the resource's URL, in a directory for the host; see
// [Layout]. Names are valid on any system, because Run escapes "%" and all bytes that some
// systems reject. In a long name, Run replaces the middle with a hash. Run appends "~" and a
// hash to a name that a directory or another URL already uses. Two names are the same if they
// differ only in case or Unicode normalization. Each URL has its own file, and the same
// resources always get the same names. A file gets the modification time that the server
// reports.
//
// The file ".menu" in a menu's directory contains the bytes of the menu. The file "index.html"
// contains an HTML page for the menu; if the menu is a directory of files, the page is in
// ".menu.html" instead. If the scheme has no format for menus, Run stores the menu as JSON
// lines. With [Options].Relink, links between the files are relative, and other links are
// absolute.
//
// The directory ".locus-mirror" contains the manifest, the original bytes of documents with
// rewritten links, and the state of a run. The manifest contains a [Record] for each URL, one
// per line. Run opens all files through an [os.Root], and does not follow symbolic links. Run
// never replaces or deletes a file that does not belong to the mirror.
//
// # Repeated runs
//
// If a run is interrupted, even by a crash, the next run with the same URLs and options
// continues the interrupted run. The result is the same as without the interruption. If the
// server supports it, Run resumes partial downloads of large objects.
//
// A later run requests only resources that may have changed. Run does not request a resource
// that a directory lists with the same size and time. If possible, Run checks other objects
// with a probe, which compares their entity tag or time. Run downloads all other resources,
// but does not write a file whose bytes are the same. Run downloads a resource again if its
// file was altered. A resource is gone if no menu and no page links to it any more. For a
// resource in a directory, only that directory counts. Run can determine this only if it has
// read all menus and pages completely. [Options].Delete removes the files of resources that
// are gone, unless the files were altered.
//
// # Politeness
//
// Run limits the concurrent requests to a host, reuses connections and follows robots.txt.
// If a server requests a pause, Run delays all requests to that server.
//
// # Loops
//
// Run requests each canonical URL once. If a directory has the same entries as two directories
// above it, Run assumes a loop of symbolic links, and does not follow the entries. Run ignores
// paths that repeat a name many times. The queue of URLs is on disk. Run needs a few hundred
// bytes of memory for each URL.
//
// # A tree of menus as a file system
//
// [FS] presents a tree of menus as an [fs.FS], without copying the tree. The tree may consist
// of the directories of an FTP server, the menus of a gopher server, or any other menus and
// objects. Programs can walk an FS with [fs.WalkDir], read files with [fs.ReadFile], copy the
// tree with [os.CopyFS], and serve it with [net/http.FS].
//
// A menu is a directory. The entries of the directory are the menu's items that are objects,
// menus, or of unknown kind. [FS.ReadDir] sorts the entries by name. An open directory returns
// them in the menu's order. The directory omits searches, forms, sessions, text lines and
// errors. The directory also omits items whose scheme, host or port differs from the root,
// unless [FSOptions] include such items.
//
// An item of unknown kind is a file until it is opened and turns out to be a menu.
//
// FS opens each item as a link in the menu, so the [access.Client]'s policy for links applies;
// see [access.Request]. If the policy denies an entry, opening the entry returns
// [fs.ErrPermission].
//
// The name of an entry is the last part of its URL or, if that part is not a name, the title
// of the item. [transfer.SafeName] converts every name to a single path element that is a
// valid file name on any system. FileInfo.Sys returns an [FSSource], which contains the
// original URL and title. If another item of the menu has the same name, FS adds " (2)" before
// the extension. The same menu always has the same names.
//
// Menus may link to each other. FS presents each menu as a directory at the path where FS
// first found the menu. All other links to the menu are symbolic links to that path. Because
// [fs.WalkDir] does not follow symbolic links, it visits each menu once and ends. A server
// program can generate an endless tree or an endless menu. An endless tree ends at
// [FSOptions.Depth] or [FSOptions.Menus], and an endless menu at [FSOptions.Entries], with an
// error that wraps [scheme.ErrTooLarge].
//
// The Size and ModTime of an entry come from the menu. If the menu does not report a size or a
// time, Size is 0 and ModTime is the zero time. After an entry was opened, Size and ModTime
// come from the object, if the server reports them. Gopher servers rarely report a size. To
// determine an unknown size, the method Size of an open file reads the object to its end. The
// file buffers up to 1 MiB, which is then not read again. Size is -1 if the object is
// truncated or larger than 1 GiB. [net/http.FileServer] needs the size, but programs that copy
// or read files do not.
//
// An open file implements [io.Seeker]. If the scheme can't open an object at an offset, as in
// Gopher, seeking backwards reads the object again from the start.
package mirror
