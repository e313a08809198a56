package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// testQueue returns a scheduler with a partition that has a lease of an hour.
func testQueue() (*scheduler, *partition, *fakeClock) {
	c := newFakeClock()
	s := newScheduler(c, func(*host) {}, func(*host) {})
	l := &lease{}
	l.set(c.Now(), time.Hour)
	p := &partition{lease: l, taken: c.Now(), ctx: context.Background(), hosts: map[string]*host{}}
	s.parts[0] = p
	return s, p, c
}

func testJob(host string, n int) *job {
	j := &job{sequence: uint64(n)}
	j.at.host, j.base[0], j.at.key[0] = host, byte(n), byte(n)
	return j
}

// take returns the jobs of the next task.
func (s *scheduler) take() (jobs []*job, h *host, ticket ticket, ok bool) {
	t := s.next()
	if t == nil {
		return nil, nil, 0, false
	}
	return t.jobs, t.host, t.ticket, true
}

// due reports whether a job may be taken now.
func (s *scheduler) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.ready, func(h *host) bool { return len(h.jobs) > 0 && h.hasRoom() && !h.due().After(s.clock.Now()) })
}

// After a takeover, each host waits for its interval. Then the limit on concurrent requests
// applies.
func TestSchedulerLimits(t *testing.T) {
	s, p, c := testQueue()
	for i := range 4 {
		if !s.add(p, testJob("a", i), limits{atOnce: 2, interval: time.Second}) {
			t.Fatal("refused")
		}
	}
	if s.due() {
		t.Error("asked without the interval after the takeover")
	}
	c.advance(time.Second)
	one, h, ticket, _ := s.take()
	if c.advance(time.Second); s.due() || !s.isValid(h, ticket) {
		t.Error("another one has a ticket while a request is about to begin")
	}
	s.began(h, ticket)
	if s.due() || s.isValid(h, ticket) {
		t.Error("asked again within the interval")
	}
	c.advance(time.Second)
	_, _, ticket, _ = s.take()
	s.began(h, ticket)
	c.advance(time.Minute)
	if s.due() {
		t.Error("three at once")
	}
	if low, ok := s.mark(p); low != 0 || !ok {
		t.Errorf("mark %d", low)
	}
	s.done(h, one...)
	s.release(h, 0)
	if !s.due() {
		t.Error("not asked although there is room")
	}
	if low, ok := s.mark(p); p.next == 0 && low != 0 || !ok {
		t.Errorf("mark %d", low)
	}
	s.drop(p)
	if _, ok := s.mark(p); ok {
		t.Error("a mark of a partition whose jobs were dropped")
	}
	if s.add(p, testJob("a", 9), limits{}) || s.jobs != 0 {
		t.Error("a job of a partition that was dropped")
	}
}

// Jobs that one request answers are given out together.
func TestSchedulerTogether(t *testing.T) {
	s, p, c := testQueue()
	for i := range 6 {
		j := testJob("a", i)
		j.base[0] %= 2
		s.add(p, j, limits{})
	}
	c.advance(time.Second)
	jobs, _, _, _ := s.take()
	if len(jobs) != 3 || jobs[0].sequence != 0 || jobs[2].sequence != 4 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// A pause holds all jobs of a host, a longer one gives them out to be skipped.
func TestSchedulerPause(t *testing.T) {
	s, p, c := testQueue()
	s.add(p, testJob("a", 1), limits{})
	s.add(p, testJob("a", 2), limits{})
	jobs, h, ticket, _ := s.take()
	s.began(h, ticket)
	s.rest(h, time.Minute, "")
	s.retry(h, jobs[0], time.Second)
	s.release(h, 0)
	c.advance(59 * time.Second)
	if s.due() {
		t.Error("asked in the pause")
	}
	c.advance(time.Second)
	if !s.due() {
		t.Error("not asked after the pause")
	}
	s.rest(h, time.Hour, "it wants peace")
	if s.isShut(h) == "" {
		t.Error("it is asked")
	}
	c.advance(time.Hour)
	if s.isShut(h) != "" {
		t.Error("it is never asked again")
	}
}

// A host that has nothing to do is forgotten, but not before its interval is over.
func TestSchedulerForgets(t *testing.T) {
	s, p, c := testQueue()
	for i := range 100 {
		s.add(p, testJob(fmt.Sprint(i), i), limits{atOnce: 1, interval: time.Minute})
	}
	c.advance(time.Minute)
	for range 100 {
		jobs, h, ticket, _ := s.take()
		s.began(h, ticket)
		s.done(h, jobs...)
		s.release(h, 0)
	}
	if len(p.hosts) != 100 || s.jobs != 0 {
		t.Errorf("%d hosts, %d jobs", len(p.hosts), s.jobs)
	}
	c.advance(time.Minute)
	if len(p.hosts) != 0 || len(c.timers) != 0 {
		t.Errorf("%d hosts, %d timers", len(p.hosts), len(c.timers))
	}
}

// A host has at most so many jobs here, and others are read later: the mark is before them.
func TestSchedulerBehind(t *testing.T) {
	s, p, _ := testQueue()
	w := &Worker{queue: s}
	for i := range maxWaiting {
		s.add(p, testJob("a", i+1), limits{})
	}
	if s.add(p, testJob("a", maxWaiting+1), limits{}) {
		t.Error("too many")
	}
	for _, n := range []uint64{100, 101, 200} {
		if !w.isBehind(p, "a", n) {
			t.Errorf("%d is not behind", n)
		}
	}
	if w.isBehind(p, "b", 150) {
		t.Error("another host is behind")
	}
	p.next = 300
	filled := make(chan *host, 1)
	s.fill = func(h *host) { filled <- h }
	for range maxWaiting / 2 {
		jobs, h, ticket, _ := s.take()
		s.done(h, jobs...)
		s.release(h, ticket)
	}
	low, _ := s.mark(p)
	if h := <-filled; h.behind != maxWaiting+1 || low != maxWaiting/2+1 {
		t.Errorf("behind at %d, mark %d", h.behind, low)
	}
}

// A turn for a request from elsewhere obeys the same limits, and needs a lease.
func TestSchedulerTurn(t *testing.T) {
	s, p, c := testQueue()
	h, err := s.turn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *host)
	go func() {
		h, _ := s.turn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second})
		got <- h
	}()
	for {
		s.mu.Lock()
		n := len(h.turns)
		s.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.release(h, 0)
	if again := <-got; again != h {
		t.Error("another host")
	}
	p.lease.set(c.Now(), 0)
	if _, err := s.turn(t.Context(), p, "a", limits{atOnce: 1, interval: time.Second}); !errors.Is(err, errTaken) {
		t.Error(err)
	}
	if _, err := s.turn(t.Context(), &partition{number: 7}, "a", limits{}); !errors.Is(err, errTaken) {
		t.Error(err)
	}
}

// A partition is not given back while a verdict is not stored, even if the turn is free again.
func TestSchedulerIdle(t *testing.T) {
	s, p, _ := testQueue()
	s.add(p, testJob("a", 1), limits{})
	_, h, ticket, _ := s.take()
	p.draining = true
	if s.isIdle(p) {
		t.Error("idle in a request")
	}
	if s.release(h, ticket); s.isIdle(p) {
		t.Error("idle before the verdict is stored")
	}
	if s.leave(p); !s.isIdle(p) {
		t.Error("never idle")
	}
}
