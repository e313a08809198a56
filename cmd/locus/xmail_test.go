package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/mailstore"
)

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
