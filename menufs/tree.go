package menufs

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

// place is a menu and where in the tree it is, which stays so. It is not the
// entry: that one goes when the entries of its directory are dropped.
type place struct {
	url    locus.URL
	from   *access.Result // where the menu was found; nil: it is the root
	parent *place         // nil: it is the root
	depth  int

	// Under FS.mu:
	name    string
	kept    *listing      // nil: not read yet, or dropped
	element *list.Element // of kept in FS.recent
}

// listing is what a menu was when it was read.
type listing struct {
	entries []*entry // in the order of the menu
	text    int64    // octets in them
	names   map[string]*entry
	next    map[string]int // for names that were taken: the number to try next
	err     error          // why there is no more; nil: it is whole
	final   bool           // err would come again
	read    time.Time
}

// path returns where a menu is.
func (f *FS) path(p *place) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := "."
	for ; p.parent != nil; p = p.parent {
		name = path.Join(p.name, name)
	}
	return name
}

// lookup finds what name names. It follows links on the way and not at the end.
func (f *FS) lookup(name string) (*entry, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	e := f.root
	for _, element := range elements(name) {
		p := e.state.Load().place
		if p == nil {
			return nil, fs.ErrNotExist
		}
		l, err := f.listing(p, element)
		if err != nil {
			return nil, err
		}
		if e = l.names[element]; e == nil && l.err != nil {
			return nil, l.err // perhaps it would have come
		} else if e == nil {
			return nil, fs.ErrNotExist
		}
	}
	return e, nil
}

// listing returns the entries of p: kept, or read. want is a name that they are
// asked for; empty: all of them are.
func (f *FS) listing(p *place, want string) (l *listing, err error) {
	for {
		l, busy := f.begin(p, want)
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
	defer func() { f.finish(p, l) }()
	return f.load(p)
}

// begin returns the entries of p that are kept, if they will do: a menu that broke
// off is good for what it had. Otherwise it returns what is closed when somebody
// else has read the menu, or nil if it is now the caller's to read, and to finish.
func (f *FS) begin(p *place, want string) (l *listing, busy chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l = p.kept
	switch {
	case l == nil:
	case f.o.Keep > 0 && time.Since(l.read) >= f.o.Keep:
	case l.err != nil && !l.final && l.names[want] == nil:
	default:
		f.recent.MoveToFront(p.element)
		return l, nil
	}
	if busy = f.loading[p]; busy == nil {
		f.loading[p] = make(chan struct{})
	}
	return nil, busy
}

// finish keeps what was read of p, if it is not nil.
func (f *FS) finish(p *place, l *listing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != nil {
		f.keep(p, l)
	}
	close(f.loading[p])
	delete(f.loading, p)
}

// keep keeps the entries of p, and drops others that are too many then. FS.mu is
// held.
func (f *FS) keep(p *place, l *listing) {
	f.drop(p)
	p.kept, p.element = l, f.recent.PushFront(p)
	f.total += len(l.entries)
	f.text += l.text
	for f.recent.Len() > 1 && (f.recent.Len() > f.o.Kept || f.total > f.o.Entries || f.text > f.most) {
		f.drop(f.recent.Back().Value.(*place))
	}
}

// drop forgets the entries of p, if they are kept. FS.mu is held.
func (f *FS) drop(p *place) {
	if p.kept == nil {
		return
	}
	f.total -= len(p.kept.entries)
	f.text -= p.kept.text
	f.recent.Remove(p.element)
	p.kept, p.element = nil, nil
}

// load reads the menu of p.
func (f *FS) load(p *place) (*listing, error) {
	if p.depth > f.o.Depth {
		return nil, fmt.Errorf("%w: more than %d menus on a path", scheme.ErrTooLarge, f.o.Depth)
	}
	r, err := f.client.Do(f.ctx, access.Request{URL: p.url, From: p.from})
	if err != nil {
		return nil, err
	}
	defer r.Resource.Close()
	m, ok := r.Resource.(*scheme.Menu)
	if !ok {
		return nil, fmt.Errorf("%w: %s is no menu", errNoDirectory, locus.Quote(r.URL.Redacted()))
	}
	return f.read(p, r, m), nil
}

// read makes entries of the items of m, which r is about.
func (f *FS) read(p *place, r *access.Result, m *scheme.Menu) *listing {
	l := &listing{names: make(map[string]*entry), read: time.Now()}
	from := &access.Result{URL: r.URL, Zone: r.Zone}
	own := make(map[*place]bool)
	items := 0
	for item, err := range m.Items {
		if items++; err == nil && items > f.o.Entries {
			err = fmt.Errorf("%w: a menu of more than %d items", scheme.ErrTooLarge, f.o.Entries)
			l.final = true
		}
		if err != nil {
			l.err = err
			break
		}
		if !f.has(item) {
			continue
		}
		e := &entry{name: l.unique(f.nameOf(item), item.Kind == scheme.KindMenu), item: item, from: from, parent: p}
		if l.text += e.text(); l.text > f.most {
			l.err, l.final = fmt.Errorf("%w: a menu with more than %d octets of text", scheme.ErrTooLarge, f.most), true
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

// settle says what e is. A menu that has no place yet gets its place here; own
// are those that are already in this directory.
func (f *FS) settle(e *entry, own map[*place]bool) error {
	if e.item.Kind == scheme.KindObject {
		e.state.Store(e.asFile())
		return nil
	}
	key := f.key(e.item.URL)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.places[key]
	if p == nil && e.item.Kind != scheme.KindMenu {
		e.state.Store(e.asFile())
		return nil
	}
	if p == nil {
		var err error
		if p, err = f.add(key, e); err != nil {
			return err
		}
	}
	if p.parent != e.parent || own[p] {
		e.state.Store(&state{mode: linkMode, place: p})
		return nil
	}
	own[p] = true
	p.name = e.name // another, if the menu has changed
	e.state.Store(e.asDir(p))
	return nil
}

// add makes the place of the menu that e is. FS.mu is held.
func (f *FS) add(key locus.URL, e *entry) (*place, error) {
	if len(f.places) >= f.o.Menus {
		return nil, fmt.Errorf("%w: a tree of more than %d menus", scheme.ErrTooLarge, f.o.Menus)
	}
	if f.placed += int64(e.item.URL.Len() + len(e.name)); f.placed > f.most {
		return nil, fmt.Errorf("%w: a tree of menus with more than %d octets of URLs", scheme.ErrTooLarge, f.most)
	}
	p := &place{url: e.item.URL, from: e.from, parent: e.parent, depth: e.parent.depth + 1, name: e.name}
	f.places[key] = p
	return p, nil
}

// turn makes a menu of an entry that counted as a file and, opened, was one.
func (f *FS) turn(e *entry) error {
	key := f.key(e.item.URL)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.places[key]
	if p == nil {
		var err error
		if p, err = f.add(key, e); err != nil {
			return err
		}
	}
	if p.parent == e.parent && p.name == e.name {
		e.state.Store(e.asDir(p))
	} else {
		e.state.Store(&state{mode: linkMode, place: p})
	}
	return nil
}

// key returns what a menu is known by: its canonical URL.
func (f *FS) key(u locus.URL) locus.URL {
	u = plain(u)
	if canonical, _, err := f.client.Registry().Canonical(u); err == nil {
		return canonical
	}
	return u
}

// plain returns u without its fragment, and without a Gopher+ string that asks for
// the default view (RFC 1738 section 3.4.6): it is the same item without.
func plain(u locus.URL) locus.URL {
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

// has reports whether item is an entry.
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

// opens reports whether URLs of u's scheme can be opened.
func (f *FS) opens(u locus.URL) bool {
	s, _ := f.client.Registry().Lookup(u.Scheme())
	return s.Opener != nil
}

// server is what URLs of one server have in common.
type server struct {
	scheme, host string
	port         uint16
}

func (f *FS) serverOf(u locus.URL) server {
	port, ok := u.Port()
	if !ok {
		s, _ := f.client.Registry().Lookup(u.Scheme())
		port = s.Port
	}
	return server{u.Scheme(), strings.ToLower(strings.TrimSuffix(u.Host(), ".")), port}
}
