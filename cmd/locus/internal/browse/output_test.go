package browse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// sequences matches the control sequences that the library may write to the terminal. They move
// the cursor, erase, scroll, set styles and terminal modes, query the terminal, and set the title.
var sequences = regexp.MustCompile("\x1b\\[[0-9;:]*[ABCDEFGHJKLMPSTXZ`abdegm@r]|" + // cursor, erasing, insertion, styles, region
	"\x1b\\[\\?[0-9;]+(?:[hl]|\\$p)|" + // modes
	"\x1b\\[[=<>?]?[0-9;]*[uqm]|\x1b\\[[0-9]* q|" + // keyboard, cursor shape, version
	"\x1b[78M=>]|" + // save and restore the cursor, reverse index, keypad
	"\x1b\\]2;[^\x00-\x1f\x7f-\u009f]*\x07|" + // title
	"\x1b\\]11[12]?\x07|\x1b\\]1[12];\\?\x07|" + // colors of the cursor and the screen
	"[\r\n\t\b]")

// steering returns the parts of a terminal output that are neither text nor permitted
// sequences.
func steering(output string) (rest []string) {
	for text := sequences.ReplaceAllString(output, ""); text != ""; {
		_, n := utf8.DecodeRuneInString(text)
		if c := text[:n]; !utf8.ValidString(c) || term.Safe(c) != c {
			rest = append(rest, c)
		}
		text = text[n:]
	}
	return rest
}

// console is a terminal in memory.
type console struct {
	mu     sync.Mutex
	output bytes.Buffer
	wrote  chan struct{}
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.output.Write(p)
	select {
	case c.wrote <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.output.String()
}

// wait waits until the output contains the text.
func (c *console) wait(t *testing.T, text string) {
	t.Helper()
	for late := time.After(time.Minute); !strings.Contains(c.text(), text); {
		select {
		case <-c.wrote:
		case <-late:
			t.Fatalf("no %q in %q", text, c.text())
		}
	}
}

// Server data never controls the terminal: the program writes only text and the library's own
// sequences.
func TestOutputHasOnlyOwnSequences(t *testing.T) {
	l := fixture()
	l.open["gopher://h.example/1/evil"] = func() scheme.Resource {
		m := menu(hostile, item("gopher://h.example/0/evil", hostile, scheme.KindObject), item("", hostile, scheme.KindInfo))().(*scheme.Menu)
		m.Note = hostile
		return m
	}
	l.open["gopher://h.example/0/evil"] = object("text/plain; charset="+hostile, strings.ReplaceAll(hostile, "\x00", "")+"\nThe end.")
	l.open["http://evil.example/"] = object("text/html", "<title>"+hostile+"</title><a href='http://h.example/"+hostile+"'>"+hostile+"</a><pre>"+hostile+"</pre>The end.")
	var err error
	if l.registry, err = schemes(); err != nil {
		t.Fatal(err)
	}
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
	a.Registry = l.registry
	m := newModel(a, l, nil, locus.MustParse("gopher://h.example/1/evil"))
	m.tour = func() (*page, error) { return nil, errors.New("no tour") }
	out := &console{wrote: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignalHandler(),
		tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	press := func(names string) {
		for _, name := range strings.Fields(names) {
			k, ok := keyCodes[name]
			if !ok {
				k = tea.Key{Code: rune(name[0]), Text: name}
			}
			p.Send(tea.KeyPressMsg(k))
		}
	}
	out.wait(t, "evil")
	press("1 enter")
	out.wait(t, "The end.")
	press("g")
	for _, c := range "http://evil.example/" {
		p.Send(tea.KeyPressMsg(tea.Key{Code: c, Text: string(c)}))
	}
	press("enter = b c b \\ b H b a B f esc t ?")
	out.wait(t, "next link, or down a line")
	press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if rest := steering(out.text()); len(rest) > 0 {
		t.Errorf("the terminal gets %q in %q", rest, out.text())
	}
	// The check itself must detect control sequences.
	for _, bad := range []string{hostile, "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;evil\x07", "\x1bP1$r\x1b\\", "\x9b2J", "\x1b[5n", "\u202e"} {
		if len(steering(bad)) == 0 {
			t.Errorf("%q is not found", bad)
		}
	}
}

// For any menu, text, form and keys, the screen contains only text and the styles of this package.
func FuzzScreen(f *testing.F) {
	f.Add(hostile, hostile, "1 enter = b c b \\ b H", uint8(80))
	f.Add("a menu", "\x1b]0;evil\x07", "y Y a B D y enter", uint8(40))
	f.Add("\u202eabc", "\x9b31m", "f a / x enter n", uint8(3))
	styles := regexp.MustCompile("\x1b\\[[0-9;]*m")
	f.Fuzz(func(t *testing.T, title, text, keys string, width uint8) {
		if len(keys) > 64 {
			return
		}
		l := &library{open: map[string]func() scheme.Resource{}}
		l.open["gopher://h.example/1/"] = func() scheme.Resource {
			m := menu(title, item("gopher://h.example/0/a", text, scheme.KindObject), item("", text, scheme.KindInfo))().(*scheme.Menu)
			m.Note = text
			m.Form = &scheme.Form{Title: title, Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: text, Default: title}, {Kind: scheme.FieldChoice, Prompt: title, Choices: []string{text}}}}
			m.Form.Submit = func([]string) (locus.URL, error) { return locus.URL{}, errors.New(text) }
			m.Source = func() ([]byte, string) { return []byte(text), title }
			return m
		}
		l.open["gopher://h.example/0/a"] = object("text/html; charset="+title, "<title>"+title+"</title><p>"+text)
		b := newTester(t, l, "gopher://h.example/1/", int(width), 12)
		check := func() {
			v := b.m.View()
			for _, line := range strings.Split(styles.ReplaceAllString(v.Content, ""), "\n") {
				if term.Safe(line) != line {
					t.Fatalf("not safe: %q", line)
				}
			}
			if term.Safe(v.WindowTitle) != v.WindowTitle {
				t.Fatalf("the title is not safe: %q", v.WindowTitle)
			}
			if v.Cursor != nil && (v.Cursor.X < 0 || v.Cursor.Y < 0 || v.Cursor.X >= max(b.m.width, 1) || v.Cursor.Y >= b.m.height) {
				t.Fatalf("the cursor is at %v", v.Cursor.Position)
			}
		}
		check()
		for _, name := range strings.Fields(keys) {
			k, ok := keyCodes[name]
			if !ok {
				c, _ := utf8.DecodeRuneInString(name)
				k = tea.Key{Code: c, Text: string(c)}
			}
			if k.Code == 's' {
				continue // skip file URLs
			}
			b.send(tea.KeyPressMsg(k))
			check()
		}
		if term.Safe(b.clip) != b.clip {
			t.Fatalf("the clipboard has %q", b.clip)
		}
	})
}
