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

// A lease is the right of a worker to send requests to the hosts of its partitions. A worker has
// one lease for all of its partitions. The lease has a random name, and a record in the
// workerBucket that the worker renews. The key of a partition contains the name of the holder's
// lease. A worker writes the key only when the partition gets another holder.
//
// Two workers never send requests to the same partition at the same time:
//
//   - A worker sends a request only while its lease is valid. The validity ends leaseTime after the
//     worker sent the last renewal that the store accepted. Workers never compare clocks.
//   - A lease ends in the store when its record is marked as ended. The holder marks the record after
//     it has released all partitions. Another worker marks the record if the revision did not change,
//     or the record was missing, for longer than the sum of leaseTime and leaseMargin. By then the
//     lease has expired by the holder's own clock. A renewal never replaces a record that is marked
//     as ended, and each new lease has a new name. So a lease that has ended in the store never
//     becomes valid again.
//   - A worker takes a partition only if its key is missing, is released, or contains the name of a
//     lease that has ended in the store. The write succeeds only if the key still has the revision
//     that the worker read.
//   - If a worker does not know whether its write to a key succeeded, it does not use the partition.
//     It repeats the release of the partition until the store responds. After that response, the
//     uncertain write can no longer succeed, because the revision of the key has changed. If the
//     worker stops before the response, the partition becomes free when the lease ends.
//
// If the store has lost data, the worker's record is missing or has an older revision. In that
// case, too, the worker ends its lease.
const (
	// leaseTime is the validity of a renewal. renewEvery is the interval between renewals. After
	// the loss of a server, a cluster elects a new leader in 4 to 9 seconds. Most leases should
	// last longer than such an election.
	leaseTime  = 12 * time.Second
	renewEvery = 2 * time.Second
	// leaseMargin is the extra time that other workers wait after leaseTime, because clocks run
	// at slightly different speeds.
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

// lease is the lease of this worker. Only the method manage of the worker renews it.
type lease struct {
	name     string
	revision uint64 // revision of its record; 0 before the first renewal

	mu        sync.Mutex
	renewedAt time.Time // time at which the last successful renewal was sent
	expiry    time.Time // end of the lease's validity
}

func newLease() *lease { return &lease{name: rand.Text()} }

// isLeaseName reports whether name is a possible lease name.
func isLeaseName(name string) bool {
	return len(name) == len(rand.Text()) && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// remaining returns the remaining validity of l. If l has expired, the result is zero or
// negative.
func (l *lease) remaining(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stops while the machine sleeps; the wall clock does not.
	now := c.Now()
	return min(l.expiry.Sub(now), l.expiry.Round(0).Sub(now.Round(0)))
}

// age returns the time since the last successful renewal was sent.
func (l *lease) age(c Clock) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.Now().Sub(l.renewedAt)
}

func (l *lease) set(renewedAt time.Time, validity time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewedAt, l.expiry = renewedAt, renewedAt.Add(validity)
}

// invalidate ends the validity of l at once.
func (l *lease) invalidate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expiry = l.renewedAt
}

// observation records when this worker first observed a revision of a record. The revision is 0
// if the record was missing.
type observation struct {
	revision  uint64
	firstSeen time.Time
}

// leases reads and writes the workers' lease records and the keys of partitions. Only one
// goroutine may call the methods. The exceptions are takePartition and releasePartition, which
// may be called concurrently for different partitions.
type leases struct {
	frontier *Frontier
	clock    Clock

	workers  map[string]bool        // records at the last call of liveKeys; true if the lease has ended
	observed map[string]observation // revisions of other workers' records and of damaged keys
}

func newLeases(f *Frontier, c Clock) *leases {
	return &leases{frontier: f, clock: c, observed: map[string]observation{}}
}

// codeReplicatedConflict is the server's error code for a wrong expected sequence number in a
// stream with replicas.
const codeReplicatedConflict = 10164

// errTaken is the error if a lease has ended or a partition has another holder.
var errTaken = errors.New("fleet: another worker holds the lease")

// renew renews l. If the error is errTaken, the lease is no longer valid. After any other error,
// l stays valid until its previous expiry.
func (s *leases) renew(ctx context.Context, l *lease) error {
	begin := s.clock.Now()
	err := s.writeRecord(ctx, l, workerRecord{})
	switch {
	case err == nil:
		l.set(begin, leaseTime)
	case errors.Is(err, errTaken):
		l.invalidate()
	}
	return err
}

// endLease ends l in the store. The caller must ensure that no request under l is running or will
// begin.
func (s *leases) endLease(ctx context.Context, l *lease) error {
	l.invalidate()
	if err := s.writeRecord(ctx, l, workerRecord{Ended: true}); !errors.Is(err, errTaken) {
		return err
	}
	return nil
}

// writeRecord replaces the record of l. It also succeeds if the store accepted an earlier call
// whose response was lost. If l has ended or its record was lost, the error is errTaken. Other
// errors are from the store.
func (s *leases) writeRecord(ctx context.Context, l *lease, r workerRecord) error {
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

// liveKeys returns the sorted record keys of the leases that have not ended, including ownLease.
// It ends the leases of stopped workers.
func (s *leases) liveKeys(ctx context.Context, ownLease *lease) (keys []string, err error) {
	known, err := s.frontier.values(ctx, workerBucket, []string{"*"})
	if err != nil {
		return nil, err
	}
	s.workers = map[string]bool{}
	for key, m := range known {
		switch {
		case key == workerKey(ownLease.name):
		case hasEnded(m.Data):
			s.workers[key] = true
			delete(s.observed, key)
		case s.isSilent(key, m.Sequence):
			s.workers[key] = s.endStopped(ctx, key, m.Sequence)
		default:
			s.workers[key] = false
			keys = append(keys, key)
		}
	}
	keys = append(keys, workerKey(ownLease.name))
	slices.Sort(keys)
	return keys, nil
}

// endStopped ends the lease of a stopped worker if the lease's record still has the given
// revision, and reports whether the write succeeded. After a failure, the next call of liveKeys
// reads the record again.
func (s *leases) endStopped(ctx context.Context, key string, revision uint64) bool {
	value, _ := json.Marshal(workerRecord{Ended: true})
	_, err := s.frontier.workers.Update(ctx, key, value, revision)
	return err == nil
}

// isSilent reports whether the named record has not changed for longer than a lease can be valid.
// In that case its worker counts as stopped.
func (s *leases) isSilent(name string, revision uint64) bool {
	now := s.clock.Now()
	last, known := s.observed[name]
	if !known || last.revision != revision {
		s.observed[name] = observation{revision, now}
		return false
	}
	return now.Sub(last.firstSeen) > leaseTime+leaseMargin
}

// isFree reports whether the worker with ownLease may take a partition that it does not hold. The
// partition's key has the given value and revision. The caller must have called liveKeys.
func (s *leases) isFree(ctx context.Context, ownLease *lease, key string, value []byte, revision uint64) bool {
	var r partRecord
	if json.Unmarshal(value, &r) != nil || r.Worker != "" && !isLeaseName(r.Worker) {
		return s.isSilent(key, revision) // the record is damaged
	}
	if r.Worker == "" || r.Worker == ownLease.name {
		return r.Worker == ""
	}
	ended, known := s.workers[workerKey(r.Worker)]
	if !known && s.isSilent(workerKey(r.Worker), 0) {
		s.endStopped(ctx, workerKey(r.Worker), 0)
	}
	return ended
}

// takePartition writes the name of ownLease to the partition's key if the key still has the given
// revision. The revision is 0 if the key is missing. The error is errTaken or an error from the
// store.
func (s *leases) takePartition(ctx context.Context, ownLease *lease, partition int, revision uint64) (uint64, error) {
	value, _ := json.Marshal(partRecord{ownLease.name})
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

// releasePartition releases a partition that belongs to ownLease. It also releases a partition
// after a failed call of takePartition with the given revision. The caller must ensure that no
// request to the partition's hosts is running or will begin. After an error, the caller must call
// releasePartition again, because the partition may still belong to ownLease.
func (s *leases) releasePartition(ctx context.Context, ownLease *lease, partition int, revision uint64) error {
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
	if json.Unmarshal(entry.Value(), &r) != nil || r.Worker != ownLease.name {
		return nil // released before, or another worker has the partition
	}
	_, err = s.frontier.leases.Update(ctx, partKey(partition), value, entry.Revision())
	return err
}

// isConflict reports whether a write failed because the store contains another revision of the
// record.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeReplicatedConflict)
}
