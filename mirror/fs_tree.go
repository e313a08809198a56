package mirror

import (
	"container/list"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// fsMenu is a menu at a path that never changes. The cache may drop the entries of a
// directory, but not an fsMenu.
type fsMenu struct {
	url    locus.URL
	from   *access.Result // parent menu; nil for the root
	parent *fsMenu        // nil for the root
	depth  int

	// FS.mu guards the following fields.
	name    string
	listing *listing      // nil if the menu was not read, or if its entries were dropped
	element *list.Element // position in FS.recent
}

// listing holds the entries of a menu at the time when the menu was read.
type listing struct {
	entries []*fsEntry // entries in the order of the menu
	text    int64      // text in entries, in bytes
	names   map[string]*fsEntry
	next    map[string]int // for each name, the next number for a duplicate
	err     error          // reason why entries are missing; nil if the listing is complete
	final   bool           // whether reading the menu again would return the same err
	read    time.Time
}

func (f *FS) path(m *fsMenu) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := "."
	for ; m.parent != nil; m = m.parent {
		name = path.Join(m.name, name)
	}
	return name
}

// lookup finds the entry at a path. Links are followed, except in the last element of the
// path.
func (f *FS) lookup(name string) (*fsEntry, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	e := f.root
	for _, element := range elementsOf(name) {
		m := e.state.Load().menu
		if m == nil {
			return nil, fs.ErrNotExist
		}
		l, err := f.listing(m, element)
		if err != nil {
			return nil, err
		}
		if e = l.names[element]; e == nil && l.err != nil {
			return nil, l.err // a missing entry may have this name
		} else if e == nil {
			return nil, fs.ErrNotExist
		}
	}
	return e, nil
}

// listing returns the cached entries of m, or reads the menu. If the argument want is not
// empty, the caller needs only the entry with this name.
func (f *FS) listing(m *fsMenu, want string) (l *listing, err error) {
	for {
		l, busy := f.begin(m, want)
		if l != nil {
			return l, nil
		}
		if busy == nil {
			break
		}
		select {
		case <-busy:
		case <-f.ctx.Done():
			return nil, f.ctx.Err()
		}
	}
	defer func() { f.finish(m, l) }()
	return f.load(m)
}

// begin returns the cached entries of m if they are recent enough, and if they are complete or
// include the wanted name. Otherwise, l is nil. If busy is not nil, another goroutine is reading
// the menu, and closes the channel busy afterwards. If both results are nil, the caller must
// read the menu and call finish.
func (f *FS) begin(m *fsMenu, want string) (l *listing, busy chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l = m.listing
	switch {
	case l == nil:
	case f.o.Keep > 0 && time.Since(l.read) >= f.o.Keep:
	case l.err != nil && !l.final && l.names[want] == nil:
	default:
		f.recent.MoveToFront(m.element)
		return l, nil
	}
	if busy = f.loading[m]; busy == nil {
		f.loading[m] = make(chan struct{})
	}
	return nil, busy
}

// finish wakes the goroutines that wait for the menu m. Unless l is nil, finish also caches
// the entries l.
func (f *FS) finish(m *fsMenu, l *listing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != nil {
		f.keep(m, l)
	}
	close(f.loading[m])
	delete(f.loading, m)
}

// keep caches the entries of m. If the cache exceeds its limits, keep drops the entries of
// other menus. The caller must hold f.mu.
func (f *FS) keep(m *fsMenu, l *listing) {
	f.drop(m)
	m.listing, m.element = l, f.recent.PushFront(m)
	f.total += len(l.entries)
	f.text += l.text
	for f.recent.Len() > 1 && (f.recent.Len() > f.o.CachedMenus || f.total > f.o.Entries || f.text > f.most) {
		f.drop(f.recent.Back().Value.(*fsMenu))
	}
}

// drop drops the entries of m, if they are cached. The caller must hold f.mu.
func (f *FS) drop(m *fsMenu) {
	if m.listing == nil {
		return
	}
	f.total -= len(m.listing.entries)
	f.text -= m.listing.text
	f.recent.Remove(m.element)
	m.listing, m.element = nil, nil
}

func (f *FS) load(m *fsMenu) (*listing, error) {
	if m.depth > f.o.Depth {
		return nil, fmt.Errorf("%w: the path has more than %d menus", scheme.ErrTooLarge, f.o.Depth)
	}
	r, err := f.client.Do(f.ctx, access.Request{URL: m.url, From: m.from})
	if err != nil {
		return nil, err
	}
	defer r.Resource.Close()
	resource, ok := r.Resource.(*scheme.Menu)
	if !ok {
		return nil, fmt.Errorf("%w: %s is not a menu", errNoDirectory, locus.Quote(r.URL.Shown()))
	}
	return f.read(m, r, resource), nil
}

// read creates the entries for the items of a menu.
func (f *FS) read(m *fsMenu, r *access.Result, resource *scheme.Menu) *listing {
	l := &listing{names: make(map[string]*fsEntry), read: time.Now()}
	from := &access.Result{URL: r.URL, LinkOrigin: r.LinkOrigin}
	own := make(map[*fsMenu]bool)
	items := 0
	for item, err := range resource.Items {
		if items++; err == nil && items > f.o.Entries {
			err = fmt.Errorf("%w: the menu has more than %d items", scheme.ErrTooLarge, f.o.Entries)
			l.final = true
		}
		if err != nil {
			l.err = err
			break
		}
		if !f.has(item) {
			continue
		}
		e := &fsEntry{name: l.unique(f.nameOf(item), item.Kind == scheme.KindMenu), item: item, from: from, parent: m}
		if l.text += e.text(); l.text > f.most {
			l.err, l.final = fmt.Errorf("%w: the menu has more than %d bytes of text", scheme.ErrTooLarge, f.most), true
			break
		}
		if err := f.settle(e, own); err != nil {
			l.err, l.final = err, true
			break
		}
		l.entries = append(l.entries, e)
		l.names[e.name] = e
	}
	return l
}

// settle sets the state of e. The map own contains the menus that are already entries of the
// same directory.
func (f *FS) settle(e *fsEntry, own map[*fsMenu]bool) error {
	isMenu := e.item.Kind == scheme.KindMenu
	key := f.key(e.item.URL)
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.item.Kind == scheme.KindObject || !isMenu && f.menus[key] == nil {
		e.state.Store(e.asFile())
		return nil
	}
	m, err := f.menu(key, e)
	if err != nil {
		return err
	}
	if m.parent != e.parent || own[m] {
		e.state.Store(&entryState{mode: linkMode, menu: m})
		return nil
	}
	own[m] = true
	m.name = e.name // the name may have changed since the parent menu was last read
	e.state.Store(e.asDir(m))
	return nil
}

// toMenu turns an entry into a directory or a link. Before it was opened, the entry was
// presented as a file.
func (f *FS) toMenu(e *fsEntry) error {
	key := f.key(e.item.URL)
	f.mu.Lock()
	defer f.mu.Unlock()
	m, err := f.menu(key, e)
	if err != nil {
		return err
	}
	if m.parent == e.parent && m.name == e.name {
		e.state.Store(e.asDir(m))
	} else {
		e.state.Store(&entryState{mode: linkMode, menu: m})
	}
	return nil
}

// menu returns the menu with the given key. A new menu gets the path of e. The caller must hold
// f.mu.
func (f *FS) menu(key locus.URL, e *fsEntry) (*fsMenu, error) {
	if m := f.menus[key]; m != nil {
		return m, nil
	}
	if len(f.menus) >= f.o.Menus {
		return nil, fmt.Errorf("%w: the tree has more than %d menus", scheme.ErrTooLarge, f.o.Menus)
	}
	if f.menuText += int64(e.item.URL.Len() + len(e.name)); f.menuText > f.most {
		return nil, fmt.Errorf("%w: the URLs of the menus have more than %d bytes", scheme.ErrTooLarge, f.most)
	}
	m := &fsMenu{url: e.item.URL, from: e.from, parent: e.parent, depth: e.parent.depth + 1, name: e.name}
	f.menus[key] = m
	return m, nil
}

func (f *FS) key(u locus.URL) locus.URL {
	u = withoutView(u)
	if canonical, _, err := f.client.Registry().Canonical(u); err == nil {
		return canonical
	}
	return u
}

// withoutView returns u without the fragment. withoutView also removes a Gopher+ string that
// requests the default view (RFC 1738 section 3.4.6), because both URLs name the same item.
func withoutView(u locus.URL) locus.URL {
	u = u.WithoutFragment()
	if s := u.Scheme(); s != "gopher" && s != "gophers" {
		return u
	}
	text, ok := strings.CutSuffix(u.String(), "%09%09+")
	if v, err := locus.Parse(text); ok && err == nil {
		return v
	}
	return u
}

func (f *FS) has(item scheme.Item) bool {
	switch item.Kind {
	case scheme.KindObject, scheme.KindMenu, scheme.KindUnknown, "":
	default:
		return false
	}
	if item.URL.IsZero() {
		return false
	}
	if f.o.Elsewhere {
		return f.opens(item.URL)
	}
	return f.serverOf(item.URL) == f.server
}

// opens reports whether the client supports the scheme of u.
func (f *FS) opens(u locus.URL) bool {
	s, _ := f.client.Registry().Lookup(u.Scheme())
	return s.Access.Opener != nil
}

type fsServer struct {
	scheme, host string
	port         uint16
}

func (f *FS) serverOf(u locus.URL) fsServer {
	port, ok := u.Port()
	if !ok {
		s, _ := f.client.Registry().Lookup(u.Scheme())
		port = s.Port
	}
	return fsServer{u.Scheme(), strings.ToLower(strings.TrimSuffix(u.Host(), ".")), port}
}
