package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
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
	DialTimeout time.Duration
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
	polite   access.Politeness // of options, settled
	clock    Clock
	name     string
	queue    *scheduler
	leases   *leases
	hops     hops
	sites    robotsCache
	growing  gates // of sites whose pages are counted
	outbox   outbox
	running  sync.WaitGroup
	ready    *slot      // decodes; it asks for nothing
	keeping  sync.Mutex // held while what a host asked for is stored
	beat     uint64     // how often it told others of itself

	// Only manage uses the mode and its revision.
	mode         Mode // empty: the worker could not read it yet
	modeRevision uint64

	mu        sync.Mutex
	responded time.Time // when the server last answered for leases, mode and workers
	told      int       // lost partitions that a note told of
	ended     bool      // nothing is spawned any more
	noted     time.Time
	permits   map[string]*permit
	last      uint64        // the last sequence number of the targets
	news      chan struct{} // closed when there are more
	counts    Counts
}

// Counts are what a worker did, and has to do.
type Counts struct {
	Verdicts map[string]int `json:"verdicts"` // by the name of the verdict
	Requests int            `json:"requests"`
	Late     int            `json:"late"` // requests that got no turn elsewhere in time
	Buried   int            `json:"buried"`
	Errors   int            `json:"errors"` // operations that the NATS servers did not do
	Links    int            `json:"links"`  // found in pages
	Held     int            `json:"held"`   // partitions
	Lost     int            `json:"lost"`   // partitions whose lease ended before it was renewed
	Waiting  int            `json:"waiting"`
	Active   int            `json:"active"`
	Hosts    int            `json:"hosts"`
	// Busiest are the hosts with the most targets that wait in the worker.
	Busiest []HostCount `json:"busiest,omitempty"`
}

// NewWorker returns a worker of f.
func NewWorker(f *Frontier, o WorkerOptions) *Worker {
	w := &Worker{
		frontier: f, options: o, polite: crawl.Settle(o.Verify.Politeness), clock: o.Clock, name: rand.Text(),
		permits: map[string]*permit{}, news: make(chan struct{}),
	}
	if w.clock == nil {
		w.clock = SystemClock{}
	}
	w.queue = newScheduler(w.clock, w.refill, w.keepHost)
	w.leases = newLeases(f.leases, w.clock, w.name)
	w.outbox = outbox{frontier: f, clock: w.clock, sent: make(chan sentVerdict, maxUnacked), done: w.stored, note: func(format string, args ...any) {
		w.storeFailed()
		w.noteRarely(format, args...)
	}}
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
	storing, endStoring := context.WithCancel(context.WithoutCancel(ctx))
	defer endStoring()
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		w.outbox.settle(storing)
	}()
	var slots sync.WaitGroup
	for range w.polite.Parallel {
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
	// A slot may wait for the outbox, and that for the server.
	defer time.AfterFunc(lastTime, endStoring).Stop()
	slots.Wait()
	close(w.outbox.sent)
	<-settled
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
	for t := w.queue.next(); t != nil; t = w.queue.next() {
		w.do(ctx, s, t)
	}
}

const (
	pauseAfterError = 2 * time.Second
	// pauseLate is the pause after a request that got no turn elsewhere, and maxLate how
	// often there is one.
	pauseLate = 2 * time.Second
	maxLate   = 30
)

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

func (w *Worker) storeFailed() { w.count(func(c *Counts) { c.Errors++ }) }

// sortedParts returns the partitions that the worker holds.
func (w *Worker) sortedParts() []*partition {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.queue.parts), func(a, b *partition) int { return a.number - b.number })
}
