package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
)

// menuFixture has the pages of the scheme x-menu: "x-menu://h/a" is pages["a"]. Opening them
// dials nothing.
type menuFixture struct {
	pages map[string]menuPage

	mu     sync.Mutex
	asked  []string
	bodies int // open ones
}

// menuPage is a menu if it has items, and otherwise an object.
type menuPage struct {
	items []scheme.Item
	err   error // after the items or the octets
	more  func(i int) (scheme.Item, bool)

	data    string
	size    bool // the object has a size
	resumes bool // it can be opened in its middle
	modTime time.Time
	tag     func() string
	refuse  error // instead of the page
	wait    bool  // the octets never arrive
}

// menuItemOf returns a link to x-menu://h/path.
func menuItemOf(kind scheme.ItemKind, title, path string) scheme.Item {
	return scheme.Item{URL: parse("x-menu://h/" + path), Title: title, Kind: kind, Size: -1}
}

func menuItem(path string) scheme.Item   { return menuItemOf(scheme.KindMenu, path, path) }
func objectItem(path string) scheme.Item { return menuItemOf(scheme.KindObject, path, path) }

func (w *menuFixture) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	path, _ := req.URL.Path()
	w.mu.Lock()
	w.asked = append(w.asked, path)
	p, ok := w.pages[path]
	w.mu.Unlock()
	switch {
	case !ok:
		return nil, fmt.Errorf("x-menu: %w", scheme.ErrNotFound)
	case p.refuse != nil:
		return nil, p.refuse
	case p.items != nil || p.more != nil:
		return w.menu(req, p), nil
	}
	return w.object(ctx, req, p), nil
}

func (w *menuFixture) menu(req *scheme.Request, p menuPage) *scheme.Menu {
	w.count(1)
	return &scheme.Menu{URL: req.URL, Closer: closer{w}, Items: func(yield func(scheme.Item, error) bool) {
		for _, i := range p.items {
			if !yield(i, nil) {
				return
			}
		}
		for n := 0; p.more != nil; n++ {
			i, ok := p.more(n)
			if !ok {
				break
			}
			if !yield(i, nil) {
				return
			}
		}
		if p.err != nil {
			yield(scheme.Item{}, p.err)
		}
	}}
}

func (w *menuFixture) object(ctx context.Context, req *scheme.Request, p menuPage) *scheme.Object {
	w.count(1)
	o := &scheme.Object{URL: req.URL, Size: -1, ModTime: p.modTime, Type: "text/plain"}
	if p.size {
		o.Size = int64(len(p.data))
	}
	if p.tag != nil {
		o.Tag = p.tag()
	}
	if p.resumes {
		o.Start = min(req.Offset, int64(len(p.data)))
	}
	b := &body{closer: closer{w}, Reader: io.MultiReader(strings.NewReader(p.data[o.Start:]), failing{p.err})}
	if p.wait {
		ctx, cancel := context.WithCancel(ctx)
		b.cancel = cancel
		b.Reader = io.MultiReader(strings.NewReader(p.data), waiting{ctx})
	}
	o.Body = b
	return o
}

func (w *menuFixture) count(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bodies += n
}

// requests returns the paths that were requested since its last call.
func (w *menuFixture) requests() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.asked
	w.asked = nil
	return strings.Join(list, " ")
}

type body struct {
	closer
	io.Reader
	cancel context.CancelFunc
	once   sync.Once
}

func (b *body) Close() error {
	b.once.Do(func() {
		b.closer.Close()
		if b.cancel != nil {
			b.cancel()
		}
	})
	return nil
}

type closer struct{ w *menuFixture }

func (c closer) Close() error {
	c.w.count(-1)
	return nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, errors.New("closed")
}

// client returns a client for w, ftp and files.
func (w *menuFixture) client(t testing.TB) *access.Client {
	t.Helper()
	row := scheme.Generic("x-menu", scheme.Experimental)
	row.Port, row.Access.Opener = 7000, w
	ftpClient := ftp.New(nil)
	registry, err := scheme.NewRegistry(row, ftp.Scheme(ftpClient), gopher.Scheme(gopher.New(nil)), file.Scheme(file.New(nil)), scheme.Generic("x-closed", scheme.Experimental))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true, Files: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, rules, nil)
	t.Cleanup(func() {
		ftpClient.Close()
		c.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.bodies != 0 {
			t.Errorf("%d resources were not closed", w.bodies)
		}
	})
	return c
}

// fs returns the tree at x-menu://h/.
func (w *menuFixture) fs(t testing.TB, o *mirror.FSOptions) *mirror.FS {
	t.Helper()
	return newFS(t, w.client(t), "x-menu://h/", o)
}

func newFS(t testing.TB, c *access.Client, root string, o *mirror.FSOptions) *mirror.FS {
	t.Helper()
	f, err := mirror.NewFS(t.Context(), c, parse(root), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tree walks f and returns the paths, with "/" after a directory, " -> " and the target
// after a link, and errors.
func tree(t testing.TB, f fs.FS) string {
	t.Helper()
	var b strings.Builder
	count := 0
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if count++; count > 10_000 {
			return errors.New("it does not end")
		}
		switch {
		case err != nil:
			fmt.Fprintf(&b, "%s!\n", name)
		case d.IsDir():
			fmt.Fprintf(&b, "%s/\n", name)
		case d.Type() == fs.ModeSymlink:
			to, err := fs.ReadLink(f, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s -> %s\n", name, to)
		default:
			fmt.Fprintln(&b, name)
		}
		return nil
	})
	if err != nil {
		t.Errorf("WalkDir: %v", err)
	}
	return b.String()
}

func names(entries []fs.DirEntry) string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, "|")
}
