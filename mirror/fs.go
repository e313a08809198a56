package mirror

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

// FSOptions configures an [FS]. Negative values are invalid.
type FSOptions struct {
	// Elsewhere includes items of other servers and schemes. A server is identified by its
	// hostname, so another name of the same server counts as another server.
	Elsewhere bool

	// Depth is the maximum number of menus on a path, without the root. A deeper menu can't be
	// opened. Zero means 64.
	Depth int
	// Entries is the maximum number of items to read from one menu, including items that do
	// not become entries. The entries before the limit are valid. Zero means 1<<20.
	Entries int
	// Menus is the maximum number of menus in the whole tree. FS needs about 200 bytes of
	// memory for each menu. Zero means 1<<20.
	Menus int

	// Keep is the time for which the entries in a menu are cached before FS reads the menu
	// again. Zero means no time limit.
	Keep time.Duration
	// CachedMenus is the maximum number of menus with cached entries. Together these menus
	// have at most FSOptions.Entries entries and 256 MiB of URLs and other text. Beyond these
	// limits, FS drops the entries of the least recently used menu, and reads that menu again
	// when a caller needs it. Zero means 4096.
	CachedMenus int
}

const (
	defaultDepth       = 64
	defaultEntries     = 1 << 20
	defaultMenus       = 1 << 20
	defaultCachedMenus = 4096
	// maxText is the maximum size of the text in cached entries, and also of the text in all
	// menus. Servers determine the length of these texts.
	maxText = 256 << 20
)

// FS is a tree of menus. An FS may be used concurrently. The methods of an FS return errors of
// type [*fs.PathError], which wrap the errors of [access.Client.Do]. An error matches
// [fs.ErrNotExist] if the server reports a missing resource, and [fs.ErrPermission] if the
// server or the policy denies access.
type FS struct {
	ctx    context.Context
	client *access.Client
	o      FSOptions
	root   *fsEntry
	server fsServer // server of the root

	mu       sync.Mutex
	menus    map[locus.URL]*fsMenu     // keys are canonical URLs
	loading  map[*fsMenu]chan struct{} // menus that are being read; finish closes the channel
	recent   *list.List                // *fsMenu values with cached entries, most recently used first
	total    int                       // number of cached entries
	text     int64                     // text in cached entries, in bytes
	menuText int64                     // text in menus, in bytes
	most     int64                     // limit for text and for menuText, usually maxText
}

var (
	_ fs.ReadDirFS  = (*FS)(nil)
	_ fs.StatFS     = (*FS)(nil)
	_ fs.ReadFileFS = (*FS)(nil)
	_ fs.ReadLinkFS = (*FS)(nil)
)

// NewFS returns the tree of menus below the menu root, which the client c opens. The options
// may be nil. NewFS does not open any URL. NewFS returns an error if root's scheme is not
// supported, or if the options are invalid. When ctx ends, all operations of the FS and its
// files fail.
func NewFS(ctx context.Context, c *access.Client, root locus.URL, o *FSOptions) (*FS, error) {
	f := &FS{ctx: ctx, client: c, menus: make(map[locus.URL]*fsMenu), loading: make(map[*fsMenu]chan struct{}), recent: list.New(), most: maxText}
	if o != nil {
		f.o = *o
	}
	if f.o.Depth < 0 || f.o.Entries < 0 || f.o.Menus < 0 || f.o.CachedMenus < 0 || f.o.Keep < 0 {
		return nil, errors.New("mirror: limits must not be negative; 0 selects the default")
	}
	f.o.Depth = cmp.Or(f.o.Depth, defaultDepth)
	f.o.Entries = cmp.Or(f.o.Entries, defaultEntries)
	f.o.Menus = cmp.Or(f.o.Menus, defaultMenus)
	f.o.CachedMenus = cmp.Or(f.o.CachedMenus, defaultCachedMenus)

	if root.IsZero() {
		return nil, errors.New("mirror: missing root URL")
	}
	root = root.WithoutFragment()
	if !f.opens(root) {
		return nil, fmt.Errorf("mirror: %s: %w: the client can't open this scheme", locus.Quote(root.Shown()), scheme.ErrUnsupported)
	}
	if _, _, err := c.Registry().Canonical(root); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	f.server = f.serverOf(root)
	m := &fsMenu{url: root}
	f.menus[f.key(root)] = m
	f.root = &fsEntry{name: ".", item: scheme.Item{URL: root, Kind: scheme.KindMenu, Size: -1}}
	f.root.state.Store(&entryState{mode: dirMode, menu: m})
	return f, nil
}

// Open opens a file or a directory. A directory is an [fs.ReadDirFile]; a file is an
// [io.Seeker].
func (f *FS) Open(name string) (fs.File, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return file, nil
}

// ReadDir returns the entries in a directory, sorted by name. If the menu is truncated or too
// large, ReadDir returns the entries before the error together with the error.
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
	m := e.state.Load().menu
	if m == nil {
		return nil, errNoDirectory
	}
	return f.listing(m, "")
}

// ReadFile returns the bytes of a file. If reading fails, ReadFile returns the bytes before
// the error together with the error.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Stat describes a file or directory, or the target of a link. The description comes from the
// menu and, if the file was opened before, from the object.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return e.info(path.Base(name), true), nil
}

// Lstat is like [FS.Stat], but describes a link itself.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, pathError("lstat", name, err)
	}
	return e.info(path.Base(name), false), nil
}

// ReadLink returns the target of a link, relative to its directory.
func (f *FS) ReadLink(name string) (string, error) {
	e, err := f.lookup(name)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	s := e.state.Load()
	if s.mode != linkMode {
		return "", pathError("readlink", name, fs.ErrInvalid)
	}
	return relativeName(path.Dir(name), f.path(s.menu)), nil
}

// relativeName returns the path to relative to the directory from.
func relativeName(from, to string) string {
	up, down := elementsOf(from), elementsOf(to)
	for len(up) > 0 && len(down) > 0 && up[0] == down[0] {
		up, down = up[1:], down[1:]
	}
	for i := range up {
		up[i] = ".."
	}
	return path.Join(append(up, append(down, ".")...)...)
}

func elementsOf(name string) []string {
	if name == "." {
		return nil
	}
	return strings.Split(name, "/")
}
