package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A partition's hosts belong to the worker that holds its lease. No two clocks are compared:
// the holder counts the lease from before it sent the renewal, and another worker takes over
// when it has seen the same renewal for longer than that, and a margin. So it does not matter
// what time a worker's clock shows, nor for how long the worker was stopped.
const (
	// leaseTime is how long a renewal is valid, and renewEvery how often there is one.
	leaseTime  = 10 * time.Second
	renewEvery = leaseTime / 3
	// leaseMargin is how much longer others wait: clocks may run at speeds that differ.
	leaseMargin = 2 * time.Second
)

// leaseRecord is the value of a lease in the store.
type leaseRecord struct {
	Worker string `json:"worker"` // empty: released
	Beat   uint64 `json:"beat"`   // of the renewals of this worker
}

// lease is a partition that this worker holds.
type lease struct {
	mu    sync.Mutex
	until time.Time // valid before this
	ended chan struct{}
}

// valid returns how much longer l is valid; 0 or less: it is not.
func (l *lease) left(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until.Sub(c.Now())
}

// seen is when this worker first saw a renewal of another one.
type seen struct {
	revision uint64
	at       time.Time
}

// leases are those of one worker, and what it knows of the others'.
type leases struct {
	bucket jetstream.KeyValue
	clock  Clock
	worker string
	others map[string]seen
}

var errTaken = errors.New("fleet: another worker holds the lease")

// take takes the lease called name if nobody holds it, or its holder was silent for too
// long. The error is errTaken, or that of the store.
func (s *leases) take(ctx context.Context, name string) (l *lease, revision uint64, err error) {
	value, _ := json.Marshal(leaseRecord{Worker: s.worker})
	begin := s.clock.Now()
	entry, err := s.bucket.Get(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		revision, err = s.bucket.Create(ctx, name, value)
	case err != nil:
		return nil, 0, err
	case s.isHeld(name, entry):
		return nil, 0, errTaken
	default:
		revision, err = s.bucket.Update(ctx, name, value, entry.Revision())
	}
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil, 0, errTaken
	}
	if err != nil {
		return nil, 0, err
	}
	delete(s.others, name)
	return &lease{until: begin.Add(leaseTime), ended: make(chan struct{})}, revision, nil
}

// isHeld reports whether another worker may hold a lease: it was not released, and changed a
// short time ago, or is seen for the first time.
func (s *leases) isHeld(name string, entry jetstream.KeyValueEntry) bool {
	var r leaseRecord
	if err := json.Unmarshal(entry.Value(), &r); err == nil && r.Worker == "" {
		return false
	}
	now := s.clock.Now()
	last, known := s.others[name]
	if !known || last.revision != entry.Revision() {
		s.others[name] = seen{entry.Revision(), now}
		return true
	}
	return now.Sub(last.at) <= leaseTime+leaseMargin
}
