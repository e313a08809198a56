package verify

import (
	"container/heap"
	"sync"
	"time"
)

// queue gives out targets so that no host is asked by more at once, or more often,
// than is polite. The targets of one host keep their order.
type queue struct {
	perHost  int
	interval time.Duration

	mu      sync.Mutex
	changed sync.Cond
	hosts   map[string]*host
	ready   byTime[*host] // those with a target and room for it
	later   byTime[*delayed]
	timer   *time.Timer
	waiting int // targets that were not given out
	closed  bool
}

// host is whom targets share a limit by.
type host struct {
	name     string
	free     bool // it is no server: nothing is limited
	most     int  // at once
	interval time.Duration
	jobs     []*target
	active   int
	next     time.Time // when it may be asked again
	shut     string    // why it is not asked at all any more; empty: it is

	place int // in ready; -1: it is not there

	requests int
	took     time.Duration // all of them
	slowest  time.Duration
}

// delayed is a target that waits for another try.
type delayed struct {
	target *target
	at     time.Time
}

func newQueue(perHost int, interval time.Duration) *queue {
	q := &queue{perHost: perHost, interval: interval, hosts: map[string]*host{}}
	q.changed.L = &q.mu
	// It is set when there is something to wait for.
	q.timer = time.AfterFunc(time.Hour, q.wake)
	q.timer.Stop()
	return q
}

func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// host returns the host of that name. most bounds what is asked of it at once; 0:
// as the queue has it; less: nothing bounds it.
func (q *queue) host(name string, most int) *host {
	h := q.hosts[name]
	if h == nil {
		h = &host{name: name, most: most, interval: q.interval, place: -1}
		if most == 0 {
			h.most = q.perHost
		}
		if most != 0 {
			h.interval = 0
			h.free = most < 0
		}
		q.hosts[name] = h
	}
	return h
}

// add has t wait for its turn.
func (q *queue) add(t *target, name string, most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.host = q.host(name, most)
	q.waiting++
	q.push(t)
}

// retry has t wait for its turn again, which does not come before at.
func (q *queue) retry(t *target, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting++
	heap.Push(&q.later, &delayed{t, at})
	q.changed.Signal()
}

func (q *queue) push(t *target) {
	t.host.jobs = append(t.host.jobs, t)
	q.settle(t.host)
	q.changed.Signal()
}

// settle puts h where it belongs.
func (q *queue) settle(h *host) {
	wanted := len(h.jobs) > 0 && (h.free || h.active < h.most)
	switch {
	case wanted && h.place < 0:
		heap.Push(&q.ready, h)
	case !wanted && h.place >= 0:
		heap.Remove(&q.ready, h.place)
	case wanted:
		heap.Fix(&q.ready, h.place)
	}
}

// take waits for a target whose turn has come. ok is false when the queue is
// closed.
func (q *queue) take() (t *target, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		now := time.Now()
		for len(q.later) > 0 && !q.later[0].at.After(now) {
			q.push(heap.Pop(&q.later).(*delayed).target)
		}
		if len(q.ready) > 0 && !q.ready[0].next.After(now) {
			return q.give(q.ready[0], now), true
		}
		q.setTimer(now)
		q.changed.Wait()
	}
	return nil, false
}

// give gives out the first target of h.
func (q *queue) give(h *host, now time.Time) *target {
	t := h.jobs[0]
	h.jobs[0] = nil
	h.jobs = h.jobs[1:]
	h.active++
	if h.interval > 0 {
		h.next = now.Add(h.interval)
	}
	q.waiting--
	q.settle(h)
	if len(q.ready) > 0 {
		q.changed.Signal()
	}
	return t
}

// setTimer has somebody wake up when the next turn comes.
func (q *queue) setTimer(now time.Time) {
	var next time.Time
	if len(q.ready) > 0 {
		next = q.ready[0].next
	}
	if len(q.later) > 0 && (next.IsZero() || q.later[0].at.Before(next)) {
		next = q.later[0].at
	}
	if !next.IsZero() {
		q.timer.Reset(next.Sub(now))
	}
}

// done ends what was asked of h, which took so long; less than 0: nothing was
// asked.
func (q *queue) done(h *host, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h.active--
	if took >= 0 {
		h.requests++
		h.took += took
		h.slowest = max(h.slowest, took)
	}
	q.settle(h)
	q.changed.Signal()
}

// pause leaves h alone until then.
func (q *queue) pause(h *host, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if until.After(h.next) && !h.free {
		h.next = until
		q.settle(h)
	}
}

// slow has at least so long between two requests to h.
func (q *queue) slow(h *host, interval time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h.interval = max(h.interval, interval)
}

// shut has h asked no more, because of why.
func (q *queue) shut(h *host, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !h.free {
		h.shut = why
		h.next = time.Time{}
		h.interval = 0
		q.settle(h)
	}
}

// isShut returns why h is not asked any more.
func (q *queue) isShut(h *host) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return h.shut
}

// close ends the waiting, whether or not there is something to wait for.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.timer.Stop()
	q.changed.Broadcast()
}

// timed is what is in order of time.
type timed interface {
	when() time.Time
	moved(place int)
}

func (h *host) when() time.Time    { return h.next }
func (h *host) moved(place int)    { h.place = place }
func (d *delayed) when() time.Time { return d.at }
func (d *delayed) moved(int)       {}

// byTime is a heap, the earliest first.
type byTime[T timed] []T

func (b byTime[T]) Len() int           { return len(b) }
func (b byTime[T]) Less(i, j int) bool { return b[i].when().Before(b[j].when()) }
func (b byTime[T]) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].moved(i)
	b[j].moved(j)
}

// Push is for package heap.
func (b *byTime[T]) Push(x any) {
	x.(T).moved(len(*b))
	*b = append(*b, x.(T))
}

// Pop is for package heap.
func (b *byTime[T]) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	x.moved(-1)
	var none T
	(*b)[last] = none
	*b = (*b)[:last]
	return x
}
