package fleet

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus/verify"
)

const (
	// maxWaiting limits the waiting jobs of one host in a worker. The worker reads the remaining
	// targets from the frontier later.
	maxWaiting = 64
	// maxJobs limits the waiting jobs in a worker. At the limit, the worker stops reading targets.
	maxJobs = 20_000
)

// job is a target that a worker must check.
type job struct {
	at    address
	base  key
	found verify.Found
	by    string
	// sequence is the sequence number of the target's message, for the low-water mark. It is the
	// constant again if the target already has a verdict and lies below the mark.
	sequence uint64
	// published is the time at which the target was added, by the server's clock.
	published time.Time
	before    *verdict    // the last verdict, or nil
	header    nats.Header // header of the target's message, for WorkerOptions.Extract; may be nil
	tries     int
	late      int  // number of failures to get a turn at other hosts
	isSent    bool // the verdict is in the outbox
}

const again = math.MaxUint64

// partition is a fixed set of hosts. It belongs to this worker while the lease is valid, until the worker releases it. The
// scheduler's mutex guards the fields that change.
type partition struct {
	number   int
	lease    *lease
	revision uint64          // revision of its key
	taken    time.Time       // time at which this worker took it
	ctx      context.Context // ends when the worker releases or loses the partition
	end      func()          // ends ctx

	news     chan struct{} // has an element if a target may have been published
	next     uint64        // first unread sequence number
	saved    uint64        // stored low-water mark
	hosts    map[string]*host
	active   int    // running requests to its hosts
	busy     int    // number of holds by tasks and by verdicts that are not stored yet
	draining bool   // no new jobs may start
	old      uint64 // targets with greater sequence numbers were published under the lease
}

// left returns the remaining time in which requests to the hosts of p may begin.
func (p *partition) left(c Clock) time.Duration {
	if p.ctx.Err() != nil {
		return 0
	}
	return p.lease.left(c)
}

// scheduler selects the jobs to do next. It applies the limits of each host on concurrent requests
// and on the request rate. It forgets idle hosts. Its methods may be called concurrently.
type scheduler struct {
	clock Clock

	mu      sync.Mutex
	changed sync.Cond
	parts   map[int]*partition
	ready   []*host
	hops    []*task // tasks that continue, which precede all others
	tickets ticket  // number of issued tickets
	jobs    int
	paused  bool
	ended   bool
	fill    func(*host) // reads more targets of a host
	over    func(*host) // called when the stored pause of a host is over
}

func newScheduler(c Clock, fill, over func(*host)) *scheduler {
	s := &scheduler{clock: c, parts: map[int]*partition{}, fill: fill, over: over}
	s.changed.L = &s.mu
	return s
}

// knows reports whether p contains the host. In that case the limits of the host are known.
func (s *scheduler) knows(p *partition, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.hosts[hash] != nil
}

// add adds a job. If the host has enough jobs, add returns false. Unless the target already has a
// verdict, add also marks the host as behind.
func (s *scheduler) add(p *partition, j *job, l limits) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[p.number] != p {
		return false // the job belongs to another worker
	}
	h := s.hostFor(p, j.at.host, l)
	if len(h.all) < maxWaiting {
		s.insert(h, j)
		return true
	}
	if j.sequence != again {
		h.isBehind(j.sequence)
	}
	return false
}

// isBehind reports whether the host has enough jobs. In that case the worker reads the other
// targets of the host later.
func (h *host) isBehind(sequence uint64) bool {
	if h.behind == 0 && len(h.all) < maxWaiting {
		return false
	}
	if h.behind == 0 {
		h.behind = sequence
	}
	h.skipped++
	return true
}

func (s *scheduler) insert(h *host, j *job) {
	if !h.all[j] {
		h.all[j] = true
		s.jobs++
	}
	h.jobs = append(h.jobs, j)
	s.offer(h)
}

// retry adds the job again after a pause.
func (s *scheduler) retry(h *host, j *job, pause time.Duration) {
	s.clock.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if h.all[j] {
			s.insert(h, j)
		}
	})
}

// offer marks h as ready if one of its jobs may begin. It also gives turns to waiting requests. The
// caller must hold s.mu.
func (s *scheduler) offer(h *host) {
	for len(h.turns) > 0 && h.hasRoom() && !h.part.draining {
		close(h.turns[0])
		h.turns = h.turns[1:]
		h.active++
		h.part.active++
	}
	if h.ready || len(h.jobs) == 0 || !h.hasRoom() {
		return
	}
	if due := h.due(); due.After(s.clock.Now()) && h.shut == "" {
		s.wakeAt(h, due)
		return
	}
	h.ready = true
	s.ready = append(s.ready, h)
	s.changed.Signal()
}

// wakeAt schedules a call of offer for h at the given time, unless an earlier call is scheduled.
func (s *scheduler) wakeAt(h *host, at time.Time) {
	if h.timer != nil {
		if !at.Before(h.alarm) {
			return
		}
		h.timer()
	}
	h.alarm = at
	h.timer = s.clock.AfterFunc(at.Sub(s.clock.Now()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !h.alarm.Equal(at) {
			return // another timer replaced this one
		}
		h.timer, h.alarm = nil, time.Time{}
		s.offer(h)
		s.forget(h)
	})
}

// task is a unit of work for a slot: jobs that share one request. The host of the jobs issues a
// ticket for the request. The ticket is 0 if no request is needed. If the check was interrupted,
// the task has the next request, and a turn at the host of that request. The task uses no slot
// while it waits for the turn. Then any slot can continue the task.
type task struct {
	jobs   []*job
	host   *host
	ticket ticket

	request *verify.Request // next request; nil before the first request
	lead    hopError
	turn    turn   // turn at the host of the field request
	why     string // reason for skipping the targets; empty if they are not skipped
	void    bool   // the task must not continue now
}

// next waits for the next task. The caller must call leave. If the scheduler has ended, next
// returns nil.
func (s *scheduler) next() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if len(s.hops) > 0 {
			t := s.hops[0]
			s.hops = s.hops[1:]
			t.void = s.ended || s.paused && t.why == "" || !s.has(t.host.part)
			t.host.part.busy++
			return t
		}
		if s.ended {
			return nil
		}
		if len(s.ready) == 0 || s.paused {
			s.changed.Wait()
			continue
		}
		h := s.ready[0]
		s.ready = s.ready[1:]
		h.ready = false
		if t := s.begun(h); t != nil {
			return t
		}
	}
}

// begun returns a new task for jobs of h. It returns nil if no task may begin. The caller must hold
// s.mu.
func (s *scheduler) begun(h *host) *task {
	if h.part.draining || len(h.jobs) == 0 || !h.hasRoom() {
		return nil
	}
	t := &task{host: h}
	if h.shut == "" {
		if h.due().After(s.clock.Now()) {
			s.offer(h)
			return nil
		}
		t.ticket = s.ticket(h, ticketTime)
	}
	first := h.jobs[0]
	rest := h.jobs[:0]
	for _, j := range h.jobs {
		if j.base == first.base {
			t.jobs = append(t.jobs, j)
		} else {
			rest = append(rest, j)
		}
	}
	clear(h.jobs[len(rest):])
	h.jobs = rest
	h.active++
	h.part.active++
	h.part.busy++
	s.offer(h)
	return t
}

// follow schedules a task to continue. If the scheduler has ended, follow returns false.
func (s *scheduler) follow(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.hops = append(s.hops, t)
		s.changed.Signal()
	}
	return !s.ended
}

// has reports whether p belongs to this worker and may begin requests. The caller must hold s.mu.
func (s *scheduler) has(p *partition) bool { return s.parts[p.number] == p && !p.draining }

func (s *scheduler) holds(p *partition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has(p)
}

func (s *scheduler) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// hold prevents the release of p until leave is called. If p were released, another worker would
// repeat the requests.
func (s *scheduler) hold(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.busy++
}

// leave ends the hold that next or hold began.
func (s *scheduler) leave(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.busy--
}

// isIdle reports whether p is drained, has no running requests, and has no verdicts to store.
func (s *scheduler) isIdle(p *partition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.draining && p.active == 0 && p.busy == 0
}

// done removes the finished jobs of h.
func (s *scheduler) done(h *host, jobs ...*job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if h.all[j] {
			delete(h.all, j)
			s.jobs--
		}
	}
	if h.behind > 0 && !h.filling && len(h.all) <= maxWaiting/2 && s.parts[h.part.number] == h.part {
		h.filling = true
		go s.fill(h)
	}
	s.forget(h)
	s.changed.Broadcast()
}

// release ends a request to h. It invalidates the ticket unused if the request did not use it. 0
// means that there is no ticket.
func (s *scheduler) release(h *host, unused ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.active--
	h.part.active--
	if unused != 0 && h.begin == unused {
		h.begin = 0
	}
	s.soon(h)
	s.forget(h)
	s.changed.Broadcast()
}

// soon wakes all waiting requests, because a request to h may begin earlier than expected. The
// caller must hold s.mu.
func (s *scheduler) soon(h *host) {
	if h.wake != nil {
		close(h.wake)
		h.wake = nil
	}
	s.offer(h)
}

// forget removes an idle host as soon as its next request could begin.
func (s *scheduler) forget(h *host) {
	if len(h.all) > 0 || h.active > 0 || len(h.turns) > 0 || h.behind > 0 || h.filling || h.part.hosts[h.hash] != h {
		return
	}
	if due := h.due(); due.After(s.clock.Now()) {
		s.wakeAt(h, due)
		return
	}
	delete(h.part.hosts, h.hash)
	if h.pauseStored && s.parts[h.part.number] == h.part {
		go s.over(h)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// partition returns the partition with the given number. It returns nil if this worker does not
// have it.
func (s *scheduler) partition(number int) *partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts[number]
}

// mark returns the lowest sequence number in p that may belong to a target without a verdict. If p
// was dropped, mark returns false, because its jobs are unknown.
func (s *scheduler) mark(p *partition) (low uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[p.number] != p {
		return 0, false
	}
	low = p.next
	for _, h := range p.hosts {
		if h.behind > 0 {
			low = min(low, h.behind)
		}
		for j := range h.all {
			low = min(low, j.sequence)
		}
	}
	return low, true
}

// end ends the scheduler, so that next returns nil.
func (s *scheduler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// drop forgets a partition and its jobs, because they belong to another worker. held reports
// whether the scheduler had the partition.
func (s *scheduler) drop(p *partition) (held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.draining = true
	if held = s.parts[p.number] == p; held {
		delete(s.parts, p.number)
	}
	for _, h := range p.hosts {
		s.jobs -= len(h.all)
		clear(h.all)
		h.jobs = nil
		if h.timer != nil {
			h.timer()
		}
	}
	s.changed.Broadcast()
	return held
}
