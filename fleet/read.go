package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

const (
	// readAgain is how long a reader waits if no more targets are known. The connection may lose
	// news.
	readAgain = 10 * time.Second
	// storeTime is how long the server may need to store a published target.
	storeTime = time.Second
)

// watchNews subscribes to new targets of p. A message means that the server will store a target, or
// that the target exists already.
func (w *Worker) watchNews(p *partition) (*nats.Subscription, error) {
	p.news = make(chan struct{}, 1)
	return w.frontier.nc.Subscribe(w.frontier.partSubject(p.number), func(*nats.Msg) {
		select {
		case p.news <- struct{}{}:
		default: // the reader has not seen the previous message yet
		}
	})
}

// read reads the targets of a partition in order until ctx ends. It adds the targets without a
// verdict to the queue.
func (w *Worker) read(ctx context.Context, p *partition) {
	filter := w.frontier.partSubject(p.number)
	pause := readAgain
	for w.awaitRoom(ctx, p) {
		m, err := w.frontier.nextTarget(ctx, p.next, filter)
		if err == nil && m == nil {
			pause = w.awaitNews(ctx, p, pause)
			continue
		}
		if err == nil {
			err = w.take(ctx, p, m)
		}
		if err != nil {
			// No target is lost, because the next attempt reads this target again.
			w.storeFailed()
			wait(w.clock, pauseAfterError, ctx.Done())
			continue
		}
		w.queue.mu.Lock()
		p.next = m.Sequence + 1
		w.queue.mu.Unlock()
	}
}

// awaitNews waits for new targets of p, at most for the duration d. It returns how long the next
// call should wait: after news, the reader looks soon, and again when the target must be stored.
func (w *Worker) awaitNews(ctx context.Context, p *partition, d time.Duration) time.Duration {
	due := make(chan struct{})
	stop := w.clock.AfterFunc(d, func() { close(due) })
	defer stop()
	select {
	case <-p.news:
		wait(w.clock, newsEvery, ctx.Done())
		return storeTime
	case <-due:
	case <-ctx.Done():
	}
	return readAgain
}

// awaitRoom waits until the queue accepts more jobs. It returns false if ctx has ended or the
// worker has released p.
func (w *Worker) awaitRoom(ctx context.Context, p *partition) bool {
	for ctx.Err() == nil {
		w.queue.mu.Lock()
		full := w.queue.jobs >= maxJobs || w.queue.hostCount() >= maxJobs || w.queue.paused
		draining := p.draining
		w.queue.mu.Unlock()
		if draining {
			return false
		}
		if !full {
			return true
		}
		wait(w.clock, newsEvery, ctx.Done())
	}
	return false
}

// hostCount returns the number of hosts in the scheduler. The caller must hold s.mu.
func (s *scheduler) hostCount() (n int) {
	for _, p := range s.parts {
		n += len(p.hosts)
	}
	return n
}

// take adds the target in a message to the queue. It adds nothing if the target has a verdict or
// its host has enough jobs.
func (w *Worker) take(ctx context.Context, p *partition, m *jetstream.RawStreamMsg) error {
	at, last, err := w.frontier.parseTarget(m.Subject)
	if err != nil || at.partition != p.number {
		return w.rejectTarget(ctx, address{}, m, errSubject)
	}
	if w.isBehind(p, at.host, m.Sequence) {
		return nil
	}
	j, err := w.newJob(ctx, p, at, last, m)
	if j == nil {
		return err
	}
	l, err := w.limitsOf(ctx, p, j)
	if err == nil {
		w.queue.add(p, j, l)
	}
	return err
}

// isBehind reports whether the host has enough jobs. In that case the worker reads the other
// targets of the host later.
func (w *Worker) isBehind(p *partition, hash string, sequence uint64) bool {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	h := p.hosts[hash]
	return h != nil && h.isBehind(sequence)
}

// newJob returns the job for a message. If last is not 0, the job replaces the verdict with that
// sequence number. newJob returns nil if the target has a verdict, or if it is a dead letter.
func (w *Worker) newJob(ctx context.Context, p *partition, at address, last uint64, m *jetstream.RawStreamMsg) (*job, error) {
	if last != 0 {
		return w.retryJob(ctx, at, last, m.Sequence)
	}
	// Later targets were published while this worker held the lease. The worker reads each of them
	// once, so they have no verdict.
	if m.Sequence <= p.old {
		v, err := w.frontier.verdictOf(ctx, at)
		if err != nil {
			return nil, err
		}
		if v != nil && v.damaged != nil {
			return nil, w.rejectVerdict(ctx, at, v.damaged)
		}
		if v != nil {
			return nil, nil
		}
	}
	found, by, err := w.frontier.decodeTarget(w.ready.checker, at, m.Data)
	if err != nil {
		return nil, w.rejectTarget(ctx, at, m, err)
	}
	j := &job{at: at, base: baseKey(w.ready.checker, &found.Target), found: found, by: by, sequence: m.Sequence, published: m.Time}
	if w.options.Extract != nil && headerSize(m.Header) <= maxHeader {
		j.header = m.Header
	}
	return j, nil
}

// maxHeader is the size limit of the header fields of a target, in bytes. The worker ignores a
// larger header, because each waiting job holds its header.
const maxHeader = 1 << 10

func headerSize(h nats.Header) (n int) {
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return n
}

// contextFor returns ctx with the values from the header of a job's target.
func (w *Worker) contextFor(ctx context.Context, j *job) context.Context {
	if extract := w.options.Extract; extract != nil && len(j.header) > 0 {
		return extract(ctx, j.header)
	}
	return ctx
}

// rejectTarget writes a dead letter for an unreadable target. It also stores a verdict, so that no
// reader waits for one.
func (w *Worker) rejectTarget(ctx context.Context, at address, m *jetstream.RawStreamMsg, why error) error {
	if err := w.frontier.writeDeadLetter(ctx, m.Subject, m.Data, why); err != nil {
		return err
	}
	w.count(func(c *Counts) { c.Buried++ })
	w.options.note("a target can't be read, and is among the dead letters: %v", why)
	if at == (address{}) {
		return nil
	}
	answer := verify.Response{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "the stored target is damaged"}, When: time.Now()}
	if err := w.frontier.storeVerdict(ctx, at, &answer, 0); err != nil && !errors.Is(err, errStored) {
		return err
	}
	return nil
}

// rejectVerdict writes a dead letter for an unreadable verdict.
func (w *Worker) rejectVerdict(ctx context.Context, at address, why error) error {
	w.count(func(c *Counts) { c.Buried++ })
	w.options.note("a verdict can't be read, and is among the dead letters: %v", why)
	return w.frontier.writeDeadLetter(ctx, w.frontier.subject(verdictStream, at.words()...), nil, why)
}

// limits holds the request limits of a host.
type limits struct {
	atOnce   int
	interval time.Duration
	hostRecord
}

func (w *Worker) limitsOf(ctx context.Context, p *partition, j *job) (l limits, err error) {
	_, l.atOnce, l.interval = w.ready.checker.Host(j.found.Target.Canonical)
	if !w.queue.knows(p, j.at.host) {
		l.hostRecord, err = w.knownHost(ctx, j.at.host)
	}
	return l, err
}

// refill reads more targets of a host.
func (w *Worker) refill(h *host) {
	ctx, s := h.part.ctx, w.queue
	filter := w.frontier.hostSubject(place{h.part.number, h.hash})
	for {
		s.mu.Lock()
		from, skipped := h.behind, h.skipped
		gone := s.parts[h.part.number] != h.part || s.ended
		if gone || len(h.all) >= maxWaiting {
			h.filling = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		m, err := w.frontier.nextTarget(ctx, from, filter)
		if err == nil && m == nil {
			s.mu.Lock()
			if h.skipped == skipped {
				h.behind, h.filling = 0, false
				s.forget(h)
				s.mu.Unlock()
				return
			}
			s.mu.Unlock()
			continue
		}
		var at address
		var last uint64
		if err == nil {
			at, last, err = w.frontier.parseTarget(m.Subject)
		}
		var j *job
		if err == nil {
			j, err = w.newJob(ctx, h.part, at, last, m)
		}
		if err != nil {
			// Try again: the wait is at most a minute.
			s.clock.AfterFunc(pauseAfterError, func() { w.refill(h) })
			return
		}
		s.mu.Lock()
		if j != nil && s.parts[h.part.number] == h.part {
			s.insert(h, j)
		}
		h.behind = m.Sequence + 1
		s.mu.Unlock()
	}
}
