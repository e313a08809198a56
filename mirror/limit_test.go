package mirror_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
)

// repeated returns a menu with n times the same item, and adds to read how many were read.
func repeated(n int, item scheme.Item, read *atomic.Int64) *scheme.Menu {
	return &scheme.Menu{
		Items: func(yield func(scheme.Item, error) bool) {
			for i := 0; i < n; i++ {
				read.Add(1)
				if !yield(item, nil) {
					return
				}
			}
		},
		Source: func() ([]byte, string) { return []byte("items"), "text/plain" },
	}
}

// A million items of a menu are read. A menu with more is a failure.
func TestLongMenu(t *testing.T) {
	for n, want := range map[int]int64{1 << 20: 1 << 20, 1<<20 + 1: 1<<20 + 1, 1 << 30: 1<<20 + 1} {
		var read atomic.Int64
		s := (&fixture{}).scheme()
		s.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			m := repeated(n, scheme.Item{Title: "x", Kind: scheme.KindInfo, Size: -1}, &read)
			m.URL = req.URL
			return m, nil
		})
		out := run(t, newClient(t, s), t.TempDir(), &mirror.Options{Politeness: access.Politeness{Retry: access.None}}, "x-menu://h/")
		err := out.events["x-menu://h/"].Err
		if got := read.Load(); got != want || out.Complete != (n == 1<<20) || (err == nil) != out.Complete || err != nil && !strings.Contains(err.Error(), "the menu has more than 1048576 items") {
			t.Errorf("%d items: %d were read; %+v, %v", n, got, out.Summary, err)
		}
	}
}

// While a page does not end, 128 Ki links of those after it are held. The others are read
// again, and none is lost.
func TestHeldLinks(t *testing.T) {
	const menus, links = 200, 1000
	const late = menus - 1<<17/links
	var opened, read atomic.Int64
	release := make(chan struct{})
	var once sync.Once
	s := (&fixture{}).scheme()
	s.Access.Opener = scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		path, _ := req.URL.Path()
		m := &scheme.Menu{Items: func(func(scheme.Item, error) bool) {}}
		switch {
		case path == "":
			m.Items = func(yield func(scheme.Item, error) bool) {
				for i := range menus + 1 {
					if !yield(item(scheme.KindMenu, fmt.Sprint(i), fmt.Sprintf("%d/", i)), nil) {
						return
					}
				}
			}
		case path == "0/":
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case strings.HasSuffix(path, "/"):
			m = repeated(links, item(scheme.KindObject, "x", path+"x"), &read)
			// The first is slow until all others were read.
			if opened.Add(1) == menus {
				once.Do(func() { close(release) })
			}
		default:
			return &scheme.Object{URL: req.URL, Size: 1, Type: "text/plain", Body: io.NopCloser(strings.NewReader("x"))}, nil
		}
		m.URL = req.URL
		return m, nil
	})
	out := mustRun(t, newClient(t, s), t.TempDir(), &mirror.Options{Politeness: access.Politeness{Parallel: 2, PerHost: 2}}, "x-menu://h/")
	if n := opened.Load(); n < menus+late-1 || n > menus+late || read.Load() != n*links || out.Added != 2+2*menus || !out.Complete {
		t.Errorf("%d menus of %d were read again, want %d; %+v", n-menus, menus, late, out.Summary)
	}
}
