package main

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/scheme/mid"
)

// mailbox is the mail that the configuration names. It is opened when a message is
// looked for.
type mailbox struct {
	a        *app
	quiet    bool        // no progress is shown
	trouble  func(error) // is told what can't be read, and what else is good to know
	troubles atomic.Int64

	mu       sync.Mutex // guards the rest
	store    *mailstore.Store
	progress *progress
}

// mostTroubles is how many troubles with the mail are told while something else is
// asked for. "locus index" tells all.
const mostTroubles = 5

// mail returns the mail of the configuration; nil: it names none.
func newMailbox(a *app, quiet bool) *mailbox {
	if len(a.config.Mail.Stores) == 0 {
		return nil
	}
	m := &mailbox{a: a, quiet: quiet}
	m.trouble = m.tell
	return m
}

// asStore returns m for package mid.
func (m *mailbox) asStore() mid.Store {
	if m == nil {
		return nil
	}
	return m
}

// Messages implements [mid.Store].
func (m *mailbox) Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error] {
	return func(yield func(fs.File, error) bool) {
		store, err := m.open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer m.endProgress()
		for file, err := range store.Messages(ctx, messageID) {
			m.endProgress()
			if !yield(file, err) {
				return
			}
		}
	}
}

// open opens the store, once.
func (m *mailbox) open(ctx context.Context) (*mailstore.Store, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != nil {
		return m.store, nil
	}
	o := mailstore.Options{Cache: m.a.inHome(m.a.config.Mail.Cache), Note: m.trouble, Progress: m.report}
	if o.Cache == "" {
		o.Cache, _ = m.a.cacheFolder()
	}
	for _, path := range m.a.config.Mail.Stores {
		o.Sources = append(o.Sources, m.a.inHome(path))
	}
	var err error
	m.store, err = mailstore.Open(ctx, o)
	return m.store, err
}

// tell tells the first troubles, and at the next that there are more.
func (m *mailbox) tell(err error) {
	// The store tells of troubles while it is opened, too: no lock is taken here.
	n := m.troubles.Add(1)
	switch {
	case n <= mostTroubles:
		m.a.note("%s", err)
	case n == mostTroubles+1:
		m.a.note("there is more to say of the mail: \"locus index\" says it all")
	}
}

// report takes how far indexing is.
func (m *mailbox) report(p mailstore.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress == nil {
		if m.quiet || !m.a.errTTY || m.a.flags.quiet || m.a.flags.json || m.a.showsProgress() {
			return
		}
		m.progress = startProgress(m.a, []string{"index of the mail"})
	}
	m.progress.work(p.Octets, fmt.Sprintf("%d messages", p.Messages))
}

func (m *mailbox) endProgress() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress != nil {
		m.progress.Close()
		m.progress = nil
	}
}

// Close ends what was opened.
func (m *mailbox) Close() error {
	if m == nil || m.store == nil {
		return nil
	}
	return m.store.Close()
}
