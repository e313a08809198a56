package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	tickEvery = time.Second
	// pollEvery is the interval at which loops check the worker's state. It is also the delay
	// between the notice of a new target and the first attempt to read the target.
	pollEvery = 100 * time.Millisecond
	// renewTime limits the wait for a renewal. After that time, the worker sends the renewal
	// again. callTime limits all other requests of a round. The sum of these limits is shorter
	// than leaseTime, so a second attempt can still renew the lease in time.
	renewTime = 2 * time.Second
	callTime  = 3 * time.Second
	// reportEvery is the interval between a worker's reports.
	reportEvery = 5 * time.Second
	// stopTime limits the time for releasing partitions when a worker stops.
	stopTime = 5 * time.Second
)

// manage renews the lease of the worker, and takes and releases partitions, until ctx ends or the
// fleet is drained.
func (w *Worker) manage(ctx context.Context) error {
	if w.frontier.settings.Every > 0 {
		w.running.Go(func() { w.recrawl(ctx) })
	}
	for ctx.Err() == nil {
		drained, err := w.tick(ctx)
		if err != nil && ctx.Err() == nil {
			w.countStoreError()
			w.options.note("the NATS server %s", reasonFor(err))
		}
		w.noteLost()
		if drained {
			return nil
		}
		if sleep(w.clock, tickEvery, ctx.Done()) {
			break
		}
	}
	return nil
}

// noteLost writes a note with the number of partitions that the worker lost since the previous
// note.
func (w *Worker) noteLost() {
	w.mu.Lock()
	n := w.counts.Lost - w.lostNoted
	w.lostNoted = w.counts.Lost
	w.mu.Unlock()
	if n > 0 {
		w.options.note("lost %d partitions: the lease was not renewed within %s; workers will take them again", n, leaseTime)
	}
}

// tick performs one round of manage. It takes partitions only if the renewal succeeded. The
// result drained is true if the fleet is drained and the worker holds no partitions.
func (w *Worker) tick(ctx context.Context) (drained bool, err error) {
	// A worker applies the mode even if it can't renew its lease. It reads the mode and renews
	// the lease concurrently, with one time limit, so that the next renewal is not delayed.
	call, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	var mode Mode
	var reading sync.WaitGroup
	reading.Go(func() { mode, err = w.readMode(call) })
	isRenewed, renewed := w.renewLease(call)
	reading.Wait()
	err = errors.Join(renewed, err)
	w.queue.mu.Lock()
	w.queue.paused = mode != Run
	w.queue.changed.Broadcast()
	w.queue.mu.Unlock()
	rest, end := context.WithTimeout(ctx, callTime)
	defer end()
	if isRenewed {
		err = errors.Join(err, w.saveMarks(rest))
	}
	if mode == Drain {
		w.drainAll(rest)
		drained = len(w.sortedParts()) == 0
	} else if err == nil && isRenewed {
		err = w.balance(ctx, rest)
	}
	if err == nil {
		w.mu.Lock()
		w.respondedAt = w.clock.Now()
		w.mu.Unlock()
	}
	return drained, err
}

// renewLease renews the lease of the worker if a renewal is due, and reports whether the renewal
// succeeded. If the lease has ended, the worker drops its partitions. The worker begins a new
// lease as soon as other workers may take these partitions.
func (w *Worker) renewLease(ctx context.Context) (isRenewed bool, err error) {
	isOver := w.lease.revision > 0 && w.lease.remaining(w.clock) <= 0
	switch age := w.lease.age(w.clock); {
	case isOver && age <= leaseTime+leaseMargin || !isOver && age < renewEvery:
		return false, nil
	case isOver:
		w.losePartitions(w.lease)
		if err := w.leases.endLease(ctx, w.lease); err != nil {
			return false, err
		}
		w.beginLease()
	}
	isNew := w.lease.revision == 0
	err = w.leases.renew(ctx, w.lease)
	switch {
	case errors.Is(err, errTaken) && isNew:
		w.beginLease() // the response to an earlier attempt was lost
		return false, nil
	case errors.Is(err, errTaken):
		w.losePartitions(w.lease)
		return false, nil
	case err == nil && isNew:
		w.watchLease(w.lease)
	}
	return err == nil, err
}

func (w *Worker) beginLease() {
	w.lease, w.reportedAt = newLease(), time.Time{}
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.unreleased) // these partitions belonged to the old lease, which has ended
}

// drainAll stops new requests. It releases each partition that has no running requests.
func (w *Worker) drainAll(ctx context.Context) {
	for _, p := range w.sortedParts() {
		w.drainPartition(p)
	}
	w.endDrained(ctx)
}

// balance releases partitions if the worker holds more than its share, and takes free partitions
// if the worker holds fewer. Then it stores the report of this worker. ctx is the parent context
// of the partitions, and callCtx limits the requests to the server.
func (w *Worker) balance(ctx, callCtx context.Context) error {
	if err := w.releaseUnreleased(callCtx); err != nil {
		return err
	}
	live, err := w.leases.liveKeys(callCtx, w.lease)
	if err != nil {
		return err
	}
	// The shares of all workers add up to the number of partitions. So a worker with less than
	// its share can always find a partition that is or will become free.
	total := w.frontier.settings.Partitions
	share := total / len(live)
	if slices.Index(live, workerKey(w.lease.name)) < total%len(live) {
		share++
	}
	parts := w.sortedParts()
	for _, p := range parts[min(share, len(parts)):] {
		w.drainPartition(p)
	}
	w.endDrained(callCtx)
	return errors.Join(w.takeFree(ctx, callCtx, share-len(parts)), w.storeReport(callCtx))
}

// takeFree takes up to n free partitions. Workers begin the search at different partitions, so
// that they rarely try to take the same partition.
func (w *Worker) takeFree(ctx, callCtx context.Context, n int) error {
	if n <= 0 {
		return nil
	}
	total := w.frontier.settings.Partitions
	first := int(hash16([]byte(w.lease.name))[0]) * total / 256
	var numbers []int
	var keys []string
	for i := range total {
		number := (first + i) % total
		if w.queue.partition(number) == nil {
			numbers, keys = append(numbers, number), append(keys, partKey(number))
		}
	}
	known, err := w.frontier.values(callCtx, leaseBucket, keys)
	if err != nil {
		return err
	}
	var free []int
	revisions := map[int]uint64{}
	for _, number := range numbers {
		if m := known[partKey(number)]; m != nil {
			if !w.leases.isFree(callCtx, w.lease, partKey(number), m.Data, m.Sequence) {
				continue
			}
			revisions[number] = m.Sequence
		}
		free = append(free, number)
	}
	begin := w.clock.Now()
	return forEach(free[:min(n, len(free))], func(number int) error {
		if w.clock.Now().Sub(begin) > renewEvery/2 {
			return nil // a later round takes the remaining partitions, so that the renewal is not delayed
		}
		revision, err := w.leases.takePartition(callCtx, w.lease, number, revisions[number])
		if errors.Is(err, errTaken) {
			return nil
		}
		if err != nil {
			return errors.Join(err, w.releaseUnused(callCtx, number, revisions[number]))
		}
		err = w.startPartition(ctx, callCtx, &partition{number: number, lease: w.lease, revision: revision, takenAt: w.clock.Now()})
		if err != nil {
			return errors.Join(err, w.releaseUnused(callCtx, number, revision))
		}
		return nil
	})
}

// releaseUnused releases a partition that this worker does not use. After an error, a later round
// tries again.
func (w *Worker) releaseUnused(ctx context.Context, number int, revision uint64) error {
	err := w.leases.releasePartition(ctx, w.lease, number, revision)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.unreleased, number)
	if err != nil {
		w.unreleased[number] = revision
	}
	return err
}

// releaseUnreleased releases the partitions that this worker failed to release.
func (w *Worker) releaseUnreleased(ctx context.Context) error {
	w.mu.Lock()
	unreleased := maps.Clone(w.unreleased)
	w.mu.Unlock()
	return forEach(slices.Collect(maps.Keys(unreleased)), func(number int) error { return w.releaseUnused(ctx, number, unreleased[number]) })
}

// leasesAtOnce limits concurrent operations on partitions. If a round trip takes 30 ms, a worker
// takes 500 partitions per second.
const leasesAtOnce = 64

// forEach calls process for each element of the list, and waits for the calls. At most
// leasesAtOnce calls run concurrently. After an error, forEach starts no further calls and
// returns the error, because all calls need the same server.
func forEach[T any](list []T, process func(T) error) error {
	turns, failed := make(chan struct{}, leasesAtOnce), make(chan error, 1)
	var running sync.WaitGroup
	for _, one := range list {
		turns <- struct{}{}
		if len(failed) > 0 {
			break
		}
		running.Go(func() {
			defer func() { <-turns }()
			if err := process(one); err != nil {
				select {
				case failed <- err:
				default: // same cause as the first error
				}
			}
		})
	}
	running.Wait()
	close(failed)
	return <-failed
}

// saveMarks stores the low-water marks of the partitions.
func (w *Worker) saveMarks(ctx context.Context) error {
	return forEach(w.sortedParts(), func(p *partition) error { return w.saveMark(ctx, p) })
}

// startPartition starts work on a partition that the worker has taken. ctx is the parent context
// of the partition, and callCtx limits the requests to the server.
func (w *Worker) startPartition(ctx, callCtx context.Context, p *partition) error {
	p.hosts = map[string]*host{}
	if entry, err := w.frontier.hosts.Get(callCtx, markName(p.number)); err == nil {
		// An unreadable mark is harmless, because the worker then reads all targets from the
		// first one.
		_ = json.Unmarshal(entry.Value(), &p.nextSequence)
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	p.nextSequence = max(p.nextSequence, 1)
	p.savedMark = p.nextSequence
	info, err := w.frontier.targets.Info(callCtx)
	if err != nil {
		return err
	}
	p.oldSequence = info.State.LastSeq
	inside, cancel := context.WithCancel(ctx)
	p.ctx = inside
	permits, err := w.servePermits(p)
	if err != nil {
		cancel()
		return err
	}
	news, err := w.watchNews(p)
	p.stop = func() {
		cancel()
		for _, s := range []*nats.Subscription{permits, news} {
			_ = s.Unsubscribe() // fails only if the connection or the subscription has ended
		}
	}
	if err != nil {
		p.stop()
		return err
	}
	w.queue.mu.Lock()
	w.queue.parts[p.number] = p
	w.queue.mu.Unlock()
	if p.lease.remaining(w.clock) <= 0 {
		w.losePartition(p)
	}
	w.running.Go(func() { w.readTargets(inside, p) })
	return nil
}

// watchLease ends the partitions of l and their running requests when l expires, because other
// workers may then begin requests to the same hosts.
func (w *Worker) watchLease(l *lease) {
	left := l.remaining(w.clock)
	if left <= 0 {
		w.losePartitions(l)
		return
	}
	w.clock.AfterFunc(left, func() { w.watchLease(l) })
}

func markName(partition int) string { return fmt.Sprint("m-", partition) }

// saveMark stores the low-water mark of p if it changed.
func (w *Worker) saveMark(ctx context.Context, p *partition) error {
	mark, ok := w.queue.lowMark(p)
	if !ok || mark == p.savedMark {
		return nil
	}
	if _, err := w.frontier.hosts.Put(ctx, markName(p.number), fmt.Append(nil, mark)); err != nil {
		return err
	}
	p.savedMark = mark
	return nil
}

// drainPartition stops new requests to the hosts of p.
func (w *Worker) drainPartition(p *partition) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	p.draining = true
}

// endDrained releases the drained partitions that have no running requests.
func (w *Worker) endDrained(ctx context.Context) {
	idle := slices.DeleteFunc(w.sortedParts(), func(p *partition) bool { return !w.queue.isIdle(p) })
	if err := forEach(idle, func(p *partition) error { return w.returnPartition(ctx, p) }); err != nil {
		w.options.note("can't release a lease, so it will expire: the NATS server %s", reasonFor(err))
	}
}

// endPartition stops work on a partition, and reports whether this worker held the partition.
func (w *Worker) endPartition(p *partition) bool {
	p.stop()
	return w.queue.dropPartition(p)
}

// losePartitions stops work on the partitions of a lease that has ended.
func (w *Worker) losePartitions(l *lease) {
	for _, p := range w.sortedParts() {
		if p.lease == l {
			w.losePartition(p)
		}
	}
}

// losePartition stops work on a partition whose lease has ended.
func (w *Worker) losePartition(p *partition) {
	if w.endPartition(p) {
		w.updateCounts(func(c *Counts) { c.Lost++ })
	}
}

// returnPartition stops work on a partition and releases the partition.
func (w *Worker) returnPartition(ctx context.Context, p *partition) error {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := w.saveMark(call, p)
	w.endPartition(p)
	if p.lease.remaining(w.clock) > 0 {
		err = errors.Join(err, w.releaseUnused(call, p.number, p.revision))
	}
	return err
}

// shutDown releases all partitions and ends the lease, because the worker stops.
func (w *Worker) shutDown() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	for _, p := range w.sortedParts() {
		w.drainPartition(p)
	}
	var busy atomic.Bool
	err := forEach(w.sortedParts(), func(p *partition) error {
		// Other workers may hold permits for requests to hosts of p.
		for !w.queue.isIdle(p) && !sleep(w.clock, pollEvery, ctx.Done()) {
		}
		if !w.queue.isIdle(p) {
			busy.Store(true)
			return nil
		}
		return w.returnPartition(ctx, p)
	})
	for _, p := range w.sortedParts() {
		w.endPartition(p)
	}
	if err == nil && !busy.Load() && w.lease.remaining(w.clock) > 0 {
		err = w.leases.endLease(ctx, w.lease)
	}
	if err != nil {
		w.options.note("other workers will notice after some seconds that this worker stopped: the NATS server %s", reasonFor(err))
	}
}

// reportPrefix is the first word of a report's key.
const reportPrefix = "count."

// storeReport stores the statistics of this worker if a report is due.
func (w *Worker) storeReport(ctx context.Context) error {
	now := w.clock.Now()
	if now.Sub(w.reportedAt) < reportEvery {
		return nil
	}
	c := w.Counts()
	c.Busiest = w.countHosts()
	text, err := json.Marshal(c)
	if err == nil {
		_, err = w.frontier.workers.Put(ctx, reportPrefix+w.lease.name, text)
	}
	if err == nil {
		w.reportedAt = now
	}
	return err
}
