package get

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// cutMenu is a menu that ends with an error after the given number of items.
type cutMenu struct{ items int }

func (c cutMenu) Open(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	return &scheme.Menu{URL: req.URL, Title: "t", Items: func(yield func(scheme.Item, error) bool) {
		u := locus.MustParse("x-menu://h/item")
		for range c.items {
			if !yield(scheme.Item{URL: u, Title: "item & more", Kind: scheme.KindObject, Size: -1}, nil) {
				return
			}
		}
		yield(scheme.Item{}, fmt.Errorf("%w: it broke", scheme.ErrProtocol))
	}}, nil
}

// menuGetter returns a getter that supports only the scheme x-menu and writes to out.
func menuGetter(t testing.TB, opener scheme.Opener, out io.Writer) *getter {
	t.Helper()
	a := base.New(t.Context(), strings.NewReader(""), out, io.Discard, func(string) string { return "" })
	s := scheme.Generic("x-menu", scheme.Experimental)
	s.Access.Opener, s.Access.Protocol = opener, "memory"
	var err error
	if a.Registry, err = scheme.NewRegistry(s); err != nil {
		t.Fatal(err)
	}
	g := &getter{Viewer: show.Viewer{App: a, Client: memoryClient(a.Registry)}}
	g.RunSession = g.session
	return g
}

// The output contains the items before an error, and then the error.
func TestMenuCut(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		g := menuGetter(t, cutMenu{2}, &out)
		g.App.Flags.JSON = asJSON
		if err := g.toStream(t.Context(), []string{"x-menu://h/"}, g.Stdout()); err != nil {
			t.Fatal(err)
		}
		g.App.Out.Flush()
		if g.App.ExitStatus() != base.StatusAccess {
			t.Errorf("status %d, want g.App.ExitStatus() %d", g.App.ExitStatus(), base.StatusAccess)
		}
		if !asJSON {
			if want := strings.Repeat("item & more\tx-menu://h/item\n", 2); out.String() != want {
				t.Errorf("%q, want %q", out.String(), want)
			}
			continue
		}
		var v struct {
			URL, Kind, Title string
			Items            []struct{ URL, Title, Kind string }
			Error            struct{ Kind, Message string }
		}
		if err := json.Unmarshal(out.Bytes(), &v); err != nil || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%v: %s, want no error", err, out.String())
		}
		if v.Kind != "menu" || len(v.Items) != 2 || v.Items[1].Title != "item & more" || v.Error.Kind != "protocol" || v.Error.Message == "" {
			t.Errorf("%+v, want v.Kind %q, 2 of v.Items, v.Items[1].Title %q, v.Error.Kind %q and some v.Error.Message", v, "menu", "item & more", "protocol")
		}
	}
}

// A long menu needs no more memory than a short menu.
func TestMenuStreams(t *testing.T) {
	for _, mode := range []string{"lines", "table", "json"} {
		g := menuGetter(t, cutMenu{400_000}, io.Discard)
		g.App.Flags.JSON, g.App.OutTTY = mode == "json", mode == "table"
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := g.toStream(t.Context(), []string{"x-menu://h/"}, g.Stdout()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.Sys) - int64(before.Sys); grown > 32<<20 {
			t.Errorf("%s: %d octets more", mode, grown)
		}
	}
}

func TestGetInterruptedMany(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var l leftovers
	e := &transfer.Error{Err: ctx.Err()}
	if l.add(e) {
		t.Error("a message for each that was not begun")
	}
	e.Part = "x.part"
	if !l.add(e) || !l.add(errors.New("else")) {
		t.Error("no message")
	}
	if l != (leftovers{parts: 1, unsure: 1, notBegun: 1}) {
		t.Errorf("%+v, want l %+v", l, (leftovers{parts: 1, unsure: 1, notBegun: 1}))
	}
	e.Resumable = true
	l.add(e)
	if l != (leftovers{parts: 2, unsure: 1, notBegun: 1}) {
		t.Errorf("%+v, want l %+v", l, (leftovers{parts: 2, unsure: 1, notBegun: 1}))
	}
}

func memoryClient(r *scheme.Registry) *access.Client { return access.New(r, policy.Policy{}, nil) }

// Bars appear only on a terminal, and only if the user has not disabled them.
func TestProgressOff(t *testing.T) {
	for name, change := range map[string]func(*getter){
		"pipe":    func(g *getter) { g.App.ErrTTY = false },
		"quiet":   func(g *getter) { g.App.Flags.Quiet = true },
		"json":    func(g *getter) { g.App.Flags.JSON = true },
		"verbose": func(g *getter) { g.Verbose = true },
	} {
		a, s := clitest.NewScreen(t)
		g := &getter{Viewer: show.Viewer{App: a}}
		change(g)
		p := g.NewProgress(true, "a")
		p.Report(transfer.Event{State: transfer.Moving})
		p.Close()
		if s.String() != "" {
			t.Errorf("%s: %q, want nothing", name, s.String())
		}
	}
}
