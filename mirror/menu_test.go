package mirror_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// awkward are names that systems, URLs or mirrors find hard.
var awkward = []string{
	"plain.txt", "with space.txt", "ümlaut-日本.txt", "colon:name", "..dots", "...", "trailing.", "per%20cent", "per%cent", "ques?tion", "ha#sh",
	"semi;type=a", "back\\slash", "star*<>|\"quote", "CON", "nul.txt", "-rf", "~tilde", ".hidden", ".menu", ".menu.html", ".locus-mirror",
	"Case", "case", "CASE", "e\u0301", "\u00e9", "latin\xe9", strings.Repeat("long", 60) + ".txt", strings.Repeat("long", 60) + ".tx2", "index.html", "a&b=c+d@e",
}

func startFTP(t testing.TB, files ftptest.Files, o *ftptest.Options) *ftptest.Server {
	t.Helper()
	s, err := ftptest.Start(files, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func hostFolder(addr string) string { return strings.ReplaceAll(addr, ":", "+") }

func TestDirectories(t *testing.T) {
	files := ftptest.Files{"pub/empty/": {}}
	for i, name := range awkward {
		files["pub/"+name] = ftptest.File{Data: "content of " + name, ModTime: webTime.Add(time.Duration(i) * time.Hour)}
		files["pub/"+name+"'s folder/"+name] = ftptest.File{Data: "below " + name}
	}
	files["pub/index.html"] = ftptest.File{Data: `<a href="none.html">not a link of a directory</a>`}
	files["elsewhere.txt"] = ftptest.File{Data: "not below"}
	s := startFTP(t, files, nil)
	dir := t.TempDir()
	c := newClient(t)
	start := "ftp://" + s.Addr() + "/pub/"
	out := mustRun(t, c, dir, nil, start)
	byContent := map[string]int{}
	for name, text := range withoutMenus(filesOf(t, dir)) {
		byContent[text]++
		if !strings.HasPrefix(name, hostFolder(s.Addr())+"/pub/") {
			t.Errorf("%s is elsewhere", name)
		}
	}
	for name, f := range files {
		switch {
		case strings.HasSuffix(name, "/"):
		case strings.HasPrefix(name, "pub/") != (byContent[f.Data] == 1):
			t.Errorf("%q: %d files", name, byContent[f.Data])
		}
		delete(byContent, f.Data)
	}
	if len(byContent) > 0 {
		t.Errorf("more files: %v", byContent)
	}
	folded := map[string]string{}
	for name := range filesOf(t, dir) {
		if other, ok := folded[strings.ToLower(name)]; ok {
			t.Errorf("%q and %q differ only in case", name, other)
		}
		folded[strings.ToLower(name)] = name
	}
	if out.Loops > 0 || !out.Complete {
		t.Errorf("%+v", out.Summary)
	}
	info, err := os.Stat(filepath.Join(dir, hostFolder(s.Addr()), "pub", "plain.txt"))
	if err != nil || !info.ModTime().Equal(webTime) {
		t.Errorf("%v, %v", info, err)
	}
	// Run does not request resources that are unchanged according to the listing.
	before := len(retrieved(s))
	if out = mustRun(t, c, dir, nil, start); out.Changed+out.Added+out.Gone > 0 {
		t.Errorf("%+v", out.statuses())
	}
	if again := retrieved(s)[before:]; len(again) > 0 {
		t.Errorf("transferred again: %v", again)
	}
	// A changed time is enough.
	files["pub/plain.txt"] = ftptest.File{Data: "content OF plain.txt", ModTime: webTime.Add(time.Minute)}
	delete(files, "pub/Case")
	out = mustRun(t, c, dir, &mirror.Options{Delete: true}, start)
	if out.Changed != 2 || out.Gone != 1 || out.Deleted != 1 { // the menu, too
		t.Errorf("%+v %v", out.Summary, out.statuses())
	}
	// An altered file is fetched again.
	name := filepath.Join(dir, hostFolder(s.Addr()), "pub", "plain.txt")
	if err := os.WriteFile(name, []byte("altered"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, c, dir, nil, start)
	if text, err := os.ReadFile(name); string(text) != "content OF plain.txt" {
		t.Errorf("%q, %v", text, err)
	}
}

// If a run is interrupted after it has recorded some unchanged files, the next run counts them once
// and deletes none.
func TestUnchangedFilesAfterAnInterrupt(t *testing.T) {
	files := ftptest.Files{}
	for i := range 20 {
		files[fmt.Sprintf("a/%d", i)] = ftptest.File{Data: "a", ModTime: webTime}
		files[fmt.Sprintf("b/%d", i)] = ftptest.File{Data: "b", ModTime: webTime}
	}
	s := startFTP(t, files, nil)
	dir := t.TempDir()
	c := newClient(t)
	root := "ftp://" + s.Addr() + "/"
	mustRun(t, c, dir, nil, root)
	want := filesOf(t, dir)
	interrupted, cancel := context.WithCancel(ctx(t))
	defer cancel()
	o := &mirror.Options{Delete: true, Report: func(e mirror.Event) {
		if strings.HasSuffix(e.URL, "/a/7") {
			cancel()
		}
	}}
	if _, err := mirror.Run(interrupted, c, dir, []locus.URL{parse(root)}, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	before := len(retrieved(s))
	out := mustRun(t, c, dir, &mirror.Options{Delete: true}, root)
	if n := len(files) + 3; out.Same != n || out.Added+out.Changed+out.Gone+out.Failed > 0 {
		t.Errorf("%d of %d are the same: %+v", out.Same, n, out.Summary)
	}
	if out = mustRun(t, c, dir, &mirror.Options{Delete: true}, root); out.Same != len(files)+3 {
		t.Errorf("afterwards: %+v", out.Summary)
	}
	if again := retrieved(s)[before:]; len(again) > 0 {
		t.Errorf("transferred again: %v", again)
	}
	checkFiles(t, filesOf(t, dir), want)
}

// retrieved are the files that were sent.
func retrieved(s *ftptest.Server) (list []string) {
	for _, command := range slices.Concat(s.Log()...) {
		if strings.HasPrefix(command, "RETR") {
			list = append(list, command)
		}
	}
	return list
}

func TestFolderThatCantBeListed(t *testing.T) {
	refuse := false
	w := &fixture{pages: map[string]page{
		"":    {items: []scheme.Item{item(scheme.KindMenu, "a/", "a/"), item(scheme.KindMenu, "b/", "b/")}},
		"a/":  {items: []scheme.Item{item(scheme.KindObject, "x", "a/x")}},
		"b/":  {items: []scheme.Item{item(scheme.KindObject, "y", "b/y"), item(scheme.KindObject, "z", "b/z")}},
		"a/x": {data: "x"}, "b/y": {data: "y"}, "b/z": {data: "z"},
	}}
	w.refuse = func(path string) error {
		if refuse && path == "a/" {
			return fmt.Errorf("x-menu: %w", scheme.ErrNotFound)
		}
		return nil
	}
	dir := t.TempDir()
	c := newClient(t, w.scheme())
	mustRun(t, c, dir, nil, "x-menu://h/")
	refuse = true
	w.pages["b/"] = page{items: []scheme.Item{item(scheme.KindObject, "y", "b/y")}}
	out := run(t, c, dir, &mirror.Options{Delete: true}, "x-menu://h/")
	want := map[string]mirror.Status{"h/.menu": mirror.Same, "h/b/.menu": mirror.Changed, "h/b/y": mirror.Same, "h/b/z": mirror.Gone, "x-menu://h/a/": mirror.Failed}
	if got := out.statuses(); out.err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", out.err, got)
	}
	files := filesOf(t, dir)
	if files["h/a/x"] != "x" || files["h/b/z"] != "" {
		t.Error(files)
	}
}

func TestCutListingKeepsFiles(t *testing.T) {
	w := &fixture{pages: map[string]page{
		"":  {items: []scheme.Item{item(scheme.KindObject, "a", "a"), item(scheme.KindObject, "b", "b")}},
		"a": {data: "a"}, "b": {data: "b"},
	}}
	dir := t.TempDir()
	c := newClient(t, w.scheme())
	mustRun(t, c, dir, nil, "x-menu://h/")
	w.pages[""] = page{items: []scheme.Item{item(scheme.KindObject, "a", "a")}, err: io.ErrUnexpectedEOF}
	out := run(t, c, dir, &mirror.Options{Delete: true, Politeness: access.Politeness{Retry: access.None}}, "x-menu://h/")
	if out.Complete || out.Gone > 0 || out.Failed != 1 || filesOf(t, dir)["h/b"] != "b" {
		t.Errorf("%+v", out.Summary)
	}
}

func TestLoops(t *testing.T) {
	t.Run("symbolic links", func(t *testing.T) {
		top := t.TempDir()
		write(t, filepath.Join(top, "a.txt"), "a")
		write(t, filepath.Join(top, "d", "b.txt"), "b")
		for _, link := range []string{"loop", "d/up", "d/self"} {
			target := map[string]string{"loop": ".", "d/up": "..", "d/self": "."}[link]
			if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
				t.Skip(err)
			}
		}
		dir := t.TempDir()
		out := mustRun(t, newClient(t), dir, nil, "file://"+filepath.ToSlash(top)+"/")
		if out.Loops == 0 || !out.Complete || out.Added > 200 {
			t.Errorf("%+v", out.Summary)
		}
	})
	t.Run("menus", func(t *testing.T) {
		w := &fixture{pages: map[string]page{
			"":    {items: []scheme.Item{item(scheme.KindMenu, "a/", "a/")}},
			"a/":  {items: []scheme.Item{item(scheme.KindMenu, "top", ""), item(scheme.KindMenu, "a/", "a/"), item(scheme.KindObject, "x", "a/x")}},
			"a/x": {data: "x"},
		}}
		dir := t.TempDir()
		if out := mustRun(t, newClient(t, w.scheme()), dir, nil, "x-menu://h/"); out.Added != 3 {
			t.Errorf("%+v", out.Summary)
		}
	})
	t.Run("paths", func(t *testing.T) {
		s := &site{pages: map[string]string{}}
		s.pages["/"] = `<a href="a/">a</a>`
		for path := "/a/"; len(path) < 2000; path += "a/" {
			s.pages[path] = `<a href="a/">a</a><a href="../a/a/">b</a>`
		}
		root, _ := serve(t, s)
		if out := mustRun(t, newClient(t), t.TempDir(), nil, root+"/"); out.Added > 70 {
			t.Errorf("%+v", out.Summary)
		}
	})
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestGopher(t *testing.T) {
	s, err := gophertest.Start(gophertest.Item{Name: "root", Items: []gophertest.Item{
		{Name: "About", Selector: "/about.txt", Data: "about\n"},
		{Type: 'i', Name: "an info line", Line: "ian info <line>\t\terror.host\t1"},
		{Name: "Docs", Selector: "/docs", Items: []gophertest.Item{
			{Name: "one", Selector: "/docs/one.txt", Data: "one\n"},
			{Type: '9', Name: "two", Selector: "/docs/two.bin", Data: "\x00\x01two"},
			{Name: "Root", Type: '1', Selector: "", Line: ""},
		}},
		{Type: 'h', Name: "Web", Selector: "URL:http://else.example/"},
		{Name: "Find", Search: func(string) []gophertest.Item { return nil }},
	}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	c := newClient(t)
	start := "gopher://" + s.Addr() + "/"
	mustRun(t, c, dir, &mirror.Options{Relink: true}, start)
	files := filesOf(t, dir)
	folder := hostFolder(s.Addr())
	for name, want := range map[string]string{"about.txt": "about\n", "docs/one.txt": "one\n", "docs/two.bin": "\x00\x01two"} {
		if got := strings.ReplaceAll(files[folder+"/"+name], "\r", ""); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if raw := files[folder+"/.menu"]; !strings.HasPrefix(raw, "0About\t/about.txt\t") {
		t.Errorf("the raw menu is %q", raw)
	}
	html := files[folder+"/index.html"]
	for _, want := range []string{`<a href="about.txt">About</a>`, "an info &lt;line&gt;", `<a href="docs/index.html">Docs</a>`, `href="http://else.example/"`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
	// Nothing shows whether a resource has changed, so Run requests all of them, and finds them
	// unchanged.
	out := mustRun(t, c, dir, &mirror.Options{Relink: true}, start)
	if out.Changed+out.Added+out.Gone > 0 || out.Bytes == 0 {
		t.Errorf("%+v", out.Summary)
	}
}

func TestLayouts(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<a href="a/x.txt">1</a><a href="b/x.txt">2</a><a href="c">3</a><a href="c/d.html">4</a><a href="C">5</a>`, "/a/x.txt": "1", "/b/x.txt": "2", "/c": "3", "/c/d.html": "4", "/C": "5"}}
	root, folder := serve(t, s)
	for layout, want := range map[mirror.Layout][]string{
		mirror.LayoutHost: {folder + "/C~", folder + "/a/x.txt", folder + "/b/x.txt", folder + "/c", folder + "/c~", folder + "/index.html"},
		mirror.LayoutURL:  {"http/" + folder + "/C~", "http/" + folder + "/a/x.txt"},
		mirror.LayoutFlat: {"C~", "c~", "d~", "menu~", "x~", "x~"},
		mirror.LayoutType: {"text/html/C~", "text/html/c~", "text/html/d~", "text/plain/x~", "text/plain/x~"},
	} {
		t.Run(string(layout), func(t *testing.T) {
			dir := t.TempDir()
			c := newClient(t)
			o := &mirror.Options{Layout: layout}
			mustRun(t, c, dir, o, root+"/")
			files := filesOf(t, dir)
			if len(files) != 6 {
				t.Errorf("%v", files)
			}
			names := slices.Sorted(maps.Keys(files))
			for _, start := range want {
				if layout != mirror.LayoutFlat || start != "menu~" {
					if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, start) }) {
						t.Errorf("no %s in %v", start, names)
					}
				}
			}
			if out := mustRun(t, c, dir, o, root+"/"); out.Same != 6 {
				t.Errorf("%+v", out.Summary)
			}
			other := &mirror.Options{Layout: mirror.LayoutHost}
			if layout == mirror.LayoutHost {
				other.Layout = mirror.LayoutURL
			}
			if out := run(t, c, dir, other, root+"/"); !errors.Is(out.err, mirror.ErrLayout) {
				t.Errorf("another layout: %v", out.err)
			}
		})
	}
}

func TestForeignFilesAndLinks(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<a href="a.txt">1</a><a href="d/b.txt">2</a><a href="out/c.txt">3</a>`, "/a.txt": "1", "/d/b.txt": "2", "/out/c.txt": "3"}}
	root, folder := serve(t, s)
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, folder, "a.txt"), "mine")
	write(t, filepath.Join(outside, "b.txt"), "outside")
	inside := filepath.Join(dir, folder, "inside")
	write(t, filepath.Join(inside, "c.txt"), "inside")
	if err := os.Symlink(outside, filepath.Join(dir, folder, "d")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("inside", filepath.Join(dir, folder, "out")); err != nil {
		t.Skip(err)
	}
	for range 2 {
		out := run(t, newClient(t), dir, nil, root+"/")
		if out.err != nil || out.Failed != 3 {
			t.Fatalf("%v, %v", out.err, out.events)
		}
		for url, e := range out.events {
			if e.Status == mirror.Failed && !errors.Is(e.Err, mirror.ErrForeign) {
				t.Errorf("%s: %v", url, e.Err)
			}
		}
	}
	for name, want := range map[string]string{filepath.Join(dir, folder, "a.txt"): "mine", filepath.Join(outside, "b.txt"): "outside", filepath.Join(inside, "c.txt"): "inside"} {
		if text, err := os.ReadFile(name); string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestNoPasswordIsStored(t *testing.T) {
	const secret = "S3cretPass"
	s := startFTP(t, ftptest.Files{"a.txt": {Data: "a"}, "d/b.txt": {Data: "b"}}, &ftptest.Options{User: "anna", Password: secret, NoAnonymous: true})
	dir := t.TempDir()
	mustRun(t, newClient(t), dir, nil, "ftp://anna:"+secret+"@"+s.Addr()+"/")
	found := 0
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if strings.Contains(name, secret) {
			t.Errorf("%s has the password", name)
		}
		if err == nil && d.Type().IsRegular() {
			found++
			if text, err := os.ReadFile(name); err != nil || strings.Contains(string(text), secret) {
				t.Errorf("%s has the password, %v", name, err)
			}
		}
		return err
	})
	if err != nil || found < 5 {
		t.Error(found, err)
	}
}

func TestManifest(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<a href="a.txt">1</a>`, "/a.txt": "1"}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	mustRun(t, newClient(t), dir, nil, root+"/")
	text, err := os.ReadFile(filepath.Join(dir, ".locus-mirror", "manifest.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	var r mirror.Record
	if err := json.Unmarshal([]byte(lines[2]), &r); err != nil {
		t.Fatal(err)
	}
	if r.URL != root+"/a.txt" || r.File != folder+"/a.txt" || r.From != root+"/" || r.Digest != "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" || r.Size != 1 || !r.Modified.Equal(webTime) || r.Type != "text/plain" || r.Depth != 1 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{`{"url":"x","file":"../out"}`, `{"url":"x","file":"/etc/passwd"}`, "no JSON", `{"url":"x"}`} {
		write(t, filepath.Join(dir, ".locus-mirror", "manifest.ndjson"), lines[0]+"\n"+bad+"\n")
		if out := run(t, newClient(t), dir, nil, root+"/"); !errors.Is(out.err, mirror.ErrManifest) {
			t.Errorf("%s: %v", bad, out.err)
		}
	}
}

// fixture has the pages of the scheme x-menu: "x-menu://h/a" is pages["a"].
type fixture struct {
	pages  map[string]page
	refuse func(path string) error

	mu    sync.Mutex
	asked []string
}

type page struct {
	items []scheme.Item
	err   error // after the items, or the octets
	data  string
}

func (w *fixture) scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:   "x-menu",
		Traits: scheme.Directories,
		Syntax: scheme.Syntax{
			Fields: func(u locus.URL) ([]scheme.Field, error) {
				path, _ := u.Path()
				path, err := url.PathUnescape(path)
				return []scheme.Field{{Name: "path", Value: path}}, err
			},
		},
		Access: scheme.Access{Opener: w},
		Crawl:  scheme.Crawl{Below: scheme.BelowPath},
	}
}

func item(kind scheme.ItemKind, title, path string) scheme.Item {
	return scheme.Item{URL: parse("x-menu://h/" + path), Title: title, Kind: kind, Size: -1}
}

func (w *fixture) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	path, _ := req.URL.Path()
	w.mu.Lock()
	w.asked = append(w.asked, path)
	p, ok := w.pages[path]
	w.mu.Unlock()
	if w.refuse != nil {
		if err := w.refuse(path); err != nil {
			return nil, err
		}
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("x-menu: %w", scheme.ErrNotFound)
	case p.items != nil:
		return &scheme.Menu{URL: req.URL, Items: func(yield func(scheme.Item, error) bool) {
			for _, i := range p.items {
				if !yield(i, nil) {
					return
				}
			}
			if p.err != nil {
				yield(scheme.Item{}, p.err)
			}
		}}, nil
	}
	return &scheme.Object{URL: req.URL, Size: -1, Type: "text/plain", Body: io.NopCloser(strings.NewReader(p.data))}, nil
}

// The page of a menu links neither to scripts nor to files of the reader's machine.
func TestMenuPageHostileLinks(t *testing.T) {
	_, url := startGopher(t, gophertest.Item{Items: []gophertest.Item{
		{Line: "hScript\tURL:javascript:alert(1)\th.example\t70"},
		{Line: "hFile\tURL:file:///etc/passwd\th.example\t70"},
		{Line: "1Good\t/x\th.example\t70"},
	}}, &gophertest.Options{Plain: true})
	for _, relink := range []bool{false, true} {
		dir := t.TempDir()
		mustRun(t, newClient(t), dir, &mirror.Options{Relink: relink}, url)
		all := ""
		for name, text := range filesOf(t, dir) {
			if strings.HasSuffix(name, ".html") {
				all += text
			}
		}
		if !strings.Contains(all, "Script") || !strings.Contains(all, `<a href="gopher://h.example/1/x">Good</a>`) || strings.Contains(all, `href="javascript:`) || strings.Contains(all, `href="file:`) {
			t.Errorf("relink %v: %s", relink, all)
		}
	}
}
