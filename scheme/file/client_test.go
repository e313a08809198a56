package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// fixture returns a client whose root is a new directory with the given files.
func fixture(t *testing.T, files map[string]string) (c *Client, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return New(&Options{Root: root}), dir
}

func open(t *testing.T, c *Client, req scheme.Request) (scheme.Resource, error) {
	t.Helper()
	r, err := c.Open(t.Context(), &req)
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

func openObject(t *testing.T, c *Client, req scheme.Request) *scheme.Object {
	t.Helper()
	r, err := open(t, c, req)
	if err != nil {
		t.Fatalf("%v: %v", req.URL, err)
	}
	o, ok := r.(*scheme.Object)
	if !ok {
		t.Fatalf("%v: a %T", req.URL, r)
	}
	return o
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestObject(t *testing.T) {
	c, dir := fixture(t, map[string]string{"a b/note;1.txt": "caf\xe9\n", "empty": "", "page": "<!DOCTYPE html>"})
	when := time.Date(1994, 12, 20, 10, 0, 0, 123456789, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a b", "note;1.txt"), when, when); err != nil {
		t.Fatal(err)
	}
	u := locus.MustParse("file://LOCALHOST/a%20b/note%3B1.txt#part")
	o := openObject(t, c, scheme.Request{URL: u})
	if o.URL != u || o.Type != "text/plain; charset=iso-8859-1" || o.Size != 5 || o.Start != 0 || o.Tag == "" || !o.ModTime.Truncate(time.Second).Equal(when.Truncate(time.Second)) || o.Name != "note;1.txt" || o.Encoding != "" {
		t.Errorf("%+v", o)
	}
	if got := read(t, o.Body); got != "caf\xe9\n" {
		t.Errorf("got %q", got)
	}
	if o := openObject(t, c, scheme.Request{URL: locus.MustParse("file:///empty")}); o.Size != 0 || read(t, o.Body) != "" {
		t.Errorf("empty: %+v", o)
	}
	if o := openObject(t, c, scheme.Request{URL: locus.MustParse("file:/empty")}); o.Size != 0 {
		t.Errorf("the form of RFC 8089: %d octets", o.Size)
	}
	if o := openObject(t, c, scheme.Request{URL: locus.MustParse("file:///page")}); o.Type != "text/html; charset=utf-8" {
		t.Errorf("page: %q", o.Type)
	}
}

func TestWholeFileSystem(t *testing.T) {
	_, dir := fixture(t, map[string]string{"x.txt": "here"})
	segments := strings.Split(strings.TrimPrefix(filepath.ToSlash(dir), "/"), "/")
	f, err := Parts{Segments: append(segments, "x.txt")}.URL()
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(nil).Get(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := read(t, r.(*scheme.Object).Body); got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestFailures(t *testing.T) {
	c, dir := fixture(t, map[string]string{"file": "x", "dir/x": "y"})
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	for name, target := range map[string]string{"loop": "loop", "dangling": "nothing", "up": "../..", "in": "dir/x"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c2 := range []struct {
		url  string
		want error
		text string
	}{
		{"file:///nothing", scheme.ErrNotFound, `"nothing"`},
		{"file:///nothing/", scheme.ErrNotFound, ""},
		{"file:///file/", scheme.ErrNotFound, ""},
		{"file:///file/x", scheme.ErrNotFound, ""},
		{"file:///dangling", scheme.ErrNotFound, ""},
		{"file:///no%1B%5B31mthing", fs.ErrNotExist, `\x1b`},
		{"file:///out/passwd", scheme.ErrAuth, ""},
		{"file:///out", fs.ErrPermission, ""},
		{"file:///up", scheme.ErrAuth, ""},
		{"file:///loop", scheme.ErrUnreachable, ""},
		{"file:///dir/../file", locus.ErrValue, ""},
		{"file:///dir%2Fx", locus.ErrValue, ""},
		{"file:///%00", locus.ErrValue, ""},
		{"file:file", locus.ErrForm, ""},
		{"file:", locus.ErrForm, ""},
		{"file:/nothing", scheme.ErrNotFound, `"nothing"`},
		{"file:/dir/../file", locus.ErrValue, ""},
		{"file:/out/passwd", scheme.ErrAuth, ""},
		{"file://vms.host.edu/disk$user/my/notes/note12345.txt", scheme.ErrUnsupported, `"vms.host.edu" is not this machine`},
	} {
		r, err := open(t, c, scheme.Request{URL: locus.MustParse(c2.url)})
		if !errors.Is(err, c2.want) || strings.Contains(fmt.Sprint(err), "file: locus: ") || !strings.Contains(fmt.Sprint(err), c2.text) {
			t.Errorf("%s: %v, %v; want %v", c2.url, r, err, c2.want)
		}
	}
	if o := openObject(t, c, scheme.Request{URL: locus.MustParse("file:///in")}); read(t, o.Body) != "y" {
		t.Error("a link within the root is not followed")
	}
}

func TestHosts(t *testing.T) {
	c, dir := fixture(t, map[string]string{"x": "here"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	named := New(&Options{Root: root})
	named.hosts = func() []string { return []string{"box", "box.example.org"} }
	for host, want := range map[string]bool{"": true, "localhost": true, "LocalHost": true, "BOX.example.ORG": true, "box": true, "fox": false, "127.0.0.1": false} {
		_, err := open(t, named, scheme.Request{URL: locus.MustParse("file://" + host + "/x")})
		if (err == nil) != want || err != nil && !errors.Is(err, scheme.ErrUnsupported) {
			t.Errorf("%q: %v", host, err)
		}
	}
	if name, err := os.Hostname(); err == nil && locus.IsHost(name) {
		if _, err := open(t, c, scheme.Request{URL: locus.MustParse("file://" + name + "/x")}); err != nil {
			t.Errorf("this machine's name: %v", err)
		}
	}
}

func TestNamesOf(t *testing.T) {
	const table = "127.0.0.1 localhost\n127.0.1.1\tbox.example.org box # box.comment.org\n\n::1 BOX.v6.org\n10.0.0.1 other.example.org boxer.org\nbox.first.org\n"
	got := namesOf("box", strings.NewReader(table))
	if want := []string{"box", "box", "box.example.org", "BOX.v6.org"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = namesOf("box.example.org.", strings.NewReader(""))
	if want := []string{"box.example.org", "box"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestResume(t *testing.T) {
	c, _ := fixture(t, map[string]string{"x": "0123456789"})
	u := locus.MustParse("file:///x")
	first := openObject(t, c, scheme.Request{URL: u})
	for _, r := range []struct {
		req   scheme.Request
		start int64
	}{
		{scheme.Request{Offset: 4}, 4},
		{scheme.Request{Offset: 4, Tag: first.Tag}, 4},
		{scheme.Request{Offset: 4, Tag: "1-1"}, 0},
		{scheme.Request{Offset: 4, ModTime: first.ModTime.Truncate(time.Second)}, 4},
		{scheme.Request{Offset: 4, ModTime: first.ModTime.Add(-time.Hour)}, 0},
		{scheme.Request{Offset: 10, Tag: first.Tag}, 10},
		{scheme.Request{Offset: 11}, 0},
		{scheme.Request{Offset: -1}, 0},
	} {
		r.req.URL = u
		o := openObject(t, c, r.req)
		if got := read(t, o.Body); o.Start != r.start || o.Size != 10 || got != "0123456789"[r.start:] {
			t.Errorf("%+v: from %d of %d: %q", r.req, o.Start, o.Size, got)
		}
	}
}

func TestLimit(t *testing.T) {
	c, _ := fixture(t, map[string]string{"x": "0123456789"})
	u := locus.MustParse("file:///x")
	if _, err := open(t, c, scheme.Request{URL: u, Limit: 9}); !errors.Is(err, scheme.ErrTooLarge) || errors.Is(err, scheme.ErrUnreachable) {
		t.Errorf("a limit of 9: %v", err)
	}
	if o := openObject(t, c, scheme.Request{URL: u, Limit: 10}); read(t, o.Body) != "0123456789" {
		t.Error("a limit of 10")
	}
}

func TestFileThatChanges(t *testing.T) {
	c, dir := fixture(t, map[string]string{"x": "0123456789", "y": "0123456789"})
	grows := openObject(t, c, scheme.Request{URL: locus.MustParse("file:///x")})
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("0123456789more"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := read(t, grows.Body); got != "0123456789" {
		t.Errorf("a file that grows: %q", got)
	}
	shrinks := openObject(t, c, scheme.Request{URL: locus.MustParse("file:///y")})
	if err := os.Truncate(filepath.Join(dir, "y"), 3); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(shrinks.Body); !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "got 3 of 10") {
		t.Errorf("a file that shrinks: %q, %v", got, err)
	}
}

func TestCanceled(t *testing.T) {
	c, _ := fixture(t, map[string]string{"dir/x": "0123456789"})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("file:///dir/x")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("file:///dir")})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cancel()
	if _, err := io.ReadAll(r.(*scheme.Object).Body); !errors.Is(err, context.Canceled) {
		t.Errorf("body: %v", err)
	}
	for _, err := range m.(*scheme.Menu).Items {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("menu: %v", err)
		}
	}
	if _, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("file:///dir/x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
}

func TestMenu(t *testing.T) {
	c, dir := fixture(t, map[string]string{"dir/b.txt": "bb", "dir/a?;%/x": "", "dir/c d": "c", "dir/\x1b[31m": ""})
	for name, target := range map[string]string{"to-dir": "a?;%", "gone": "nothing", "out": "/"} {
		if err := os.Symlink(target, filepath.Join(dir, "dir", name)); err != nil {
			t.Skip(err)
		}
	}
	for _, base := range []string{"file:///dir", "file:///dir/", "file://localhost/dir/#x"} {
		u := locus.MustParse(base)
		r, err := open(t, c, scheme.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		menu := r.(*scheme.Menu)
		if menu.URL != u || menu.Title != "dir" {
			t.Errorf("%v: %v, %q", u, menu.URL, menu.Title)
		}
		var got []string
		for item, err := range menu.Items {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s %d %s", item.URL, item.Kind, item.Size, item.Note))
			if x, err := Parse(item.URL); err != nil || !slices.Contains(x.Segments(), item.Title) || check(item.URL, locus.RFC1738) != nil {
				t.Errorf("%q: %v", item.URL, err)
			}
			if item.Kind != scheme.KindUnknown && item.ModTime.IsZero() {
				t.Errorf("%q: no time", item.URL)
			}
		}
		at := strings.TrimSuffix(strings.TrimSuffix(base, "#x"), "/") + "/"
		want := []string{
			at + "%1B%5B31m object 0 ",
			at + "a%3F%3B%25/ menu -1 ",
			at + "b.txt object 2 ",
			at + "c%20d object 1 ",
			at + "gone unknown -1 symbolic link",
			at + "out unknown -1 symbolic link",
			at + "to-dir/ menu -1 symbolic link",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v:\n%s", u, strings.Join(got, "\n"))
		}
	}
	r, err := open(t, c, scheme.Request{URL: locus.MustParse("file:///")})
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range r.(*scheme.Menu).Items {
		if err != nil || item.URL.String() != "file:///dir/" {
			t.Errorf("root: %v, %v", item.URL, err)
		}
	}
}

// A client must list a long directory in sorted runs.
func TestLongMenu(t *testing.T) {
	c, dir := fixture(t, nil)
	const n, run = 250, 100
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d := &directory{client: c, ctx: t.Context(), file: file, name: ".", parts: locus.MustParse("file:///").Parts(), run: run}
	var got []string
	for item, err := range d.items() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Title)
	}
	for part := range slices.Chunk(got, run) {
		if !slices.IsSorted(part) {
			t.Errorf("not sorted: %q", part)
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != n {
		t.Errorf("%d items of %d", len(got), n)
	}
}

func TestMenuLeftEarly(t *testing.T) {
	c, _ := fixture(t, map[string]string{"a": "", "b": ""})
	r, err := open(t, c, scheme.Request{URL: locus.MustParse("file:///")})
	if err != nil {
		t.Fatal(err)
	}
	for range r.(*scheme.Menu).Items {
		break
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestScheme(t *testing.T) {
	if s := Scheme(nil); s.Access.Opener == nil || s.Name != "file" || s.Port != 0 {
		t.Errorf("%+v", s)
	}
	s := Scheme(New(nil))
	if s.Access.Opener == nil {
		t.Error("no opener")
	}
	list, err := s.Syntax.Fields(locus.MustParse("file:///a/b"))
	if err != nil || len(list) != 2 || list[0].Value != "" || !slices.Equal(list[1].Value.([]string), []string{"a", "b"}) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := s.Syntax.Fields(locus.MustParse("file:a")); err == nil {
		t.Error("file:a has fields")
	}
}

// RFC 8089 allows "file:/path" for "file:///path" of RFC 1738. A client must open such a URL with
// a note that contains the RFC 1738 form. The items of its menu must have URLs in the RFC 1738
// form.
func TestShortForm(t *testing.T) {
	c, _ := fixture(t, map[string]string{"dir/a b": "x"})
	u := locus.MustParse("file:/dir/a%20b")
	o := openObject(t, c, scheme.Request{URL: u})
	if got := read(t, o.Body); got != "x" || !strings.Contains(o.Note, `"file:///dir/a%20b"`) {
		t.Errorf("%q, note %q", got, o.Note)
	}
	r, err := open(t, c, scheme.Request{URL: locus.MustParse("FILE:/dir/")})
	if err != nil {
		t.Fatal(err)
	}
	menu := r.(*scheme.Menu)
	defer menu.Close()
	if !strings.Contains(menu.Note, `"file:///dir/"`) {
		t.Errorf("the menu's note is %q", menu.Note)
	}
	for item, err := range menu.Items {
		if err != nil || item.URL.String() != "file:///dir/a%20b" {
			t.Errorf("%q, %v", item.URL, err)
		}
	}
}

// The error of a read after Close must not blame the file system.
func TestClosed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "a"), dir} {
		u, err := FromPath(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(nil).Open(t.Context(), &scheme.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		switch r := r.(type) {
		case *scheme.Object:
			_, err = io.ReadAll(r.Body)
		case *scheme.Menu:
			for _, err = range r.Items {
			}
		}
		if !errors.Is(err, fs.ErrClosed) || errors.Is(err, scheme.ErrUnreachable) {
			t.Errorf("%s: %v", u, err)
		}
	}
}
