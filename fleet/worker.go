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
	// Verify selects how the worker checks targets. It should be the result of the frontier's
	// [Settings.Options], with the settings for this machine added. Its field Parallel limits
	// concurrent requests.
	Verify verify.Options
	// DialTimeout limits the time for making one connection, without the wait for other requests
	// to the same host. Zero means 30 s.
	DialTimeout time.Duration
	// Clock is the clock for everything except requests. If nil, the worker uses [SystemClock].
	Clock Clock
	// Note is called with messages for the user. If Note is nil, the worker drops messages.
	Note func(text string)

	// Inject adds header fields, such as the trace context of ctx, to the message of a new
	// target. The names of the fields must not begin with "Nats-". If Inject is nil, the message
	// has no header.
	Inject func(ctx context.Context, header nats.Header)
	// Extract returns a copy of ctx that contains the values of a target's header fields. The
	// requests for the target use this context. The header fields are untrusted. If Extract is
	// nil, the worker ignores header fields. A target that is checked again has no header fields.
	Extract func(ctx context.Context, header nats.Header) context.Context
}

func (o *WorkerOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// Worker checks the targets of a frontier. Any number of workers, in any number of processes, may
// share a frontier.
type Worker struct {
	frontier   *Frontier
	options    WorkerOptions
	politeness access.Politeness // limits from the options and their defaults
	clock      Clock
	queue      *scheduler
	leases     *leases
	lease      *lease // only manage uses it
	hopQueue   hopQueue
	sites      robotsCache
	countLocks siteLocks // locks for the page counts of sites
	outbox     outbox
	running    sync.WaitGroup
	decoder    *slot      // slot for decoding links; it makes no requests
	hostMu     sync.Mutex // locked while the worker stores a host record

	reportedAt time.Time // time of the last report; only manage uses it

	// Only manage uses the mode and its revision.
	mode         Mode // empty until the first successful read
	modeRevision uint64

	mu          sync.Mutex
	respondedAt time.Time // time of the last round in which the server responded to all requests
	lostNoted   int       // number of lost partitions that the notes have reported
	ended       bool      // if true, spawn starts no more goroutines
	notedAt     time.Time
	permits     map[string]*permit
	unreleased  map[int]uint64 // partitions that must be released, with the revisions of their keys
	counts      Counts
}

// Counts holds the statistics of a worker.
type Counts struct {
	Verdicts map[string]int `json:"verdicts"` // number of stored verdicts, by the name of the verdict
	Requests int            `json:"requests"`
	Late     int            `json:"late"` // requests that timed out waiting for a host of another worker
	Buried   int            `json:"buried"`
	Errors   int            `json:"errors"` // operations that the NATS servers failed to complete
	Links    int            `json:"links"`  // links found in pages
	Held     int            `json:"held"`   // held partitions
	Lost     int            `json:"lost"`   // partitions that the worker lost because its lease expired
	Waiting  int            `json:"waiting"`
	Active   int            `json:"active"`
	Hosts    int            `json:"hosts"`
	// Busiest lists the hosts with the most waiting targets in the worker.
	Busiest []HostCount `json:"busiest,omitempty"`
}

// NewWorker returns a worker of f.
func NewWorker(f *Frontier, o WorkerOptions) *Worker {
	w := &Worker{
		frontier: f, options: o, politeness: crawl.Settle(o.Verify.Politeness), clock: o.Clock, lease: newLease(),
		permits: map[string]*permit{}, unreleased: map[int]uint64{},
	}
	if w.clock == nil {
		w.clock = SystemClock{}
	}
	w.queue = newScheduler(w.clock, w.refill, w.storeHost)
	w.leases = newLeases(f, w.clock)
	w.outbox = outbox{frontier: f, clock: w.clock, sent: make(chan sentVerdict, maxUnacked), onStored: w.finishJob, note: func(format string, args ...any) {
		w.countStoreError()
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
// that another worker can immediately repeat the cancelled requests.
func (w *Worker) Run(ctx context.Context) error {
	ready, closeReady, err := w.newSlot()
	if err != nil {
		return err
	}
	defer closeReady()
	w.decoder = ready
	ctx, cancel := withoutDeadline(ctx)
	defer cancel()
	storing, endStoring := context.WithCancel(context.WithoutCancel(ctx))
	defer endStoring()
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		w.outbox.awaitAcks(storing)
	}()
	var slots sync.WaitGroup
	for range w.politeness.Parallel {
		s, closeSlot, err := w.newSlot()
		if err != nil {
			w.queue.stop()
			slots.Wait()
			close(w.outbox.sent)
			<-settled
			return err
		}
		slots.Go(func() {
			defer closeSlot()
			w.runSlot(ctx, s)
		})
	}
	stop := context.AfterFunc(ctx, w.queue.stop)
	err = w.manage(ctx)
	cancel()
	stop()
	w.queue.stop()
	// A slot may wait for the outbox, and the outbox may wait for the server.
	defer time.AfterFunc(stopTime, endStoring).Stop()
	slots.Wait()
	close(w.outbox.sent)
	<-settled
	w.shutDown()
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

// runSlot runs tasks in the slot s until the queue ends.
func (w *Worker) runSlot(ctx context.Context, s *slot) {
	for t := w.queue.nextTask(); t != nil; t = w.queue.nextTask() {
		w.runTask(ctx, s, t)
	}
}

const (
	pauseAfterError = 2 * time.Second
	// A request after a redirect needs a turn at the new host. If the worker gets no turn in
	// time, it tries again after pauseLate. After maxLate such failures, it skips the target.
	pauseLate = 2 * time.Second
	maxLate   = 30
)

// noteEvery is the minimum interval between notes about storage errors. All slots have the same
// problem, so one note is enough.
const noteEvery = 10 * time.Second

func (w *Worker) noteRarely(format string, args ...any) {
	now := w.clock.Now()
	w.mu.Lock()
	isNews := now.Sub(w.notedAt) >= noteEvery
	if isNews {
		w.notedAt = now
	}
	w.mu.Unlock()
	if isNews {
		w.options.note(format, args...)
	}
}

func (w *Worker) updateCounts(update func(*Counts)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	update(&w.counts)
}

func (w *Worker) countStoreError() { w.updateCounts(func(c *Counts) { c.Errors++ }) }

// sortedParts returns the partitions that the worker holds.
func (w *Worker) sortedParts() []*partition {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.queue.parts), func(a, b *partition) int { return a.number - b.number })
}
