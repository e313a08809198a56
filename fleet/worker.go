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
	// Connect is the most time for one connection, without waiting for a turn; 0: 30 s.
	Connect time.Duration
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
	growing  gates // of sites whose pages are counted
	running  sync.WaitGroup
	ready    *slot      // decodes; it asks for nothing
	keeping  sync.Mutex // held while what a host asked for is stored

	mu      sync.Mutex
	ended   bool // nothing is spawned any more
	noted   time.Time
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
}

// NewWorker returns a worker of f.
func NewWorker(f *Frontier, o WorkerOptions) *Worker {
	w := &Worker{frontier: f, options: o, clock: o.Clock, name: nuid.Next(), permits: map[string]*permit{}, news: make(chan struct{})}
	if w.clock == nil {
		w.clock = SystemClock{}
	}
	v := &w.options.Verify
	v.Parallel = min(cmp.Or(max(v.Parallel, 0), 32), verify.MaxParallel)
	w.queue = newScheduler(w.clock, w.refill, w.keepHost)
	w.leases = leases{bucket: f.leases, clock: w.clock, worker: w.name, others: map[string]seen{}}
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
	ctx, cancel := undated(ctx)
	defer cancel()
	var slots sync.WaitGroup
	for range w.options.Verify.Parallel {
		s, closeSlot, err := w.newSlot()
		if err != nil {
			w.queue.end()
			slots.Wait()
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
	w.leave()
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.running.Wait()
	return err
}

// spawn calls f in a goroutine that Run waits for, unless Run has ended.
func (w *Worker) spawn(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.running.Go(f)
	}
}

// work asks for jobs until the queue ends.
func (w *Worker) work(ctx context.Context, s *slot) {
	for {
		jobs, h, t, ok := w.queue.take()
		if !ok {
			return
		}
		w.do(ctx, s, jobs, h, t)
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
func (w *Worker) do(ctx context.Context, s *slot, jobs []*job, h *host, t ticket) {
	if why := w.queue.isShut(h); why != "" {
		w.queue.release(h, t)
		w.store(ctx, s, jobs, h, shutAnswer(jobs, why))
		return
	}
	var fragments []string
	for _, j := range jobs {
		if j.found.Fragment != "" {
			fragments = append(fragments, j.found.Fragment)
		}
	}
	target := jobs[0].found.Target
	answer, late := s.ask(ctx, &ownTurn{worker: w, at: h, ticket: t}, &target, fragments)
	if ctx.Err() != nil || h.part.ctx.Err() != nil {
		s.end()
		return // the end of the worker, or of its lease, caused the answer
	}
	w.count(func(c *Counts) {
		c.Requests++
		if late != nil {
			c.Late++
		}
	})
	if late != nil {
		s.end()
		w.afterLate(ctx, s, jobs, h, late)
		return
	}
	tries := 0
	for _, j := range jobs {
		j.tries++
		tries = max(tries, j.tries)
	}
	answer.Outcome.Tries = tries
	if answer.Slower > 0 && w.queue.slow(h, answer.Slower) {
		w.keepHost(h)
	}
	pause, retry := w.retryAfter(s, tries, &answer)
	s.end()
	if retry {
		w.again(h, jobs, pause)
		return
	}
	w.store(ctx, s, jobs, h, &answer)
}

// afterLate has jobs tried again that got no turn.
func (w *Worker) afterLate(ctx context.Context, s *slot, jobs []*job, h *host, late error) {
	if rest := (*restError)(nil); errors.As(late, &rest) {
		if rest.shut != "" {
			w.store(ctx, s, jobs, h, shutAnswer(jobs, rest.shut))
		} else {
			w.again(h, jobs, rest.left)
		}
		return
	}
	for _, j := range jobs {
		j.late++
	}
	if jobs[0].late < maxLate {
		w.again(h, jobs, pauseLate)
		return
	}
	answer := shutAnswer(jobs, "skipped: a host that it leads to was never free")
	w.store(ctx, s, jobs, h, answer)
}

// shutAnswer is the answer for jobs that are not asked for.
func shutAnswer(jobs []*job, why string) *verify.Answer {
	return &verify.Answer{Outcome: verify.Outcome{Verdict: verify.Warning, Detail: why, Tries: jobs[0].tries}, When: time.Now()}
}

// lastStore is for how long an answer is stored after the lease has ended.
const lastStore = 30 * time.Second

// store stores the answer for jobs. While the server does not take it, nothing else is asked
// for here: the answer would be lost, and the target asked for again. It is stored even if the
// lease has ended meanwhile, unless another worker was faster.
func (w *Worker) store(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Answer) {
	ended := w.clock.Now()
	for {
		err := w.finish(ctx, s, jobs, h, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		w.noteRarely("verdicts are not stored yet: %v", err)
		if h.part.ctx.Err() == nil {
			ended = w.clock.Now()
		}
		if w.clock.Now().Sub(ended) > lastStore || wait(w.clock, pauseBetween, ctx.Done()) {
			return // another worker asks
		}
	}
}

func (w *Worker) again(h *host, jobs []*job, pause time.Duration) {
	for _, j := range jobs {
		w.queue.retry(h, j, pause)
	}
}

// retryAfter reports whether a target is tried again, and after how long. A host that asks
// for a pause gets it for all its targets, and from all workers.
func (w *Worker) retryAfter(s *slot, tries int, a *verify.Answer) (pause time.Duration, again bool) {
	if !a.Temporary {
		return 0, false
	}
	o := &w.options.Verify
	most := max(cmp.Or(o.MaxWait, time.Minute), 0)
	if a.RetryAfter > most {
		s.rest(min(a.RetryAfter, maxPause), "skipped: the server asked for a pause of "+a.RetryAfter.String())
		return 0, false
	}
	if tries > max(cmp.Or(o.Retry, 2), 0) {
		if a.Busy && a.RetryAfter > 0 {
			s.rest(a.RetryAfter, "")
		}
		return 0, false
	}
	pause = cmp.Or(max(o.Wait, 0), time.Second) << min(tries-1, 16)
	pause = max(min(pause/2+rand.N(pause/2+1), most), a.RetryAfter)
	if a.Busy {
		s.rest(pause, "")
	}
	return pause, true
}

// finish stores the links of a page, then the verdict of each job, which are done then.
func (w *Worker) finish(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Answer) error {
	for _, j := range jobs {
		if answer.IsPage && j.found.Fragment == "" && !j.found.Target.First.IsZero() {
			if err := w.storePage(ctx, s, j, answer); err != nil {
				return err
			}
		}
	}
	for _, j := range jobs {
		if j.isStored {
			continue
		}
		last := uint64(0)
		if j.before != nil {
			last = j.before.sequence
		}
		err := w.frontier.storeVerdict(ctx, j.at, answer, last)
		if errors.Is(err, errStored) {
			if stored, getErr := w.frontier.verdictOf(ctx, j.at); getErr != nil {
				return getErr
			} else if stored != nil && stored.answer.When.Equal(answer.When) {
				err = nil // the answer of the server to an earlier try was lost
			}
		}
		if errors.Is(err, errStored) {
			j.isStored = true
			w.queue.done(h, j)
			continue
		}
		if err != nil {
			return err
		}
		j.isStored = true
		w.queue.done(h, j)
		w.count(func(c *Counts) { c.Verdicts[answer.Outcome.Verdict.String()]++ })
		if j.before != nil {
			if err := w.tellChange(ctx, j, answer); err != nil {
				w.options.note("%v", err)
			}
		}
	}
	return nil
}

// noteEvery is the least time between two notes about storing: all slots have the same trouble.
const noteEvery = 10 * time.Second

func (w *Worker) noteRarely(format string, args ...any) {
	now := w.clock.Now()
	w.mu.Lock()
	isNews := now.Sub(w.noted) >= noteEvery
	if isNews {
		w.noted = now
	}
	w.mu.Unlock()
	if isNews {
		w.options.note(format, args...)
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
	if j.before != nil {
		if err := w.frontier.dropPage(ctx, j.at.key); err != nil {
			return err
		}
	}
	if w.frontier.settings.MaxPages > 0 {
		leave, err := w.growing.enter(ctx, page.First)
		if err != nil {
			return err
		}
		defer leave()
	}
	pages, err := w.pagesOf(ctx, s.asker, &page, answer.Links)
	if err != nil {
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
		if target, ok := pages[found.Target.Canonical]; ok && !found.Target.URL.IsZero() {
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
	if err := b.lines(ctx, j.at.key, texts); err != nil {
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
	s.end()
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
