package fleet

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/locus-url/locus/verify"
)

const (
	// maxWaiting is how many jobs of one host wait in a worker; the others are read from
	// the frontier when these are done.
	maxWaiting = 64
	// maxJobs is how many jobs wait in a worker. Then it reads no more.
	maxJobs = 20_000
)

// job is a target that a worker is to ask for.
type job struct {
	at    address
	base  key
	found verify.Found
	by    string
	// sequence is that of the target's message, for the low-water mark; again: it is asked
	// for although it has a verdict, and the mark is beyond it.
	sequence uint64
	// published is when it was added, by the clock of the server.
	published time.Time
	before    *verdict // the last verdict; nil: it has none
	tries     int
	late      int  // how often it got no turn elsewhere in time
	isSent    bool // its verdict is in the outbox
}

const again = math.MaxUint64

// partition is a part of the hosts, which belongs to this worker as long as the lease is
// valid. The scheduler's mutex guards what is not set once.
type partition struct {
	number int
	lease  *lease
	ctx    context.Context // ends with the lease
	end    func()          // ends ctx

	next     uint64 // the first sequence number that was not read
	saved    uint64 // the low-water mark that is stored
	hosts    map[string]*host
	active   int    // requests for its hosts
	busy     int    // holds: jobs that were taken together, and verdicts that are not stored yet
	draining bool   // it begins no job any more
	old      uint64 // targets with greater sequence numbers were published under the lease
}

// scheduler gives out jobs so that each host gets at most so many requests at once, and so
// many in a time. It forgets hosts that have nothing to do. Its methods may be called
// concurrently.
type scheduler struct {
	clock Clock

	mu      sync.Mutex
	changed sync.Cond
	parts   map[int]*partition
	ready   []*host
	hops    []*task // that continue, before all others
	tickets ticket  // the number that were given out
	jobs    int
	paused  bool
	ended   bool
	fill    func(*host) // reads more targets of a host
	over    func(*host) // the stored pause of a host is over
}

func newScheduler(c Clock, fill, over func(*host)) *scheduler {
	s := &scheduler{clock: c, parts: map[int]*partition{}, fill: fill, over: over}
	s.changed.L = &s.mu
	return s
}

// knows reports whether p has that host, whose limits need not be looked for.
func (s *scheduler) knows(p *partition, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.hosts[hash] != nil
}

// add adds a job. false: its host has enough of them. Then it is behind from now on, unless
// the job is one that is asked for again.
func (s *scheduler) add(p *partition, j *job, l limits) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[p.number] != p {
		return false // it is not for this worker
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

// isBehind reports whether the host has enough jobs, so that a target is read later.
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

// retry adds a job again after a pause.
func (s *scheduler) retry(h *host, j *job, pause time.Duration) {
	s.clock.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if h.all[j] {
			s.insert(h, j)
		}
	})
}

// offer makes h ready if it has a job whose turn has come, and gives turns to those who wait
// for one. The caller must hold s.mu.
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

// wakeAt offers h then, or sooner.
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

// task is what a slot does at a time: jobs that one request answers. Their host gives a ticket
// for it, which is 0 if nothing is to be asked. A task that continues has a request, and a turn at
// the host that the request is sent to. It takes no slot while it waits for the turn, and any slot
// continues it.
type task struct {
	jobs   []*job
	host   *host
	ticket ticket

	request *verify.Request // that is due; nil: the task begins
	lead    hopError
	turn    turn   // there
	why     string // why nothing is asked for; empty: it is
	void    bool   // it may not continue now
}

// next waits for the next task; leave must follow. nil: the scheduler has ended.
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

// begun begins a task of h; nil: none may begin. The caller must hold s.mu.
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

// follow has a task continue. false: the scheduler has ended.
func (s *scheduler) follow(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.hops = append(s.hops, t)
		s.changed.Signal()
	}
	return !s.ended
}

// has reports whether p belongs to this worker, and begins requests. The caller must hold s.mu.
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

// hold has p not given back before leave is called: another worker would ask again.
func (s *scheduler) hold(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.busy++
}

// leave ends what next or hold began.
func (s *scheduler) leave(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.busy--
}

// isIdle reports whether p is drained, has no request, and all its verdicts are stored.
func (s *scheduler) isIdle(p *partition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.draining && p.active == 0 && p.busy == 0
}

// done ends jobs of h for good.
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

// release ends a request to h. An unused ticket becomes void; 0: no ticket.
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

// soon tells all who wait that a request to h may begin sooner. The caller must hold s.mu.
func (s *scheduler) soon(h *host) {
	if h.wake != nil {
		close(h.wake)
		h.wake = nil
	}
	s.offer(h)
}

// forget removes a host that has nothing to do, as soon as a request may begin.
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

// partition returns the partition of that number; nil: another worker has it.
func (s *scheduler) partition(number int) *partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts[number]
}

// mark returns the first sequence number of p whose target may have no verdict. false: p was
// dropped with its jobs, and nothing is known.
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

// end makes next return nil.
func (s *scheduler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// drop forgets a partition, with its jobs: they belong to another worker. held reports that it
// was not dropped before.
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
