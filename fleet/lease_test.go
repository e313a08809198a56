package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// holder is a worker with its own clock that only takes, renews and releases leases.
type holder struct {
	*leases
	own   *lease
	clock *fakeClock
}

func newHolder(f *Frontier, c *fakeClock) *holder { return &holder{newLeases(f, c), newLease(), c} }

// renewLease renews the lease of h.
func (h *holder) renewLease(t *testing.T) {
	t.Helper()
	if err := h.renew(t.Context(), h.own); err != nil {
		t.Fatal(err)
	}
}

// tryTake takes partition 1 if the partition is free, as a worker does in each round.
func (h *holder) tryTake(t *testing.T) (revision uint64, ok bool) {
	t.Helper()
	if _, err := h.liveKeys(t.Context(), h.own); err != nil {
		t.Fatal(err)
	}
	known, err := h.frontier.values(t.Context(), leaseBucket, []string{partKey(1)})
	if err != nil {
		t.Fatal(err)
	}
	if m := known[partKey(1)]; m != nil {
		if revision = m.Sequence; !h.isFree(t.Context(), h.own, partKey(1), m.Data, revision) {
			return 0, false
		}
	}
	revision, err = h.takePartition(t.Context(), h.own, 1, revision)
	if errors.Is(err, errTaken) {
		return 0, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return revision, true
}

// TestLeaseTakeover checks that a worker ends the lease of another worker if the lease has not
// been renewed for longer than the sum of leaseTime and leaseMargin. Only the first worker's
// clock counts, even if it shows a wrong time. A later renewal must fail.
func TestLeaseTakeover(t *testing.T) {
	f := openTestFrontier(t)
	ours, theirs := newFakeClock(), newFakeClock()
	theirs.advance(10 * time.Minute)
	a, b := newHolder(f, ours), newHolder(f, theirs)
	a.renewLease(t)
	if _, ok := a.tryTake(t); !ok || a.own.remaining(ours) != leaseTime {
		t.Fatal(ok, a.own.remaining(ours))
	}
	pass := func(d time.Duration) { ours.advance(d); theirs.advance(d) }
	// No worker takes a partition while its lease is renewed.
	for range 10 {
		if _, ok := b.tryTake(t); ok {
			t.Fatal("a renewed lease was ended")
		}
		pass(renewEvery)
		if a.renewLease(t); a.own.remaining(ours) != leaseTime {
			t.Fatal(a.own.remaining(ours))
		}
	}
	// Without a renewal, the lease ends, and another worker takes the partition only after the
	// margin.
	if _, ok := b.tryTake(t); ok {
		t.Fatal("a renewed lease was ended")
	}
	if pass(leaseTime); a.own.remaining(ours) > 0 {
		t.Error("the lease is still valid")
	}
	pass(leaseMargin)
	if _, ok := b.tryTake(t); ok {
		t.Error("taken over within the margin")
	}
	pass(time.Millisecond)
	mine, ok := b.tryTake(t)
	if !ok {
		t.Fatal("not taken over")
	}
	// The stopped worker has lost the lease, and can't renew it.
	for range 2 {
		if err := a.renew(t.Context(), a.own); !errors.Is(err, errTaken) || a.own.remaining(ours) > 0 {
			t.Errorf("%v, %v left", err, a.own.remaining(ours))
		}
	}
	// A released partition is free immediately.
	if b.renewLease(t); b.releasePartition(t.Context(), b.own, 1, mine) != nil {
		t.Error("not released")
	}
	a.own = newLease()
	a.renewLease(t)
	if _, ok := a.tryTake(t); !ok {
		t.Error("a released partition is not free")
	}
}

// TestLeaseRenewedLate checks that a lease stays valid if its renewal arrives just before another
// worker would end the lease.
func TestLeaseRenewedLate(t *testing.T) {
	f, c := openTestFrontier(t), newFakeClock()
	a, b := newHolder(f, c), newHolder(f, c)
	a.renewLease(t)
	a.tryTake(t)
	b.tryTake(t)
	known, err := f.values(t.Context(), workerBucket, []string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	c.advance(leaseTime + leaseMargin + time.Millisecond)
	a.renewLease(t)
	key := workerKey(a.own.name)
	if b.endStopped(t.Context(), key, known[key].Sequence) {
		t.Error("a renewed lease was ended")
	}
	if _, ok := b.tryTake(t); ok || a.renew(t.Context(), a.own) != nil {
		t.Error("the lease ended")
	}
}

// TestLeaseWithoutRecord checks that a worker ends a lease without a record only after the record
// has been missing for longer than the sum of leaseTime and leaseMargin. After that, the holder
// must not be able to renew the lease.
func TestLeaseWithoutRecord(t *testing.T) {
	f, c := openTestFrontier(t), newFakeClock()
	a, b := newHolder(f, c), newHolder(f, c)
	a.renewLease(t)
	a.tryTake(t)
	stream, err := f.js.Stream(t.Context(), "KV_"+f.stream(workerBucket))
	if err == nil {
		err = stream.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []time.Duration{0, leaseTime, leaseMargin} {
		c.advance(d)
		if _, ok := b.tryTake(t); ok {
			t.Fatalf("taken %v after the record was lost", d)
		}
	}
	c.advance(time.Millisecond)
	b.tryTake(t) // ends the lease
	if _, ok := b.tryTake(t); !ok {
		t.Error("a partition without a holder is not free")
	}
	if err := a.renew(t.Context(), a.own); !errors.Is(err, errTaken) {
		t.Error(err)
	}
}

// TestLeaseOlderRecord checks that a lease ends if the store lost its last renewal. In that case,
// other workers may hold the partitions.
func TestLeaseOlderRecord(t *testing.T) {
	f, c := openTestFrontier(t), newFakeClock()
	a := newHolder(f, c)
	a.renewLease(t)
	a.own.revision += 5
	if err := a.renew(t.Context(), a.own); !errors.Is(err, errTaken) || a.own.remaining(c) > 0 {
		t.Errorf("%v, %v left", err, a.own.remaining(c))
	}
}

// lossyBucket is a bucket that stores writes but loses the responses.
type lossyBucket struct{ jetstream.KeyValue }

func (b lossyBucket) Create(ctx context.Context, key string, value []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
	return 0, errors.Join(context.DeadlineExceeded, second(b.KeyValue.Create(ctx, key, value)))
}

func (b lossyBucket) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	return 0, errors.Join(context.DeadlineExceeded, second(b.KeyValue.Update(ctx, key, value, last)))
}

func second(_ uint64, err error) error { return err }

// TestLeaseLostResponse checks that a worker recovers after a lost response. The lost response
// belongs to a renewal, to taking or releasing a partition, or to ending a lease.
func TestLeaseLostResponse(t *testing.T) {
	f, c := openTestFrontier(t), newFakeClock()
	lossy := *f
	lossy.leases, lossy.workers = lossyBucket{f.leases}, lossyBucket{f.workers}
	a, b := newHolder(f, c), newHolder(f, c)
	b.renewLease(t)
	lost := func(what string, do func() error) {
		t.Helper()
		a.frontier = &lossy
		if err := do(); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%s: %v", what, err)
		}
		a.frontier = f
	}
	renew := func() error { return a.renew(t.Context(), a.own) }
	for _, what := range []string{"first renewal", "renewal"} {
		lost(what, renew)
		if a.renewLease(t); a.own.remaining(c) != leaseTime {
			t.Errorf("%s: %v left", what, a.own.remaining(c))
		}
		c.advance(renewEvery)
	}
	lost("take", func() error { return second(a.takePartition(t.Context(), a.own, 1, 0)) })
	for _, h := range []*holder{a, b} {
		if _, ok := h.tryTake(t); ok {
			t.Error("the partition was taken, although it may have a holder")
		}
	}
	if err := a.releasePartition(t.Context(), a.own, 1, 0); err != nil {
		t.Error(err)
	}
	revision, ok := a.tryTake(t)
	if !ok {
		t.Fatal("the released partition is not free")
	}
	lost("release", func() error { return a.releasePartition(t.Context(), a.own, 1, revision) })
	if err := a.releasePartition(t.Context(), a.own, 1, revision); err != nil {
		t.Error(err)
	}
	if _, ok = a.tryTake(t); !ok {
		t.Error("the partition is not free")
	}
	lost("end", func() error { return a.endLease(t.Context(), a.own) })
	if err := a.endLease(t.Context(), a.own); err != nil {
		t.Error(err)
	}
	if _, ok = b.tryTake(t); !ok {
		t.Error("the partition of an ended lease is not free")
	}
}

// TestLeaseLateRelease checks that releasePartition does nothing if another worker holds the
// partition.
func TestLeaseLateRelease(t *testing.T) {
	f := openTestFrontier(t)
	a, b := newHolder(f, newFakeClock()), newHolder(f, newFakeClock())
	a.renewLease(t)
	b.renewLease(t)
	revision, ok := a.tryTake(t)
	if _, err := b.takePartition(t.Context(), b.own, 1, revision); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := a.releasePartition(t.Context(), a.own, 1, revision); err != nil {
		t.Error(err)
	}
	if _, ok := a.tryTake(t); ok {
		t.Error("the partition of another worker was released")
	}
}

// unreliableBucket is a bucket whose writes fail in several ways.
type unreliableBucket struct {
	jetstream.KeyValue
	x *exclusion
}

func (b unreliableBucket) Create(ctx context.Context, key string, value []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
	return b.x.write(func() (uint64, error) { return b.KeyValue.Create(ctx, key, value) })
}

func (b unreliableBucket) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	return b.x.write(func() (uint64, error) { return b.KeyValue.Update(context.WithoutCancel(ctx), key, value, last) })
}

// exclusion is a test with several workers and an unreliable store. Only one worker at a time
// uses its fields.
type exclusion struct {
	testing.TB
	random *rand.Rand
	faults bool

	mu         sync.Mutex
	lateWrites []func() (uint64, error) // writes that the store has not received yet
}

// write calls action so that the write succeeds, fails, loses its response or arrives late.
func (x *exclusion) write(action func() (uint64, error)) (uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.faults {
		return action()
	}
	switch x.random.IntN(6) {
	case 0:
		return 0, context.DeadlineExceeded
	case 1:
		return 0, errors.Join(context.DeadlineExceeded, second(action()))
	case 2:
		x.lateWrites = append(x.lateWrites, action)
		return 0, context.DeadlineExceeded
	}
	return action()
}

// deliverLate sends some of the late writes to the store.
func (x *exclusion) deliverLate() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.lateWrites) > 0 && x.random.IntN(2) == 0 {
		i := x.random.IntN(len(x.lateWrites))
		_, _ = x.lateWrites[i]() // may fail, because the record has another revision
		x.lateWrites = slices.Delete(x.lateWrites, i, i+1)
	}
}

// TestLeaseExclusive checks that two workers never use a partition at the same time. It uses
// random sequences of renewals, takeovers, stops, failed writes, late writes, lost responses and
// lost records. The clocks of the workers show different times and run at different speeds.
func TestLeaseExclusive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			testExclusive(t, seed)
		})
	}
}

func testExclusive(t *testing.T, seed uint64) {
	const partitions, rounds = 3, 150
	x := &exclusion{TB: t, random: rand.New(rand.NewPCG(seed, seed))}
	plain := openParts(t, partitions)
	records, err := plain.js.Stream(t.Context(), "KV_"+plain.stream(workerBucket))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all []*managed
	defer func() {
		cancel()
		for _, m := range all {
			m.running.Wait()
		}
	}()
	speeds := []float64{1, 1.07, 0.95}
	for i := range speeds {
		f, c := *plain, newFakeClock()
		f.leases, f.workers = unreliableBucket{plain.leases, x}, unreliableBucket{plain.workers, x}
		c.advance(time.Duration(i) * time.Hour)
		all = append(all, newManaged(t, &f, c))
	}
	check := func(when string) {
		t.Helper()
		for number := range partitions {
			var users []int
			for i, m := range all {
				if p := m.queue.partition(number); p != nil && p.remaining(m.clock) > 0 {
					users = append(users, i)
				}
			}
			if len(users) > 1 {
				t.Fatalf("%s: the workers %v use partition %d", when, users, number)
			}
		}
	}
	held := func() (n int) {
		for _, m := range all {
			n += m.Counts().Held
		}
		return n
	}
	stopped := make([]int, len(all)) // number of rounds for which each worker is stopped
	for round := 0; round < rounds || held() < partitions; round++ {
		if x.faults = round < rounds && round%50 < 35; round == 2*rounds {
			t.Fatalf("the workers hold %d partitions long after all faults", held())
		}
		if x.faults && x.random.IntN(30) == 0 {
			if err := records.Purge(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range all {
			m.clock.advance(time.Duration(speeds[i] * float64(tickEvery)))
			if stopped[i]--; stopped[i] > 0 {
				continue
			}
			if x.faults && x.random.IntN(20) == 0 {
				stopped[i] = x.random.IntN(30)
			}
			_ = m.round(ctx) // fails often
			check(fmt.Sprintf("round %d, worker %d", round, i))
			x.deliverLate()
		}
	}
}
