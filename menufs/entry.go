package menufs

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

// Source is the origin of an entry. FileInfo.Sys returns it as a *Source.
type Source struct {
	// URL is that of the entry; of an open file, the URL after referrals.
	URL locus.URL
	// Item is the item of the menu. Of an open file, its Type, Size and ModTime are
	// those of the object, if it has them. For the root, Item has only a URL and a
	// Kind.
	Item scheme.Item
}

// entry is an item of a menu, as an [fs.DirEntry].
type entry struct {
	name   string
	item   scheme.Item
	from   *access.Result // the menu
	parent *menu          // the same
	state  atomic.Pointer[state]
}

// state is what is known about an entry. Opening the entry adds to it.
type state struct {
	mode    fs.FileMode
	menu    *menu // of a directory or a link
	size    int64
	modTime time.Time
}

func (e *entry) asFile() *state {
	return &state{mode: fileMode, size: max(e.item.Size, 0), modTime: e.item.ModTime}
}

func (e *entry) asDir(m *menu) *state {
	return &state{mode: dirMode, menu: m, modTime: e.item.ModTime}
}

// learn adds the size and time of the object, unless they are -1 and the zero time.
func (e *entry) learn(size int64, modTime time.Time) {
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

func (e *entry) Name() string               { return e.name }
func (e *entry) IsDir() bool                { return e.Type().IsDir() }
func (e *entry) Type() fs.FileMode          { return e.state.Load().mode.Type() }
func (e *entry) Info() (fs.FileInfo, error) { return e.info(e.name, false), nil }
func (e *entry) String() string             { return fs.FormatDirEntry(e) }

// info describes e under that name; with follow, the target of a link.
func (e *entry) info(name string, follow bool) *info {
	s := *e.state.Load()
	if follow && s.mode == linkMode {
		s = *e.asDir(s.menu)
	}
	return &info{name: name, state: s, source: Source{URL: e.item.URL, Item: e.item}}
}

type info struct {
	name   string
	state  state
	source Source
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.state.size }
func (i *info) Mode() fs.FileMode  { return i.state.mode }
func (i *info) ModTime() time.Time { return i.state.modTime }
func (i *info) IsDir() bool        { return i.state.mode.IsDir() }
func (i *info) Sys() any           { return &i.source }
func (i *info) String() string     { return fs.FormatFileInfo(i) }

func dirEntries(list []*entry) []fs.DirEntry {
	entries := make([]fs.DirEntry, len(list))
	for i, e := range list {
		entries[i] = e
	}
	return entries
}

func (e *entry) text() int64 {
	return int64(len(e.name) + e.item.URL.Len() + len(e.item.Title) + len(e.item.Note) + len(e.item.Type))
}
