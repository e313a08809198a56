package fleet

import (
	"context"
	"time"
)

// host holds the jobs for a host and its request limits. The scheduler's mutex guards it.
type host struct {
	part     *partition
	hash     string
	atOnce   int
	interval time.Duration

	jobs        []*job        // jobs that wait for a turn
	all         map[*job]bool // unfinished jobs
	turns       []chan struct{}
	active      int
	last        time.Time     // start of the last request
	calm        time.Time     // end of the pause that the host requested
	begin       ticket        // ticket of the request that is about to begin, or 0
	until       time.Time     // expiry of that ticket
	wake        chan struct{} // closed when a request may begin earlier than expected; nil if no request waits
	ready       bool          // the host is in scheduler.ready
	timer       func()        // stops the timer, or nil
	alarm       time.Time     // time at which the timer expires
	shut        string        // reason for skipping the jobs until calm; empty if they are not skipped
	slower      time.Duration // interval that the host requested, or 0
	pauseStored bool          // the pause is stored

	behind  uint64 // sequence number of the first unread target; 0 if all were read
	skipped uint64 // number of unread targets
	filling bool
}

// ticket is the permission to begin one request. No other request to the host begins until the
// ticket is used, released or expired.
type ticket uint64

const (
	// ticketTime is how long a ticket is valid. If connecting takes longer, the request needs
	// another ticket.
	ticketTime = 5 * time.Second
	// ticketMargin is the time before the expiry during which the holder must not use the ticket.
	ticketMargin = time.Second
)

// due returns the earliest time at which the next request may begin.
func (h *host) due() time.Time {
	due := later(h.last.Add(h.interval), h.calm)
	if h.begin != 0 && h.interval > 0 {
		// The request may begin just before its ticket expires.
		due = later(due, h.until.Add(h.interval))
	}
	return due
}

// hostFor returns the host. If the host is unknown, hostFor creates it with the limits l. Requests
// begin at least an interval after this worker took the lease, because another worker may have sent
// a request just before. The caller must hold s.mu.
func (s *scheduler) hostFor(p *partition, hash string, l limits) *host {
	h := p.hosts[hash]
	if h == nil {
		h = &host{part: p, hash: hash, atOnce: l.atOnce, interval: max(l.interval, l.Interval), slower: l.Interval, all: map[*job]bool{}, last: p.taken}
		if l.Pause > 0 {
			h.calm, h.shut, h.pauseStored = s.clock.Now().Add(l.Pause), l.Shut, true
		}
		p.hosts[hash] = h
	}
	return h
}

func (h *host) hasRoom() bool { return h.atOnce <= 0 || h.active < h.atOnce }

// ticket issues a ticket for h. The caller must hold s.mu.
func (s *scheduler) ticket(h *host, valid time.Duration) ticket {
	s.tickets++
	h.begin, h.until = s.tickets, s.clock.Now().Add(valid)
	return h.begin
}

// restError means that a host requested a pause.
type restError struct {
	left time.Duration // remaining time of the pause
	shut string        // reason for skipping targets if the pause is too long
}

func (e *restError) Error() string {
	if e.shut != "" {
		return e.shut
	}
	return "the server asked for a pause of " + e.left.String()
}

// begin waits until a request to h may begin. It returns a ticket that is valid for the duration
// valid. The error is the error of ctx or a *restError.
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

// isValid reports whether a request may still begin with the ticket.
func (s *scheduler) isValid(h *host, t ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.interval <= 0 {
		return true
	}
	return h.begin == t && h.until.Sub(s.clock.Now()) > ticketMargin
}

// began marks the ticket as used, because the request has begun.
func (s *scheduler) began(h *host, t ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.last = later(h.last, s.clock.Now())
	if h.begin == t {
		h.begin = 0
	}
	s.soon(h)
}

// rest starts a pause in which no request to h begins. If shut is not empty, the scheduler returns
// the jobs without delay, and the worker skips them with this reason.
func (s *scheduler) rest(h *host, d time.Duration, shut string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.clock.Now().Add(d); end.After(h.calm) {
		h.calm = end
		if shut != "" {
			h.shut = shut
		}
	}
	s.soon(h) // wake the waiting requests, so that they can stop waiting
}

// slow raises the interval of h to at least d. It reports whether the interval changed.
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

// asked returns the limits that h requested, as a record for the store.
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

// isShut returns the reason for skipping the targets of h, or "" if they are not skipped.
func (s *scheduler) isShut(h *host) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.shut != "" && !h.calm.After(s.clock.Now()) {
		h.shut = ""
	}
	return h.shut
}

// turn waits for a turn at a host for which this worker may have no job. The caller must call
// release. The error is the error of ctx, or errTaken if another worker holds the partition.
func (s *scheduler) turn(ctx context.Context, p *partition, hash string, l limits) (*host, error) {
	s.mu.Lock()
	if s.parts[p.number] != p || p.draining || p.left(s.clock) <= 0 {
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
	s.release(h, 0) // the turn came at the same time as the error
	return nil, err
}
