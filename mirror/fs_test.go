package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// startFTPRoot starts a server and returns the URL of its root.
func startFTPRoot(t testing.TB, files ftptest.Files, o *ftptest.Options) (root string) {
	t.Helper()
	server, err := ftptest.Start(files, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return "ftp://" + server.Addr() + "/"
}

func TestFSFTP(t *testing.T) {
	files := ftptest.Files{
		"hello.txt":                 {Data: "Hello\n"},
		"empty":                     {},
		"pub/README":                {Data: strings.Repeat("Read me.\n", 500)},
		"pub/deep/er/a b%c;type=d":  {Data: "x", ModTime: time.Date(1996, 2, 29, 12, 0, 0, 0, time.UTC)},
		"pub/deep/\u00fcber.txt":    {Data: "UTF-8"},
		"pub/deep/caf\xe9.txt":      {Data: "ISO Latin 1"},
		"pub/nothing/":              {},
		"pub/nothing here/either/":  {},
		".profile":                  {Data: "PATH="},
		"pub/pattern.bin":           {Size: 10_000},
		"pub/100%25 sure?#fragment": {Data: "100"},
	}
	want := []string{
		"hello.txt", "empty", "pub/README", "pub/deep/er/a b%c;type=d", "pub/deep/\u00fcber.txt", "pub/deep/caf\u00e9.txt",
		"pub/nothing", "pub/nothing here/either", "_profile", "pub/pattern.bin", "pub/100%25 sure_#fragment",
	}
	for _, server := range []*ftptest.Options{nil, {Unknown: []string{"MLSD"}}} {
		root := startFTPRoot(t, files, server)
		c := new(menuFixture).client(t)
		if err := fstest.TestFS(newFS(t, c, root, nil), want...); err != nil {
			t.Error(err)
		}
		f := newFS(t, c, root+"pub/", nil)
		if err := fstest.TestFS(f, "README", "deep/er/a b%c;type=d"); err != nil {
			t.Error(err)
		}
		info, err := f.Stat("deep/er/a b%c;type=d")
		if err != nil {
			t.Fatal(err)
		}
		source := info.Sys().(*mirror.FSSource)
		if source.URL.String() != root+"pub/deep/er/a%20b%25c%3Btype=d" || source.Item.Title != "a b%c;type=d" || info.Size() != 1 || info.ModTime().Year() != 1996 {
			t.Errorf("%v from %+v", info, source)
		}
		list, err := fs.Glob(f, "*E*")
		if err != nil || len(list) != 1 || list[0] != "README" {
			t.Errorf("Glob = %q, %v", list, err)
		}
	}
}

// The whole tree uses the login of the root.
func TestFSFTPLogin(t *testing.T) {
	root := startFTPRoot(t, ftptest.Files{"home/me/a/b.txt": {Data: "mine"}}, &ftptest.Options{User: "me", Password: "secret", Home: "home/me", NoAnonymous: true})
	rules, err := policy.New(policy.Rules{TypedPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(new(menuFixture).client(t).Registry(), rules, nil)
	defer c.Close()
	f := newFS(t, c, strings.Replace(root, "//", "//me:secret@", 1), nil)
	if got := tree(t, f); got != "./\na/\na/b.txt\n" {
		t.Error(got)
	}
	if _, err := f.Open("a/b.txt/c"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	f = newFS(t, c, strings.Replace(root, "//", "//me:sesame@", 1), nil)
	if _, err := f.Open("a"); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "sesame") {
		t.Error(err)
	}
}

func TestFSContents(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{
		"": {items: []scheme.Item{
			{Title: "Welcome", Kind: scheme.KindInfo},
			{URL: parse("x-menu://h/x"), Title: "Welcome", Kind: scheme.KindInfo},
			menuItemOf(scheme.KindSearch, "find", "find"), menuItemOf(scheme.KindForm, "ask", "ask"), menuItemOf(scheme.KindSession, "log in", "telnet"), menuItemOf(scheme.KindError, "no", "no"),
			objectItem("one"), menuItemOf(scheme.KindUnknown, "two", "two"), menuItemOf("", "three", "three"), menuItem("four"), menuItemOf("other", "five", "five"),
			{URL: parse("x-menu://H:7000/six"), Kind: scheme.KindObject},
			{URL: parse("x-menu://h:7001/seven"), Kind: scheme.KindObject},
			{URL: parse("x-menu://g/eight"), Kind: scheme.KindObject},
			{URL: parse("ftp://h:7000/nine"), Kind: scheme.KindObject},
			{URL: parse("x-closed://h:7000/ten"), Kind: scheme.KindObject},
			{URL: parse("x-strange://h/eleven"), Kind: scheme.KindObject},
			{Title: "Goodbye", Kind: scheme.KindObject},
		}},
		"four": {items: []scheme.Item{}},
	}}
	c := w.client(t)
	if got := tree(t, newFS(t, c, "x-menu://h/", nil)); got != "./\nfour/\none\nsix\nthree\ntwo\n" {
		t.Error(got)
	}
	f := newFS(t, c, "x-menu://h/", &mirror.FSOptions{Elsewhere: true})
	if got := tree(t, f); got != "./\neight\nfour/\nnine\none\nseven\nsix\nthree\ntwo\n" {
		t.Error(got)
	}
	d, err := f.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	entries, err := d.(fs.ReadDirFile).ReadDir(-1)
	if got := names(entries); err != nil || got != "one|two|three|four|six|seven|eight|nine" {
		t.Errorf("in the order of the menu: %s, %v", got, err)
	}
}

// Names are safe and unique, and the same when the menu is read again.
func TestFSNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	rows := []struct {
		title, path string
		menu        bool
		want        string
	}{
		{"About us", "0/about.txt", false, "about.txt"},
		{"About them", "1/them/about.txt", false, "about (2).txt"},
		{"Docs", "docs/", true, "docs"},
		{"Docs", "more/docs/", true, "docs (2)"},
		{"Version", "v1.2", true, "v1.2"},
		{"Version", "old/v1.2", true, "v1.2 (2)"},
		{"about (2).txt", "x/", false, "x"},
		{"about.txt", "y/about%20%282%29.txt", false, "about (2) (2).txt"},
		{"", "z/about.txt", false, "about (3).txt"},
		{"Home", "/", true, "Home"},
		{"passwd", "../../etc/passwd", false, "passwd"},
		{"Up", "..", true, "Up"},
		{"Up", "a/..", false, "Up (2)"},
		{"..", "b/..", false, "unnamed"},
		{"TCP/IP", "%2F", false, "TCP_IP"},
		{`C:\AUTOEXEC.BAT`, "c/...", false, "C__AUTOEXEC.BAT"},
		{"Climb", "%2E%2E%2F%2E%2E%2Fetc%2Fshadow", false, "shadow"},
		{"Empty", "d//", true, "d"},
		{"", "---", false, "_--"},
		{"tabs\tand\r\nlines\x00", "%00", false, "tabs_and__lines_"},
		{"\x1b[2J\u202egnp.exe", "%1B%5B2J", false, "_[2J"},
		{"\x1b]0;x\x07\u202egnp.exe", "%1B", false, "_]0;x__gnp.exe"},
		{"caf\xe9", "e/caf%E9", false, "caf\u00e9"},
		{long, long, false, ""},
		{long + "/y", "f/" + long, false, ""},
		{"nul", "nul.txt", false, "_nul.txt"},
		{".hidden", ".hidden", false, "_hidden"},
		{"a  ", "g/%20", false, "a"},
	}
	w := &menuFixture{pages: map[string]menuPage{}}
	var items []scheme.Item
	for _, row := range rows {
		kind := scheme.KindObject
		if row.menu {
			kind = scheme.KindMenu
		}
		items = append(items, menuItemOf(kind, row.title, row.path))
		w.pages[row.path] = menuPage{data: row.path}
	}
	w.pages[""] = menuPage{items: items}
	f := w.fs(t, &mirror.FSOptions{Keep: time.Nanosecond})
	read := func() []fs.DirEntry {
		d, err := f.Open(".")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		entries, err := d.(fs.ReadDirFile).ReadDir(-1)
		if err != nil || len(entries) != len(rows) {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		return entries
	}
	entries := read()
	if again := read(); names(again) != names(entries) {
		t.Errorf("first %s, then %s", names(entries), names(again))
	}
	seen := map[string]bool{}
	for i, row := range rows {
		name := entries[i].Name()
		if row.want != "" && name != row.want {
			t.Errorf("%q at %q is %q, want %q", row.title, row.path, name, row.want)
		}
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") || len(name) > 255 || seen[name] {
			t.Errorf("%q at %q is %q", row.title, row.path, name)
		}
		seen[name] = true
		info, err := entries[i].Info()
		if err != nil {
			t.Fatal(err)
		}
		if source := info.Sys().(*mirror.FSSource); source.URL != items[i].URL || source.Item.Title != items[i].Title || source.Item.Kind != items[i].Kind {
			t.Errorf("%q comes from %+v", name, source)
		}
		if row.menu {
			continue
		}
		if data, err := f.ReadFile(name); err != nil || string(data) != row.path {
			t.Errorf("%q holds %q, %v", name, data, err)
		}
	}
}

func FuzzFSNames(f *testing.F) {
	for _, seed := range []string{"", ".", "..", "a/b", `a\b`, "\x00", "a.tar.gz", "\xff", "a (2)", strings.Repeat("\u00e9", 200), "con", "\u202e"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		path := ""
		for _, o := range []byte(text) {
			path += fmt.Sprintf("%%%02X", o)
		}
		// Each input becomes a directory, which is fast enough only while
		// names are not much longer than file systems allow.
		if len(path) > 3*600 || len(title) > 600 {
			return
		}
		items := []scheme.Item{menuItemOf(scheme.KindObject, title, path), menuItemOf(scheme.KindObject, title, path), menuItemOf(scheme.KindUnknown, title, "")}
		w := &menuFixture{pages: map[string]menuPage{"": {items: items}}}
		entries, err := w.fs(t, nil).ReadDir(".")
		if err != nil || len(entries) != len(items) {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		seen := map[string]bool{".": true}
		for _, e := range entries {
			name := e.Name()
			if !fs.ValidPath(name) || strings.ContainsAny(name, "/\\\x00") || len(name) > 255 || seen[name] {
				t.Errorf("%q", name)
			}
			seen[name] = true
		}
	})
}

// Menus that link to each other and to the root are read once each.
func TestFSLoops(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{
		"":    {items: []scheme.Item{menuItem("a"), menuItem("b"), menuItemOf(scheme.KindMenu, "myself", ""), objectItem("x")}},
		"a":   {items: []scheme.Item{menuItem("b"), menuItemOf(scheme.KindMenu, "home", ""), menuItem("a"), menuItem("a/c"), menuItem("a/c")}},
		"b":   {items: []scheme.Item{menuItem("a"), menuItem("a/c"), objectItem("x"), menuItemOf(scheme.KindUnknown, "home", ""), {URL: parse("X-MENU://H/%61#there"), Title: "a again", Kind: scheme.KindMenu}}},
		"a/c": {items: []scheme.Item{menuItem("a"), menuItem("b"), objectItem("x")}},
		"x":   {data: "x"},
	}}
	f := w.fs(t, nil)
	want := `./
a/
a/a -> .
a/b -> ../b
a/c/
a/c/a -> ..
a/c/b -> ../../b
a/c/x
a/c (2) -> c
a/home -> ..
b/
b/a -> ../a
b/a (2) -> ../a
b/c -> ../a/c
b/home -> ..
b/x
myself -> .
x
`
	if got := tree(t, f); got != want {
		t.Errorf("%s", got)
	}
	if got := w.requests(); got != " a a/c b" {
		t.Errorf("asked for %q", got)
	}
	if err := fstest.TestFS(f, "a/c/x", "b/c"); err != nil {
		t.Error(err)
	}
	// Links within a path are followed.
	if data, err := f.ReadFile("myself/a/b/c/a/c/x"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if to, err := f.ReadLink("myself/b/c"); err != nil || to != "../../a/c" {
		t.Errorf("ReadLink = %q, %v", to, err)
	}
	for _, name := range []string{"x", "a", "."} {
		if to, err := f.ReadLink(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("ReadLink(%q) = %q, %v", name, to, err)
		}
	}
	info, err := f.Lstat("b/c")
	if err != nil || info.Mode() != fs.ModeSymlink|0o777 || info.Name() != "c" {
		t.Errorf("Lstat = %v, %v", info, err)
	}
	info, err = f.Stat("b/c")
	if err != nil || info.Mode() != fs.ModeDir|0o555 || info.Name() != "c" {
		t.Errorf("Stat = %v, %v", info, err)
	}
	// A copy has the same links to the same files.
	if runtime.GOOS == "windows" {
		return // creating a link may need privileges
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, f); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(dir + "/b/a (2)/c/x"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// A generated tree ends.
func TestFSEndless(t *testing.T) {
	chain := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{menuItem("d")}}}}
	for p := "d"; len(p) < 40; p += "/d" {
		chain.pages[p] = menuPage{items: []scheme.Item{menuItem(p + "/d"), objectItem(p + "/x")}}
	}
	f := chain.fs(t, &mirror.FSOptions{Depth: 3})
	if got := tree(t, f); got != "./\nd/\nd/d/\nd/d/d/\nd/d/d/d/\nd/d/d/d!\nd/d/d/x\nd/d/x\nd/x\n" {
		t.Error(got)
	}
	for name, err := range map[string]error{
		"Open":    func() error { _, err := f.Open("d/d/d/d"); return err }(),
		"ReadDir": func() error { _, err := f.ReadDir("d/d/d/d"); return err }(),
		"within":  func() error { _, err := f.Open("d/d/d/d/x"); return err }(),
	} {
		if !errors.Is(err, scheme.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := chain.requests(); got != " d d/d d/d/d" {
		t.Errorf("asked for %q", got)
	}

	endless := func(kind scheme.ItemKind) menuPage {
		return menuPage{more: func(i int) (scheme.Item, bool) { return menuItemOf(kind, "", fmt.Sprint(i)), true }}
	}
	w := &menuFixture{pages: map[string]menuPage{"": endless(scheme.KindObject)}}
	f = w.fs(t, &mirror.FSOptions{Entries: 1000})
	for range 2 {
		entries, err := f.ReadDir(".")
		if len(entries) != 1000 || !errors.Is(err, scheme.ErrTooLarge) {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	}
	if got := w.requests(); got != "" {
		t.Errorf("asked for %q once more", got)
	}
	if _, err := f.Stat("999"); err != nil {
		t.Error(err)
	}
	if _, err := f.Stat("1000"); !errors.Is(err, scheme.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it may exist: %v", err)
	}

	w = &menuFixture{pages: map[string]menuPage{"": endless(scheme.KindInfo)}}
	if entries, err := w.fs(t, &mirror.FSOptions{Entries: 10}).ReadDir("."); len(entries) != 0 || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	w = &menuFixture{pages: map[string]menuPage{"": endless(scheme.KindMenu)}}
	if entries, err := w.fs(t, &mirror.FSOptions{Menus: 10}).ReadDir("."); len(entries) != 9 || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	w = &menuFixture{pages: map[string]menuPage{"": {items: slices.Repeat([]scheme.Item{objectItem("x")}, 5)}}}
	if entries, err := w.fs(t, &mirror.FSOptions{Entries: 5}).ReadDir("."); len(entries) != 5 || err != nil {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestFSSameNameManyTimes(t *testing.T) {
	const many = 50_000
	w := &menuFixture{pages: map[string]menuPage{"": {more: func(i int) (scheme.Item, bool) { return menuItemOf(scheme.KindObject, "x", "a.b"), i < many }}}}
	entries, err := w.fs(t, nil).ReadDir(".")
	if err != nil || len(entries) != many {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// The entries before an error are valid, and the menu is read again.
func TestFSBroken(t *testing.T) {
	broken := fmt.Errorf("%w: cut off", scheme.ErrProtocol)
	w := &menuFixture{pages: map[string]menuPage{
		"":  {items: []scheme.Item{menuItem("d"), objectItem("x")}},
		"d": {items: []scheme.Item{objectItem("d/b"), objectItem("d/a")}, err: broken},
	}}
	w.pages["d/a"] = menuPage{data: "a"}
	f := w.fs(t, nil)
	entries, err := f.ReadDir("d")
	if names(entries) != "a|b" || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("%s, %v", names(entries), err)
	}
	if got := tree(t, f); got != "./\nd/\nd!\nd/a\nd/b\nx\n" {
		t.Error(got)
	}
	w.requests()
	if _, err := f.ReadFile("d/a"); err != nil {
		t.Error(err)
	}
	if got := w.requests(); got != "d/a" {
		t.Errorf("asked for %q", got)
	}
	if _, err := f.Stat("d/c"); !errors.Is(err, scheme.ErrProtocol) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it may exist: %v", err)
	}

	d, err := f.Open("d")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r := d.(fs.ReadDirFile)
	for _, want := range []string{"b", "a"} {
		if entries, err := r.ReadDir(1); names(entries) != want || err != nil {
			t.Errorf("%s, %v", names(entries), err)
		}
	}
	for range 2 {
		if entries, err := r.ReadDir(1); len(entries) != 0 || !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s, %v", names(entries), err)
		}
	}
	if d, err = f.Open("d"); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if entries, err := d.(fs.ReadDirFile).ReadDir(0); names(entries) != "b|a" || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("%s, %v", names(entries), err)
	}

	w.mu.Lock()
	w.pages["d"] = menuPage{items: []scheme.Item{objectItem("d/b"), objectItem("d/a"), objectItem("d/c")}}
	w.mu.Unlock()
	if entries, err := f.ReadDir("d"); names(entries) != "a|b|c" || err != nil {
		t.Errorf("%s, %v", names(entries), err)
	}
}

func TestFSReadDirFile(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("c"), objectItem("a"), objectItem("b")}}}}
	d, err := w.fs(t, nil).Open(".")
	if err != nil {
		t.Fatal(err)
	}
	r := d.(fs.ReadDirFile)
	for _, step := range []struct {
		n    int
		want string
		err  error
	}{{2, "c|a", nil}, {2, "b", nil}, {2, "", io.EOF}, {2, "", io.EOF}, {-1, "", nil}, {0, "", nil}} {
		entries, err := r.ReadDir(step.n)
		if names(entries) != step.want || err != step.err {
			t.Errorf("ReadDir(%d) = %s, %v", step.n, names(entries), err)
		}
	}
	if _, err := d.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("Read of a directory: %v", err)
	}
	d.Close()
	if _, err := r.ReadDir(1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadDir after Close: %v", err)
	}
	if _, err := d.Stat(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Stat after Close: %v", err)
	}
	if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}

func TestFSErrors(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{
		"": {items: []scheme.Item{
			objectItem("gone"), menuItem("gone/menu"), objectItem("secret"), objectItem("there"), menuItem("liar"),
			{URL: parse("file:///etc/passwd"), Title: "passwd", Kind: scheme.KindObject},
			{URL: parse("file:///etc/"), Title: "etc", Kind: scheme.KindMenu},
			{URL: parse("ftp://127.0.0.1:2121/inside"), Title: "inside", Kind: scheme.KindObject},
			menuItemOf(scheme.KindUnknown, "session", "session"),
		}},
		"secret":  {refuse: fmt.Errorf("x-menu: %w", scheme.ErrAuth)},
		"there":   {data: "there"},
		"liar":    {data: "no menu"},
		"session": {refuse: fmt.Errorf("x-menu: %w", scheme.ErrUnsupported)},
	}}
	f := w.fs(t, &mirror.FSOptions{Elsewhere: true})
	for name, want := range map[string]error{
		"nowhere": fs.ErrNotExist, "gone": fs.ErrNotExist, "menu": fs.ErrNotExist, "there/x": fs.ErrNotExist, "menu/x": fs.ErrNotExist,
		"secret": fs.ErrPermission, "session": scheme.ErrUnsupported,
		// A link has the zone of its menu.
		"passwd": fs.ErrPermission, "etc": fs.ErrPermission, "etc/passwd": policy.ErrDenied, "inside": fs.ErrPermission,
		"": fs.ErrInvalid, "/": fs.ErrInvalid, "..": fs.ErrInvalid, "./there": fs.ErrInvalid, "there/": fs.ErrInvalid, "a//b": fs.ErrInvalid, "\xff": fs.ErrInvalid,
	} {
		_, err := f.Open(name)
		var about *fs.PathError
		if !errors.As(err, &about) || about.Path != name {
			t.Errorf("Open(%q): %v", name, err)
		}
		if !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", name, err, want)
		}
		if _, err := f.ReadFile(name); !errors.Is(err, want) {
			t.Errorf("ReadFile(%q): %v, want %v", name, err, want)
		}
		if want == fs.ErrInvalid {
			for what, err := range map[string]error{
				"Stat":     func() error { _, err := f.Stat(name); return err }(),
				"Lstat":    func() error { _, err := f.Lstat(name); return err }(),
				"ReadDir":  func() error { _, err := f.ReadDir(name); return err }(),
				"ReadLink": func() error { _, err := f.ReadLink(name); return err }(),
			} {
				if !errors.As(err, &about) || !errors.Is(err, want) {
					t.Errorf("%s(%q): %v", what, name, err)
				}
			}
		}
	}
	for _, name := range []string{"there", "liar"} {
		if _, err := f.ReadDir(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the entries of a file: %v", err)
		}
	}
	if _, err := f.ReadFile("."); err == nil {
		t.Error("the octets of a directory")
	}
	var denied *policy.DeniedError
	if _, err := f.Open("passwd"); !errors.As(err, &denied) || denied.Rule != "file" {
		t.Errorf("%v", err)
	}
}

func TestFSNew(t *testing.T) {
	c := new(menuFixture).client(t)
	for _, root := range []string{"x-closed://h/", "x-strange://h/", "ftp:x"} {
		if _, err := mirror.NewFS(t.Context(), c, parse(root), nil); err == nil {
			t.Errorf("%s: no error", root)
		}
	}
	if _, err := mirror.NewFS(t.Context(), c, parse("ftp://h/").WithoutFragment(), &mirror.FSOptions{Depth: -1}); err == nil {
		t.Error("Depth -1: no error")
	}
	var zero mirror.FSSource
	if _, err := mirror.NewFS(t.Context(), c, zero.URL, nil); err == nil {
		t.Error("no root: no error")
	}
}

// Opening a root that is not a menu fails.
func TestFSRootNotMenu(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {data: "an object"}}}
	if _, err := w.fs(t, nil).Open("."); err == nil {
		t.Error("no error")
	}
}

// An item of unknown kind that is a menu becomes a directory when it is opened.
func TestFSUnknown(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{
		"":  {items: []scheme.Item{menuItemOf(scheme.KindUnknown, "m", "m"), menuItemOf(scheme.KindObject, "n", "n"), menuItemOf(scheme.KindUnknown, "o", "o")}},
		"m": {items: []scheme.Item{objectItem("o")}},
		"n": {items: []scheme.Item{menuItem("m")}},
		"o": {data: "o"},
	}}
	f := w.fs(t, nil)
	if got := tree(t, f); got != "./\nm\nn\no\n" {
		t.Error(got)
	}
	if _, err := f.ReadDir("m"); err == nil {
		t.Error("the entries of what counts as a file")
	}
	for _, name := range []string{"n", "m"} {
		d, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := d.Stat()
		if err != nil || !info.IsDir() {
			t.Errorf("%v, %v", info, err)
		}
		d.Close()
	}
	// n was opened first, and its link was read before m turned out to be a menu.
	if got := tree(t, f); got != "./\nm -> n/m\nn/\nn/m/\nn/m/o\no\n" {
		t.Error(got)
	}
	if err := fstest.TestFS(f, "n/m/o"); err != nil {
		t.Error(err)
	}
}

func TestFSKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{menuItem("d"), objectItem("x")}}, "d": {items: []scheme.Item{}}}}
		f := w.fs(t, &mirror.FSOptions{Keep: time.Minute})
		stat := func(name string, want error) {
			t.Helper()
			if _, err := f.Stat(name); !errors.Is(err, want) {
				t.Errorf("Stat(%q): %v, want %v", name, err, want)
			}
		}
		stat("x", nil)
		w.mu.Lock()
		w.pages[""] = menuPage{items: []scheme.Item{objectItem("other/d"), menuItem("d"), objectItem("y")}}
		w.mu.Unlock()
		time.Sleep(59 * time.Second)
		stat("y", fs.ErrNotExist)
		time.Sleep(time.Second)
		stat("y", nil)
		stat("x", fs.ErrNotExist)
		if got := tree(t, f); got != "./\nd\nd (2)/\ny\n" {
			t.Error(got)
		}
		if got := w.requests(); got != "  d" {
			t.Errorf("asked for %q", got)
		}
	})
}

func TestFSCachedMenus(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{}}
	var items []scheme.Item
	for i := range 10 {
		name := fmt.Sprint(i)
		items = append(items, menuItem(name))
		w.pages[name] = menuPage{items: []scheme.Item{objectItem(name + "/x"), objectItem(name + "/y"), menuItemOf(scheme.KindMenu, "home", "")}}
	}
	w.pages[""] = menuPage{items: items}
	want := strings.Join(append([]string{""}, slices.Sorted(maps.Keys(w.pages))[1:]...), " ")
	for _, row := range []struct {
		o     mirror.FSOptions
		again string
	}{{mirror.FSOptions{CachedMenus: 3}, "0 8"}, {mirror.FSOptions{Entries: 17}, "0 8"}, {mirror.FSOptions{}, ""}} {
		f := w.fs(t, &row.o)
		first := tree(t, f)
		if got := w.requests(); got != want {
			t.Errorf("%+v: asked for %q", row.o, got)
		}
		// The root was used throughout, and the last menu recently.
		for _, name := range []string{"9/x", "0/x", "8/x"} {
			if _, err := f.Stat(name); err != nil {
				t.Error(err)
			}
		}
		if got := w.requests(); got != row.again {
			t.Errorf("%+v: asked for %q again, want %q", row.o, got, row.again)
		}
		// Paths do not change.
		if second := tree(t, f); second != first {
			t.Errorf("%+v: first %s, then %s", row.o, first, second)
		}
		w.requests()
	}
}

func TestFSManyAtOnce(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{}}
	var items []scheme.Item
	for i := range 20 {
		name := fmt.Sprint(i)
		items = append(items, menuItem(name), objectItem("f"+name))
		w.pages["f"+name] = menuPage{data: name}
		w.pages[name] = menuPage{items: []scheme.Item{menuItem(fmt.Sprint((i + 1) % 20)), menuItemOf(scheme.KindMenu, "home", ""), objectItem("f" + name)}}
	}
	w.pages[""] = menuPage{items: items}
	f := w.fs(t, &mirror.FSOptions{CachedMenus: 5})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || d.Type() != 0 {
					return err
				}
				data, err := f.ReadFile(name)
				if err == nil && "f"+string(data) != path.Base(name) {
					err = fmt.Errorf("%s holds %q", name, data)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Concurrent reads of a menu share one request.
func TestFSReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &menuFixture{pages: map[string]menuPage{"": {more: func(i int) (scheme.Item, bool) {
			time.Sleep(time.Second)
			return objectItem(fmt.Sprint(i)), i < 3
		}}}}
		f := w.fs(t, nil)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := f.Stat("2"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := len(w.asked); got != 1 {
			t.Errorf("read %d times", got)
		}
	})
}

// The end of the context cancels everything.
func TestFSContext(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x"), menuItem("d")}}, "x": {data: "x", wait: true}, "d": {items: []scheme.Item{}}}}
	ctx, cancel := context.WithCancel(t.Context())
	f, err := mirror.NewFS(ctx, w.client(t), parse("x-menu://h/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if n, err := x.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	done := make(chan error)
	go func() {
		_, err := x.Read(make([]byte, 10))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v", err)
	}
	for _, name := range []string{".", "x", "d"} {
		if _, err := f.Open(name); !errors.Is(err, context.Canceled) {
			t.Errorf("Open(%q): %v", name, err)
		}
		if _, err := f.Stat(name); !errors.Is(err, context.Canceled) {
			t.Errorf("Stat(%q): %v", name, err)
		}
	}
}
