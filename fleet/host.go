package fleet

import (
	"context"
	"time"
)

// host holds the jobs and the request limits of a host. The scheduler's mutex guards all fields.
type host struct {
	part     *partition
	hash     string
	atOnce   int
	interval time.Duration

	jobs              []*job        // jobs that wait for a turn
	unfinished        map[*job]bool // unfinished jobs
	waitingTurns      []chan struct{}
	active            int
	lastStart         time.Time     // start of the last request
	pauseEnd          time.Time     // end of the pause that the host requested
	currentTicket     ticket        // ticket of the next request, or 0
	ticketExpiry      time.Time     // expiry of currentTicket
	wake              chan struct{} // closed if a request may begin earlier than expected; nil if no request waits
	ready             bool          // the host is in scheduler.ready
	stopTimer         func()        // stops the timer, or nil
	timerTime         time.Time     // time at which the timer calls makeReady
	skipReason        string        // reason for skipping the jobs until pauseEnd; empty if the jobs are not skipped
	requestedInterval time.Duration // interval that the host requested, or 0
	pauseStored       bool          // the pause is stored

	firstUnread   uint64 // sequence number of the first unread target; 0 if the worker has read all targets
	deferredCount uint64 // number of deferred targets, so that refill notices new ones
	isRefilling   bool
}

// ticket is the permission to begin one request. If the host's requests have a minimum interval,
// the scheduler issues no other ticket for the host until the ticket is used, returned or
// expired.
type ticket uint64

const (
	// ticketTime is the validity of a ticket. If connecting takes longer, the request needs
	// another ticket.
	ticketTime = 5 * time.Second
	// ticketMargin is the time before the expiry during which the holder must not use the ticket.
	ticketMargin = time.Second
)

// earliestStart returns the earliest time at which the next request to h may begin.
func (h *host) earliestStart() time.Time {
	due := later(h.lastStart.Add(h.interval), h.pauseEnd)
	if h.currentTicket != 0 && h.interval > 0 {
		// The request may begin just before its ticket expires.
		due = later(due, h.ticketExpiry.Add(h.interval))
	}
	return due
}

// hostFor returns the host with the given hash. If the host is unknown, hostFor creates it with
// the limits l. The first request begins at least an interval after this worker took the
// partition, because another worker may have sent a request just before. The caller must hold
// s.mu.
func (s *scheduler) hostFor(p *partition, hash string, l limits) *host {
	h := p.hosts[hash]
	if h == nil {
		h = &host{part: p, hash: hash, atOnce: l.atOnce, interval: max(l.interval, l.Interval), requestedInterval: l.Interval, unfinished: map[*job]bool{}, lastStart: p.takenAt}
		if l.Pause > 0 {
			h.pauseEnd, h.skipReason, h.pauseStored = s.clock.Now().Add(l.Pause), l.Shut, true
		}
		p.hosts[hash] = h
	}
	return h
}

func (h *host) hasRoom() bool { return h.atOnce <= 0 || h.active < h.atOnce }

// issueTicket issues a ticket for h. The caller must hold s.mu.
func (s *scheduler) issueTicket(h *host, validity time.Duration) ticket {
	s.ticketCount++
	h.currentTicket, h.ticketExpiry = s.ticketCount, s.clock.Now().Add(validity)
	return h.currentTicket
}

// pauseError is the error if a host has requested a pause.
type pauseError struct {
	remaining  time.Duration // remaining time of the pause
	skipReason string        // reason for skipping targets if the pause is too long
}

func (e *pauseError) Error() string {
	if e.skipReason != "" {
		return e.skipReason
	}
	return "the server asked for a pause of " + e.remaining.String()
}

// awaitTicket waits until a request to h may begin. It returns a ticket with the given validity.
// The error is the error of ctx or a *pauseError.
func (s *scheduler) awaitTicket(ctx context.Context, h *host, validity time.Duration) (ticket, error) {
	for {
		s.mu.Lock()
		now := s.clock.Now()
		if left := h.pauseEnd.Sub(now); left > 0 {
			s.mu.Unlock()
			return 0, &pauseError{left, h.skipReason}
		}
		left := h.earliestStart().Sub(now)
		if left <= 0 {
			defer s.mu.Unlock()
			return s.issueTicket(h, validity), nil
		}
		if h.wake == nil {
			h.wake = make(chan struct{})
		}
		wake := h.wake
		s.mu.Unlock()
		if sleepUntil(s.clock, left, ctx.Done(), wake) {
			return 0, ctx.Err()
		}
	}
}

// isTicketValid reports whether a request may still begin with the ticket t.
func (s *scheduler) isTicketValid(h *host, t ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.interval <= 0 {
		return true
	}
	return h.currentTicket == t && h.ticketExpiry.Sub(s.clock.Now()) > ticketMargin
}

// useTicket marks the ticket t as used, because its request has begun.
func (s *scheduler) useTicket(h *host, t ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.lastStart = later(h.lastStart, s.clock.Now())
	if h.currentTicket == t {
		h.currentTicket = 0
	}
	s.wakeWaiting(h)
}

// startPause starts a pause in which no request to h begins. If skipReason is not empty, the
// worker skips the jobs of h during the pause, with this reason.
func (s *scheduler) startPause(h *host, d time.Duration, skipReason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.clock.Now().Add(d); end.After(h.pauseEnd) {
		h.pauseEnd = end
		if skipReason != "" {
			h.skipReason = skipReason
		}
	}
	s.wakeWaiting(h) // let the waiting requests notice the pause
}

// raiseInterval raises the interval that h requested to the given interval, and reports whether
// it changed.
func (s *scheduler) raiseInterval(h *host, interval time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if interval <= h.requestedInterval {
		return false
	}
	h.requestedInterval = interval
	h.interval = max(h.interval, interval)
	return true
}

// requestedLimits returns the limits that h requested, as a record for the store.
func (s *scheduler) requestedLimits(h *host) hostRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := hostRecord{Pause: max(h.pauseEnd.Sub(s.clock.Now()), 0), Interval: h.requestedInterval}
	if r.Pause > 0 {
		r.Shut = h.skipReason
	}
	h.pauseStored = r.Pause > 0
	return r
}

// skipReasonFor returns the reason for skipping the targets of h, or "" if the targets are not
// skipped.
func (s *scheduler) skipReasonFor(h *host) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.skipReason != "" && !h.pauseEnd.After(s.clock.Now()) {
		h.skipReason = ""
	}
	return h.skipReason
}

// awaitTurn waits for a turn at a host of p. The worker need not have a job for the host. After a
// turn, the caller must call endRequest. The error is the error of ctx, or errTaken if another
// worker holds the partition.
func (s *scheduler) awaitTurn(ctx context.Context, p *partition, hash string, l limits) (*host, error) {
	s.mu.Lock()
	if s.parts[p.number] != p || p.draining || p.remaining(s.clock) <= 0 {
		s.mu.Unlock()
		return nil, errTaken
	}
	h := s.hostFor(p, hash, l)
	given := make(chan struct{})
	h.waitingTurns = append(h.waitingTurns, given)
	s.makeReady(h)
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
	for i, c := range h.waitingTurns {
		if c == given {
			h.waitingTurns = append(h.waitingTurns[:i], h.waitingTurns[i+1:]...)
			s.forgetHost(h)
			s.mu.Unlock()
			return nil, err
		}
	}
	s.mu.Unlock()
	s.endRequest(h, 0) // the turn came at the same time as the error
	return nil, err
}
