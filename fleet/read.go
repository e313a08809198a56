package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// watchNews looks for more targets until ctx ends.
func (w *Worker) watchNews(ctx context.Context) {
	for !wait(w.clock, newsEvery, ctx.Done()) {
		info, err := w.frontier.targets.Info(ctx)
		if err != nil {
			continue // tick tells of a server that does not answer
		}
		w.mu.Lock()
		if info.State.LastSeq > w.last {
			w.last = info.State.LastSeq
			close(w.news)
			w.news = make(chan struct{})
		}
		w.mu.Unlock()
	}
}

// read reads the targets of a partition in their order, and adds those without a verdict to
// the queue, until ctx ends.
func (w *Worker) read(ctx context.Context, p *partition) {
	filter := w.frontier.partSubject(p.number)
	for w.awaitRoom(ctx, p) {
		w.mu.Lock()
		news := w.news
		w.mu.Unlock()
		list, err := w.frontier.nextTargets(ctx, p.next, filter)
		if err == nil && len(list) == 0 {
			select {
			case <-news:
			case <-ctx.Done():
			}
			continue
		}
		if err == nil {
			err = w.takeAll(ctx, p, list)
		}
		if err != nil {
			// Whatever it is, nothing is lost: the targets are read again.
			wait(w.clock, pauseAfterError, ctx.Done())
		}
	}
}

// takeAll adds the targets of messages to the queue, until it is full.
func (w *Worker) takeAll(ctx context.Context, p *partition, list []*jetstream.RawStreamMsg) error {
	known, err := w.lookUp(ctx, p, list)
	if err != nil {
		return err
	}
	for _, m := range list {
		if !w.hasRoom(p) {
			return nil
		}
		if err := w.take(ctx, p, m, known); err != nil {
			return err
		}
		w.queue.mu.Lock()
		p.next = m.Sequence + 1
		w.queue.mu.Unlock()
	}
	return nil
}

// known is what the frontier has about some targets.
type known struct {
	verdicts map[address]*verdict
	hosts    map[string]hostRecord // of hosts that are new here
}

// lookUp returns what the frontier has about the targets of messages.
func (w *Worker) lookUp(ctx context.Context, p *partition, list []*jetstream.RawStreamMsg) (k known, err error) {
	var old []address
	var fresh []string
	w.queue.mu.Lock()
	for _, m := range list {
		at, err := w.frontier.parseSubject(targetStream, m.Subject)
		h := p.hosts[at.host]
		if err != nil || h != nil && h.isFull() {
			continue
		}
		// This worker had the lease before the others were published, and reads each once:
		// they have no verdict.
		if m.Sequence <= p.old {
			old = append(old, at)
		}
		if h == nil && !slices.Contains(fresh, hostName(at.host)) {
			fresh = append(fresh, hostName(at.host))
		}
	}
	w.queue.mu.Unlock()
	if k.verdicts, err = w.frontier.verdictsOf(ctx, old); err != nil {
		return k, err
	}
	k.hosts, err = w.knownHosts(ctx, fresh)
	return k, err
}

// isFull reports whether h gets no more jobs now. The caller must hold the mutex of the queue.
func (h *host) isFull() bool { return h.behind > 0 || len(h.all) >= maxWaiting }

// awaitRoom waits until the queue takes more jobs. false: ctx has ended, or p is given back.
func (w *Worker) awaitRoom(ctx context.Context, p *partition) bool {
	for ctx.Err() == nil {
		w.queue.mu.Lock()
		draining := p.draining
		w.queue.mu.Unlock()
		if draining {
			return false
		}
		if w.hasRoom(p) {
			return true
		}
		wait(w.clock, newsEvery, ctx.Done())
	}
	return false
}

// hasRoom reports whether the queue takes more jobs of p.
func (w *Worker) hasRoom(p *partition) bool {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return w.queue.jobs < maxJobs && w.queue.hostCount() < maxJobs && !w.queue.paused && !p.draining
}

// hostCount returns the number of hosts that are known. The caller must hold s.mu.
func (s *scheduler) hostCount() (n int) {
	for _, p := range s.parts {
		n += len(p.hosts)
	}
	return n
}

// take adds the target of a message to the queue, unless it has a verdict or its host is
// behind.
func (w *Worker) take(ctx context.Context, p *partition, m *jetstream.RawStreamMsg, k known) error {
	at, err := w.frontier.parseSubject(targetStream, m.Subject)
	if err != nil || at.partition != p.number {
		return w.buryTarget(ctx, address{}, m, errSubject)
	}
	if w.isBehind(p, at.host, m.Sequence) {
		return nil
	}
	j, err := w.newJob(ctx, at, m, k.verdicts[at])
	if j == nil {
		return err
	}
	if !w.queue.add(p, j, w.limitsOf(j, k.hosts)) {
		w.isBehind(p, at.host, m.Sequence)
	}
	return nil
}

// isBehind reports whether the host has enough jobs, so that a target is read later.
func (w *Worker) isBehind(p *partition, hash string, sequence uint64) bool {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	h := p.hosts[hash]
	if h == nil || !h.isFull() {
		return false
	}
	if h.behind == 0 {
		h.behind = sequence
	}
	h.skipped++
	return true
}

// newJob returns the job of a message; nil: it has the verdict v, or is buried.
func (w *Worker) newJob(ctx context.Context, at address, m *jetstream.RawStreamMsg, v *verdict) (*job, error) {
	if v != nil {
		if v.damaged != nil {
			return nil, w.buryVerdict(ctx, at, v.damaged)
		}
		return nil, nil
	}
	found, by, err := w.frontier.decodeTarget(w.ready.asker, at, m.Data)
	if err != nil {
		return nil, w.buryTarget(ctx, at, m, err)
	}
	return &job{at: at, base: baseKey(w.ready.asker, &found.Target), found: found, by: by, sequence: m.Sequence}, nil
}

// buryTarget stores why a target can't be read, and a verdict, so that nothing waits for one.
func (w *Worker) buryTarget(ctx context.Context, at address, m *jetstream.RawStreamMsg, why error) error {
	if err := w.frontier.bury(ctx, m.Subject, m.Data, why); err != nil {
		return err
	}
	w.count(func(c *Counts) { c.Buried++ })
	w.options.note("a target can't be read, and is among the dead letters: %v", why)
	if at == (address{}) {
		return nil
	}
	answer := verify.Answer{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "what the frontier has of it can't be read"}, When: time.Now()}
	if err := w.frontier.storeVerdict(ctx, at, &answer, 0); err != nil && !errors.Is(err, errStored) {
		return err
	}
	return nil
}

// buryVerdict stores why a verdict can't be read.
func (w *Worker) buryVerdict(ctx context.Context, at address, why error) error {
	w.count(func(c *Counts) { c.Buried++ })
	w.options.note("a verdict can't be read, and is among the dead letters: %v", why)
	return w.frontier.bury(ctx, w.frontier.subject(verdictStream, at.words()...), nil, why)
}

// limits are those of a host.
type limits struct {
	atOnce   int
	interval time.Duration
	hostRecord
}

// limitsOf returns the limits of the host of j, and what it asked for if it is new here.
func (w *Worker) limitsOf(j *job, fresh map[string]hostRecord) limits {
	_, atOnce, interval := w.ready.asker.Host(&j.found.Target)
	return limits{atOnce: atOnce, interval: interval, hostRecord: fresh[hostName(j.at.host)]}
}

// refill reads the targets of a host that is behind.
func (w *Worker) refill(h *host) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := w.queue
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
		list, err := w.frontier.nextTargets(ctx, from, filter)
		if err == nil && len(list) == 0 {
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
		if err == nil {
			err = w.refillFrom(ctx, h, list)
		}
		if err != nil {
			// The host's next request is a minute off at most: try again.
			s.clock.AfterFunc(pauseAfterError, func() { w.refill(h) })
			return
		}
	}
}

// refillFrom adds the targets of messages to a host, until it has enough.
func (w *Worker) refillFrom(ctx context.Context, h *host, list []*jetstream.RawStreamMsg) error {
	s := w.queue
	var old []address
	for _, m := range list {
		if at, err := w.frontier.parseSubject(targetStream, m.Subject); err == nil && m.Sequence <= h.part.old {
			old = append(old, at)
		}
	}
	verdicts, err := w.frontier.verdictsOf(ctx, old)
	if err != nil {
		return err
	}
	for _, m := range list {
		at, err := w.frontier.parseSubject(targetStream, m.Subject)
		if err != nil {
			return err
		}
		j, err := w.newJob(ctx, at, m, verdicts[at])
		if err != nil {
			return err
		}
		s.mu.Lock()
		if len(h.all) >= maxWaiting || s.parts[h.part.number] != h.part {
			s.mu.Unlock()
			return nil
		}
		if j != nil {
			s.insert(h, j)
		}
		h.behind = m.Sequence + 1
		s.mu.Unlock()
	}
	return nil
}
