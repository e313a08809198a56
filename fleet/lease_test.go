package fleet

import (
	"errors"
	"testing"
	"time"
)

// leasesOf returns the leases of a worker with a separate clock.
func leasesOf(f *Frontier, worker string, c Clock) *leases {
	return newLeases(f.leases, c, worker)
}

// A lease is valid from before its renewal was sent, and is taken over when it has not been
// renewed for longer than that and the margin, by the clock of the one that takes it: what
// time that clock shows does not matter.
func TestLeaseTakeover(t *testing.T) {
	f := open(t)
	ours, theirs := newFakeClock(), newFakeClock()
	theirs.advance(10 * time.Minute)
	a, b := leasesOf(f, "a", ours), leasesOf(f, "b", theirs)
	l, err := a.take(t.Context(), "p-1")
	if err != nil || l.left(ours) != leaseTime {
		t.Fatal(err)
	}
	pass := func(d time.Duration) { ours.advance(d); theirs.advance(d) }
	// No worker takes a renewed lease.
	for range 10 {
		if _, err := b.take(t.Context(), "p-1"); !errors.Is(err, errTaken) {
			t.Fatal(err)
		}
		pass(renewEvery)
		if err := a.renew(t.Context(), l); err != nil || l.left(ours) != leaseTime {
			t.Fatal(err)
		}
	}
	// Without a renewal, the lease ends, and another worker takes it only after the margin.
	if _, err := b.take(t.Context(), "p-1"); !errors.Is(err, errTaken) {
		t.Fatal(err)
	}
	pass(leaseTime)
	if l.left(ours) > 0 {
		t.Error("the lease is still valid")
	}
	pass(leaseMargin)
	if _, err := b.take(t.Context(), "p-1"); !errors.Is(err, errTaken) {
		t.Errorf("taken over within the margin: %v", err)
	}
	pass(time.Millisecond)
	mine, err := b.take(t.Context(), "p-1")
	if err != nil {
		t.Fatal(err)
	}
	// The stopped worker has lost the lease.
	if err := a.renew(t.Context(), l); !errors.Is(err, errTaken) || l.left(ours) > 0 {
		t.Errorf("%v, %v left", err, l.left(ours))
	}
	// A released lease is free immediately.
	if err := b.release(t.Context(), mine); err != nil || mine.left(theirs) > 0 {
		t.Error(err)
	}
	if _, err := a.take(t.Context(), "p-1"); err != nil {
		t.Error(err)
	}
}

// TestLeaseLostResponse checks that a worker recovers after a lost response to a renewal.
func TestLeaseLostResponse(t *testing.T) {
	f := open(t)
	c := newFakeClock()
	a := leasesOf(f, "a", c)
	l, err := a.take(t.Context(), "p-1")
	if err != nil {
		t.Fatal(err)
	}
	revision := l.revision
	if err := a.renew(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	l.revision = revision
	c.advance(renewEvery)
	if err := a.renew(t.Context(), l); err != nil || l.left(c) != leaseTime {
		t.Errorf("%v, %v left", err, l.left(c))
	}
	l.revision = revision
	if err := a.release(t.Context(), l); err != nil {
		t.Error(err)
	}
	if _, err := leasesOf(f, "b", c).take(t.Context(), "p-1"); err != nil {
		t.Error(err)
	}
}

// A worker takes its own lost lease again when another worker could take it, however short it has
// seen the record, and whatever became of the last renewal.
func TestOwnLease(t *testing.T) {
	for name, last := range map[string]func(a *leases, l *lease) error{
		"renewal that was not stored": func(*leases, *lease) error { return nil },
		"renewal whose answer was lost": func(a *leases, l *lease) error {
			_, err := a.bucket.Update(t.Context(), l.name, []byte(`{"worker":"a","beat":1}`), l.revision)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := open(t), newFakeClock()
			a := leasesOf(f, "a", c)
			l, err := a.take(t.Context(), "p-1")
			if err == nil {
				err = last(a, l)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.advance(leaseTime + leaseMargin)
			if _, err := a.take(t.Context(), "p-1"); !errors.Is(err, errTaken) {
				t.Errorf("it was taken within the margin: %v", err)
			}
			c.advance(time.Millisecond)
			if l, err := a.take(t.Context(), "p-1"); err != nil || l.left(c) != leaseTime {
				t.Error(err)
			}
		})
	}
}

// TestLeaseLostRelease checks that a worker can immediately take a lease again that it failed to
// release.
func TestLeaseLostRelease(t *testing.T) {
	f := open(t)
	a := leasesOf(f, "a", newFakeClock())
	l, err := a.take(t.Context(), "p-1")
	if err != nil {
		t.Fatal(err)
	}
	a.bucket = &silentBucket{KeyValue: f.leases, silent: true}
	if err := a.release(t.Context(), l); err == nil {
		t.Error("it was given back")
	}
	a.bucket = f.leases
	if l, err = a.take(t.Context(), "p-1"); err != nil {
		t.Fatal(err)
	}
	// If another worker has the lease, release does nothing.
	if _, err := f.leases.Put(t.Context(), "p-1", []byte(`{"worker":"b"}`)); err != nil {
		t.Fatal(err)
	}
	if err := a.release(t.Context(), l); err != nil {
		t.Error(err)
	}
}

// TestLeaseLostTake checks that a worker immediately takes a lease again if the response to take
// was lost.
func TestLeaseLostTake(t *testing.T) {
	f := open(t)
	a := leasesOf(f, "a", newFakeClock())
	if _, err := f.leases.Create(t.Context(), "p-1", []byte(`{"worker":"a"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.take(t.Context(), "p-1"); err != nil {
		t.Error(err)
	}
}
