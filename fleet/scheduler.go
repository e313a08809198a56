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
	// maxWaiting limits the waiting jobs of one host in a worker. The worker reads the host's
	// remaining targets later.
	maxWaiting = 64
	// maxJobs limits the waiting jobs in a worker. At the limit, the worker stops reading targets.
	maxJobs = 20_000
)

// job is a target that a worker must check.
type job struct {
	at          address
	base        key
	found       verify.Found
	storingPage string
	// sequence is the sequence number of the target's message, for the partition's low-water
	// mark. If the target already has a verdict, the value is belowMark.
	sequence uint64
	// published is the time at which the target was added, by the server's clock.
	published time.Time
	previous  *verdict    // the last verdict, or nil
	header    nats.Header // header of the target's message, for WorkerOptions.Extract; may be nil
	tries     int
	lateCount int  // number of failures to get a turn at other hosts
	isSent    bool // the verdict is in the outbox
}

const belowMark = math.MaxUint64

// partition is a fixed set of hosts. It belongs to this worker until the lease expires or the
// worker releases the partition. The scheduler's mutex guards the fields that change.
type partition struct {
	number   int
	lease    *lease
	revision uint64          // revision of the partition's key
	takenAt  time.Time       // time at which this worker took the partition
	ctx      context.Context // ends when the worker releases or loses the partition
	stop     func()          // ends ctx and the subscriptions

	newsSignal   chan struct{} // has an element if a target may have been published
	nextSequence uint64        // first unread sequence number
	savedMark    uint64        // stored low-water mark
	hosts        map[string]*host
	active       int    // number of running requests to its hosts
	holdCount    int    // number of tasks and unstored verdicts that prevent the release
	draining     bool   // no new jobs may start
	oldSequence  uint64 // last sequence number that was used before this worker took the partition
}

// remaining returns the remaining time in which requests to the hosts of p may begin.
func (p *partition) remaining(c Clock) time.Duration {
	if p.ctx.Err() != nil {
		return 0
	}
	return p.lease.remaining(c)
}

// scheduler selects the next jobs of a worker. It applies the per-host limits on concurrent
// requests and on the request rate. It forgets idle hosts. Its methods may be called
// concurrently.
type scheduler struct {
	clock Clock

	mu          sync.Mutex
	changed     sync.Cond
	parts       map[int]*partition
	ready       []*host
	resumed     []*task // tasks that continue after a wait; they precede all other tasks
	ticketCount ticket  // number of issued tickets
	jobs        int
	paused      bool
	ended       bool
	refill      func(*host) // reads more targets of a host
	onPauseEnd  func(*host) // called when a stored pause has ended
}

func newScheduler(c Clock, refill, onPauseEnd func(*host)) *scheduler {
	s := &scheduler{clock: c, parts: map[int]*partition{}, refill: refill, onPauseEnd: onPauseEnd}
	s.changed.L = &s.mu
	return s
}

// hasHost reports whether the scheduler stores the host, and so knows the host's limits.
func (s *scheduler) hasHost(p *partition, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.hosts[hash] != nil
}

// addJob adds a job. If the host has enough jobs, addJob returns false, and the worker reads the
// target again later.
func (s *scheduler) addJob(p *partition, j *job, l limits) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[p.number] != p {
		return false // the job belongs to another worker
	}
	h := s.hostFor(p, j.at.host, l)
	if len(h.unfinished) < maxWaiting {
		s.insert(h, j)
		return true
	}
	if j.sequence != belowMark {
		h.deferTarget(j.sequence)
	}
	return false
}

// deferTarget reports whether the host has enough jobs. In that case it records that the worker
// must read the target with the given sequence number later.
func (h *host) deferTarget(sequence uint64) bool {
	if h.firstUnread == 0 && len(h.unfinished) < maxWaiting {
		return false
	}
	if h.firstUnread == 0 {
		h.firstUnread = sequence
	}
	h.deferredCount++
	return true
}

func (s *scheduler) insert(h *host, j *job) {
	if !h.unfinished[j] {
		h.unfinished[j] = true
		s.jobs++
	}
	h.jobs = append(h.jobs, j)
	s.makeReady(h)
}

// retryLater adds the job again after a pause.
func (s *scheduler) retryLater(h *host, j *job, pause time.Duration) {
	s.clock.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if h.unfinished[j] {
			s.insert(h, j)
		}
	})
}

// makeReady adds h to the ready hosts if one of the host's jobs may begin. It also gives turns to
// requests that wait for h. The caller must hold s.mu.
func (s *scheduler) makeReady(h *host) {
	for len(h.waitingTurns) > 0 && h.hasRoom() && !h.part.draining {
		close(h.waitingTurns[0])
		h.waitingTurns = h.waitingTurns[1:]
		h.active++
		h.part.active++
	}
	if h.ready || len(h.jobs) == 0 || !h.hasRoom() {
		return
	}
	if due := h.earliestStart(); due.After(s.clock.Now()) && h.skipReason == "" {
		s.wakeAt(h, due)
		return
	}
	h.ready = true
	s.ready = append(s.ready, h)
	s.changed.Signal()
}

// wakeAt schedules a call of makeReady for h at wakeTime, unless an earlier call is already
// scheduled.
func (s *scheduler) wakeAt(h *host, wakeTime time.Time) {
	if h.stopTimer != nil {
		if !wakeTime.Before(h.timerTime) {
			return
		}
		h.stopTimer()
	}
	h.timerTime = wakeTime
	h.stopTimer = s.clock.AfterFunc(wakeTime.Sub(s.clock.Now()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !h.timerTime.Equal(wakeTime) {
			return // another timer replaced this one
		}
		h.stopTimer, h.timerTime = nil, time.Time{}
		s.makeReady(h)
		s.forgetHost(h)
	})
}

// task is a unit of work for a slot. It contains the jobs that share one request, and the ticket
// for that request. The ticket is 0 if no request is needed. If a redirect or a pause interrupted
// the check, the field request is the next request, and the task waits for a turn at the host of
// that request. A waiting task uses no slot. After the wait, any slot can continue the task.
type task struct {
	jobs   []*job
	host   *host
	ticket ticket

	request    *verify.Request // next request; nil before the first request
	nextHop    hopError
	turn       turn   // turn at the host of the field request
	skipReason string // reason for skipping the targets; empty if they are not skipped
	suspended  bool   // the task must not continue now
}

// nextTask waits for the next task. The caller must call removeHold after the task. If the
// scheduler has ended, nextTask returns nil.
func (s *scheduler) nextTask() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if len(s.resumed) > 0 {
			t := s.resumed[0]
			s.resumed = s.resumed[1:]
			t.suspended = s.ended || s.paused && t.skipReason == "" || !s.isHeldLocked(t.host.part)
			t.host.part.holdCount++
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
		if t := s.newTask(h); t != nil {
			return t
		}
	}
}

// newTask returns a new task for jobs of h. It returns nil if no task may begin. The caller must
// hold s.mu.
func (s *scheduler) newTask(h *host) *task {
	if h.part.draining || len(h.jobs) == 0 || !h.hasRoom() {
		return nil
	}
	t := &task{host: h}
	if h.skipReason == "" {
		if h.earliestStart().After(s.clock.Now()) {
			s.makeReady(h)
			return nil
		}
		t.ticket = s.issueTicket(h, ticketTime)
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
	h.part.holdCount++
	s.makeReady(h)
	return t
}

// resume schedules a waiting task to continue. If the scheduler has ended, resume returns false.
func (s *scheduler) resume(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.resumed = append(s.resumed, t)
		s.changed.Signal()
	}
	return !s.ended
}

// isHeldLocked reports whether p belongs to this worker and is not draining. The caller must hold
// s.mu.
func (s *scheduler) isHeldLocked(p *partition) bool { return s.parts[p.number] == p && !p.draining }

func (s *scheduler) isHeld(p *partition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isHeldLocked(p)
}

func (s *scheduler) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// addHold begins a hold, which prevents the release of p until removeHold is called. If p were
// released, another worker would repeat the requests.
func (s *scheduler) addHold(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.holdCount++
}

// removeHold ends the hold that addHold or nextTask began.
func (s *scheduler) removeHold(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.holdCount--
}

// isIdle reports whether p is draining, has no running requests, and has no verdicts to store.
func (s *scheduler) isIdle(p *partition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.draining && p.active == 0 && p.holdCount == 0
}

// finishJobs removes the finished jobs of h.
func (s *scheduler) finishJobs(h *host, jobs ...*job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if h.unfinished[j] {
			delete(h.unfinished, j)
			s.jobs--
		}
	}
	if h.firstUnread > 0 && !h.isRefilling && len(h.unfinished) <= maxWaiting/2 && s.parts[h.part.number] == h.part {
		h.isRefilling = true
		go s.refill(h)
	}
	s.forgetHost(h)
	s.changed.Broadcast()
}

// endRequest ends a request to h. If the request did not use its ticket, the caller must pass it
// as unusedTicket, which then becomes invalid. Otherwise unusedTicket is 0.
func (s *scheduler) endRequest(h *host, unusedTicket ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.active--
	h.part.active--
	if unusedTicket != 0 && h.currentTicket == unusedTicket {
		h.currentTicket = 0
	}
	s.wakeWaiting(h)
	s.forgetHost(h)
	s.changed.Broadcast()
}

// wakeWaiting wakes the requests that wait for h, because a request may begin earlier than
// expected. The caller must hold s.mu.
func (s *scheduler) wakeWaiting(h *host) {
	if h.wake != nil {
		close(h.wake)
		h.wake = nil
	}
	s.makeReady(h)
}

// forgetHost removes a host without work as soon as the host's next request could begin.
func (s *scheduler) forgetHost(h *host) {
	if len(h.unfinished) > 0 || h.active > 0 || len(h.waitingTurns) > 0 || h.firstUnread > 0 || h.isRefilling || h.part.hosts[h.hash] != h {
		return
	}
	if due := h.earliestStart(); due.After(s.clock.Now()) {
		s.wakeAt(h, due)
		return
	}
	delete(h.part.hosts, h.hash)
	if h.pauseStored && s.parts[h.part.number] == h.part {
		go s.onPauseEnd(h)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// partition returns the partition with the given number. It returns nil if this worker does not
// hold the partition.
func (s *scheduler) partition(number int) *partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts[number]
}

// lowMark returns the low-water mark of p, which is the lowest sequence number of a target that
// may lack a verdict. If p was dropped, lowMark returns false, because its jobs are unknown.
func (s *scheduler) lowMark(p *partition) (low uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[p.number] != p {
		return 0, false
	}
	low = p.nextSequence
	for _, h := range p.hosts {
		if h.firstUnread > 0 {
			low = min(low, h.firstUnread)
		}
		for j := range h.unfinished {
			low = min(low, j.sequence)
		}
	}
	return low, true
}

// stop ends the scheduler, so that nextTask returns nil.
func (s *scheduler) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// dropPartition removes a partition and its jobs, because they no longer belong to this worker.
// It reports whether the scheduler still contained the partition.
func (s *scheduler) dropPartition(p *partition) (wasHeld bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.draining = true
	if wasHeld = s.parts[p.number] == p; wasHeld {
		delete(s.parts, p.number)
	}
	for _, h := range p.hosts {
		s.jobs -= len(h.unfinished)
		clear(h.unfinished)
		h.jobs = nil
		if h.stopTimer != nil {
			h.stopTimer()
		}
	}
	s.changed.Broadcast()
	return wasHeld
}
