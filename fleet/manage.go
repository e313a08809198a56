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
	// newsEvery is the time between news of a target and the first search for it, and between other
	// looks at the worker's own state.
	newsEvery = 100 * time.Millisecond
	// renewTime limits the wait for a renewal. After that time, the worker sends the renewal again.
	// callTime limits all other requests of a round. Together they are shorter than leaseTime, so
	// the worker has a second attempt.
	renewTime = 2 * time.Second
	callTime  = 3 * time.Second
	// reportEvery is the interval between two reports of a worker.
	reportEvery = 5 * time.Second
	// lastTime limits the release of leases when a worker stops.
	lastTime = 5 * time.Second
)

// manage takes, renews and releases leases until ctx ends or the fleet is drained.
func (w *Worker) manage(ctx context.Context) error {
	if w.frontier.settings.Every > 0 {
		w.running.Go(func() { w.recrawl(ctx) })
	}
	for ctx.Err() == nil {
		drained, err := w.tick(ctx)
		if err != nil && ctx.Err() == nil {
			w.storeFailed()
			w.options.note("the NATS server %s", reason(err))
		}
		w.noteLost()
		if drained {
			return nil
		}
		if wait(w.clock, tickEvery, ctx.Done()) {
			break
		}
	}
	return nil
}

// noteLost writes a note with the number of partitions lost since the last such note.
func (w *Worker) noteLost() {
	w.mu.Lock()
	n := w.counts.Lost - w.told
	w.told = w.counts.Lost
	w.mu.Unlock()
	if n > 0 {
		w.options.note("lost %d partitions: the lease was not renewed within %s; workers will take them again", n, leaseTime)
	}
}

// tick does one round of manage. It takes partitions only if the renewal succeeded. drained reports
// whether the fleet is drained and the worker has no partitions left.
func (w *Worker) tick(ctx context.Context) (drained bool, err error) {
	// A worker applies the mode even if it can't renew its lease. It reads the mode during the
	// renewal and with the same time limit, so that the next renewal is not delayed.
	call, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	var mode Mode
	var reading sync.WaitGroup
	reading.Go(func() { mode, err = w.readMode(call) })
	isRenewed, renewed := w.renew(call)
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
		err = w.share(ctx, rest)
	}
	if err == nil {
		w.mu.Lock()
		w.responded = w.clock.Now()
		w.mu.Unlock()
	}
	return drained, err
}

// renew renews the lease of the worker if that is due, and reports whether it did. If the lease has
// ended, the worker drops its partitions. It begins a new lease as soon as other workers may take
// its partitions.
func (w *Worker) renew(ctx context.Context) (isRenewed bool, err error) {
	isOver := w.lease.revision > 0 && w.lease.left(w.clock) <= 0
	switch age := w.lease.age(w.clock); {
	case isOver && age <= leaseTime+leaseMargin || !isOver && age < renewEvery:
		return false, nil
	case isOver:
		w.loseAll(w.lease)
		if err := w.leases.end(ctx, w.lease); err != nil {
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
		w.loseAll(w.lease)
		return false, nil
	case err == nil && isNew:
		w.watch(w.lease)
	}
	return err == nil, err
}

func (w *Worker) beginLease() {
	w.lease, w.reported = newLease(), time.Time{}
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.unsure) // these partitions belong to the old lease, which has ended
}

// drainAll stops new requests, and releases the partitions without running requests.
func (w *Worker) drainAll(ctx context.Context) {
	for _, p := range w.sortedParts() {
		w.drain(p)
	}
	w.endDrained(ctx)
}

// share releases the partitions that exceed the worker's share. If the worker has fewer, share takes
// free partitions. Then it writes the report of this worker. ctx is the context of the partitions,
// and call limits the requests to the server.
func (w *Worker) share(ctx, call context.Context) error {
	if err := w.releaseUnsure(call); err != nil {
		return err
	}
	live, err := w.leases.live(call, w.lease)
	if err != nil {
		return err
	}
	// The shares of all workers together are all partitions, so that no worker looks for partitions
	// in vain.
	total := w.frontier.settings.Partitions
	share := total / len(live)
	if slices.Index(live, workerKey(w.lease.name)) < total%len(live) {
		share++
	}
	parts := w.sortedParts()
	for _, p := range parts[min(share, len(parts)):] {
		w.drain(p)
	}
	w.endDrained(call)
	return errors.Join(w.takeFree(ctx, call, share-len(parts)), w.report(call))
}

// takeFree takes up to n free partitions. Different workers begin the search at different
// partitions.
func (w *Worker) takeFree(ctx, call context.Context, n int) error {
	if n <= 0 {
		return nil
	}
	total := w.frontier.settings.Partitions
	first := int(first16([]byte(w.lease.name))[0]) * total / 256
	var numbers []int
	var keys []string
	for i := range total {
		number := (first + i) % total
		if w.queue.partition(number) == nil {
			numbers, keys = append(numbers, number), append(keys, partKey(number))
		}
	}
	known, err := w.frontier.values(call, leaseBucket, keys)
	if err != nil {
		return err
	}
	var free []int
	revisions := map[int]uint64{}
	for _, number := range numbers {
		if m := known[partKey(number)]; m != nil {
			if !w.leases.isFree(call, w.lease, partKey(number), m.Data, m.Sequence) {
				continue
			}
			revisions[number] = m.Sequence
		}
		free = append(free, number)
	}
	begin := w.clock.Now()
	return each(free[:min(n, len(free))], func(number int) error {
		if w.clock.Now().Sub(begin) > renewEvery/2 {
			return nil // a later round takes the others, so that the renewal is not delayed
		}
		revision, err := w.leases.take(call, w.lease, number, revisions[number])
		if errors.Is(err, errTaken) {
			return nil
		}
		if err != nil {
			return errors.Join(err, w.release(call, number, revisions[number]))
		}
		err = w.begin(ctx, call, &partition{number: number, lease: w.lease, revision: revision, taken: w.clock.Now()})
		if err != nil {
			return errors.Join(err, w.release(call, number, revision))
		}
		return nil
	})
}

// release releases a partition that this worker does not use. After an error, a later round calls
// release again.
func (w *Worker) release(ctx context.Context, number int, revision uint64) error {
	err := w.leases.release(ctx, w.lease, number, revision)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.unsure, number)
	if err != nil {
		w.unsure[number] = revision
	}
	return err
}

// releaseUnsure releases the partitions that this worker failed to release.
func (w *Worker) releaseUnsure(ctx context.Context) error {
	w.mu.Lock()
	unsure := maps.Clone(w.unsure)
	w.mu.Unlock()
	return each(slices.Collect(maps.Keys(unsure)), func(number int) error { return w.release(ctx, number, unsure[number]) })
}

// leasesAtOnce limits concurrent operations on partitions. With a round trip of 30 ms, a worker takes
// 500 partitions per second.
const leasesAtOnce = 64

// each calls do for each element of a list, with at most leasesAtOnce concurrent calls, and waits
// for the calls. After an error, it starts no further calls and returns the error, because all
// calls need the same server.
func each[T any](list []T, do func(T) error) error {
	turns, failed := make(chan struct{}, leasesAtOnce), make(chan error, 1)
	var running sync.WaitGroup
	for _, one := range list {
		turns <- struct{}{}
		if len(failed) > 0 {
			break
		}
		running.Go(func() {
			defer func() { <-turns }()
			if err := do(one); err != nil {
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
	return each(w.sortedParts(), func(p *partition) error { return w.saveMark(ctx, p) })
}

// begin starts work on a partition that the worker has taken. ctx is the context of the partition,
// and call limits the requests to the server.
func (w *Worker) begin(ctx, call context.Context, p *partition) error {
	p.hosts = map[string]*host{}
	if entry, err := w.frontier.hosts.Get(call, markName(p.number)); err == nil {
		// An unreadable mark costs only time, because the worker then begins at the first target.
		_ = json.Unmarshal(entry.Value(), &p.next)
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	p.next = max(p.next, 1)
	p.saved = p.next
	info, err := w.frontier.targets.Info(call)
	if err != nil {
		return err
	}
	p.old = info.State.LastSeq
	inside, cancel := context.WithCancel(ctx)
	p.ctx = inside
	permits, err := w.servePermits(p)
	if err != nil {
		cancel()
		return err
	}
	news, err := w.watchNews(p)
	p.end = func() {
		cancel()
		for _, s := range []*nats.Subscription{permits, news} {
			_ = s.Unsubscribe() // fails only if the connection or the subscription has ended
		}
	}
	if err != nil {
		p.end()
		return err
	}
	w.queue.mu.Lock()
	w.queue.parts[p.number] = p
	w.queue.mu.Unlock()
	if p.lease.left(w.clock) <= 0 {
		w.lose(p)
	}
	w.running.Go(func() { w.read(inside, p) })
	return nil
}

// watch ends the partitions of l and their running requests when the lease expires, because another
// worker may then begin requests.
func (w *Worker) watch(l *lease) {
	left := l.left(w.clock)
	if left <= 0 {
		w.loseAll(l)
		return
	}
	w.clock.AfterFunc(left, func() { w.watch(l) })
}

func markName(partition int) string { return fmt.Sprint("m-", partition) }

// saveMark stores the low-water mark of p if it changed.
func (w *Worker) saveMark(ctx context.Context, p *partition) error {
	mark, ok := w.queue.mark(p)
	if !ok || mark == p.saved {
		return nil
	}
	if _, err := w.frontier.hosts.Put(ctx, markName(p.number), fmt.Append(nil, mark)); err != nil {
		return err
	}
	p.saved = mark
	return nil
}

// drain stops new requests for p.
func (w *Worker) drain(p *partition) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	p.draining = true
}

// endDrained releases the leases of drained partitions without running requests.
func (w *Worker) endDrained(ctx context.Context) {
	idle := slices.DeleteFunc(w.sortedParts(), func(p *partition) bool { return !w.queue.isIdle(p) })
	if err := each(idle, func(p *partition) error { return w.giveBack(ctx, p) }); err != nil {
		w.options.note("can't release a lease, so it will expire: the NATS server %s", reason(err))
	}
}

// end ends a partition, and reports whether this worker held it.
func (w *Worker) end(p *partition) bool {
	p.end()
	return w.queue.drop(p)
}

// loseAll ends the partitions of a lease that has ended.
func (w *Worker) loseAll(l *lease) {
	for _, p := range w.sortedParts() {
		if p.lease == l {
			w.lose(p)
		}
	}
}

// lose ends a partition after its lease has ended.
func (w *Worker) lose(p *partition) {
	if w.end(p) {
		w.count(func(c *Counts) { c.Lost++ })
	}
}

// giveBack ends a partition and releases it.
func (w *Worker) giveBack(ctx context.Context, p *partition) error {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := w.saveMark(call, p)
	w.end(p)
	if p.lease.left(w.clock) > 0 {
		err = errors.Join(err, w.release(call, p.number, p.revision))
	}
	return err
}

// leave releases all partitions and ends the lease when the worker stops.
func (w *Worker) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	for _, p := range w.sortedParts() {
		w.drain(p)
	}
	var busy atomic.Bool
	err := each(w.sortedParts(), func(p *partition) error {
		// Other workers may have permits to send requests to hosts of p.
		for !w.queue.isIdle(p) && !wait(w.clock, newsEvery, ctx.Done()) {
		}
		if !w.queue.isIdle(p) {
			busy.Store(true)
			return nil
		}
		return w.giveBack(ctx, p)
	})
	for _, p := range w.sortedParts() {
		w.end(p)
	}
	if err == nil && !busy.Load() && w.lease.left(w.clock) > 0 {
		err = w.leases.end(ctx, w.lease)
	}
	if err != nil {
		w.options.note("other workers will notice after some seconds that this worker stopped: the NATS server %s", reason(err))
	}
}

// countPrefix is the first word of the keys of reports.
const countPrefix = "count."

// report stores the statistics of this worker if that is due.
func (w *Worker) report(ctx context.Context) error {
	now := w.clock.Now()
	if now.Sub(w.reported) < reportEvery {
		return nil
	}
	c := w.Counts()
	c.Busiest = w.countHosts()
	text, err := json.Marshal(c)
	if err == nil {
		_, err = w.frontier.workers.Put(ctx, countPrefix+w.lease.name, text)
	}
	if err == nil {
		w.reported = now
	}
	return err
}
