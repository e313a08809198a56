package mirror_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
)

// crowd is a scheme with many menus of a thousand objects each.
type crowd struct{ menus int }

func (c crowd) Open(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	path, _ := req.URL.Path()
	var items []scheme.Item
	switch {
	case path == "":
		for i := range c.menus {
			items = append(items, item(scheme.KindMenu, fmt.Sprint(i), fmt.Sprintf("menu%06d/", i)))
		}
	case strings.HasSuffix(path, "/"):
		for i := range 1000 {
			items = append(items, item(scheme.KindObject, fmt.Sprint(i), fmt.Sprintf("%san-object-with-a-name-%d", path, i)))
		}
	default:
		return &scheme.Object{URL: req.URL, Size: 0, Type: "text/plain", Body: io.NopCloser(strings.NewReader(""))}, nil
	}
	return &scheme.Menu{URL: req.URL, Items: func(yield func(scheme.Item, error) bool) {
		for _, i := range items {
			if !yield(i, nil) {
				return
			}
		}
	}}, nil
}

// A URL that is known needs little memory, whether it was fetched or not. With CI=true
// there are a million.
func TestMemory(t *testing.T) {
	c := crowd{menus: 20}
	if os.Getenv("CI") == "true" {
		c.menus = 1000
	}
	s := (&fixture{}).scheme()
	s.Access.Opener = c
	var most atomic.Uint64
	measure := func() {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapAlloc))
	}
	measure()
	before := most.Load()
	n := 0
	o := &mirror.Options{Include: pattern("*/none/"), Politeness: access.Politeness{PerHost: 8, Interval: access.None}, Report: func(mirror.Event) {
		if n++; n%max(c.menus/10, 1) == 0 {
			measure()
		}
	}}
	client := newClient(t, s)
	sum, err := mirror.Run(context.Background(), client, t.TempDir(), []locus.URL{parse("x-menu://h/")}, o)
	measure()
	if err != nil || sum.Added != c.menus+1 || sum.Failed > 0 {
		t.Fatalf("%v, %+v", err, sum)
	}
	urls := uint64(c.menus * 1000)
	used := most.Load() - min(before, most.Load())
	t.Logf("%d URLs, %d MiB, %d bytes each", urls, used>>20, used/urls)
	// Half of it is what few URLs need, too.
	if used > urls*250+(32<<20) {
		t.Errorf("%d bytes of %d URLs", used, urls)
	}
}
