package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nuid"

	"github.com/locus-url/locus/verify"
)

// WorkerOptions configure a [Worker].
type WorkerOptions struct {
	// Client makes the clients that open URLs. It is required.
	Client NewClient
	// Verify is how targets are asked for: the frontier's [Settings.Options], and what is
	// about this machine. Parallel is the number of requests at once.
	Verify verify.Options
	// Clock is the clock for everything but requests themselves; nil: [SystemClock].
	Clock Clock
	// Note is called for what a user should know; nil: it is dropped.
	Note func(text string)
}

func (o *WorkerOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// Worker asks for the targets of a frontier. Any number of workers may do that, in any
// processes.
type Worker struct {
	frontier *Frontier
	options  WorkerOptions
	clock    Clock
	name     string
	queue    *scheduler
	leases   leases
	sites    robotsCache
	outbox   outbox
	running  sync.WaitGroup
	ready    *slot  // decodes; it asks for nothing
	beat     uint64 // how often it told others of itself

	mu      sync.Mutex
	permits map[string]*permit
	last    uint64        // the last sequence number of the targets
	news    chan struct{} // closed when there are more
	counts  Counts
}

// Counts are what a worker did, and has to do.
type Counts struct {
	Verdicts map[string]int `json:"verdicts"` // by the name of the verdict
	Requests int            `json:"requests"`
	Late     int            `json:"late"` // requests that got no turn elsewhere in time
	Buried   int            `json:"buried"`
	Links    int            `json:"links"` // found in pages
	Held     int            `json:"held"`  // partitions
	Waiting  int            `json:"waiting"`
	Active   int            `json:"active"`
	Hosts    int            `json:"hosts"`
	// Busiest are the hosts with the most targets that wait in the worker.
	Busiest []HostCount `json:"busiest,omitempty"`
}

// NewWorker returns a worker of f.
func NewWorker(f *Frontier, o WorkerOptions) *Worker {
	w := &Worker{frontier: f, options: o, clock: o.Clock, name: nuid.Next(), permits: map[string]*permit{}, news: make(chan struct{})}
	if w.clock == nil {
		w.clock = SystemClock{}
	}
	v := &w.options.Verify
	v.Parallel = min(cmp.Or(max(v.Parallel, 0), 32), verify.MaxParallel)
	w.queue = newScheduler(w.clock, w.refill)
	w.leases = leases{bucket: f.leases, clock: w.clock, worker: w.name, others: map[string]seen{}}
	w.outbox = outbox{frontier: f, clock: w.clock, sent: make(chan sentVerdict, maxUnacked), done: w.stored, note: w.options.note}
	w.counts.Verdicts = map[string]int{}
	return w
}

// Counts returns what the worker did so far.
func (w *Worker) Counts() Counts {
	w.queue.mu.Lock()
	held, waiting, active, hosts := len(w.queue.parts), w.queue.jobs, 0, 0
	for _, p := range w.queue.parts {
		active += p.active
		hosts += len(p.hosts)
	}
	w.queue.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.counts
	c.Verdicts = maps.Clone(c.Verdicts)
	c.Held, c.Waiting, c.Active, c.Hosts = held, waiting, active, hosts
	return c
}

// Run asks for targets until ctx ends, or the fleet is drained. Requests that ctx ends are
// made again by another worker, at once: the leases are given back.
func (w *Worker) Run(ctx context.Context) error {
	ready, closeReady, err := w.newSlot()
	if err != nil {
		return err
	}
	defer closeReady()
	w.ready = ready
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	storing, endStoring := context.WithCancel(context.WithoutCancel(ctx))
	defer endStoring()
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		w.outbox.settle(storing)
	}()
	var slots sync.WaitGroup
	for range w.options.Verify.Parallel {
		s, closeSlot, err := w.newSlot()
		if err != nil {
			w.queue.end()
			slots.Wait()
			close(w.outbox.sent)
			<-settled
			return err
		}
		slots.Go(func() {
			defer closeSlot()
			w.work(ctx, s)
		})
	}
	stop := context.AfterFunc(ctx, w.queue.end)
	err = w.manage(ctx)
	cancel()
	stop()
	w.queue.end()
	slots.Wait()
	close(w.outbox.sent)
	defer time.AfterFunc(lastTime, endStoring).Stop()
	<-settled
	w.leave()
	w.running.Wait()
	return err
}

// work asks for jobs until the queue ends.
func (w *Worker) work(ctx context.Context, s *slot) {
	for {
		jobs, h, ok := w.queue.take()
		if !ok {
			return
		}
		if err := w.do(ctx, s, jobs, h); err != nil && ctx.Err() == nil {
			// The server does not answer, say. The jobs wait, and are not lost: their
			// messages stay.
			w.options.note("%v", err)
			for _, j := range jobs {
				w.queue.retry(h, j, pauseAfterError)
			}
		}
	}
}

const (
	pauseAfterError = 2 * time.Second
	// pauseLate is the pause after a request that got no turn elsewhere, and maxLate how
	// often there is one.
	pauseLate = 2 * time.Second
	maxLate   = 30
)

// do asks once for jobs with the same base, and stores what that told, or has them tried
// again.
func (w *Worker) do(ctx context.Context, s *slot, jobs []*job, h *host) error {
	if why := w.queue.isShut(h); why != "" {
		w.queue.release(h)
		answer := verify.Answer{Outcome: verify.Outcome{Verdict: verify.Warning, Detail: why, Tries: jobs[0].tries}, When: time.Now()}
		return w.finish(ctx, s, jobs, h, &answer)
	}
	var fragments []string
	for _, j := range jobs {
		if j.found.Fragment != "" {
			fragments = append(fragments, j.found.Fragment)
		}
	}
	target := jobs[0].found.Target
	answer, late := s.ask(ctx, w.ownTurn(h), &target, fragments)
	if ctx.Err() != nil {
		return nil // the end of the worker caused the answer
	}
	w.count(func(c *Counts) {
		c.Requests++
		if late {
			c.Late++
		}
	})
	tries := 0
	for _, j := range jobs {
		if late {
			j.late++
		} else {
			j.tries++
		}
		tries = max(tries, j.tries)
	}
	if late && jobs[0].late < maxLate {
		w.again(h, jobs, pauseLate)
		return nil
	}
	answer.Outcome.Tries = tries
	if answer.Slower > 0 && w.queue.slow(h, answer.Slower) {
		w.keepHost(ctx, h.hash, hostRecord{Interval: answer.Slower})
	}
	if pause, retry := w.retryAfter(ctx, h, tries, &answer); retry {
		w.again(h, jobs, pause)
		return nil
	}
	return w.finish(ctx, s, jobs, h, &answer)
}

func (w *Worker) again(h *host, jobs []*job, pause time.Duration) {
	for _, j := range jobs {
		w.queue.retry(h, j, pause)
	}
}

// retryAfter reports whether a target is tried again, and after how long. A host that asks
// for a pause gets it for all its targets.
func (w *Worker) retryAfter(ctx context.Context, h *host, tries int, a *verify.Answer) (pause time.Duration, again bool) {
	if !a.Temporary {
		return 0, false
	}
	o := &w.options.Verify
	most := max(cmp.Or(o.MaxWait, time.Minute), 0)
	keep := func(r hostRecord) {
		r.Interval = a.Slower
		w.keepHost(ctx, h.hash, r)
	}
	if a.RetryAfter > most {
		why := "skipped: the server asked for a pause of " + a.RetryAfter.String()
		d := min(a.RetryAfter, maxPause)
		w.queue.close(h, why, d)
		keep(hostRecord{Pause: d, Shut: why})
		return 0, false
	}
	if tries > max(cmp.Or(o.Retry, 2), 0) {
		if a.Busy && a.RetryAfter > 0 {
			w.queue.pause(h, a.RetryAfter)
			keep(hostRecord{Pause: a.RetryAfter})
		}
		return 0, false
	}
	pause = cmp.Or(max(o.Wait, 0), time.Second) << min(tries-1, 16)
	pause = max(min(pause/2+rand.N(pause/2+1), most), a.RetryAfter)
	if a.Busy {
		w.queue.pause(h, pause)
		keep(hostRecord{Pause: pause})
	}
	return pause, true
}

// finish stores the links of a page, then the verdict of each job, which are done when the
// server has them.
func (w *Worker) finish(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Answer) error {
	for _, j := range jobs {
		if answer.IsPage && j.found.Fragment == "" && !j.found.Target.First.IsZero() {
			if err := w.storePage(ctx, s, j, answer); err != nil {
				return err
			}
		}
	}
	for _, j := range jobs {
		if j.before != nil {
			if err := w.tellChange(ctx, j, answer); err != nil {
				return err
			}
		}
		if err := w.outbox.put(ctx, h, j, answer); err != nil {
			return err
		}
	}
	return nil
}

// stored ends the job of a verdict that the server has.
func (w *Worker) stored(s *sentVerdict) {
	w.queue.done(s.host, s.job)
	if s.stored {
		w.count(func(c *Counts) { c.Verdicts[s.answer.Outcome.Verdict.String()]++ })
	}
}

func (w *Worker) count(add func(*Counts)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add(&w.counts)
}

// storePage stores the links of a page, and their targets. It may be done twice.
func (w *Worker) storePage(ctx context.Context, s *slot, j *job, answer *verify.Answer) error {
	page := j.found.Target
	page.First = answer.First
	b := &batch{f: w.frontier}
	if mine, err := w.claim(ctx, s, j, &page, answer); err != nil || !mine {
		return err
	}
	name := page.URL.WithoutPassword().Redacted()
	var texts [][]byte
	add := func(l *line) error {
		text, err := encodeLine(s.asker, l)
		texts = append(texts, text)
		return err
	}
	for _, trouble := range answer.Troubles {
		if err := add(&line{document: name, trouble: trouble}); err != nil {
			return err
		}
	}
	for _, found := range answer.Links {
		if target, ok := s.asker.Page(&page, found.Target); ok && !found.Target.URL.IsZero() {
			found.Target = target
		}
		l := line{found: found}
		switch {
		case found.Target.URL.IsZero():
		case s.asker.Keeps(&found.Target):
			if err := b.target(ctx, s.asker, &found, ""); err != nil && !errors.Is(err, verify.ErrSecret) {
				return err
			}
		default:
			l.answer = s.askHere(ctx, &found)
		}
		if err := add(&l); err != nil {
			return err
		}
	}
	w.count(func(c *Counts) { c.Links += len(answer.Links) })
	if err := b.lines(ctx, j.at.key, texts, j.before != nil); err != nil {
		return err
	}
	return b.flush(ctx)
}

// askHere asks for a target that is not published. The answer is that of the link.
func (s *slot) askHere(ctx context.Context, found *verify.Found) *verify.Answer {
	var fragments []string
	if found.Fragment != "" {
		fragments = []string{found.Fragment}
	}
	answer, _ := s.ask(ctx, nil, &found.Target, fragments)
	return settled(s.asker, found, &answer)
}

// settled returns the answer of a link whose target is known to nobody else.
func settled(a *verify.Asker, found *verify.Found, answer *verify.Answer) *verify.Answer {
	r := a.Result(found, answer)
	return &verify.Answer{Outcome: r.Outcome, When: answer.When}
}

// claim reports whether j has the links of its page. A referral may have led to another page
// of the site: then the first of them has them.
func (w *Worker) claim(ctx context.Context, s *slot, j *job, page *verify.Target, answer *verify.Answer) (bool, error) {
	mine := fmt.Sprintf("%x", j.at.key)
	if j.by != "" && j.by != mine {
		return false, nil
	}
	to := answer.Outcome.To
	if to.IsZero() || page.Depth == 0 {
		return true, nil
	}
	canonical, _, err := s.client.Registry().Canonical(to.WithoutFragment())
	if err != nil {
		return false, nil
	}
	other := *page
	other.URL, other.Canonical = canonical, canonical
	found := verify.Found{Target: other}
	b := &batch{f: w.frontier}
	if err = b.target(ctx, s.asker, &found, mine); err == nil {
		err = b.flush(ctx)
	}
	if err != nil {
		return false, err
	}
	at := w.frontier.addressOf(s.asker, &found)
	m, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if err != nil {
		return false, err
	}
	_, by, err := w.frontier.decodeTarget(s.asker, at, m.Data)
	return err == nil && by == mine, nil
}

// sortedParts returns the partitions that the worker holds.
func (w *Worker) sortedParts() []*partition {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.queue.parts), func(a, b *partition) int { return a.number - b.number })
}
