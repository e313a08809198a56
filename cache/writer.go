package cache

import (
	"errors"
	"fmt"
	"time"

	"github.com/locus-url/locus/internal/store"
)

const (
	// batchDelay is how long the writer waits for more changes, because each transaction
	// has a fixed cost.
	batchDelay = 100 * time.Millisecond
	// usedInterval is how often the writer writes the times of last use to the index.
	usedInterval = time.Minute
)

func (s *Store) write() {
	defer close(s.ended)
	told := time.Now()
	for open := true; open; {
		select {
		case <-s.wake:
			timer := time.NewTimer(batchDelay)
			select {
			case <-timer.C:
			case <-s.stop:
				timer.Stop()
			}
		case <-s.stop:
			open = false
		}
		everything := !open || time.Since(told) >= usedInterval
		if everything {
			told = time.Now()
		}
		if err := s.flush(everything); err != nil {
			s.diskFailed(err)
		}
	}
}

// flush writes pending changes. If withTimes is true, flush also writes the times of last use.
func (s *Store) flush(withTimes bool) error {
	metas, used := map[*entry]*meta{}, map[*entry]int64{}
	s.mu.Lock()
	for e := range s.pending {
		metas[e] = e.meta
		if e.dead {
			metas[e] = nil
		}
	}
	if withTimes {
		for e := range s.recentlyUsed {
			used[e] = e.lastUsed
		}
		clear(s.recentlyUsed)
	}
	s.mu.Unlock()
	var lost []*entry
	for e, m := range metas {
		// The body must be on disk before the index refers to it. For small bodies, the
		// checksum suffices.
		if m != nil && e.size > smallSize && e.body.sync() != nil {
			lost = append(lost, e) // the body is lost, or the entry was just evicted
			delete(metas, e)
		}
	}
	var err error
	if len(metas)+len(used) > 0 {
		err = s.index.write(metas, used)
	}
	s.mu.Lock()
	defer s.unlock()
	for _, e := range lost {
		s.drop(e)
	}
	for e, m := range metas {
		switch {
		case m != nil && err != nil:
			// Drop entries that can't be written. Otherwise the entries would have to stay
			// in memory.
			s.drop(e)
			delete(s.pending, e)
		case m != nil:
			e.isSaved = true
			if !e.dead && e.meta == m {
				delete(s.pending, e)
			}
		default:
			delete(s.pending, e)
		}
	}
	if errors.Is(err, store.ErrDamaged) {
		s.note(fmt.Errorf("cache: %w", err))
	}
	return err
}
