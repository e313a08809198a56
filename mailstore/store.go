package mailstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/store"
)

// Options are what a [Store] can be told.
type Options struct {
	// Sources are the files and directories that mail is in.
	Sources []string
	// Cache is the folder for the index, which is made if it is not there; each set
	// of sources has an index of its own. Empty, or where nothing can be written: the
	// index is a temporary file, made anew by each store.
	Cache string
	// Wait is how long to wait for another process that writes the index; 0: five
	// seconds.
	Wait time.Duration
	// KeepQuotes leaves ">From " in the lines of an mbox as it is, where it is read
	// as "From " else.
	KeepQuotes bool
	// Note is told what is no error, and good to know: what is skipped, and why; that
	// the index is damaged, or a temporary one. It may be called from many goroutines
	// at once. nil: nobody listens.
	Note func(error)
	// Progress is told how far indexing is, where [Store.Refresh] and [Store.Rebuild]
	// are given nothing else, and when [Store.Find] brings the index up to date. nil:
	// nobody listens.
	Progress func(Progress)
}

// Store is mail that has been received, with its index. It may be used from many
// goroutines at once.
type Store struct {
	sources    []string
	keepQuotes bool
	note       func(error)
	progress   func(Progress)
	index      *index
	batch      int    // how many changes are written at once
	temporary  string // the folder that is removed in the end, or empty

	refreshing chan struct{} // holds a token while nobody refreshes
	mu         sync.Mutex
	begun      int // how many refreshes have begun, and which was the last that came to its end
	ended      int
}

// Open returns a store. It reads no mail yet. The error is that ctx has ended, that
// a source has no absolute path, or that there is no place for an index at all.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{keepQuotes: o.KeepQuotes, note: o.Note, progress: o.Progress, batch: fullBatch, refreshing: make(chan struct{}, 1)}
	s.refreshing <- struct{}{}
	if s.note == nil {
		s.note = func(error) {}
	}
	for _, source := range o.Sources {
		path, err := filepath.Abs(source)
		if err != nil {
			return nil, fmt.Errorf("mailstore: %w", err)
		}
		s.sources = append(s.sources, path)
	}
	slices.Sort(s.sources)
	s.sources = slices.Compact(s.sources)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("mailstore: %w", err)
	}
	if err := s.place(o.Cache, cmp.Or(o.Wait, 5*time.Second)); err != nil {
		return nil, fmt.Errorf("mailstore: no place for the index: %w", err)
	}
	return s, nil
}

// place finds a place for the index.
func (s *Store) place(cache string, wait time.Duration) error {
	// The name tells the sources apart, and nothing of them.
	sum := sha256.Sum256([]byte(strings.Join(s.sources, "\x00")))
	name := "mail-" + hex.EncodeToString(sum[:8]) + ".index"
	err := errors.New("no folder is given for it")
	if cache != "" {
		s.index = newIndex(filepath.Join(cache, name), wait)
		if err = os.MkdirAll(cache, 0o700); err == nil {
			err = s.writable()
		}
		if err == nil {
			return nil
		}
	}
	s.note(fmt.Errorf("mailstore: the index is a temporary one, and all mail is read again the next time: %w", err))
	s.temporary, err = os.MkdirTemp("", "locus-mail-")
	s.index = newIndex(filepath.Join(s.temporary, name), wait)
	return err
}

// writable tells why the index can't be written.
func (s *Store) writable() error {
	for _, path := range []string{s.index.Path + ".lock", s.index.Path} {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Close removes a temporary index. A store must not be used any more then;
// messages that are open stay so.
func (s *Store) Close() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// Location is where a message is. It is comparable.
type Location struct {
	Path      string // of the file
	Mbox      bool   // the file is an mbox
	Offset    int64  // of the message's From_ line in an mbox, in octets
	MessageID string // the identifier that it was found by
	maildir   bool
}

// String returns the path, and for an mbox the offset.
func (l Location) String() string {
	if l.Mbox {
		return fmt.Sprintf("%s at octet %d", l.Path, l.Offset)
	}
	return l.Path
}

// Find returns where the messages are that have this Message-Id, in order of path
// and offset: none, one, or as many as there are, up to 1,000. Each has been asked
// for its Message-Id. "<" and ">" around the identifier are not of it.
//
// If the index does not know the identifier, or names a place that no longer holds
// it, it is brought up to date, which takes its time when it is for the first
// time. The errors are those of [Store.Refresh].
func (s *Store) Find(ctx context.Context, messageID string) ([]Location, error) {
	if bare, ok := strings.CutPrefix(messageID, "<"); ok {
		messageID = strings.TrimSuffix(bare, ">")
	}
	if messageID == "" {
		return nil, nil
	}
	var list []Location
	var err error
	// Whoever makes the index anew takes it away for a moment.
	for range mostTries {
		if list, err = s.find(ctx, messageID); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return list, err
}

// mostTries is how often an index is looked for that others keep making anew.
const mostTries = 5

func (s *Store) find(ctx context.Context, messageID string) ([]Location, error) {
	mark := s.mark()
	list, suspects, err := s.locate(ctx, messageID)
	damaged := errors.Is(err, store.ErrDamaged)
	if err != nil && !damaged && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mailstore: %w", err)
	}
	if len(list) > 0 && len(suspects) == 0 && err == nil {
		return list, nil
	}
	if err := s.refresh(ctx, nil, refreshOptions{since: mark, suspects: suspects, doubted: damaged}); err != nil {
		if len(list) > 0 && ctx.Err() == nil {
			s.note(err)
			return list, nil
		}
		return nil, err
	}
	if list, _, err = s.locate(ctx, messageID); err != nil || len(list) == 0 {
		list, err = s.locateAlone(ctx, messageID)
	}
	if err != nil {
		return nil, fmt.Errorf("mailstore: %w", err)
	}
	return list, nil
}

// locateAlone is locate while nobody writes: in the middle of reading a mailbox
// again, what it has may be missing.
func (s *Store) locateAlone(ctx context.Context, id string) ([]Location, error) {
	if err := s.index.Lock(); err != nil {
		return nil, err
	}
	list, _, err := s.locate(ctx, id)
	return list, errors.Join(err, s.index.Unlock())
}

// locate asks the index, and then each place that it names. suspects are the
// containers of places that don't hold what they should.
func (s *Store) locate(ctx context.Context, id string) (list []Location, suspects map[string]bool, err error) {
	candidates, err := s.index.lookup(id)
	if err != nil {
		return nil, nil, err
	}
	suspects = map[string]bool{}
	for _, c := range candidates {
		mbox := c.container.Kind == kindMbox
		ids, err := readIDs(ctx, c.file, mbox, c.offset)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil || !slices.Contains(ids, id):
			suspects[c.container.path()] = true
		default:
			list = append(list, Location{Path: c.file, Mbox: mbox, Offset: c.offset, MessageID: id, maildir: c.container.Kind == kindMaildir})
		}
	}
	slices.SortFunc(list, func(a, b Location) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Offset, b.Offset))
	})
	return slices.Compact(list), suspects, nil
}

// Messages opens the messages that have this Message-Id, one after the other, in
// the order of [Store.Find]. Each is a [*Message], and is closed by who gets it.
// An error ends them.
func (s *Store) Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error] {
	return func(yield func(fs.File, error) bool) {
		list, err := s.Find(ctx, messageID)
		for _, l := range list {
			m, err := s.Open(l)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it went since
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(m, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Refresh brings the index up to date with the mail. progress is told how far it
// is now and then, and in the end; it may be nil. The error is that ctx has ended,
// wraps [ErrBusy] if another process is at it, or says why the index can't be
// written. What was found until then is kept.
func (s *Store) Refresh(ctx context.Context, progress func(Progress)) error {
	return s.refresh(ctx, progress, refreshOptions{since: s.mark()})
}

// Rebuild makes the index anew. It is otherwise as [Store.Refresh].
func (s *Store) Rebuild(ctx context.Context, progress func(Progress)) error {
	return s.refresh(ctx, progress, refreshOptions{since: s.mark(), anew: true})
}

type refreshOptions struct {
	since    int             // a refresh that began later is as good
	suspects map[string]bool // what is read again, whatever it looks like
	anew     bool            // without what is in the index
	// doubted: the index seemed to be damaged. It may have been that another process
	// was just writing it, so it is looked at again when nobody is.
	doubted bool
}

// mark returns the number of refreshes that have begun.
func (s *Store) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

func (s *Store) refresh(ctx context.Context, progress func(Progress), o refreshOptions) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("mailstore: %w", ctx.Err())
	case <-s.refreshing:
		defer func() { s.refreshing <- struct{}{} }()
	}
	if !s.begin(o) {
		return nil
	}
	if err := s.index.Lock(); err != nil {
		return fmt.Errorf("mailstore: %w", err)
	}
	if err := errors.Join(s.update(ctx, progress, o), s.index.Unlock()); err != nil {
		return fmt.Errorf("mailstore: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = s.begun
	return nil
}

// begin reports whether a refresh is needed still: another one may have begun and
// ended while this one waited.
func (s *Store) begin(o refreshOptions) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.anew && !o.doubted && len(o.suspects) == 0 && s.ended > o.since {
		return false
	}
	s.begun++
	return true
}

// update updates the index, or, if that is damaged, sets it aside and makes
// another.
func (s *Store) update(ctx context.Context, progress func(Progress), o refreshOptions) error {
	if progress == nil {
		progress = s.progress
	}
	run := func() error {
		return (&refresher{s: s, ctx: ctx, progress: progress, suspects: o.suspects}).run()
	}
	switch {
	case o.anew:
		if err := s.index.Remove(); err != nil {
			return err
		}
	case o.doubted:
		s.index.Doubt()
	}
	err := run()
	if !errors.Is(err, store.ErrDamaged) {
		return err
	}
	s.note(fmt.Errorf("mailstore: %s: %w; it is set aside, and made anew", locus.Quote(s.index.Path), err))
	if err := s.index.SetAside(); err != nil {
		return err
	}
	return run()
}
