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

// Source is where an entry comes from. It is what FileInfo.Sys returns, as a
// *Source.
type Source struct {
	// URL is what the entry leads to; of an open file where it was found in the
	// end, after referrals.
	URL locus.URL
	// Item is the line of the menu. Of an open file its Type, Size and ModTime are
	// those of the object as far as that tells. The root has no line; its Item has
	// a URL and a Kind.
	Item scheme.Item
}

// entry is an item of a menu. It is the [fs.DirEntry] for it.
type entry struct {
	name   string
	item   scheme.Item
	from   *access.Result // the menu
	parent *place         // the same
	state  atomic.Pointer[state]
}

// state is what is known of an entry, which grows when it is opened.
type state struct {
	mode    fs.FileMode
	place   *place // of a directory and a link
	size    int64
	modTime time.Time
}

func (e *entry) asFile() *state {
	return &state{mode: fileMode, size: max(e.item.Size, 0), modTime: e.item.ModTime}
}

func (e *entry) asDir(p *place) *state {
	return &state{mode: dirMode, place: p, modTime: e.item.ModTime}
}

// learn adds what an object tells of itself; size -1 and the zero time are what
// it does not.
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

// info describes e under the name by which it was asked for; follow: or what it
// leads to.
func (e *entry) info(name string, follow bool) *info {
	s := *e.state.Load()
	if follow && s.mode == linkMode {
		s = *e.asDir(s.place)
	}
	return &info{name: name, state: s, source: Source{URL: e.item.URL, Item: e.item}}
}

// info is an [fs.FileInfo].
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

// text is how many octets of text e keeps.
func (e *entry) text() int64 {
	return int64(len(e.name) + e.item.URL.Len() + len(e.item.Title) + len(e.item.Note) + len(e.item.Type))
}
