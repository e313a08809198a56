package fleet

import (
	"context"
	"time"
)

// host is what jobs share limits by. The scheduler's mutex guards it.
type host struct {
	part     *partition
	hash     string
	atOnce   int
	interval time.Duration

	jobs        []*job        // that wait for a turn
	all         map[*job]bool // that are not done
	turns       []chan struct{}
	active      int
	last        time.Time     // when the last request began
	calm        time.Time     // when the pause ends that the host asked for
	begin       ticket        // of the request that is about to begin; 0: none is
	until       time.Time     // when that ticket expires
	wake        chan struct{} // closed when a request may begin sooner; nil: none waits
	ready       bool          // it is in scheduler.ready
	timer       func()        // stops what wakes it; nil: nothing does
	alarm       time.Time     // when the timer wakes it
	shut        string        // why its jobs are not asked for until calm; empty: they are
	slower      time.Duration // the interval that the host asked for; 0: none
	pauseStored bool          // its pause is stored

	behind  uint64 // the sequence number from which its targets were not read; 0: all were
	skipped uint64 // how often a target was not read
	filling bool
}

// ticket is the right to begin one request. While a host has given one out, no other request
// to it begins.
type ticket uint64

const (
	// ticketTime is how long a ticket is valid. A connection that takes longer needs
	// another one.
	ticketTime = 5 * time.Second
	// ticketMargin is how much sooner the holder of a ticket stops using it.
	ticketMargin = time.Second
)

// due returns when the next request may begin, as far as is known now.
func (h *host) due() time.Time {
	due := later(h.last.Add(h.interval), h.calm)
	if h.begin != 0 && h.interval > 0 {
		// The request may begin until the last moment.
		due = later(due, h.until.Add(h.interval))
	}
	return due
}

// hostFor returns the host, which it makes with those limits. No request to it begins sooner
// than an interval after the lease was taken: another worker may have asked it just before.
// The caller must hold s.mu.
func (s *scheduler) hostFor(p *partition, hash string, l limits) *host {
	h := p.hosts[hash]
	if h == nil {
		h = &host{part: p, hash: hash, atOnce: l.atOnce, interval: max(l.interval, l.Interval), slower: l.Interval, all: map[*job]bool{}, last: p.lease.taken}
		if l.Pause > 0 {
			h.calm, h.shut, h.pauseStored = s.clock.Now().Add(l.Pause), l.Shut, true
		}
		p.hosts[hash] = h
	}
	return h
}

func (h *host) hasRoom() bool { return h.atOnce <= 0 || h.active < h.atOnce }

// ticket gives a ticket of h out. The caller must hold s.mu.
func (s *scheduler) ticket(h *host, valid time.Duration) ticket {
	s.tickets++
	h.begin, h.until = s.tickets, s.clock.Now().Add(valid)
	return h.begin
}

// A restError tells that a host asked for a pause.
type restError struct {
	left time.Duration // of the pause
	shut string        // why nothing is asked for so long that it is not worth waiting; empty: it is
}

func (e *restError) Error() string {
	if e.shut != "" {
		return e.shut
	}
	return "the server asked for a pause of " + e.left.String()
}

// begin waits until a request to h may begin, for which it gives a ticket that is valid for
// so long. The error is that of ctx, or a *restError.
func (s *scheduler) begin(ctx context.Context, h *host, valid time.Duration) (ticket, error) {
	for {
		s.mu.Lock()
		now := s.clock.Now()
		if left := h.calm.Sub(now); left > 0 {
			s.mu.Unlock()
			return 0, &restError{left, h.shut}
		}
		left := h.due().Sub(now)
		if left <= 0 {
			defer s.mu.Unlock()
			return s.ticket(h, valid), nil
		}
		if h.wake == nil {
			h.wake = make(chan struct{})
		}
		wake := h.wake
		s.mu.Unlock()
		if wait2(s.clock, left, ctx.Done(), wake) {
			return 0, ctx.Err()
		}
	}
}

// isValid reports whether a request may still begin with a ticket.
func (s *scheduler) isValid(h *host, t ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.interval <= 0 {
		return true
	}
	return h.begin == t && h.until.Sub(s.clock.Now()) > ticketMargin
}

// began ends a ticket: the request has begun.
func (s *scheduler) began(h *host, t ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.last = later(h.last, s.clock.Now())
	if h.begin == t {
		h.begin = 0
	}
	s.soon(h)
}

// rest begins no request to h for that long. With a reason, its jobs are given out without
// delay, not to be asked for.
func (s *scheduler) rest(h *host, d time.Duration, shut string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.clock.Now().Add(d); end.After(h.calm) {
		h.calm = end
		if shut != "" {
			h.shut = shut
		}
	}
	s.soon(h) // those who wait need not any more
}

// slow makes the interval of h at least that long, and reports whether that is news.
func (s *scheduler) slow(h *host, interval time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if interval <= h.slower {
		return false
	}
	h.slower = interval
	h.interval = max(h.interval, interval)
	return true
}

// asked returns what h asked for, to be stored.
func (s *scheduler) asked(h *host) hostRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := hostRecord{Pause: max(h.calm.Sub(s.clock.Now()), 0), Interval: h.slower}
	if r.Pause > 0 {
		r.Shut = h.shut
	}
	h.pauseStored = r.Pause > 0
	return r
}

// isShut returns why h is not asked; empty: it is.
func (s *scheduler) isShut(h *host) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.shut != "" && !h.calm.After(s.clock.Now()) {
		h.shut = ""
	}
	return h.shut
}

// turn waits for a turn at a host that is not that of a job; release must follow. The error
// is that of ctx, or errTaken if the partition is not that of this worker.
func (s *scheduler) turn(ctx context.Context, p *partition, hash string, l limits) (*host, error) {
	s.mu.Lock()
	if s.parts[p.number] != p || p.draining || p.lease.left(s.clock) <= 0 {
		s.mu.Unlock()
		return nil, errTaken
	}
	h := s.hostFor(p, hash, l)
	given := make(chan struct{})
	h.turns = append(h.turns, given)
	s.offer(h)
	s.mu.Unlock()
	err := error(nil)
	select {
	case <-given:
		return h, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.ctx.Done():
		err = errTaken
	}
	s.mu.Lock()
	for i, c := range h.turns {
		if c == given {
			h.turns = append(h.turns[:i], h.turns[i+1:]...)
			s.forget(h)
			s.mu.Unlock()
			return nil, err
		}
	}
	s.mu.Unlock()
	s.release(h, 0) // it was given meanwhile
	return nil, err
}
