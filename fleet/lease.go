package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A lease is the right of a worker to send requests to the hosts of a partition. Workers never
// compare clocks. The holder counts the lease from a time before it sent the renewal. Another
// worker takes the lease only after it has seen the same renewal for longer than the lease and a
// margin. So clock errors and stopped workers do no harm.
const (
	// leaseTime is how long a renewal is valid. renewEvery is the interval between renewals. A
	// cluster that lost a server elects a new leader in 4 to 9 seconds. Most leases should last
	// longer than the election.
	leaseTime  = 12 * time.Second
	renewEvery = 2 * time.Second
	// leaseMargin is the time that other workers add to leaseTime, because clocks run at slightly
	// different speeds.
	leaseMargin = 2 * time.Second
)

// leaseRecord is the value of a lease in the store.
type leaseRecord struct {
	Worker string `json:"worker"` // empty if released
	Beat   uint64 `json:"beat"`   // number of renewals
}

// lease is the lease of this worker for a partition. Only the manager of leases renews it.
type lease struct {
	name     string
	revision uint64
	beat     uint64
	taken    time.Time // time at which this worker took the lease

	mu    sync.Mutex
	begun time.Time // time at which the last successful renewal was sent
	until time.Time // end of the lease's validity
}

// left returns the remaining validity of l. If l has expired, the result is zero or negative.
func (l *lease) left(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stops while the machine sleeps; the wall clock does not.
	now := c.Now()
	return min(l.until.Sub(now), l.until.Round(0).Sub(now.Round(0)))
}

func (l *lease) age(c Clock) time.Duration { return c.Now().Sub(l.renewed()) }

// renewed returns the time at which the last successful renewal was sent.
func (l *lease) renewed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

func (l *lease) set(begun time.Time, valid time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun, l.until = begun, begun.Add(valid)
}

// seen records the time at which this worker first saw a record of another worker.
type seen struct {
	revision uint64
	at       time.Time
}

// leases holds the leases of this worker, and the records of other workers that this worker saw.
// Its methods may be called concurrently for different leases.
type leases struct {
	bucket jetstream.KeyValue
	clock  Clock
	worker string

	mu     sync.Mutex
	others map[string]seen
	own    map[string]*lease // last lease of each name that this worker took
}

func newLeases(bucket jetstream.KeyValue, c Clock, worker string) *leases {
	return &leases{bucket: bucket, clock: c, worker: worker, others: map[string]seen{}, own: map[string]*lease{}}
}

// codeReplicatedConflict is the error code of a stream with replicas if the expected last sequence
// number is wrong.
const codeReplicatedConflict = 10164

var errTaken = errors.New("fleet: another worker holds the lease")

// take takes the named lease if the lease is free or its holder stopped renewing. The error is
// errTaken or an error from the store.
func (s *leases) take(ctx context.Context, name string) (*lease, error) {
	value, _ := json.Marshal(leaseRecord{Worker: s.worker})
	begin := s.clock.Now()
	var revision uint64
	entry, err := s.bucket.Get(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		revision, err = s.bucket.Create(ctx, name, value)
	case err != nil:
		return nil, err
	case !s.isFree(name, entry.Value(), entry.Revision()):
		return nil, errTaken
	default:
		revision, err = s.bucket.Update(ctx, name, value, entry.Revision())
	}
	if isConflict(err) {
		return nil, errTaken
	}
	if err != nil {
		return nil, err
	}
	l := &lease{name: name, revision: revision, taken: s.clock.Now()}
	l.set(begin, leaseTime)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.others, name)
	s.own[name] = l
	return l, nil
}

// renew renews l. If the error is errTaken, l is invalid at once. After another error, l stays
// valid until its old expiry.
func (s *leases) renew(ctx context.Context, l *lease) error {
	value, _ := json.Marshal(leaseRecord{Worker: s.worker, Beat: l.beat + 1})
	begin := s.clock.Now()
	revision, err := s.replace(ctx, l, value)
	if errors.Is(err, errTaken) {
		l.set(begin, 0)
	}
	if err != nil {
		return err
	}
	l.revision, l.beat = revision, l.beat+1
	l.set(begin, leaseTime)
	return nil
}

// replace replaces the record of l. It also succeeds if the store has accepted the previous
// renewal, but the response was lost. The error is errTaken if the record belongs to another
// worker, or an error from the store.
func (s *leases) replace(ctx context.Context, l *lease, value []byte) (revision uint64, err error) {
	revision, err = s.bucket.Update(ctx, l.name, value, l.revision)
	if !isConflict(err) {
		return revision, err
	}
	entry, err := s.bucket.Get(ctx, l.name)
	if err != nil {
		return 0, err
	}
	var r leaseRecord
	if json.Unmarshal(entry.Value(), &r) != nil || r.Worker != s.worker {
		return 0, errTaken
	}
	return s.bucket.Update(ctx, l.name, value, entry.Revision())
}

// release releases l. The caller must ensure that no request under l is running or will begin.
// After release, even if it returns an error, this worker may take the lease again at once.
func (s *leases) release(ctx context.Context, l *lease) error {
	l.set(s.clock.Now(), 0)
	s.mu.Lock()
	delete(s.own, l.name)
	s.mu.Unlock()
	value, _ := json.Marshal(leaseRecord{Beat: l.beat + 1})
	if _, err := s.replace(ctx, l, value); !errors.Is(err, errTaken) {
		return err
	}
	return nil // another worker already has the lease
}

// isFree reports whether this worker may take the lease with the given record. It returns false for
// a record that it can't decode, because the lease may belong to a worker.
func (s *leases) isFree(name string, value []byte, revision uint64) bool {
	var r leaseRecord
	if json.Unmarshal(value, &r) == nil {
		switch r.Worker {
		case "":
			return true
		case s.worker:
			return s.hasEnded(name)
		}
	}
	return s.isSilent(name, revision)
}

// hasEnded reports whether this worker's own lease ended so long ago that another worker could take
// the lease. This also allows a new lease if the response to take was lost, because no request
// began under the old lease.
func (s *leases) hasEnded(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.own[name]
	return l == nil || l.age(s.clock) > leaseTime+leaseMargin
}

// isSilent reports whether the named record has not changed for so long that its worker counts as
// stopped.
func (s *leases) isSilent(name string, revision uint64) bool {
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.others[name]
	if !known || last.revision != revision {
		s.others[name] = seen{revision, now}
		return false
	}
	return now.Sub(last.at) > leaseTime+leaseMargin
}

// forget removes a deleted record.
func (s *leases) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.others, name)
}

// isConflict reports whether a write failed because another record exists.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeReplicatedConflict)
}
