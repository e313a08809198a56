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
	// readEvery limits the wait of a reader for news of a new target, because the connection may
	// lose news.
	readEvery = 10 * time.Second
	// storeTime is the assumed maximum time that the server needs to store a published target.
	storeTime = time.Second
)

// watchNews subscribes to new targets of p. A message means that the server will store a target,
// or that the target already exists.
func (w *Worker) watchNews(p *partition) (*nats.Subscription, error) {
	p.newsSignal = make(chan struct{}, 1)
	return w.frontier.nc.Subscribe(w.frontier.partSubject(p.number), func(*nats.Msg) {
		select {
		case p.newsSignal <- struct{}{}:
		default: // the reader has not seen the previous message yet
		}
	})
}

// readTargets reads the targets of a partition in order until ctx ends. It adds the targets
// without a verdict to the queue.
func (w *Worker) readTargets(ctx context.Context, p *partition) {
	filter := w.frontier.partSubject(p.number)
	pause := readEvery
	for w.awaitRoom(ctx, p) {
		m, err := w.frontier.nextTarget(ctx, p.nextSequence, filter)
		if err == nil && m == nil {
			pause = w.awaitNews(ctx, p, pause)
			continue
		}
		if err == nil {
			err = w.enqueue(ctx, p, m)
		}
		if err != nil {
			// No target is lost, because the next attempt reads this target again.
			w.countStoreError()
			sleep(w.clock, pauseAfterError, ctx.Done())
			continue
		}
		w.queue.mu.Lock()
		p.nextSequence = m.Sequence + 1
		w.queue.mu.Unlock()
	}
}

// awaitNews waits for news of new targets of p, at most for the duration d. It returns the
// duration for the next call. After news, the reader soon looks for the target. If the target is
// not stored yet, the reader looks again after storeTime.
func (w *Worker) awaitNews(ctx context.Context, p *partition, d time.Duration) time.Duration {
	due := make(chan struct{})
	stop := w.clock.AfterFunc(d, func() { close(due) })
	defer stop()
	select {
	case <-p.newsSignal:
		sleep(w.clock, pollEvery, ctx.Done())
		return storeTime
	case <-due:
	case <-ctx.Done():
	}
	return readEvery
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
		sleep(w.clock, pollEvery, ctx.Done())
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

// enqueue adds the target in a message to the queue. It adds nothing if the target has a verdict
// or its host has enough jobs.
func (w *Worker) enqueue(ctx context.Context, p *partition, m *jetstream.RawStreamMsg) error {
	at, replaced, err := w.frontier.parseTarget(m.Subject)
	if err != nil || at.partition != p.number {
		return w.rejectTarget(ctx, address{}, m, errSubject)
	}
	if w.deferTarget(p, at.host, m.Sequence) {
		return nil
	}
	j, err := w.newJob(ctx, p, at, replaced, m)
	if j == nil {
		return err
	}
	l, err := w.limitsOf(ctx, p, j)
	if err == nil {
		w.queue.addJob(p, j, l)
	}
	return err
}

// deferTarget calls the method deferTarget of the host, if p contains the host.
func (w *Worker) deferTarget(p *partition, hash string, sequence uint64) bool {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	h := p.hosts[hash]
	return h != nil && h.deferTarget(sequence)
}

// newJob returns the job for a message. If replaced is not 0, the message is a retry, and the job
// replaces the verdict with the sequence number replaced. Otherwise newJob returns nil if the
// target has a verdict. It also returns nil if the target is a dead letter.
func (w *Worker) newJob(ctx context.Context, p *partition, at address, replaced uint64, m *jetstream.RawStreamMsg) (*job, error) {
	if replaced != 0 {
		return w.retryJob(ctx, at, replaced, m.Sequence)
	}
	// Targets with greater sequence numbers were published while this worker held the partition.
	// The worker reads each of these targets once, so they have no verdict.
	if m.Sequence <= p.oldSequence {
		v, err := w.frontier.verdictOf(ctx, at)
		if err != nil {
			return nil, err
		}
		if v != nil && v.decodeErr != nil {
			return nil, w.rejectVerdict(ctx, at, v.decodeErr)
		}
		if v != nil {
			return nil, nil
		}
	}
	found, storingPage, err := w.frontier.decodeTarget(w.decoder.checker, at, m.Data)
	if err != nil {
		return nil, w.rejectTarget(ctx, at, m, err)
	}
	j := &job{at: at, base: baseKey(w.decoder.checker, &found.Target), found: found, storingPage: storingPage, sequence: m.Sequence, published: m.Time}
	if w.options.Extract != nil && headerSize(m.Header) <= maxHeader {
		j.header = m.Header
	}
	return j, nil
}

// maxHeader limits the size of a target's header fields in bytes. The worker ignores a larger
// header, because each waiting job keeps its header in memory.
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

// rejectTarget writes a dead letter for an unreadable target. It also stores a verdict, so that
// no reader waits for the target's verdict.
func (w *Worker) rejectTarget(ctx context.Context, at address, m *jetstream.RawStreamMsg, cause error) error {
	if err := w.frontier.writeDeadLetter(ctx, m.Subject, m.Data, cause); err != nil {
		return err
	}
	w.updateCounts(func(c *Counts) { c.Buried++ })
	w.options.note("a target can't be read, and is among the dead letters: %v", cause)
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
func (w *Worker) rejectVerdict(ctx context.Context, at address, cause error) error {
	w.updateCounts(func(c *Counts) { c.Buried++ })
	w.options.note("a verdict can't be read, and is among the dead letters: %v", cause)
	return w.frontier.writeDeadLetter(ctx, w.frontier.subject(verdictStream, at.words()...), nil, cause)
}

// limits holds the request limits of a host.
type limits struct {
	atOnce   int
	interval time.Duration
	hostRecord
}

func (w *Worker) limitsOf(ctx context.Context, p *partition, j *job) (l limits, err error) {
	_, l.atOnce, l.interval = w.decoder.checker.Host(j.found.Target.Canonical)
	if !w.queue.hasHost(p, j.at.host) {
		l.hostRecord, err = w.loadHost(ctx, j.at.host)
	}
	return l, err
}

// refill reads more targets of a host.
func (w *Worker) refill(h *host) {
	ctx, s := h.part.ctx, w.queue
	filter := w.frontier.hostSubject(hostAddress{h.part.number, h.hash})
	for {
		s.mu.Lock()
		from, skipped := h.firstUnread, h.deferredCount
		gone := s.parts[h.part.number] != h.part || s.ended
		if gone || len(h.unfinished) >= maxWaiting {
			h.isRefilling = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		m, err := w.frontier.nextTarget(ctx, from, filter)
		if err == nil && m == nil {
			s.mu.Lock()
			if h.deferredCount == skipped {
				h.firstUnread, h.isRefilling = 0, false
				s.forgetHost(h)
				s.mu.Unlock()
				return
			}
			s.mu.Unlock()
			continue
		}
		var at address
		var replaced uint64
		if err == nil {
			at, replaced, err = w.frontier.parseTarget(m.Subject)
		}
		var j *job
		if err == nil {
			j, err = w.newJob(ctx, h.part, at, replaced, m)
		}
		if err != nil {
			// Try again after a pause.
			s.clock.AfterFunc(pauseAfterError, func() { w.refill(h) })
			return
		}
		s.mu.Lock()
		if j != nil && s.parts[h.part.number] == h.part {
			s.insert(h, j)
		}
		h.firstUnread = m.Sequence + 1
		s.mu.Unlock()
	}
}
