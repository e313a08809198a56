package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A lease is the right of a worker to send requests to the hosts of its partitions. A worker has one
// lease for all of its partitions. The lease has a random name and a record in the bucket of the
// workers, which the worker renews. The key of a partition contains the name of the lease to which
// the partition belongs, and is written only when the partition changes hands.
//
// At no time can two workers send requests to a partition:
//
//   - A worker sends a request only while its lease is valid: for leaseTime after it sent the last
//     renewal that the store accepted. Workers never compare clocks.
//   - A lease ends in the store when its record says so. The holder writes this after it released
//     all partitions. Another worker writes it after it saw the same revision of the record, or no
//     record, for longer than leaseTime and leaseMargin, and only if the record still has that
//     revision. So the holder's own count has ended before. A renewal never replaces a record that
//     says so, and each new lease has a new name. So a lease that has ended in the store never
//     begins again.
//   - A worker takes a partition only if its key is missing, is released, or contains the name of a
//     lease that has ended in the store. It replaces exactly the revision of the key that it read.
//   - If a worker does not know whether the store has its name in a key, it does not use the
//     partition. It releases the partition until the store responds. That response also means that
//     the uncertain write can no longer succeed, because the revision of the key is another one. If
//     the worker stops before, the partition is free when its lease ends.
//
// A worker ends its lease after a loss of data in the store, too: its record is missing or older.
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

// workerRecord is the record of a lease.
type workerRecord struct {
	Ended bool `json:"ended,omitempty"`
}

// partRecord is the value of a partition's key.
type partRecord struct {
	Worker string `json:"worker"` // name of the holder's lease; empty if the partition is released
}

const (
	workerPrefix = "w-"
	partPrefix   = "p-"
)

func workerKey(name string) string { return workerPrefix + name }

func partKey(partition int) string { return partPrefix + strconv.Itoa(partition) }

// lease is the lease of this worker. Only the manager of leases renews it.
type lease struct {
	name     string
	revision uint64 // revision of its record; 0 before the first renewal

	mu    sync.Mutex
	begun time.Time // time at which the last successful renewal was sent
	until time.Time // end of the lease's validity
}

func newLease() *lease { return &lease{name: rand.Text()} }

// isLeaseName reports whether text may be the name of a lease.
func isLeaseName(text string) bool {
	return len(text) == len(rand.Text()) && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// left returns the remaining validity of l. If l has expired, the result is zero or negative.
func (l *lease) left(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stops while the machine sleeps; the wall clock does not.
	now := c.Now()
	return min(l.until.Sub(now), l.until.Round(0).Sub(now.Round(0)))
}

// age returns the time since the last successful renewal was sent.
func (l *lease) age(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.Now().Sub(l.begun)
}

func (l *lease) set(begun time.Time, valid time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun, l.until = begun, begun.Add(valid)
}

// stop makes l invalid.
func (l *lease) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = l.begun
}

// seen records the time at which this worker first saw a revision of a record. The revision is 0 if
// there was no record.
type seen struct {
	revision uint64
	at       time.Time
}

// leases reads and writes the leases of workers and the keys of partitions. One goroutine calls all
// methods except take and release, which may be called concurrently for different partitions.
type leases struct {
	frontier *Frontier
	clock    Clock

	workers map[string]bool // records of the last call of live; true if the lease has ended
	others  map[string]seen // records of other workers, and damaged keys of partitions
}

func newLeases(f *Frontier, c Clock) *leases {
	return &leases{frontier: f, clock: c, others: map[string]seen{}}
}

// codeReplicatedConflict is the error code of a stream with replicas if the expected last sequence
// number is wrong.
const codeReplicatedConflict = 10164

// errTaken means that a lease has ended or that a partition has another holder.
var errTaken = errors.New("fleet: another worker holds the lease")

// renew renews l. If the error is errTaken, l has ended at once. After another error, l stays valid
// until its old expiry.
func (s *leases) renew(ctx context.Context, l *lease) error {
	begin := s.clock.Now()
	err := s.replace(ctx, l, workerRecord{})
	switch {
	case err == nil:
		l.set(begin, leaseTime)
	case errors.Is(err, errTaken):
		l.stop()
	}
	return err
}

// end ends l in the store. The caller must ensure that no request under l is running or will begin.
func (s *leases) end(ctx context.Context, l *lease) error {
	l.stop()
	if err := s.replace(ctx, l, workerRecord{Ended: true}); !errors.Is(err, errTaken) {
		return err
	}
	return nil
}

// replace replaces the record of l. It also succeeds if the store has accepted an earlier call, but
// the response was lost. The error is errTaken if l has ended or its record was lost, or an error
// from the store.
func (s *leases) replace(ctx context.Context, l *lease, r workerRecord) error {
	value, _ := json.Marshal(r)
	revision, err := s.frontier.workers.Update(ctx, workerKey(l.name), value, l.revision)
	if isConflict(err) {
		var entry jetstream.KeyValueEntry
		entry, err = s.frontier.workers.Get(ctx, workerKey(l.name))
		if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && (hasEnded(entry.Value()) || entry.Revision() < l.revision) {
			return errTaken
		}
		if err == nil {
			revision, err = s.frontier.workers.Update(ctx, workerKey(l.name), value, entry.Revision())
		}
	}
	if err == nil {
		l.revision = revision
	}
	return err
}

func hasEnded(record []byte) bool {
	var r workerRecord
	return json.Unmarshal(record, &r) == nil && r.Ended
}

// live returns the sorted keys of the leases that have not ended, including own. It ends the leases
// of stopped workers.
func (s *leases) live(ctx context.Context, own *lease) (keys []string, err error) {
	known, err := s.frontier.values(ctx, workerBucket, []string{"*"})
	if err != nil {
		return nil, err
	}
	s.workers = map[string]bool{}
	for key, m := range known {
		switch {
		case key == workerKey(own.name):
		case hasEnded(m.Data):
			s.workers[key] = true
			delete(s.others, key)
		case s.isSilent(key, m.Sequence):
			s.workers[key] = s.bury(ctx, key, m.Sequence)
		default:
			s.workers[key] = false
			keys = append(keys, key)
		}
	}
	keys = append(keys, workerKey(own.name))
	slices.Sort(keys)
	return keys, nil
}

// bury ends the lease of a stopped worker, if its record still has the given revision. It reports
// whether it succeeded. Otherwise a later call of live reads the record again.
func (s *leases) bury(ctx context.Context, key string, revision uint64) bool {
	value, _ := json.Marshal(workerRecord{Ended: true})
	_, err := s.frontier.workers.Update(ctx, key, value, revision)
	return err == nil
}

// isSilent reports whether the named record has not changed for so long that its worker counts as
// stopped.
func (s *leases) isSilent(name string, revision uint64) bool {
	now := s.clock.Now()
	last, known := s.others[name]
	if !known || last.revision != revision {
		s.others[name] = seen{revision, now}
		return false
	}
	return now.Sub(last.at) > leaseTime+leaseMargin
}

// isFree reports whether a worker with the lease own, which does not hold a partition, may take it.
// The partition's key has the given value and revision. The caller must have called live.
func (s *leases) isFree(ctx context.Context, own *lease, key string, value []byte, revision uint64) bool {
	var r partRecord
	if json.Unmarshal(value, &r) != nil || r.Worker != "" && !isLeaseName(r.Worker) {
		return s.isSilent(key, revision) // the record is damaged
	}
	if r.Worker == "" || r.Worker == own.name {
		return r.Worker == ""
	}
	ended, known := s.workers[workerKey(r.Worker)]
	if !known && s.isSilent(workerKey(r.Worker), 0) {
		s.bury(ctx, workerKey(r.Worker), 0)
	}
	return ended
}

// take gives the partition to own, if the partition's key still has the given revision. The
// revision is 0 if there is no key. The error is errTaken or an error from the store.
func (s *leases) take(ctx context.Context, own *lease, partition int, revision uint64) (uint64, error) {
	value, _ := json.Marshal(partRecord{own.name})
	var err error
	if revision == 0 {
		revision, err = s.frontier.leases.Create(ctx, partKey(partition), value)
	} else {
		revision, err = s.frontier.leases.Update(ctx, partKey(partition), value, revision)
	}
	if isConflict(err) {
		return 0, errTaken
	}
	return revision, err
}

// release releases a partition that own holds, or that own failed to take at the given revision of
// its key. The caller must ensure that no request to its hosts is running or will begin. After an
// error, the caller must call release again, because the partition may still belong to own.
func (s *leases) release(ctx context.Context, own *lease, partition int, revision uint64) error {
	value, _ := json.Marshal(partRecord{})
	_, err := s.frontier.leases.Update(ctx, partKey(partition), value, revision)
	if !isConflict(err) {
		return err
	}
	entry, err := s.frontier.leases.Get(ctx, partKey(partition))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var r partRecord
	if json.Unmarshal(entry.Value(), &r) != nil || r.Worker != own.name {
		return nil // released before, or another worker has the partition
	}
	_, err = s.frontier.leases.Update(ctx, partKey(partition), value, entry.Revision())
	return err
}

// isConflict reports whether a write failed because another record exists.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeReplicatedConflict)
}
