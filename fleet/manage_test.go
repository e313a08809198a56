package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// distantServer starts a server and a proxy that forwards all data after a delay. It returns the
// URLs of the server and the proxy.
func distantServer(t *testing.T, delay time.Duration) (near, far string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: maxMessage})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", s.Addr().String())
			if err != nil {
				a.Close()
				continue
			}
			running.Go(func() { copyLate(a, b, delay) })
			running.Go(func() { copyLate(b, a, delay) })
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return "nats://" + s.Addr().String(), "nats://" + l.Addr().String()
}

// copyLate copies data from one connection to another, and delays each piece.
func copyLate(dst, src net.Conn, delay time.Duration) {
	type piece struct {
		at   time.Time
		text []byte
	}
	pieces := make(chan piece, 1<<12)
	go func() {
		defer close(pieces)
		b := make([]byte, 32<<10)
		for {
			n, err := src.Read(b)
			if n > 0 {
				pieces <- piece{time.Now().Add(delay), slices.Clone(b[:n])}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.at))
		// If the write fails, the other side is closed, and the next read fails.
		_, _ = dst.Write(p.text)
	}
	dst.Close()
}

// frontierAt opens the frontier on the server with the given URL.
func frontierAt(t *testing.T, url string, s Settings) *Frontier {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f, err := OpenFrontier(t.Context(), nc, "default", s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDistantWorker checks that a worker with a round-trip time of 30 ms takes 256 partitions,
// and holds all of them over several renewals.
func TestDistantWorker(t *testing.T) {
	t.Parallel()
	const partitions, rounds = 256, 3
	near, far := distantServer(t, 15*time.Millisecond)
	f := frontierAt(t, near, Settings{Partitions: partitions})
	w := newFixture(t, redirecting)
	distant := frontierAt(t, far, Settings{})
	renewed := &countingBucket{KeyValue: distant.workers}
	distant.workers = renewed
	worker := w.worker(distant, w.options())
	end := w.startWorker(worker)
	defer end()
	eventually(t, func() bool { return worker.Counts().Held == partitions })
	renewed.updates.Store(0)
	eventually(t, func() bool { return renewed.updates.Load() >= rounds })
	if c := worker.Counts(); c.Held != partitions || c.Lost != 0 {
		t.Errorf("it holds %d partitions and lost %d", c.Held, c.Lost)
	}
	known, err := f.values(t.Context(), leaseBucket, []string{"*"})
	if err != nil || len(known) != partitions {
		t.Errorf("%d keys, %v", len(known), err)
	}
}

// countingBucket counts the updates that succeeded.
type countingBucket struct {
	jetstream.KeyValue
	updates atomic.Int32
}

func (b *countingBucket) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	revision, err := b.KeyValue.Update(ctx, key, value, last)
	if err == nil {
		b.updates.Add(1)
	}
	return revision, err
}

// TestEach checks that forEach makes exactly leasesAtOnce concurrent calls.
func TestEach(t *testing.T) {
	var mu sync.Mutex
	active, most, calls := 0, 0, 0
	full := make(chan struct{})
	err := forEach(make([]int, 3*leasesAtOnce), func(int) error {
		mu.Lock()
		calls++
		active++
		if most = max(most, active); active == leasesAtOnce && calls == leasesAtOnce {
			close(full)
		}
		mu.Unlock()
		<-full
		mu.Lock()
		defer mu.Unlock()
		active--
		return nil
	})
	if err != nil || most != leasesAtOnce || calls != 3*leasesAtOnce {
		t.Errorf("%d calls, %d at once, %v", calls, most, err)
	}
}

// TestEachError checks that forEach starts no calls after an error, and waits for the running
// calls.
func TestEachError(t *testing.T) {
	var mu sync.Mutex
	calls, wrong := 0, errors.New("wrong")
	err := forEach(make([]int, 9*leasesAtOnce), func(int) error {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return wrong
	})
	if !errors.Is(err, wrong) || calls > 2*leasesAtOnce {
		t.Errorf("%d calls, %v", calls, err)
	}
	if err := forEach([]int{}, func(int) error { return wrong }); err != nil {
		t.Error(err)
	}
}

// openParts returns a frontier with the given number of partitions.
func openParts(t *testing.T, partitions int) *Frontier {
	t.Helper()
	return openSettings(t, Settings{Partitions: partitions})
}

func openSettings(t *testing.T, s Settings) *Frontier {
	t.Helper()
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	f, _ := connected(t, e, s)
	return f
}

// managed is a worker whose clock and rounds are controlled by a test.
type managed struct {
	*Worker
	clock *fakeClock
	notes []string
}

func newManaged(t *testing.T, f *Frontier, c *fakeClock) *managed {
	w := newFixture(t, redirecting)
	m := &managed{clock: c}
	m.Worker = NewWorker(f, WorkerOptions{Client: w.client, Verify: w.options(), Clock: c, Note: func(text string) { m.notes = append(m.notes, text) }})
	return m
}

// round performs one round of manage.
func (m *managed) round(ctx context.Context) error {
	_, err := m.tick(ctx)
	m.noteLost()
	return err
}

// silentBucket is a bucket in which a test makes writes fail or wait.
type silentBucket struct {
	jetstream.KeyValue
	silent bool // all updates fail

	mu   sync.Mutex
	n    int           // number of waiting writes
	meet chan struct{} // closed when two writes are in progress; if nil, writes do not wait
}

func (b *silentBucket) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	if b.silent {
		return 0, context.DeadlineExceeded
	}
	if err := b.wait(ctx); err != nil {
		return 0, err
	}
	return b.KeyValue.Update(ctx, key, value, last)
}

func (b *silentBucket) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := b.wait(ctx); err != nil {
		return 0, err
	}
	return b.KeyValue.Put(ctx, key, value)
}

func (b *silentBucket) wait(ctx context.Context) error {
	if b.meet == nil {
		return nil
	}
	b.add(1)
	defer b.add(-1)
	select {
	case <-b.meet:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *silentBucket) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n += n; b.n == 2 && n > 0 {
		select {
		case <-b.meet:
		default:
			close(b.meet)
		}
	}
}

// TestMarksTogether checks that a worker writes low-water marks concurrently.
func TestMarksTogether(t *testing.T) {
	f, c := openParts(t, 4), newFakeClock()
	marks := &silentBucket{KeyValue: f.hosts}
	f.hosts = marks
	m := newManaged(t, f, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer m.running.Wait()
	defer cancel()
	if err := m.round(ctx); err != nil || m.Counts().Held != 4 {
		t.Fatal(m.Counts(), err)
	}
	marks.meet = make(chan struct{})
	for _, p := range m.sortedParts() {
		p.savedMark = 7 // differs from the current mark
	}
	c.advance(renewEvery)
	eventually(t, func() bool { return m.saveMarks(ctx) == nil })
	for _, p := range m.sortedParts() {
		if p.savedMark != 1 {
			t.Errorf("%d: mark %d", p.number, p.savedMark)
		}
	}
}

// TestLostLeases checks that the worker counts and reports the partitions whose lease was not
// renewed in time. When the servers respond again, the worker must immediately end its old lease
// and take its partitions with a new lease.
func TestLostLeases(t *testing.T) {
	f, c := openParts(t, 4), newFakeClock()
	m := newManaged(t, f, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer m.running.Wait()
	defer cancel()
	if err := m.round(ctx); err != nil || m.Counts().Held != 4 || m.Counts().Lost != 0 {
		t.Fatal(m.Counts(), err)
	}
	bucket := &silentBucket{KeyValue: f.workers, silent: true}
	f.workers = bucket // only the rounds use this bucket
	old := m.lease
	c.advance(renewEvery)
	if err := m.round(ctx); err == nil || m.Counts().Held != 4 {
		t.Error(m.Counts(), err)
	}
	c.advance(leaseTime + leaseMargin - renewEvery)
	if got := m.Counts(); got.Held != 0 || got.Lost != 4 {
		t.Errorf("%+v", got)
	}
	bucket.silent = false
	if err := m.round(ctx); err != nil || m.Counts().Held != 0 {
		t.Error("the partitions were taken within the margin", m.Counts(), err)
	}
	c.advance(time.Millisecond)
	if err := m.round(ctx); err != nil || m.Counts().Held != 4 || m.lease == old {
		t.Error(m.Counts(), err)
	}
	if len(m.notes) != 1 || !strings.Contains(m.notes[0], "lost 4 partitions") {
		t.Errorf("%q", m.notes)
	}
	var text strings.Builder
	if err := m.WriteMetrics(&text); err != nil || !strings.Contains(text.String(), "\nlocus_fleet_leases_lost_total 4\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// keyReads counts requests for the keys of partitions.
func keyReads(t *testing.T, f *Frontier) *nats.Subscription {
	t.Helper()
	s, err := f.nc.SubscribeSync("$JS.API.DIRECT.GET.KV_" + f.stream(leaseBucket))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestShare checks that each worker takes exactly its share of the partitions, and then reads no
// partition keys. If a worker dies, another worker must take its partitions as soon as the dead
// worker's lease can be ended.
func TestShare(t *testing.T) {
	const partitions = 11
	f, c := openParts(t, partitions), newFakeClock()
	var all []*managed
	ctx, cancel := context.WithCancel(t.Context())
	defer func() {
		cancel()
		for _, m := range all {
			m.running.Wait()
		}
	}()
	for range 3 {
		all = append(all, newManaged(t, f, c))
	}
	rounds := func(n int, all ...*managed) (held []int) {
		t.Helper()
		for range n {
			held = nil
			for _, m := range all {
				if err := m.round(ctx); err != nil {
					t.Fatal(err)
				}
				held = append(held, m.Counts().Held)
			}
			c.advance(tickEvery)
		}
		slices.Sort(held)
		return held
	}
	if held := rounds(8, all...); !slices.Equal(held, []int{3, 4, 4}) {
		t.Fatalf("%v partitions", held)
	}
	reads := keyReads(t, f)
	rounds(6, all...)
	if err := f.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := reads.Pending(); err != nil || n > 0 {
		t.Errorf("%d reads of keys, %v", n, err)
	}
	// The last renewal of the worker that dies was at most renewEvery before these rounds.
	stay := all[1:]
	early := int((leaseTime+leaseMargin-renewEvery)/tickEvery) - 1
	if held := rounds(early, stay...); held[0]+held[1] > 8 {
		t.Errorf("%v partitions too early", held)
	}
	if held := rounds(8, stay...); !slices.Equal(held, []int{5, 6}) {
		t.Errorf("%v partitions", held)
	}
}

// TestHealth checks that a worker is healthy while the servers respond, with partitions or without.
func TestHealth(t *testing.T) {
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 1})
	other, nc := connected(t, e, Settings{})
	c := newFakeClock()
	one, two := newManaged(t, f, c), newManaged(t, other, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); one.running.Wait(); two.running.Wait() }()
	unhealthy := func(when, want string) {
		t.Helper()
		if err := two.Health(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", when, err)
		}
	}
	unhealthy("before the first answer", "has not responded yet")
	for _, m := range []*managed{one, two} {
		if err := m.round(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := two.Health(); err != nil || two.Counts().Held != 0 {
		t.Errorf("it holds %d partitions: %v", two.Counts().Held, err)
	}
	control := &faultyBucket{KeyValue: other.control}
	control.replaceReads(modeFaults["no quorum"])
	other.control = control
	c.advance(leaseTime - time.Millisecond)
	if err := two.round(ctx); err == nil {
		t.Error("the mode was read")
	}
	if err := two.Health(); err != nil {
		t.Error(err)
	}
	c.advance(time.Millisecond)
	unhealthy("without an answer for long", "has not responded for 12s")
	control.replaceReads(nil)
	if err := two.round(ctx); err != nil || two.Health() != nil {
		t.Error(err, two.Health())
	}
	nc.Close()
	unhealthy("without a connection", "no connection")
}

// TestWorkerMetrics checks that the metrics include the age of the oldest target and the number
// of store errors.
func TestWorkerMetrics(t *testing.T) {
	x := newPaused(t)
	c := newFakeClock()
	m := newManaged(t, x.frontier, c)
	count := func(name string) (value int) {
		t.Helper()
		r, w := io.Pipe()
		go func() { w.CloseWithError(m.WriteMetrics(w)) }()
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "\nlocus_fleet_"+name+" ")
		if _, err := fmt.Sscan(rest, &value); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		return value
	}
	if count("oldest_target_age_seconds") != 0 || count("store_errors_total") != 0 {
		t.Error("a worker that has not begun has metrics")
	}
	p := &partition{hosts: map[string]*host{}, lease: &lease{}}
	m.queue.parts[0] = p
	for i, age := range []time.Duration{2 * time.Minute, time.Hour} {
		m.queue.addJob(p, &job{at: address{hostAddress: hostAddress{host: fmt.Sprint(i)}}, published: c.Now().Add(-age)}, limits{})
	}
	m.queue.addJob(p, &job{at: address{hostAddress: hostAddress{host: "2"}}, sequence: belowMark}, limits{})
	if n := count("oldest_target_age_seconds"); n != 3600 {
		t.Errorf("the oldest target is %d seconds old", n)
	}
	m.countStoreError()
	if n := count("store_errors_total"); n != 1 {
		t.Errorf("%d errors", n)
	}
}
