package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// The browser saves the bytes of an object, the text of a menu, and a part of a message. It saves
// the whole object even if the page holds only its beginning. It never replaces a file, and leaves
// no file after an error.
func TestSave(t *testing.T) {
	l := fixture()
	const long = 3 << 20
	l.open["ftp://h.example/big.bin"] = object("application/octet-stream", "\x00"+strings.Repeat("x", long))
	for _, s := range []struct {
		url, keys, want string
	}{
		{"gopher://h.example/0/%E5%9B%B3", "", strings.Repeat("図書館の本", 30) + "\n"},
		{"ftp://h.example/pub/", "", "readme.txt\tftp://h.example/pub/readme.txt\nold/\tftp://h.example/pub/old/\n"},
		{"gopher://h.example/9/bin", "", "\x00\x01\x02"},
		{"ftp://h.example/big.bin", "", "\x00" + strings.Repeat("x", long)},
		{"news:1@h.example", "end enter", "<p>Bold"},
	} {
		b := newTester(t, l, s.url, 80, 24)
		name := filepath.Join(t.TempDir(), "saved")
		b.keys(s.keys + " s").wants("Save to: ")
		b.keys("ctrl+u").typing(name).wants("Saved ")
		got, err := os.ReadFile(name)
		if err != nil || string(got) != s.want {
			t.Errorf("%s: %d octets: %.80q, %v", s.url, len(got), got, err)
		}
		b.keys("s ctrl+u").typing(name).wants("exists")
		b.keys("s ctrl+u").typing(filepath.Join(name, "no")).wants("not a directory")
		b.keys("s ctrl+u enter esc")
	}
	b := newTester(t, l, "ftp://h.example/big.bin", 80, 24)
	b.keys("s").wants("Save to: big.bin")
	delete(l.open, "ftp://h.example/big.bin")
	name := filepath.Join(t.TempDir(), "saved")
	b.keys("ctrl+u").typing(name).wants("Not saved", "not found")
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}

// "u" goes up one menu at a time.
func TestUpOpensParentMenu(t *testing.T) {
	b := newTester(t, fixture(), "ftp://h.example/pub/readme.txt", 80, 24)
	b.keys("u").wants("readme.txt", "old")
	b.keys("u").wants("Not found", "ftp://h.example/")
	b.keys("u").wants("There is no menu above")
	b = newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("? u").wants("There is no menu above")
}

// Back and forward move through the history and restore the selected link. A new page replaces
// the pages after the current one.
func TestHistory(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("b").wants("This is the first page")
	b.keys("w").wants("This is the last page")
	b.keys("1 enter b 2 enter b w").wants("More", "(empty)")
	b.keys("b 6 enter 1 enter").wants("Read me.")
	b.keys("H").wants("History", "readme.txt", "pub", "Museum  gopher://h.example/1/")
	b.keys("3 enter").wants("Welcome to the museum")
	b.keys("b b").wants("Read me.")
	b.keys("b b w").wants("old")
	if got := b.underCursor(); got != "readme.txt" {
		t.Errorf("the cursor is on %q", got)
	}
}

// Tabs have their own histories, and a limit.
func TestManyTabs(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("t").wants("*2 about")
	b.keys("b").wants("This is the first page")
	b.keys("[ 6 t 1 enter b").wants("*3 ", "old")
	b.keys("[ [ [").wants("*3 ")
	for range maxTabs {
		b.m.turnTo(0)
		b.keys("1 t")
	}
	b.wants(fmt.Sprintf("%d tabs are already open", maxTabs))
	for range maxTabs {
		b.keys("x")
	}
	b.wants("This is the last tab")
	b.keys("]").wants("There is only one tab")
	b.keys("B t").wants("No link is selected") // an action that starts the tour is not a link
}

// fields is a form with a field of every kind.
func fields(l *library) {
	l.open["gopher://h.example/1/all"] = func() scheme.Resource {
		f := &scheme.Form{URL: locus.MustParse("gopher://h.example/1/all"), Fields: []scheme.FormField{
			{Kind: scheme.FieldNote, Prompt: "A note."}, {Kind: scheme.FieldText, Prompt: "Text", Default: "a"},
			{Kind: scheme.FieldHidden, Prompt: "Hidden"}, {Kind: scheme.FieldLines, Prompt: "Lines"},
			{Kind: scheme.FieldChoice, Prompt: "Choice", Choices: []string{"one", "two"}}, {Kind: scheme.FieldCheck, Prompt: "Check"},
			{Kind: scheme.FieldSaveAs, Prompt: "Save as", Default: "../../etc/passwd"}, {Kind: scheme.FieldFile, Prompt: "File", Default: "/etc/passwd"},
		}}
		f.Submit = func(answers []string) (locus.URL, error) {
			if err := f.Check(answers); err != nil {
				return locus.URL{}, err
			}
			l.answers = answers
			return locus.Parse("gopher://h.example/1/sent")
		}
		return f.Menu()
	}
	l.open["gopher://h.example/1/sent"] = menu("Sent")
}

// The user can answer every kind of field. A server cannot choose a local file.
func TestFields(t *testing.T) {
	l := fixture()
	fields(l)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("contents"), 0o666); err != nil {
		t.Fatal(err)
	}
	b := newTester(t, l, "gopher://h.example/1/all", 80, 24)
	b.wants("A note.", "1 Text: [a]", "2 Hidden: []", "3 Lines: []", "4 Choice: [one]", "5 Check: [no]", "6 Save as: [passwd]", "7 File: []", "8 Submit")
	b.keys("1 enter b enter 2 enter c enter 3 enter d ctrl+j e enter 4 enter 2 enter 5 enter 6 enter ctrl+u").typing("reply.txt")
	b.keys("7 enter").typing(name + ".none").wants("no such file")
	b.keys("7 enter").typing(name).wants("Text: [ab]", "Hidden: [*]", "Lines: [d", "Choice: [two]", "Check: [yes]", "Save as: [reply.txt]", "File: [(a file)]")
	b.keys("8 enter").wants("Sent")
	if got, want := fmt.Sprintf("%q", l.answers), `["" "ab" "c" "d\ne" "two" "1" "reply.txt" "contents"]`; got != want {
		t.Errorf("the answers are %s, want %s", got, want)
	}
	b = newTester(t, l, "gopher://h.example/1/all", 80, 24)
	b.keys("6 enter ctrl+u").typing("a/b").wants("write a file name, not a path", "Save as: [passwd]")
}

// The browser sets the clipboard only after a key of the user.
func TestOnlyYankSetsClipboard(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	for _, name := range strings.Fields("down up tab space - home end 1 enter b w u r / x enter n N a B b H b \\ = b c b t [ x ? b q") {
		if b.keys(name); b.clip != "" {
			t.Fatalf("%s sets the clipboard to %q", name, b.clip)
		}
	}
	b = newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("3 y").wants("Copied, if the terminal allows it")
	if b.clip != "gopher://h.example/7/find" {
		t.Errorf("the clipboard has %q", b.clip)
	}
	b.keys("B Y").wants("This item has no URL")
}

// A page that could not be opened elsewhere says why.
func TestOpenElsewhereFails(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.m.elsewhere = func(locus.URL) error { return errors.New("no program to open it") }
	b.keys("o").wants("no program to open it")
	a := b.m.app
	a.Getenv = func(name string) string { return map[string]string{"BROWSER": "no-such-program"}[name] }
	if err := openElsewhere(a)(locus.MustParse("http://h.example/")); err == nil || !strings.Contains(err.Error(), "set BROWSER") {
		t.Errorf("%v, want an error and %q in err.Error()", err, "set BROWSER")
	}
}

// dead is an opener for a server that does not respond.
type dead struct {
	*library
	begun func()
}

func (d dead) Do(ctx context.Context, req access.Request) (*access.Result, error) {
	d.begun()
	<-ctx.Done()
	return nil, access.NewError("open", req.URL, context.Cause(ctx))
}

// waiting returns a browser that waits for a dead server. The function answer delivers the result.
func waiting(t *testing.T) (b *tester, answer func()) {
	b = newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	begun := make(chan struct{})
	b.m.opener = dead{b.library, sync.OnceFunc(func() { close(begun) })}
	b.m.typed("gopher://h.example/1/dead")
	done := make(chan tea.Msg, 1)
	cmd := b.m.commands()
	go func() { done <- firstMsg(cmd) }()
	<-begun
	return b, func() { b.send(<-done) }
}

// Ctrl-C, Esc and Left only stop loading; the previous page stays.
func TestStopsOpening(t *testing.T) {
	for _, key := range []string{"ctrl+c", "esc", "left"} {
		b, answer := waiting(t)
		b.wants("Opening gopher://h.example/1/dead (Esc stops)", "Welcome to the museum")
		b.keys(key).wants("Stopped")
		answer()
		b.wants("Welcome to the museum")
		if b.quit || b.m.tab().loading != nil {
			t.Errorf("%s: quit %t", key, b.quit)
		}
		if b.keys("ctrl+c"); !b.quit || b.m.status != 130 {
			t.Errorf("a second Ctrl-C: quit %t, status %d", b.quit, b.m.status)
		}
	}
}

// Quitting, closing the tab, or opening another page stops loading.
func TestLeaveWhileOpening(t *testing.T) {
	b, answer := waiting(t)
	if b.keys("q"); !b.quit || b.m.status != 0 {
		t.Errorf("quit %t, status %d", b.quit, b.m.status)
	}
	answer()

	b, answer = waiting(t)
	b.m.opener = b.library
	b.keys("6 enter").wants("readme.txt")
	answer()
	b.wants("readme.txt")

	b, answer = waiting(t)
	b.m.opener = b.library
	b.keys("1 t [").wants("(Esc stops)")
	b.keys("x").wants("About")
	answer()
	b.wants("About")
}

// The screen may change while a page is opened.
func TestResizeWhileOpening(t *testing.T) {
	b, answer := waiting(t)
	for _, size := range [][2]int{{40, 20}, {1, 1}, {0, 0}, {3, 2}, {120, 50}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		b.screen()
	}
	b.wants("Opening gopher://h.example/1/dead", "Welcome to the museum")
	b.keys("esc")
	answer()
	b.wants("Welcome to the museum")
}

// If a server is unreachable, the browser shows an error page, on which "r" tries again.
func TestDeadServer(t *testing.T) {
	l := fixture()
	b := newTester(t, l, "gopher://h.example/1/gone", 80, 24)
	b.wants("Not found", "r retries")
	l.open["gopher://h.example/1/gone"] = menu("Back again")
	b.keys("r").wants("Back again", "(empty)")
}

// endless is a text with the given number of bytes.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range n {
		p[i] = "A line of a long text.\n"[(e.left-i)%23]
	}
	e.left -= n
	return n, nil
}
func (*endless) Close() error { return nil }

// The browser shows the beginning of a 100 MB text and reports the size of the shown part. It
// saves the whole text.
func TestLongText(t *testing.T) {
	const size = 100_000_000
	l := fixture()
	l.open["ftp://h.example/long.txt"] = func() scheme.Resource {
		return &scheme.Object{Type: "text/plain", Size: size, Body: &endless{size}}
	}
	before := heap()
	b := newTester(t, l, "ftp://h.example/long.txt", 80, 24)
	b.keys("end").wants("Incomplete", "only the first 16 MiB are shown", "s saves all of it")
	if used := int64(heap()) - int64(before); used > 400<<20 {
		t.Errorf("it takes %d octets", used)
	} else {
		t.Logf("it takes %d MiB", used>>20)
	}
	name := filepath.Join(t.TempDir(), "long.txt")
	b.keys("s ctrl+u").typing(name).wants("Saved 95 MiB")
	if info, err := os.Stat(name); err != nil || info.Size() != size {
		t.Errorf("Stat(%q) = %v, %v, want no error and info.Size() %d", name, info, err, size)
	}
}
