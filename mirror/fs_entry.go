package mirror

import (
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

const (
	fileMode fs.FileMode = 0o444
	dirMode              = fs.ModeDir | 0o555
	linkMode             = fs.ModeSymlink | 0o777
)

// FSSource is the origin of an entry. FileInfo.Sys returns it as a *FSSource.
type FSSource struct {
	// URL is the URL of the entry. For an open file, URL is the URL after redirects.
	URL locus.URL
	// Item is the item of the menu. For an open file, the Type, Size and ModTime come from the
	// object, if the server reports them. For the root, only the URL and Kind of Item are set.
	Item scheme.Item
}

// fsEntry is an item of a menu, as an [fs.DirEntry].
type fsEntry struct {
	name   string
	item   scheme.Item
	from   *access.Result // result that contains the menu
	parent *fsMenu        // directory that contains the entry
	state  atomic.Pointer[entryState]
}

// entryState is the known state of an entry. Opening the entry may add information.
type entryState struct {
	mode    fs.FileMode
	menu    *fsMenu // the menu, if the entry is a directory or a link to a directory
	size    int64
	modTime time.Time
}

func (e *fsEntry) asFile() *entryState {
	return &entryState{mode: fileMode, size: max(e.item.Size, 0), modTime: e.item.ModTime}
}

func (e *fsEntry) asDir(m *fsMenu) *entryState {
	return &entryState{mode: dirMode, menu: m, modTime: e.item.ModTime}
}

// learn stores the size and the time of the object. A size of -1 and the zero time are
// ignored.
func (e *fsEntry) learn(size int64, modTime time.Time) {
	s := *e.state.Load()
	if size >= 0 {
		s.size = size
	}
	if !modTime.IsZero() {
		s.modTime = modTime
	}
	e.state.Store(&s)
}

// Name, IsDir, Type and Info implement [fs.DirEntry].

func (e *fsEntry) Name() string               { return e.name }
func (e *fsEntry) IsDir() bool                { return e.Type().IsDir() }
func (e *fsEntry) Type() fs.FileMode          { return e.state.Load().mode.Type() }
func (e *fsEntry) Info() (fs.FileInfo, error) { return e.info(e.name, false), nil }
func (e *fsEntry) String() string             { return fs.FormatDirEntry(e) }

// info returns the description of e under the given name. If e is a link and follow is true,
// info describes the link's target.
func (e *fsEntry) info(name string, follow bool) *entryInfo {
	s := *e.state.Load()
	if follow && s.mode == linkMode {
		s = *e.asDir(s.menu)
	}
	return &entryInfo{name: name, state: s, source: FSSource{URL: e.item.URL, Item: e.item}}
}

type entryInfo struct {
	name   string
	state  entryState
	source FSSource
}

func (i *entryInfo) Name() string       { return i.name }
func (i *entryInfo) Size() int64        { return i.state.size }
func (i *entryInfo) Mode() fs.FileMode  { return i.state.mode }
func (i *entryInfo) ModTime() time.Time { return i.state.modTime }
func (i *entryInfo) IsDir() bool        { return i.state.mode.IsDir() }
func (i *entryInfo) Sys() any           { return &i.source }
func (i *entryInfo) String() string     { return fs.FormatFileInfo(i) }

func dirEntries(list []*fsEntry) []fs.DirEntry {
	entries := make([]fs.DirEntry, len(list))
	for i, e := range list {
		entries[i] = e
	}
	return entries
}

func (e *fsEntry) text() int64 {
	return int64(len(e.name) + e.item.URL.Len() + len(e.item.Title) + len(e.item.Note) + len(e.item.Type))
}
