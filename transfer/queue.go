package transfer

import (
	"strings"
	"sync"

	"github.com/locus-url/locus"
)

// queue gives out jobs so that no host has more than its share at once. Hosts
// take turns, and the jobs of one keep their order.
type queue struct {
	perHost int
	mu      sync.Mutex
	changed sync.Cond
	ready   []*host // those with a job that may begin
	hosts   map[string]*host
	left    int // jobs not given out
}

type host struct {
	jobs   []int
	active int
}

func newQueue(jobs []Job, perHost int) *queue {
	q := &queue{perHost: perHost, hosts: map[string]*host{}, left: len(jobs)}
	q.changed.L = &q.mu
	for i, job := range jobs {
		key := hostKey(job.URL)
		h := q.hosts[key]
		if h == nil {
			h = new(host)
			q.hosts[key] = h
			q.ready = append(q.ready, h)
		}
		h.jobs = append(h.jobs, i)
	}
	return q
}

// hostKey is what jobs share a limit by: whom they ask, and how.
func hostKey(u locus.URL) string {
	port, _ := u.PortText()
	return u.Scheme() + "://" + strings.ToLower(u.Host()) + ":" + port
}

// take waits for a job that may begin. ok is false if none is left.
func (q *queue) take() (i int, h *host, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 {
		if q.left == 0 {
			return 0, nil, false
		}
		q.changed.Wait()
	}
	h = q.ready[0]
	q.ready = q.ready[1:]
	i = h.jobs[0]
	h.jobs = h.jobs[1:]
	h.active++
	if len(h.jobs) > 0 && h.active < q.perHost {
		q.offer(h)
	}
	if q.left--; q.left == 0 {
		q.changed.Broadcast()
	}
	return i, h, true
}

// done ends a job of h that take gave out.
func (q *queue) done(h *host) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// A host at its limit is not among the ready ones, any other with jobs is.
	if h.active == q.perHost && len(h.jobs) > 0 {
		q.offer(h)
	}
	h.active--
}

// offer puts h among those with a job that may begin.
func (q *queue) offer(h *host) {
	q.ready = append(q.ready, h)
	q.changed.Signal()
}
