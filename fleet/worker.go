package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/verify"
)

// WorkerOptions holds the settings of a [Worker].
type WorkerOptions struct {
	// Client creates the clients that open URLs. It must not be nil.
	Client NewClient
	// Verify selects how the worker checks targets. It should be the frontier's [Settings.Options]
	// with settings for this machine added. Parallel limits concurrent requests.
	Verify verify.Options
	// DialTimeout limits making one connection. It does not include the time that the
	// connection waits for other requests to the same host. Zero means 30 s.
	DialTimeout time.Duration
	// Clock is the clock for everything except requests. If nil, the worker uses [SystemClock].
	Clock Clock
	// Note is called with messages for the user. If nil, messages are dropped.
	Note func(text string)

	// Inject adds header fields to the message of a new target, such as the trace context of ctx.
	// Their names must not begin with "Nats-". If nil, the message has no header.
	Inject func(ctx context.Context, header nats.Header)
	// Extract returns ctx with the values of the header fields of a target, for the requests of the
	// target. The fields are untrusted. If nil, header fields are ignored. A target that is checked
	// again has no header fields.
	Extract func(ctx context.Context, header nats.Header) context.Context
}

func (o *WorkerOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// Worker checks the targets of a frontier. Any number of workers, in any processes, may share a
// frontier.
type Worker struct {
	frontier *Frontier
	options  WorkerOptions
	polite   access.Politeness // limits from the options, with defaults
	clock    Clock
	queue    *scheduler
	leases   *leases
	lease    *lease // only manage uses it
	hops     hops
	sites    robotsCache
	growing  gates // sites whose pages a goroutine is counting
	outbox   outbox
	running  sync.WaitGroup
	ready    *slot      // slot that only decodes links and makes no requests
	keeping  sync.Mutex // locked while the worker stores the requested limits of a host

	reported time.Time // time of the last report; only manage uses it

	// Only manage uses the mode and its revision.
	mode         Mode // empty until the first successful read
	modeRevision uint64

	mu        sync.Mutex
	responded time.Time // time of the server's last response about leases, mode or workers
	told      int       // number of lost partitions that notes have reported
	ended     bool      // spawn starts no more goroutines
	noted     time.Time
	permits   map[string]*permit
	unsure    map[int]uint64 // partitions to release, with the revision of their keys
	counts    Counts
}

// Counts holds the statistics of a worker.
type Counts struct {
	Verdicts map[string]int `json:"verdicts"` // number of verdicts, by the name of the verdict
	Requests int            `json:"requests"`
	Late     int            `json:"late"` // requests that timed out waiting for a host of another worker
	Buried   int            `json:"buried"`
	Errors   int            `json:"errors"` // operations that the NATS servers failed to complete
	Links    int            `json:"links"`  // links found in pages
	Held     int            `json:"held"`   // held partitions
	Lost     int            `json:"lost"`   // partitions whose lease expired before the worker renewed it
	Waiting  int            `json:"waiting"`
	Active   int            `json:"active"`
	Hosts    int            `json:"hosts"`
	// Busiest lists the hosts with the most waiting targets in the worker.
	Busiest []HostCount `json:"busiest,omitempty"`
}

// NewWorker returns a worker of f.
func NewWorker(f *Frontier, o WorkerOptions) *Worker {
	w := &Worker{
		frontier: f, options: o, polite: crawl.Settle(o.Verify.Politeness), clock: o.Clock, lease: newLease(),
		permits: map[string]*permit{}, unsure: map[int]uint64{},
	}
	if w.clock == nil {
		w.clock = SystemClock{}
	}
	w.queue = newScheduler(w.clock, w.refill, w.keepHost)
	w.leases = newLeases(f, w.clock)
	w.outbox = outbox{frontier: f, clock: w.clock, sent: make(chan sentVerdict, maxUnacked), done: w.stored, note: func(format string, args ...any) {
		w.storeFailed()
		w.noteRarely(format, args...)
	}}
	w.counts.Verdicts = map[string]int{}
	return w
}

// Counts returns the current statistics of the worker.
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

// Run checks targets until ctx ends or the fleet is drained. Then it releases its partitions, so
// that another worker immediately repeats the requests that the end of ctx cancelled.
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
	// A slot may wait for the outbox, and the outbox may wait for the server.
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

// spawn calls f in a goroutine that Run waits for. It does nothing if Run has ended.
func (w *Worker) spawn(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.running.Go(f)
	}
}

// work checks jobs until the queue ends.
func (w *Worker) work(ctx context.Context, s *slot) {
	for t := w.queue.next(); t != nil; t = w.queue.next() {
		w.do(ctx, s, t)
	}
}

const (
	pauseAfterError = 2 * time.Second
	// A request after a redirect needs a turn at the new host. If no turn comes in time, the worker
	// waits for pauseLate. After maxLate such failures, it skips the target.
	pauseLate = 2 * time.Second
	maxLate   = 30
)

// noteEvery is the minimum interval between notes about storing. All slots have the same problem,
// so one note is enough.
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
