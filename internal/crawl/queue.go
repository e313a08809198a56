package crawl

import (
	"sync"
	"time"
)

// Limits holds the request limits of a host. The zero value means no limits.
type Limits struct {
	AtOnce   int           // maximum number of concurrent jobs; zero means no limit
	Interval time.Duration // minimum time between the starts of two jobs
}

// Queue holds jobs until the per-host limits allow them to start. The queue alternates between
// hosts, and returns the jobs for one host in order. The methods may be called concurrently.
type Queue[T any] struct {
	mu      sync.Mutex
	changed sync.Cond
	hosts   map[string]*Host[T]
	ready   []*Host[T] // hosts with a job that may start
	waiting int        // number of jobs in the queue
	ending  bool
	closed  bool
}

// Host holds the jobs for one host and their common limits. A Host without a name holds jobs that
// need no server. No limit, pause or shutdown applies to such a Host.
type Host[T any] struct {
	limits Limits
	jobs   []T
	active int
	next   time.Time   // earliest start of the next job
	timer  *time.Timer // wakes the queue for the next job
	ready  bool        // whether the host is in Queue.ready
	shut   string
	stats  Stats
}

// Stats holds the response statistics of a host.
type Stats struct {
	Host     string
	Requests int
	Took     time.Duration // total time of all requests
	Slowest  time.Duration
}

// New returns an empty queue.
func New[T any]() *Queue[T] {
	q := &Queue[T]{hosts: map[string]*Host[T]{}}
	q.changed.L = &q.mu
	return q
}

// isServer reports whether the host h has a name. No limits apply to jobs without a host name.
func (h *Host[T]) isServer() bool { return h.stats.Host != "" }

// Add adds a job for the host with the given name. The limits in the first call for a host apply
// to all its jobs. If the name is empty, no limits apply to the job.
func (q *Queue[T]) Add(job T, host string, limits Limits) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.hosts[host]
	if h == nil {
		h = &Host[T]{stats: Stats{Host: host}}
		if h.isServer() {
			h.limits = limits
		}
		q.hosts[host] = h
	}
	q.waiting++
	q.push(h, job)
}

// AddAt adds a job for the host h. The job does not start before the time earliest.
func (q *Queue[T]) AddAt(job T, h *Host[T], earliest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting++
	time.AfterFunc(time.Until(earliest), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.push(h, job)
	})
}

func (q *Queue[T]) push(h *Host[T], job T) {
	h.jobs = append(h.jobs, job)
	q.updateReady(h)
}

// updateReady adds the host h to the ready hosts if a job of h may start.
func (q *Queue[T]) updateReady(h *Host[T]) {
	if h.ready || len(h.jobs) == 0 || h.limits.AtOnce > 0 && h.active >= h.limits.AtOnce {
		return
	}
	if wait := time.Until(h.next); wait > 0 {
		if h.timer == nil {
			h.timer = time.AfterFunc(wait, func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.updateReady(h)
			})
		} else {
			h.timer.Reset(wait)
		}
		return
	}
	h.ready = true
	q.ready = append(q.ready, h)
	q.changed.Signal()
}

// Take waits for a job that may start, and returns the job. The caller must call Done or Skip
// after the job. If the queue is closed, or if End was called and the queue is empty, ok is false.
func (q *Queue[T]) Take() (job T, h *Host[T], ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		switch {
		case len(q.ready) > 0:
			h = q.ready[0]
			q.ready = q.ready[1:]
			h.ready = false
			if time.Until(h.next) > 0 { // the host was paused after it became ready
				q.updateReady(h)
				continue
			}
			job, h.jobs[0] = h.jobs[0], job
			h.jobs = h.jobs[1:]
			h.active++
			if h.limits.Interval > 0 {
				h.next = time.Now().Add(h.limits.Interval)
			}
			q.updateReady(h)
			if q.waiting--; q.waiting == 0 {
				q.changed.Broadcast()
			}
			return job, h, true
		case q.ending && q.waiting == 0:
			return job, nil, false
		}
		q.changed.Wait()
	}
	return job, nil, false
}

// Done ends a job of the host h. The parameter took is the duration of the job's request.
func (q *Queue[T]) Done(h *Host[T], took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h.stats.Requests++
	h.stats.Took += took
	h.stats.Slowest = max(h.stats.Slowest, took)
	h.active--
	q.updateReady(h)
}

// Skip ends a job of the host h that sent no request.
func (q *Queue[T]) Skip(h *Host[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h.active--
	q.updateReady(h)
}

// Pause delays all jobs of the host h until the given time.
func (q *Queue[T]) Pause(h *Host[T], until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if until.After(h.next) && h.isServer() {
		h.next = until
	}
}

// Slow increases the minimum time between requests to the host h to at least the given interval.
// After [Queue.Shut], Slow has no effect.
func (q *Queue[T]) Slow(h *Host[T], interval time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if interval <= h.limits.Interval || !h.isServer() || h.shut != "" {
		return
	}
	h.limits.Interval = interval
	if next := time.Now().Add(interval); next.After(h.next) {
		h.next = next
	}
}

// Shut stops all requests to the host h. The parameter why is the reason. Afterwards, Take returns
// the jobs of h without delay, and the caller must skip them.
func (q *Queue[T]) Shut(h *Host[T], why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if h.isServer() {
		h.shut, h.next, h.limits.Interval = why, time.Time{}, 0
		q.updateReady(h)
	}
}

// IsShut returns the reason in the call of [Queue.Shut] for the host h, or "" if Shut was not
// called.
func (q *Queue[T]) IsShut(h *Host[T]) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return h.shut
}

// Stats returns the number of waiting jobs, the number of requests, and the statistics of each
// host.
func (q *Queue[T]) Stats() (waiting, requests int, hosts []Stats) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, h := range q.hosts {
		requests += h.stats.Requests
		if h.isServer() {
			hosts = append(hosts, h.stats)
		}
	}
	return q.waiting, requests, hosts
}

// End makes Take return false after all jobs were taken. Callers must not add more jobs.
func (q *Queue[T]) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ending = true
	q.changed.Broadcast()
}

// Close makes Take return false immediately, even if jobs are waiting.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
