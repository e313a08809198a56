package browse

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

var update = flag.Bool("update", false, "write the golden screens again")

// schemes creates the registry only once, because the schemes do not change.
var schemes = sync.OnceValues(func() (*scheme.Registry, error) { return all.Registry() })

// library opens URLs from a map, and records the requests.
type library struct {
	registry *scheme.Registry
	open     map[string]func() scheme.Resource
	asked    []access.Request
	public   bool           // the links of its pages have a public origin
	answers  []string       // answers to a form
	archived *archive.Store // may be nil
}

func (l *library) Registry() *scheme.Registry { return l.registry }

func (l *library) Do(ctx context.Context, req access.Request) (*access.Result, error) {
	l.asked = append(l.asked, req)
	if ctx.Err() != nil {
		return nil, access.NewError("open", req.URL, context.Cause(ctx))
	}
	if req.Trace != nil {
		req.Trace(true, "ask "+req.URL.String())
	}
	open, ok := l.open[req.URL.WithoutFragment().String()]
	if !ok {
		return nil, access.NewError("open", req.URL, scheme.ErrNotFound)
	}
	origin := policy.FromPrivate
	if l.public {
		origin = policy.FromPublic
	}
	return &access.Result{Resource: open(), URL: req.URL, Hops: []locus.URL{req.URL}, LinkOrigin: origin}, nil
}

func object(mediaType, text string) func() scheme.Resource {
	return func() scheme.Resource {
		return &scheme.Object{Type: mediaType, Size: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}
	}
}

func menu(title string, items ...scheme.Item) func() scheme.Resource {
	return func() scheme.Resource {
		m := clitest.MenuOf(items...)
		m.Title = title
		return m
	}
}

func item(url, title string, kind scheme.ItemKind) scheme.Item {
	i := scheme.Item{Title: title, Kind: kind, Size: -1}
	if url != "" {
		i.URL = locus.MustParse(url)
	}
	return i
}

// tester sends keys to a model and runs its commands, without a terminal.
type tester struct {
	testing.TB
	m        *model
	library  *library
	clip     string
	quit     bool
	sessions []string
	letters  []locus.URL
	outside  []locus.URL
}

func (t *tester) converse(_ context.Context, s *scheme.Session, safe bool) error {
	t.sessions = append(t.sessions, fmt.Sprintf("%s safe=%t", s.URL, safe))
	return nil
}

func (t *tester) compose(_ context.Context, u locus.URL) error {
	t.letters = append(t.letters, u)
	return nil
}

// newTester returns a model with the given size that shows the URL first. If first is empty, it
// shows the bookmarks.
func newTester(tb testing.TB, l *library, first string, width, height int) *tester {
	tb.Helper()
	home := tb.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home, "XDG_CONFIG_HOME": home}[name] }
	a := base.New(context.Background(), strings.NewReader(""), io.Discard, io.Discard, env)
	if l.registry == nil {
		registry, err := schemes()
		if err != nil {
			tb.Fatal(err)
		}
		l.registry = registry
	}
	a.Registry = l.registry
	var u locus.URL
	if first != "" {
		u = locus.MustParse(first)
	}
	t := &tester{TB: tb, library: l, m: newModel(a, l, l.archived, u)}
	t.m.ctx, t.m.do = a.Context, t
	t.m.tick = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	t.m.elsewhere = func(u locus.URL) error { t.outside = append(t.outside, u); return nil }
	t.m.tour = func() (*page, error) { return nil, errors.New("no tour here") }
	t.do(t.m.Init())
	t.send(tea.WindowSizeMsg{Width: width, Height: height})
	return t
}

func (t *tester) send(msg tea.Msg) {
	_, c := t.m.Update(msg)
	t.do(c)
}

// do runs a command and sends the resulting messages to the model.
func (t *tester) do(c tea.Cmd) {
	if c == nil {
		return
	}
	msg := c()
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			t.do(c)
		}
	case tea.QuitMsg:
		t.quit = true
	case terminalMsg:
		t.send(msg.ended(msg.Run()))
	default:
		if name := fmt.Sprintf("%T", msg); name == "tea.setClipboardMsg" {
			t.clip = fmt.Sprint(msg)
			return
		}
		t.send(msg)
	}
}

var keyCodes = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
	"right": {Code: tea.KeyRight}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
	"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+j": {Code: 'j', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "delete": {Code: tea.KeyDelete},
	"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+a": {Code: 'a', Mod: tea.ModCtrl}, "ctrl+e": {Code: 'e', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl},
	"ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "ctrl+l": {Code: 'l', Mod: tea.ModCtrl}, "f1": {Code: tea.KeyF1},
}

// keys sends the named keys. Spaces separate the names.
func (t *tester) keys(names string) *tester {
	t.Helper()
	for _, name := range strings.Fields(names) {
		k, ok := keyCodes[name]
		if !ok {
			r := []rune(name)
			if len(r) != 1 {
				t.Fatalf("no key %q", name)
			}
			k = tea.Key{Code: unicode.ToLower(r[0]), Text: name}
		}
		t.send(tea.KeyPressMsg(k))
	}
	return t
}

// typing types a text and presses Enter.
func (t *tester) typing(text string) *tester {
	for _, r := range text {
		t.send(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
	}
	return t.keys("enter")
}

var sgrs = regexp.MustCompile("\x1b\\[[0-9;]*m")

// screen returns the lines of the screen without styles.
func (t *tester) screen() string {
	t.Helper()
	text := sgrs.ReplaceAllString(t.m.View().Content, "")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if n := term.Width(line); n > t.m.width {
			t.Errorf("line %d has %d columns of %d: %q", i, n, t.m.width, line)
		}
		if term.Safe(line) != line {
			t.Errorf("line %d is not safe: %q", i, line)
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	if len(lines) > max(t.m.height, 1) {
		t.Errorf("%d lines of %d", len(lines), t.m.height)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (t *tester) wants(parts ...string) {
	t.Helper()
	screen := t.screen()
	for _, part := range parts {
		if !strings.Contains(screen, part) {
			t.Errorf("%q is not on the screen:\n%s", part, screen)
		}
	}
}

// underCursor returns the text of the screen that begins at the cursor.
func (t *tester) underCursor() string {
	t.Helper()
	v := t.m.View()
	lines := strings.Split(sgrs.ReplaceAllString(v.Content, ""), "\n")
	line := lines[v.Cursor.Y]
	return strings.TrimRight(line[len(fitting(line, v.Cursor.X)):], " ")
}

// golden compares the screen and the cursor position with a file.
func (t *tester) golden(name string) {
	t.Helper()
	v := t.m.View()
	got := t.screen() + fmt.Sprintf("cursor: column %d, line %d\n", v.Cursor.X, v.Cursor.Y)
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(got), want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", name, got, want)
	}
}
