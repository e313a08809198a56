package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// faultyBucket is a bucket whose reads a test can replace.
type faultyBucket struct {
	jetstream.KeyValue

	mu    sync.Mutex
	get   func() (jetstream.KeyValueEntry, error) // replaces Get; nil for the reads of the bucket
	count int                                     // number of calls of get
}

func (b *faultyBucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	b.mu.Lock()
	get := b.get
	if get != nil {
		b.count++
	}
	b.mu.Unlock()
	if get != nil {
		return get()
	}
	return b.KeyValue.Get(ctx, key)
}

// replaceReads replaces the following reads with get. If get is nil, it restores the reads of the
// bucket.
func (b *faultyBucket) replaceReads(get func() (jetstream.KeyValueEntry, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.get, b.count = get, 0
}

// awaitReads waits until the worker has made n reads since the call of replaceReads.
func (b *faultyBucket) awaitReads(t *testing.T, n int) {
	eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.count >= n
	})
}

// entry is a record in a bucket.
type entry struct {
	jetstream.KeyValueEntry
	value    string
	revision uint64
}

func (e entry) Value() []byte    { return []byte(e.value) }
func (e entry) Revision() uint64 { return e.revision }

// modeFaults lists the faults of reads of the mode of a paused frontier.
var modeFaults = map[string]func() (jetstream.KeyValueEntry, error){
	"silence":             func() (jetstream.KeyValueEntry, error) { return nil, context.DeadlineExceeded },
	"timeout":             func() (jetstream.KeyValueEntry, error) { return nil, nats.ErrTimeout },
	"no leader":           func() (jetstream.KeyValueEntry, error) { return nil, nats.ErrNoResponders },
	"no quorum":           func() (jetstream.KeyValueEntry, error) { return nil, &jetstream.APIError{Code: 503, ErrorCode: 10008} },
	"no connection":       func() (jetstream.KeyValueEntry, error) { return nil, nats.ErrConnectionReconnecting },
	"a server behind":     func() (jetstream.KeyValueEntry, error) { return nil, jetstream.ErrKeyNotFound },
	"an older run":        func() (jetstream.KeyValueEntry, error) { return entry{value: "run", revision: 1}, nil },
	"a closed connection": func() (jetstream.KeyValueEntry, error) { return nil, nats.ErrConnectionClosed },
}

// TestPauseStays checks that a paused worker makes no requests while it can't read the mode, and
// that it continues after a resume.
func TestPauseStays(t *testing.T) {
	t.Parallel()
	for name, fault := range modeFaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newPaused(t)
			defer x.startWorker(x.worker)()
			eventually(t, func() bool { return x.worker.Counts().Held == 2 })
			x.control.replaceReads(fault)
			x.control.awaitReads(t, 3)
			x.checkResume(t)
		})
	}
}

// TestOlderMode checks that an older record of the mode neither ends a pause nor stops a worker,
// and that a newer record does.
func TestOlderMode(t *testing.T) {
	t.Parallel()
	run, pause, drain := string(Run), string(Pause), string(Drain)
	for name, reads := range map[string][]struct {
		value    string
		revision uint64
		want     Mode
	}{
		"newer":                          {{pause, 3, Pause}, {run, 4, Run}, {drain, 5, Drain}},
		"older drain":                    {{run, 4, Run}, {drain, 3, Run}, {drain, 5, Drain}},
		"drain in pause":                 {{pause, 4, Pause}, {drain, 3, Pause}, {drain, 5, Drain}},
		"older run":                      {{pause, 5, Pause}, {run, 4, Pause}, {run, 6, Run}},
		"older pause":                    {{run, 4, Run}, {pause, 3, Pause}, {run, 4, Run}},
		"unknown text":                   {{"stored", 1, Run}, {pause, 2, Pause}, {"stored", 9, Pause}, {run, 3, Run}},
		"older run after an older pause": {{pause, 5, Pause}, {pause, 3, Pause}, {run, 4, Pause}, {run, 6, Run}},
	} {
		control := &faultyBucket{}
		w := &Worker{frontier: &Frontier{control: control}}
		for i, r := range reads {
			control.replaceReads(func() (jetstream.KeyValueEntry, error) { return entry{value: r.value, revision: r.revision}, nil })
			if m, err := w.readMode(t.Context()); err != nil || m != r.want {
				t.Errorf("%s, read %d: %q %v, want %q", name, i, m, err, r.want)
			}
		}
	}
}

// fullBucket is a bucket that rejects all records.
type fullBucket struct{ jetstream.KeyValue }

var errFull = &jetstream.APIError{Code: 503, ErrorCode: 10077}

func (fullBucket) Put(context.Context, string, []byte) (uint64, error) { return 0, errFull }

func (fullBucket) Update(context.Context, string, []byte, uint64) (uint64, error) { return 0, errFull }

// TestModeWithoutRenewal checks that a worker applies a pause and a resume even if it can't renew
// its lease or store its low-water marks.
func TestModeWithoutRenewal(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*Worker){
		"workers": func(w *Worker) { w.frontier.workers = fullBucket{w.frontier.workers} },
		"hosts":   func(w *Worker) { w.frontier.hosts = fullBucket{w.frontier.hosts} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, c := openTestFrontier(t), newFakeClock()
			w := newFixture(t, redirecting).workerAt(f, verify.Options{}, c)
			ctx, cancel := context.WithCancel(t.Context())
			defer w.running.Wait()
			defer cancel()
			p := w.holdPartition(ctx, t, 0)
			defer p.stop()
			p.savedMark = 1 << 40 // so that the worker must store a mark
			fail(w)
			for _, m := range []Mode{Pause, Run, Drain} {
				if err := f.SetMode(ctx, m); err != nil {
					t.Fatal(err)
				}
				c.advance(renewEvery)
				_, err := w.tick(ctx)
				if !errors.Is(err, errFull) || w.mode != m || w.queue.isPaused() != (m != Run) {
					t.Errorf("%s: the worker obeys %q: %v", m, w.mode, err)
				}
			}
		})
	}
}

// TestUnknownMode checks that a worker takes no partitions before it has read the mode.
func TestUnknownMode(t *testing.T) {
	t.Parallel()
	x := newPaused(t)
	x.control.replaceReads(modeFaults["silence"])
	defer x.startWorker(x.worker)()
	x.control.awaitReads(t, 3)
	if held := x.worker.Counts().Held; held > 0 {
		t.Errorf("it holds %d partitions", held)
	}
	x.checkResume(t)
}

// pausedFleet is a paused frontier with targets, and a worker that is not running yet.
type pausedFleet struct {
	*fixture
	frontier *Frontier
	control  *faultyBucket
	worker   *Worker
}

func newPaused(t *testing.T) *pausedFleet {
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	f, _ := connected(t, e, Settings{Partitions: 2})
	own, _ := connected(t, e, Settings{})
	x := &pausedFleet{fixture: newFixture(t, redirecting), frontier: f, control: &faultyBucket{KeyValue: own.control}}
	own.control = x.control
	x.worker = x.fixture.worker(own, x.options())
	s, err := NewSubmitter(x.fixture.worker(f, x.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := f.SetMode(t.Context(), Pause); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), slices.Values([]verify.Source{manyHosts(50, 5)})); err != nil {
		t.Fatal(err)
	}
	return x
}

// checkResume checks that the worker made no requests. Then it resumes the fleet, and waits until
// the worker makes requests.
func (x *pausedFleet) checkResume(t *testing.T) {
	t.Helper()
	if asked := x.requests(); len(asked) > 0 {
		t.Errorf("%d requests although paused", len(asked))
	}
	x.control.replaceReads(nil)
	if err := x.frontier.SetMode(t.Context(), Run); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return x.worker.Counts().Requests >= 50 })
}

// TestStatusWithoutMode checks that the status contains no mode if reading it failed.
func TestStatusWithoutMode(t *testing.T) {
	x := newPaused(t)
	x.frontier.control = x.control
	x.control.replaceReads(modeFaults["timeout"])
	if s, err := x.frontier.Status(t.Context()); err == nil {
		t.Errorf("%+v", s)
	}
	x.control.replaceReads(nil)
	if s, err := x.frontier.Status(t.Context()); err != nil || s.Mode != Pause {
		t.Errorf("%+v %v", s, err)
	}
}
