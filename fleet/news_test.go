package fleet

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/locus-url/locus/verify"
)

// TestNews checks when a reader without targets looks for new ones: soon after a target is
// published, after storeTime if the target was not stored yet, and otherwise after readEvery.
func TestNews(t *testing.T) {
	f, c := openParts(t, 1), newFakeClock()
	w := newFixture(t, redirecting)
	worker := w.workerAt(f, w.options(), c)
	ready, closeReady, err := worker.newSlot()
	if err != nil {
		t.Fatal(err)
	}
	defer closeReady()
	worker.decoder = ready
	ctx, cancel := context.WithCancel(t.Context())
	defer worker.running.Wait()
	defer cancel()
	p := worker.holdPartition(ctx, t, 0)
	defer p.stop()
	// The reader waits for the first time.
	await(t, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.timers) >= 2 })
	s, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Submit(t.Context(), slices.Values([]verify.Source{document("d", "http://h.example/")})); err != nil {
		t.Fatal(err)
	}
	begin := c.Now()
	await(t, func() bool { c.advance(time.Millisecond); return worker.Counts().Waiting == 1 })
	if d := c.Now().Sub(begin); d > 2*storeTime {
		t.Errorf("the target was read after %v", d)
	}
	other := &partition{newsSignal: make(chan struct{}, 1)}
	for range 2 {
		wait := make(chan time.Duration)
		go func() { wait <- worker.awaitNews(ctx, other, readEvery) }()
		other.newsSignal <- struct{}{}
		if d := awaitAdvancing(c, wait); d != storeTime {
			t.Errorf("the reader looks again after %v", d)
		}
		go func() { wait <- worker.awaitNews(ctx, other, storeTime) }()
		if d := awaitAdvancing(c, wait); d != readEvery {
			t.Errorf("the reader looks again after %v", d)
		}
	}
}

// awaitAdvancing receives a value while the clock advances.
func awaitAdvancing[T any](c *fakeClock, from <-chan T) T {
	for {
		select {
		case v := <-from:
			return v
		default:
			c.advance(10 * time.Millisecond)
			time.Sleep(time.Millisecond)
		}
	}
}
