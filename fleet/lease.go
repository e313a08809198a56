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
	// leaseTime is how long a renewal is valid, and renewEvery how often there is one. A
	// cluster that has lost a server needs 4 to 9 seconds for a new leader, for which most
	// leases should last.
	leaseTime  = 12 * time.Second
	renewEvery = 2 * time.Second
	// leaseMargin is how much longer others wait: clocks may run at speeds that differ.
	leaseMargin = 2 * time.Second
)

// leaseRecord is the value of a lease in the store.
type leaseRecord struct {
	Worker string `json:"worker"` // empty: released
	Beat   uint64 `json:"beat"`   // number of the renewal
}

// lease is a partition that this worker holds. Only the manager of leases renews it.
type lease struct {
	name     string
	revision uint64
	beat     uint64
	taken    time.Time // when this worker took it

	mu    sync.Mutex
	begun time.Time // when the last successful renewal was sent
	until time.Time // valid before this
}

// left returns how much longer l is valid; 0 or less: it is not. Its methods may be called
// concurrently.
func (l *lease) left(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic time stands still while the machine sleeps, and the time of day does
	// not.
	now := c.Now()
	return min(l.until.Sub(now), l.until.Round(0).Sub(now.Round(0)))
}

func (l *lease) age(c Clock) time.Duration { return c.Now().Sub(l.renewed()) }

// renewed returns when the last successful renewal was sent.
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

// seen is when this worker first saw a record of another one.
type seen struct {
	revision uint64
	at       time.Time
}

// leases are those of one worker, and what it knows of the others'. Its methods may be called
// concurrently for different leases.
type leases struct {
	bucket jetstream.KeyValue
	clock  Clock
	worker string

	mu     sync.Mutex
	others map[string]seen
	own    map[string]*lease // the last lease of each name that this worker took
}

func newLeases(bucket jetstream.KeyValue, c Clock, worker string) *leases {
	return &leases{bucket: bucket, clock: c, worker: worker, others: map[string]seen{}, own: map[string]*lease{}}
}

// codeReplicatedConflict is the code of a stream with replicas for a wrong last sequence.
const codeReplicatedConflict = 10164

var errTaken = errors.New("fleet: another worker holds the lease")

// take takes the lease of that name if it is free, or its holder was silent for too long. The
// error is errTaken, or that of the store.
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

// renew renews l. The error is errTaken if l is lost, for which it is invalid at once, or
// that of the store, for which it stays valid as long as it was.
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

// replace replaces the record of l, also if the renewal before was stored, and its answer lost. The
// error is errTaken if the record is not that of this worker, or the error of the store.
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

// release gives l back. No request may be under way, or begin under it any more. So this worker may
// take it again at once, also if that fails.
func (s *leases) release(ctx context.Context, l *lease) error {
	l.set(s.clock.Now(), 0)
	s.mu.Lock()
	delete(s.own, l.name)
	s.mu.Unlock()
	value, _ := json.Marshal(leaseRecord{Beat: l.beat + 1})
	if _, err := s.replace(ctx, l, value); !errors.Is(err, errTaken) {
		return err
	}
	return nil // another worker has it already
}

// isFree reports whether the lease with that record may be taken. A damaged record may be that of
// a worker.
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

// hasEnded reports whether this worker's own lease ended so long ago that another worker could
// take it. If the answer to take was lost, no request began under that lease.
func (s *leases) hasEnded(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.own[name]
	return l == nil || l.age(s.clock) > leaseTime+leaseMargin
}

// isSilent reports whether the record of that name has been seen unchanged for so long that
// the worker that wrote it counts as gone.
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

// forget forgets a record that was deleted.
func (s *leases) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.others, name)
}

// isConflict reports whether a record was not written because another one is there.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeReplicatedConflict)
}
