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

// Options configure a [Store].
type Options struct {
	// Sources lists the files and directories with mail.
	Sources []string
	// Cache is the directory for the index. Open creates it if it is missing. The directory
	// contains a separate index for each set of sources. If Cache is empty or not writable,
	// each store builds a temporary index.
	Cache string
	// Note is called for each problem that does not end an operation, such as a skipped file,
	// a damaged index or a temporary index. Note may be called concurrently. If Note is nil,
	// the store does not report such problems.
	Note func(error)
	// Progress is called with the progress of indexing by [Store.Find], and by [Store.Refresh]
	// and [Store.Rebuild] if their own function is nil. If Progress is nil, the store does not
	// report progress.
	Progress func(Progress)
}

// Store finds messages in received mail. The methods of a Store may be called concurrently.
type Store struct {
	sources   []string
	note      func(error)
	progress  func(Progress)
	index     *index
	batch     int    // number of changes in one transaction
	temporary string // directory of a temporary index, which Close removes; or empty

	refreshing chan struct{} // lock; contains a value while no refresh runs
	mu         sync.Mutex
	begun      int // number of refreshes that have begun
	ended      int // number of the last successful refresh
}

// Open returns a store. Open does not read any mail. Open fails if ctx is cancelled, if a
// source has no absolute path, or if it cannot create an index in any directory.
func Open(ctx context.Context, o Options) (*Store, error) { return open(ctx, o, waitForWriter) }

// waitForWriter is the maximum time to wait for another process that writes the index.
const waitForWriter = 5 * time.Second

func open(ctx context.Context, o Options, wait time.Duration) (*Store, error) {
	s := &Store{note: o.Note, progress: o.Progress, batch: batchSize, refreshing: make(chan struct{}, 1)}
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
	if err := s.openIndex(o.Cache, wait); err != nil {
		return nil, fmt.Errorf("mailstore: can't create an index: %w", err)
	}
	return s, nil
}

func (s *Store) openIndex(cache string, wait time.Duration) error {
	// Hash the sources, so that the file name does not reveal the names of the sources.
	sum := sha256.Sum256([]byte(strings.Join(s.sources, "\x00")))
	name := "mail-" + hex.EncodeToString(sum[:8]) + ".index"
	err := errors.New("no directory given")
	if cache != "" {
		s.index = newIndex(filepath.Join(cache, name), wait)
		if err = os.MkdirAll(cache, 0o700); err == nil {
			err = s.checkWritable()
		}
		if err == nil {
			return nil
		}
	}
	s.note(fmt.Errorf("mailstore: using a temporary index, so all mail is read again next time: %w", err))
	s.temporary, err = os.MkdirTemp("", "locus-mail-")
	s.index = newIndex(filepath.Join(s.temporary, name), wait)
	return err
}

// checkWritable returns an error if the index can't be written.
func (s *Store) checkWritable() error {
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

// Close removes a temporary index. The store must not be used after Close. Open messages stay
// open.
func (s *Store) Close() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// Location is the location of a message. A Location is comparable.
type Location struct {
	Path      string // path of the file
	Mbox      bool   // the file is an mbox
	Offset    int64  // offset of the From_ line in an mbox, in bytes
	MessageID string // Message-ID by which the store found the message
	maildir   bool
}

// String returns the path of the file. For an mbox, String also returns the offset.
func (l Location) String() string {
	if l.Mbox {
		return fmt.Sprintf("%s at byte %d", l.Path, l.Offset)
	}
	return l.Path
}

// Find returns the locations of up to 1,000 messages with the given Message-ID, sorted by path
// and offset. Find opens each message to confirm the Message-ID. The argument may include "<"
// and ">".
//
// If the index lacks the identifier or contains an outdated location, Find first updates the
// index. The first update may take a long time. Find returns the same errors as [Store.Refresh].
func (s *Store) Find(ctx context.Context, messageID string) ([]Location, error) {
	if bare, ok := strings.CutPrefix(messageID, "<"); ok {
		messageID = strings.TrimSuffix(bare, ">")
	}
	if messageID == "" {
		return nil, nil
	}
	var list []Location
	var err error
	// The index file is missing for a moment while another process replaces it.
	for range maxTries {
		if list, err = s.find(ctx, messageID); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return list, err
}

// maxTries is the maximum number of attempts of Find if other processes replace the index
// repeatedly.
const maxTries = 5

func (s *Store) find(ctx context.Context, messageID string) ([]Location, error) {
	mark := s.refreshesBegun()
	list, suspects, err := s.locate(ctx, messageID)
	damaged := errors.Is(err, store.ErrDamaged)
	if err != nil && !damaged && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mailstore: %w", err)
	}
	if len(list) > 0 && len(suspects) == 0 && err == nil {
		return list, nil
	}
	if err := s.refresh(ctx, nil, refreshOptions{since: mark, reread: suspects, recheck: damaged}); err != nil {
		if len(list) > 0 && ctx.Err() == nil {
			s.note(err)
			return list, nil
		}
		return nil, err
	}
	if list, _, err = s.locate(ctx, messageID); err != nil || len(list) == 0 {
		list, err = s.locateLocked(ctx, messageID)
	}
	if err != nil {
		return nil, fmt.Errorf("mailstore: %w", err)
	}
	return list, nil
}

// locateLocked is like locate, but prevents other processes from writing. While another
// process reads a mailbox again, the index may lack that mailbox.
func (s *Store) locateLocked(ctx context.Context, id string) ([]Location, error) {
	if err := s.index.Lock(); err != nil {
		return nil, err
	}
	list, _, err := s.locate(ctx, id)
	return list, errors.Join(err, s.index.Unlock())
}

// locate looks up id and confirms each location by reading the message. suspects contains the
// containers with wrong locations.
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

// Messages opens the messages with the given Message-ID, in the order of [Store.Find]. The
// caller must close each [*Message]. An error ends the sequence.
func (s *Store) Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error] {
	return func(yield func(fs.File, error) bool) {
		list, err := s.Find(ctx, messageID)
		for _, l := range list {
			m, err := s.Open(l)
			if errors.Is(err, fs.ErrNotExist) {
				continue // the file was removed after the refresh
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

// Refresh updates the index. Refresh calls progress periodically and at the end, unless
// progress is nil. Refresh fails if ctx is cancelled or the index can't be written. The error
// wraps [ErrBusy] if another process updates the index. Even after an error, the index
// contains the messages that Refresh has found so far.
func (s *Store) Refresh(ctx context.Context, progress func(Progress)) error {
	return s.refresh(ctx, progress, refreshOptions{since: s.refreshesBegun()})
}

// Rebuild is like [Store.Refresh], but discards the index and builds a new one.
func (s *Store) Rebuild(ctx context.Context, progress func(Progress)) error {
	return s.refresh(ctx, progress, refreshOptions{since: s.refreshesBegun(), rebuild: true})
}

type refreshOptions struct {
	since   int             // number of refreshes that had begun at the time of the request; any later refresh is sufficient
	reread  map[string]bool // containers to read again even if they look unchanged
	rebuild bool            // whether to discard the content of the index
	// recheck means that the index seemed damaged. The refresh then checks the index again
	// under the lock, because another process may have been writing the index.
	recheck bool
}

func (s *Store) refreshesBegun() int {
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
	if !s.beginRefresh(o) {
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

// beginRefresh reports whether a refresh is still needed. Another refresh may have run while this
// refresh waited for the lock.
func (s *Store) beginRefresh(o refreshOptions) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.rebuild && !o.recheck && len(o.reread) == 0 && s.ended > o.since {
		return false
	}
	s.begun++
	return true
}

// update updates the index. If the index is damaged, update renames it and creates a new index.
func (s *Store) update(ctx context.Context, progress func(Progress), o refreshOptions) error {
	if progress == nil {
		progress = s.progress
	}
	run := func() error {
		return (&refresher{s: s, ctx: ctx, progress: progress, reread: o.reread}).run()
	}
	switch {
	case o.rebuild:
		if err := s.index.Remove(); err != nil {
			return err
		}
	case o.recheck:
		s.index.Doubt()
	}
	err := run()
	if !errors.Is(err, store.ErrDamaged) {
		return err
	}
	s.note(fmt.Errorf("mailstore: %s: %w; the damaged index was set aside and rebuilt", locus.Quote(s.index.Path), err))
	if err := s.index.SetAside(); err != nil {
		return err
	}
	return run()
}
