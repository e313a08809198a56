package client

import (
	"context"
	"io/fs"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/scheme/mid"
)

// mailbox provides the configured local mail, and opens the mail files on first use. The method
// Messages may be called concurrently.
type mailbox struct {
	a        *base.App
	quiet    bool        // do not show progress
	OnError  func(error) // called with problems in the mail files
	failures atomic.Int64

	mu       sync.Mutex // guards the fields below
	store    *mailstore.Store
	progress *base.Progress
}

// maxTroubles is the maximum number of problems with the mail that a subcommand shows. The
// subcommand "index" shows all problems.
const maxTroubles = 5

// NewMailbox returns the configured local mail, or nil if the configuration names no mail files.
func NewMailbox(a *base.App, quiet bool) *mailbox {
	if len(a.Config.Mail.Stores) == 0 {
		return nil
	}
	m := &mailbox{a: a, quiet: quiet}
	m.OnError = m.tell
	return m
}

// asStore returns m as a store for package mid. If m is nil, it returns a nil interface.
func (m *mailbox) asStore() mid.Store {
	if m == nil {
		return nil
	}
	return m
}

func (m *mailbox) Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error] {
	return func(yield func(fs.File, error) bool) {
		store, err := m.Open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer m.EndProgress()
		for file, err := range store.Messages(ctx, messageID) {
			m.EndProgress()
			if !yield(file, err) {
				return
			}
		}
	}
}

func (m *mailbox) Open(ctx context.Context) (*mailstore.Store, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != nil {
		return m.store, nil
	}
	o := mailstore.Options{Cache: m.a.ExpandHome(m.a.Config.Mail.Cache), Note: m.OnError, Progress: m.Report}
	if o.Cache == "" {
		o.Cache, _ = m.a.CacheFolder()
	}
	for _, path := range m.a.Config.Mail.Stores {
		o.Sources = append(o.Sources, m.a.ExpandHome(path))
	}
	var err error
	m.store, err = mailstore.Open(ctx, o)
	return m.store, err
}

func (m *mailbox) tell(err error) {
	// The store calls this function while m.mu is locked, so this function must not lock m.mu.
	n := m.failures.Add(1)
	switch {
	case n <= maxTroubles:
		m.a.Note("%s", err)
	case n == maxTroubles+1:
		m.a.Note("more problems with the mail; run \"locus index\" to list them")
	}
}

func (m *mailbox) Report(p mailstore.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress == nil {
		if m.quiet {
			return
		}
		m.progress = base.StartProgress(m.a, "index of the mail")
	}
	m.progress.Update(p.Octets, "%d messages", p.Messages)
}

func (m *mailbox) EndProgress() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress != nil {
		m.progress.Close()
		m.progress = nil
	}
}

func (m *mailbox) Close() error {
	if m == nil || m.store == nil {
		return nil
	}
	return m.store.Close()
}
