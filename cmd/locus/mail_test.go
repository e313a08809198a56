package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/mailstore"
)

func TestNewsServer(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		" ":                          "",
		"news.example.net":           "nntp://news.example.net",
		" news.example.net\n":        "nntp://news.example.net",
		"news.example.net:1119":      "nntp://news.example.net:1119",
		"[::1]:119":                  "nntp://[::1]:119",
		"nntp://h":                   "nntp://h",
		"NNTPS://h:563/":             "NNTPS://h:563/",
		"nntps://fred:s3cret@h.exam": "nntps://fred:s3cret@h.exam",
	} {
		var n newsServer
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("%q: %s, %v", text, n, err)
		}
	}
	for _, text := range []string{"a b", "h:99999", "http://h/", "nntp:h", "nntp://", "nntp://h/group", "h/group", "h#f", "::1", "a\nb", "nntp://u:s3cret@h:x"} {
		n := newsServer{}
		if err := n.UnmarshalText([]byte(text)); err == nil || !n.IsZero() || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %s, %v", text, n, err)
		}
	}
}

func TestPaths(t *testing.T) {
	var p paths
	if err := p.UnmarshalText([]byte(strings.Join([]string{"/a", "", "~/b c"}, string(os.PathListSeparator)))); err != nil || fmt.Sprint(p) != "[/a ~/b c]" {
		t.Errorf("%q, %v", p, err)
	}
	if err := p.UnmarshalTOML([]any{"/x"}); err != nil || fmt.Sprint(p) != "[/x]" {
		t.Errorf("%q, %v", p, err)
	}
	if err := p.UnmarshalTOML([]any{}); err != nil || len(p) != 0 {
		t.Errorf("%q, %v", p, err)
	}
	for _, value := range []any{"/x", 1, []any{1}, []any{"/x", ""}, nil} {
		if err := p.UnmarshalTOML(value); err == nil {
			t.Errorf("%v is %q", value, p)
		}
	}
}

func TestInHome(t *testing.T) {
	a := testApp(t, "")
	a.env = func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	for path, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~you/x": "~you/x", "/~": "/~", "": ""} {
		if got := a.inHome(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// mailApp is an app with so many messages in an mbox, and with folders that are not
// there.
func mailApp(t *testing.T, messages, missing int) (*app, *screen) {
	a, s := newScreen(t)
	dir := t.TempDir()
	var mbox strings.Builder
	for i := range messages {
		fmt.Fprintf(&mbox, "From a@h Thu Dec  1 10:30:00 1994\nMessage-ID: <%d@h>\n\nx\n\n", i)
	}
	path := filepath.Join(dir, "mbox")
	if err := os.WriteFile(path, []byte(mbox.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a.config.Mail = mailConfig{Stores: paths{path}, Cache: filepath.Join(dir, "cache")}
	for i := range missing {
		a.config.Mail.Stores = append(a.config.Mail.Stores, filepath.Join(dir, fmt.Sprintf("none%d", i)))
	}
	return a, s
}

// It is shown how far indexing is, and the terminal is as it was afterwards. Of
// much trouble only some is told.
func TestMailbox(t *testing.T) {
	a, s := mailApp(t, 3000, 2*mostTroubles)
	m := newMailbox(a, false)
	found := func(id string) (n int) {
		for file, err := range m.Messages(t.Context(), id) {
			if err != nil {
				t.Error(err)
				continue
			}
			n++
			file.Close()
		}
		return n
	}
	if n := found("2999@h"); n != 1 {
		t.Errorf("%d messages", n)
	}
	if a.showsProgress() {
		t.Error("there is progress still")
	}
	text := s.String()
	if !strings.Contains(text, "3000 messages") || strings.Count(text, "none") != mostTroubles || !strings.Contains(text, `"locus index" says it all`) {
		t.Errorf("%q", text)
	}
	// Many at once, of which most bring the index up to date.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { found(fmt.Sprintf("%d@h", 2996+i)) })
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// Where something else has the terminal, or nobody looks, nothing is shown.
func TestMailboxQuiet(t *testing.T) {
	for name, change := range map[string]func(a *app) *mailbox{
		"no terminal": func(a *app) *mailbox { a.errTTY = false; return newMailbox(a, false) },
		"--quiet":     func(a *app) *mailbox { a.flags.quiet = true; return newMailbox(a, false) },
		"--json":      func(a *app) *mailbox { a.flags.json = true; return newMailbox(a, false) },
		"--verbose":   func(a *app) *mailbox { return newMailbox(a, true) },
		"bars": func(a *app) *mailbox {
			p := startProgress(a, []string{"x"})
			t.Cleanup(p.Close)
			return newMailbox(a, false)
		},
	} {
		a, s := mailApp(t, 1, 0)
		m := change(a)
		for range m.Messages(t.Context(), "none@h") {
			t.Error("there is a message")
		}
		m.report(mailstore.Progress{Messages: 7})
		if m.progress != nil || strings.Contains(s.String(), "messages") {
			t.Errorf("%s: %q", name, s.String())
		}
		m.Close()
	}
}

// Nothing is opened where nothing is looked for.
func TestMailboxLazy(t *testing.T) {
	a, _ := mailApp(t, 1, 0)
	_, closeAll, err := newClient(a, clientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	closeAll()
	if _, err := os.Stat(a.config.Mail.Cache); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index is there: %v", err)
	}
	a.config.Mail.Stores = nil
	if newMailbox(a, false) != nil || newMailbox(a, false).asStore() != nil || newMailbox(a, false).Close() != nil {
		t.Error("there is mail")
	}
}

func TestIndexInterrupted(t *testing.T) {
	a, s := mailApp(t, 1, 0)
	path := a.config.Mail.Stores[0]
	env := a.env
	a.env = func(name string) string {
		return map[string]string{"LOCUS_MAIL_STORES": path, "LOCUS_MAIL_CACHE": t.TempDir()}[name] + env(name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.ctx = ctx
	if status := a.run([]string{"index"}); status != statusInterrupted {
		t.Errorf("status %d, %s", status, s.String())
	}
}
