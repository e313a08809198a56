package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// testQueue returns a scheduler with one partition, whose lease is valid for an hour.
func testQueue() (*scheduler, *partition, *fakeClock) {
	c := newFakeClock()
	s := newScheduler(c, func(*host) {}, func(*host) {})
	l := &lease{}
	l.set(c.Now(), time.Hour)
	p := &partition{lease: l, takenAt: c.Now(), ctx: context.Background(), hosts: map[string]*host{}}
	s.parts[0] = p
	return s, p, c
}

func testJob(host string, n int) *job {
	j := &job{sequence: uint64(n)}
	j.at.host, j.base[0], j.at.key[0] = host, byte(n), byte(n)
	return j
}

// takeJobs returns the jobs of the next task.
func (s *scheduler) takeJobs() (jobs []*job, h *host, ticket ticket, ok bool) {
	t := s.nextTask()
	if t == nil {
		return nil, nil, 0, false
	}
	return t.jobs, t.host, t.ticket, true
}

// hasDueJob reports whether a job may begin now.
func (s *scheduler) hasDueJob() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.ready, func(h *host) bool { return len(h.jobs) > 0 && h.hasRoom() && !h.earliestStart().After(s.clock.Now()) })
}

// TestSchedulerLimits checks that each host waits for its interval after a takeover. After that,
// the limit on concurrent requests must apply.
func TestSchedulerLimits(t *testing.T) {
	s, p, c := testQueue()
	for i := range 4 {
		if !s.addJob(p, testJob("a", i), limits{atOnce: 2, interval: time.Second}) {
			t.Fatal("refused")
		}
	}
	if s.hasDueJob() {
		t.Error("asked without the interval after the takeover")
	}
	c.advance(time.Second)
	one, h, ticket, _ := s.takeJobs()
	if c.advance(time.Second); s.hasDueJob() || !s.isTicketValid(h, ticket) {
		t.Error("another one has a ticket while a request is about to begin")
	}
	s.useTicket(h, ticket)
	if s.hasDueJob() || s.isTicketValid(h, ticket) {
		t.Error("asked again within the interval")
	}
	c.advance(time.Second)
	_, _, ticket, _ = s.takeJobs()
	s.useTicket(h, ticket)
	c.advance(time.Minute)
	if s.hasDueJob() {
		t.Error("three at once")
	}
	if low, ok := s.lowMark(p); low != 0 || !ok {
		t.Errorf("mark %d", low)
	}
	s.finishJobs(h, one...)
	s.endRequest(h, 0)
	if !s.hasDueJob() {
		t.Error("not asked although there is room")
	}
	if low, ok := s.lowMark(p); p.nextSequence == 0 && low != 0 || !ok {
		t.Errorf("mark %d", low)
	}
	s.dropPartition(p)
	if _, ok := s.lowMark(p); ok {
		t.Error("a mark of a partition whose jobs were dropped")
	}
	if s.addJob(p, testJob("a", 9), limits{}) || s.jobs != 0 {
		t.Error("a job of a partition that was dropped")
	}
}

// TestSchedulerTogether checks that jobs that share a request belong to one task.
func TestSchedulerTogether(t *testing.T) {
	s, p, c := testQueue()
	for i := range 6 {
		j := testJob("a", i)
		j.base[0] %= 2
		s.addJob(p, j, limits{})
	}
	c.advance(time.Second)
	jobs, _, _, _ := s.takeJobs()
	if len(jobs) != 3 || jobs[0].sequence != 0 || jobs[2].sequence != 4 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestSchedulerPause checks that a pause delays all jobs of a host. If the pause has a skip
// reason, the scheduler must return the jobs at once, so that the worker skips them.
func TestSchedulerPause(t *testing.T) {
	s, p, c := testQueue()
	s.addJob(p, testJob("a", 1), limits{})
	s.addJob(p, testJob("a", 2), limits{})
	jobs, h, ticket, _ := s.takeJobs()
	s.useTicket(h, ticket)
	s.startPause(h, time.Minute, "")
	s.retryLater(h, jobs[0], time.Second)
	s.endRequest(h, 0)
	c.advance(59 * time.Second)
	if s.hasDueJob() {
		t.Error("asked in the pause")
	}
	c.advance(time.Second)
	if !s.hasDueJob() {
		t.Error("not asked after the pause")
	}
	s.startPause(h, time.Hour, "it wants peace")
	if s.skipReasonFor(h) == "" {
		t.Error("it is asked")
	}
	c.advance(time.Hour)
	if s.skipReasonFor(h) != "" {
		t.Error("it is never asked again")
	}
}

// TestSchedulerForgets checks that the scheduler forgets an idle host, but not before the host's
// interval is over.
func TestSchedulerForgets(t *testing.T) {
	s, p, c := testQueue()
	for i := range 100 {
		s.addJob(p, testJob(fmt.Sprint(i), i), limits{atOnce: 1, interval: time.Minute})
	}
	c.advance(time.Minute)
	for range 100 {
		jobs, h, ticket, _ := s.takeJobs()
		s.useTicket(h, ticket)
		s.finishJobs(h, jobs...)
		s.endRequest(h, 0)
	}
	if len(p.hosts) != 100 || s.jobs != 0 {
		t.Errorf("%d hosts, %d jobs", len(p.hosts), s.jobs)
	}
	c.advance(time.Minute)
	if len(p.hosts) != 0 || len(c.timers) != 0 {
		t.Errorf("%d hosts, %d timers", len(p.hosts), len(c.timers))
	}
}

// TestSchedulerBehind checks that a host has at most maxWaiting jobs in a worker, and that the
// low-water mark stays before the unread targets.
func TestSchedulerBehind(t *testing.T) {
	s, p, _ := testQueue()
	w := &Worker{queue: s}
	for i := range maxWaiting {
		s.addJob(p, testJob("a", i+1), limits{})
	}
	if s.addJob(p, testJob("a", maxWaiting+1), limits{}) {
		t.Error("too many")
	}
	for _, n := range []uint64{100, 101, 200} {
		if !w.deferTarget(p, "a", n) {
			t.Errorf("%d is not behind", n)
		}
	}
	if w.deferTarget(p, "b", 150) {
		t.Error("another host is behind")
	}
	p.nextSequence = 300
	filled := make(chan *host, 1)
	s.refill = func(h *host) { filled <- h }
	for range maxWaiting / 2 {
		jobs, h, ticket, _ := s.takeJobs()
		s.finishJobs(h, jobs...)
		s.endRequest(h, ticket)
	}
	low, _ := s.lowMark(p)
	if h := <-filled; h.firstUnread != maxWaiting+1 || low != maxWaiting/2+1 {
		t.Errorf("behind at %d, mark %d", h.firstUnread, low)
	}
}

// TestSchedulerTurn checks that a turn for another worker's request obeys the same limits, and
// needs a valid lease.
func TestSchedulerTurn(t *testing.T) {
	s, p, c := testQueue()
	h, err := s.awaitTurn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *host)
	go func() {
		h, _ := s.awaitTurn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second})
		got <- h
	}()
	for {
		s.mu.Lock()
		n := len(h.waitingTurns)
		s.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.endRequest(h, 0)
	if again := <-got; again != h {
		t.Error("another host")
	}
	p.lease.set(c.Now(), 0)
	if _, err := s.awaitTurn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second}); !errors.Is(err, errTaken) {
		t.Error(err)
	}
	if _, err := s.awaitTurn(t.Context(), &partition{number: 7}, "a", limits{}); !errors.Is(err, errTaken) {
		t.Error(err)
	}
}

// TestSchedulerIdle checks that a partition is not idle while a verdict is unstored, even if no
// request is running.
func TestSchedulerIdle(t *testing.T) {
	s, p, _ := testQueue()
	s.addJob(p, testJob("a", 1), limits{})
	_, h, ticket, _ := s.takeJobs()
	p.draining = true
	if s.isIdle(p) {
		t.Error("idle in a request")
	}
	if s.endRequest(h, ticket); s.isIdle(p) {
		t.Error("idle before the verdict is stored")
	}
	if s.removeHold(p); !s.isIdle(p) {
		t.Error("never idle")
	}
}
