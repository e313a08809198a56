package menufs

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// Options are what an [FS] may be told besides. The zero Options are sensible.
type Options struct {
	// Elsewhere lets in what leads to other servers and by other schemes. So does a
	// link to the same server under another name than the root's.
	Elsewhere bool

	// Depth is the most menus on a path, the root not counted; 0: 64. A menu that
	// is deeper is an entry and can't be opened.
	Depth int
	// Entries is the most items that are read of one menu, those that are no
	// entries included; 0: 1<<20. The entries before that are good.
	Entries int
	// Menus is the most menus in the whole tree; 0: 1<<20. What one remembers of a
	// menu for good is some 200 octets.
	Menus int

	// Keep is how long the entries of a menu are kept before it is read again; 0:
	// as long as the FS is there.
	Keep time.Duration
	// Kept is the most menus whose entries are kept; 0: 4096. The one that was not
	// used for the longest time is dropped, and read again when it is needed. They
	// have no more than Options.Entries entries between them, nor more than 256 MiB
	// of URLs and other text.
	Kept int
}

const (
	defaultDepth   = 64
	defaultEntries = 1 << 20
	defaultMenus   = 1 << 20
	defaultKept    = 4096
	// mostText is the most octets of URLs and other text that are kept of entries, and
	// as much again of menus for good: each may be as long as its server likes.
	mostText = 256 << 20
)

// FS is a tree of menus. It may be used from many goroutines at once. Its errors
// are [*fs.PathError]; by [errors.Is] they are [fs.ErrNotExist] and
// [fs.ErrPermission] where the server, or the policy, says so, and whatever else
// [access.Client.Do] returns.
type FS struct {
	ctx    context.Context
	client *access.Client
	o      Options
	root   *entry
	server server // of the root

	mu      sync.Mutex
	places  map[locus.URL]*place     // by canonical URLs
	loading map[*place]chan struct{} // menus that are being read; closed at the end
	recent  *list.List               // of *place, those whose entries are kept; used last in front
	total   int                      // of those entries
	text    int64                    // octets in them
	placed  int64                    // octets in places
	most    int64                    // of either: mostText
}

var (
	_ fs.ReadDirFS  = (*FS)(nil)
	_ fs.StatFS     = (*FS)(nil)
	_ fs.ReadFileFS = (*FS)(nil)
	_ fs.ReadLinkFS = (*FS)(nil)
)

// New returns the tree whose root is a menu, opened with c. It opens nothing yet:
// the error is about root's scheme or about o, which may be nil. When ctx ends,
// everything ends that the FS and its files do.
func New(ctx context.Context, c *access.Client, root locus.URL, o *Options) (*FS, error) {
	f := &FS{ctx: ctx, client: c, places: make(map[locus.URL]*place), loading: make(map[*place]chan struct{}), recent: list.New(), most: mostText}
	if o != nil {
		f.o = *o
	}
	if f.o.Depth < 0 || f.o.Entries < 0 || f.o.Menus < 0 || f.o.Kept < 0 || f.o.Keep < 0 {
		return nil, errors.New("menufs: a limit is less than 0; 0 stands for its default")
	}
	f.o.Depth = cmp.Or(f.o.Depth, defaultDepth)
	f.o.Entries = cmp.Or(f.o.Entries, defaultEntries)
	f.o.Menus = cmp.Or(f.o.Menus, defaultMenus)
	f.o.Kept = cmp.Or(f.o.Kept, defaultKept)

	if root.IsZero() {
		return nil, errors.New("menufs: there is no root")
	}
	root = root.WithoutFragment()
	if !f.opens(root) {
		return nil, fmt.Errorf("menufs: %s: %w: nothing opens its scheme", locus.Quote(root.Redacted()), scheme.ErrUnsupported)
	}
	if _, _, err := c.Registry().Canonical(root); err != nil {
		return nil, fmt.Errorf("menufs: %w", err)
	}
	f.server = f.serverOf(root)
	p := &place{url: root}
	f.places[f.key(root)] = p
	f.root = &entry{name: ".", item: scheme.Item{URL: root, Kind: scheme.KindMenu, Size: -1}}
	f.root.state.Store(&state{mode: dirMode, place: p})
	return f, nil
}

// Open opens a file or a directory. A directory is an [fs.ReadDirFile], a file an
// [io.Seeker].
func (f *FS) Open(name string) (fs.File, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return file, nil
}

// ReadDir returns the entries of a directory, sorted by name. If it breaks off or
// is too large, they are those before that, and the error says so.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	l, err := f.readDir(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	entries := dirEntries(l.entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, pathError("readdir", name, l.err)
}

func (f *FS) readDir(name string) (*listing, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, err
	}
	p := e.state.Load().place
	if p == nil {
		return nil, errNoDirectory
	}
	return f.listing(p, "")
}

// ReadFile returns the octets of a file. If it breaks off, they are those before
// that.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Stat describes a file or directory, or what a link leads to, as far as the menus
// on the way tell and opening it told.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return e.info(path.Base(name), true), nil
}

// Lstat is [FS.Stat] but for a link, which it describes itself.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, pathError("lstat", name, err)
	}
	return e.info(path.Base(name), false), nil
}

// ReadLink returns the path that a link leads to, relative to its directory.
func (f *FS) ReadLink(name string) (string, error) {
	e, err := f.lookup(name)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	s := e.state.Load()
	if s.mode != linkMode {
		return "", pathError("readlink", name, fs.ErrInvalid)
	}
	return relative(path.Dir(name), f.path(s.place)), nil
}

// relative returns the path that leads from the directory from to another.
func relative(from, to string) string {
	up, down := elements(from), elements(to)
	for len(up) > 0 && len(down) > 0 && up[0] == down[0] {
		up, down = up[1:], down[1:]
	}
	for i := range up {
		up[i] = ".."
	}
	return path.Join(append(up, append(down, ".")...)...)
}

// elements returns the names that a path is made of.
func elements(name string) []string {
	if name == "." {
		return nil
	}
	return strings.Split(name, "/")
}
