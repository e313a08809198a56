package mirror

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// The text in one menu, the text in all cached entries, and the URLs of all menus are limited.
func TestFSMuchText(t *testing.T) {
	s := scheme.Generic("x-menu", scheme.Experimental)
	s.Access.Opener = scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, scheme.ErrNotFound })
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	root := locus.MustParse("x-menu://h/")
	tree := func() *FS {
		f, err := NewFS(t.Context(), access.New(registry, policy.Policy{}, nil), root, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.most = 10_000
		return f
	}
	makeMenu := func(kind scheme.ItemKind, title string) *scheme.Menu {
		return &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
			for i := range 100 {
				u := locus.MustParse(fmt.Sprintf("x-menu://h/%s/%d", strings.Repeat("u", 100), i))
				if !yield(scheme.Item{URL: u, Title: title, Kind: kind}, nil) {
					return
				}
			}
		}}
	}
	read := func(f *FS, m *scheme.Menu) *listing { return f.read(&fsMenu{url: root}, &access.Result{URL: root}, m) }
	l := read(tree(), makeMenu(scheme.KindObject, strings.Repeat("t", 1000)))
	if n := len(l.entries); n < 3 || n > 9 || !errors.Is(l.err, scheme.ErrTooLarge) || !l.final {
		t.Errorf("%d entries of 2,000 octets in 10,000: %v", n, l.err)
	}
	f := tree()
	f.most = 20_000
	if l = read(f, makeMenu(scheme.KindMenu, "t")); l.err != nil || len(l.entries) != 100 {
		t.Errorf("%d menus: %v", len(l.entries), l.err)
	}
	f.most = 10_000
	if _, err := f.menu(locus.MustParse("x-menu://h/new"), l.entries[0]); !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("one menu more: %v", err)
	}
	f = tree()
	for range 3 {
		f.keep(&fsMenu{}, &listing{text: 6_000, read: time.Now()})
	}
	if f.recent.Len() != 1 || f.text != 6_000 {
		t.Errorf("%d menus with %d octets are kept", f.recent.Len(), f.text)
	}
}
