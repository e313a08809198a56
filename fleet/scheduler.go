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
	before   *verdict // the last verdict; nil: it has none
	tries    int
	late     int // how often it got no turn elsewhere in time
}

const again = math.MaxUint64

// partition is a part of the hosts, which belongs to this worker as long as the lease is
// valid. The scheduler's mutex guards what is not set once.
type partition struct {
	number int
	lease  *lease
	end    context.CancelFunc // ends its reader
	done   chan struct{}      // closed when the reader has ended

	next     uint64 // the first sequence number that was not read
	saved    uint64 // the low-water mark that is stored
	hosts    map[string]*host
	active   int    // requests for its hosts
	draining bool   // it begins no job any more
	given    int    // jobs that were given out, and are not done
	old      uint64 // targets with greater sequence numbers were published under the lease
}

// host is what jobs share limits by. The scheduler's mutex guards it.
type host struct {
	part     *partition
	hash     string
	atOnce   int
	interval time.Duration

	jobs    []*job        // that wait for a turn
	all     map[*job]bool // that are not done
	turns   []chan struct{}
	active  int
	next    time.Time // when the next request may begin
	ready   bool      // it is in scheduler.ready
	timer   func()    // stops what wakes it at next; nil: nothing does
	shut    string    // why its jobs are not asked for; empty: they are
	shutEnd time.Time
	behind  uint64 // the sequence number from which its targets were not read; 0: all were
	skipped uint64 // how often a target was not read
	filling bool
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
	jobs    int
	paused  bool
	ended   bool
	fill    func(*host) // reads more targets of a host
}

func newScheduler(c Clock, fill func(*host)) *scheduler {
	s := &scheduler{clock: c, parts: map[int]*partition{}, fill: fill}
	s.changed.L = &s.mu
	return s
}

// hostFor returns the host, which it makes. No request to it begins sooner than an interval
// after the lease was taken: another worker may have asked it just before. The caller must
// hold s.mu.
func (s *scheduler) hostFor(p *partition, hash string, atOnce int, interval time.Duration) *host {
	h := p.hosts[hash]
	if h == nil {
		h = &host{part: p, hash: hash, atOnce: atOnce, interval: interval, all: map[*job]bool{}, next: p.lease.taken.Add(interval)}
		p.hosts[hash] = h
	}
	return h
}

// add adds a job. false: its host has enough of them, and is behind from now on, or was.
func (s *scheduler) add(p *partition, j *job, l limits) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hostFor(p, j.at.host, l.atOnce, max(l.interval, l.hostRecord.Interval))
	if end := s.clock.Now().Add(l.Pause); l.Shut != "" {
		h.shut, h.shutEnd = l.Shut, end
	} else if l.Pause > 0 {
		h.next = later(h.next, end)
	}
	if len(h.all) >= maxWaiting {
		return false
	}
	s.insert(h, j)
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
	s.mu.Lock()
	h.part.given--
	s.mu.Unlock()
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
	if left := h.next.Sub(s.clock.Now()); left > 0 && h.shut == "" {
		if h.timer == nil {
			h.timer = s.clock.AfterFunc(left, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				h.timer = nil
				s.offer(h)
			})
		}
		return
	}
	h.ready = true
	s.ready = append(s.ready, h)
	s.changed.Signal()
}

func (h *host) hasRoom() bool { return h.atOnce <= 0 || h.active < h.atOnce }

// take waits for jobs that one request answers; done must follow. ok is false if the
// scheduler has ended.
func (s *scheduler) take() (jobs []*job, h *host, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended {
		if len(s.ready) == 0 || s.paused {
			s.changed.Wait()
			continue
		}
		h = s.ready[0]
		s.ready = s.ready[1:]
		h.ready = false
		if h.part.draining || len(h.jobs) == 0 || !h.hasRoom() {
			continue
		}
		if h.shut == "" && h.next.After(s.clock.Now()) {
			s.offer(h)
			continue
		}
		first := h.jobs[0]
		rest := h.jobs[:0]
		for _, j := range h.jobs {
			if j.base == first.base {
				jobs = append(jobs, j)
			} else {
				rest = append(rest, j)
			}
		}
		clear(h.jobs[len(rest):])
		h.jobs = rest
		h.active++
		h.part.active++
		h.part.given += len(jobs)
		s.offer(h)
		return jobs, h, true
	}
	return nil, nil, false
}

// done ends jobs of h for good.
func (s *scheduler) done(h *host, jobs ...*job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if h.all[j] {
			delete(h.all, j)
			s.jobs--
			h.part.given--
		}
	}
	if h.behind > 0 && !h.filling && len(h.all) <= maxWaiting/2 && s.parts[h.part.number] == h.part {
		h.filling = true
		go s.fill(h)
	}
	s.forget(h)
	s.changed.Broadcast()
}

// release ends a request to h.
func (s *scheduler) release(h *host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.active--
	h.part.active--
	s.offer(h)
	s.forget(h)
	s.changed.Broadcast()
}

// forget removes a host that has nothing to do, as soon as its interval is over.
func (s *scheduler) forget(h *host) {
	if len(h.all) > 0 || h.active > 0 || len(h.turns) > 0 || h.behind > 0 || h.filling || h.part.hosts[h.hash] != h {
		return
	}
	if end := later(h.next, h.shutEnd); end.After(s.clock.Now()) {
		if h.timer == nil {
			h.timer = s.clock.AfterFunc(end.Sub(s.clock.Now()), func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				h.timer = nil
				s.offer(h)
				s.forget(h)
			})
		}
		return
	}
	delete(h.part.hosts, h.hash)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// turn waits for a turn at a host that is not that of a job; release must follow. The error
// is that of ctx, or errTaken if the partition is not that of this worker.
func (s *scheduler) turn(ctx context.Context, part int, hash string, atOnce int, interval time.Duration) (*host, error) {
	s.mu.Lock()
	p := s.parts[part]
	if p == nil || p.draining || p.lease.left(s.clock) <= 0 {
		s.mu.Unlock()
		return nil, errTaken
	}
	h := s.hostFor(p, hash, atOnce, interval)
	given := make(chan struct{})
	h.turns = append(h.turns, given)
	s.offer(h)
	s.mu.Unlock()
	select {
	case <-given:
		return h, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for i, c := range h.turns {
		if c == given {
			h.turns = append(h.turns[:i], h.turns[i+1:]...)
			s.forget(h)
			s.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	s.mu.Unlock()
	s.release(h) // it was given meanwhile
	return nil, ctx.Err()
}

// begin waits until a request to h may begin, and for reserve longer no other one does.
func (s *scheduler) begin(ctx context.Context, h *host, reserve time.Duration) error {
	for {
		s.mu.Lock()
		now := s.clock.Now()
		left := h.next.Sub(now)
		if left <= 0 {
			h.next = now.Add(reserve + h.interval)
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		if wait(s.clock, left, ctx.Done()) {
			return ctx.Err()
		}
	}
}

// began ends what begin reserved: the request has begun.
func (s *scheduler) began(h *host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.next = s.clock.Now().Add(h.interval)
}

// pause begins no request to h for that long.
func (s *scheduler) pause(h *host, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.next = later(h.next, s.clock.Now().Add(d))
}

// slow makes the interval of h at least that long, and reports whether that is news.
func (s *scheduler) slow(h *host, interval time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if interval <= h.interval {
		return false
	}
	h.interval = interval
	return true
}

// close gives the jobs of h out without delay for that long, not to be asked for.
func (s *scheduler) close(h *host, why string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.shut, h.shutEnd = why, s.clock.Now().Add(d)
	s.offer(h)
}

// isShut returns why h is not asked; empty: it is.
func (s *scheduler) isShut(h *host) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.shut != "" && !h.shutEnd.After(s.clock.Now()) {
		h.shut = ""
	}
	return h.shut
}

// mark returns the first sequence number of p whose target may have no verdict.
func (s *scheduler) mark(p *partition) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	low := p.next
	for _, h := range p.hosts {
		if h.behind > 0 {
			low = min(low, h.behind)
		}
		for j := range h.all {
			low = min(low, j.sequence)
		}
	}
	return low
}

// end makes take return false.
func (s *scheduler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// drop forgets a partition, with its jobs: they belong to another worker.
func (s *scheduler) drop(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.draining = true
	delete(s.parts, p.number)
	for _, h := range p.hosts {
		s.jobs -= len(h.all)
		clear(h.all)
		h.jobs = nil
	}
	s.changed.Broadcast()
}
