package cache

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/locus-url/locus/internal/store"
)

const (
	// batchDelay is how long the writer waits for more to write: each transaction costs
	// the disk the same.
	batchDelay = 100 * time.Millisecond
	// usedInterval is how often the index is told which answers were used.
	usedInterval = time.Minute
)

// write writes pending changes into the index until the store is closed.
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

// flush writes pending changes; with everything, also which answers were used.
func (s *Store) flush(everything bool) error {
	type put struct {
		e *entry
		m *meta
	}
	var puts []put
	c := changes{records: map[*entry][]byte{}, used: map[*entry]int64{}}
	s.mu.Lock()
	for e := range s.pending {
		if e.dead {
			c.records[e] = nil
		} else {
			puts = append(puts, put{e, e.meta})
		}
	}
	if everything {
		for e := range s.touched {
			c.used[e] = e.used
		}
		clear(s.touched)
	}
	s.mu.Unlock()
	var lost []*entry
	for _, p := range puts {
		if p.e.size > small {
			// The body must be on the disk before the index has it. A small one has a checksum.
			if err := p.e.body.sync(); err != nil {
				lost = append(lost, p.e) // or it was evicted just now
				continue
			}
		}
		c.records[p.e] = newRecord(p.m, p.e.sum)
	}
	var err error
	if len(c.records)+len(c.used) > 0 {
		err = s.index.write(c)
	}
	s.mu.Lock()
	defer s.unlock()
	for _, e := range lost {
		s.drop(e)
	}
	for e, record := range c.records {
		switch {
		case record == nil:
			delete(s.pending, e)
		case err != nil:
			// Drop what can't be written: otherwise it would have to stay in memory.
			s.drop(e)
			delete(s.pending, e)
		default:
			e.saved = true
		}
	}
	for _, p := range puts {
		if p.e.saved && !p.e.dead && p.e.meta == p.m {
			delete(s.pending, p.e)
		}
	}
	if errors.Is(err, store.ErrDamaged) {
		s.note(fmt.Errorf("cache: %w", err))
	}
	maps.DeleteFunc(s.touched, func(e *entry, _ bool) bool { return e.dead })
	return err
}
