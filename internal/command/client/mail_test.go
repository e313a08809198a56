package client

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/mailstore"
)

// Indexing shows its progress, and the terminal is restored afterwards. Only the first of many
// problems are reported.
func TestMailbox(t *testing.T) {
	a, s := clitest.MailApp(t, 3000, 2*maxTroubles)
	m := NewMailbox(a, false)
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
	if a.ShowsProgress() {
		t.Error("there is progress still")
	}
	text := s.String()
	if !strings.Contains(text, "3000 messages") || strings.Count(text, "none") != maxTroubles || !strings.Contains(text, `run "locus index" to list them`) {
		t.Errorf("%q, want %q in text and %q in text", text, "3000 messages", `run "locus index" to list them`)
	}
	// Many concurrent calls update the index.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { found(fmt.Sprintf("%d@h", 2996+i)) })
	}
	all.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// If another display uses the terminal, or standard error is not a terminal, no progress is
// shown.
func TestMailboxQuiet(t *testing.T) {
	for name, change := range map[string]func(a *base.App) *mailbox{
		"no terminal": func(a *base.App) *mailbox { a.ErrTTY = false; return NewMailbox(a, false) },
		"--quiet":     func(a *base.App) *mailbox { a.Flags.Quiet = true; return NewMailbox(a, false) },
		"--json":      func(a *base.App) *mailbox { a.Flags.JSON = true; return NewMailbox(a, false) },
		"--verbose":   func(a *base.App) *mailbox { return NewMailbox(a, true) },
		"bars": func(a *base.App) *mailbox {
			p := base.StartProgress(a, "x")
			t.Cleanup(p.Close)
			return NewMailbox(a, false)
		},
	} {
		a, s := clitest.MailApp(t, 1, 0)
		m := change(a)
		for range m.Messages(t.Context(), "none@h") {
			t.Error("there is a message")
		}
		m.Report(mailstore.Progress{Messages: 7})
		if strings.Contains(s.String(), "messages") {
			t.Errorf("%s: %q, want no %q in s", name, s.String(), "messages")
		}
		m.Close()
	}
}

// The mailbox opens no mail before the first lookup.
func TestMailboxLazy(t *testing.T) {
	a, _ := clitest.MailApp(t, 1, 0)
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
	_, closeAll, err := New(a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeAll()
	if _, err := os.Stat(a.Config.Mail.Cache); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index is there: %v", err)
	}
	a.Config.Mail.Stores = nil
	if NewMailbox(a, false) != nil || NewMailbox(a, false).asStore() != nil || NewMailbox(a, false).Close() != nil {
		t.Error("there is mail")
	}
}
