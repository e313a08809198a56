package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	tickEvery = time.Second
	// newsEvery is the interval between two searches of a worker for new targets.
	newsEvery = 100 * time.Millisecond
	// callTime limits one request to the server about leases.
	callTime = 3 * time.Second
	// renewTime limits the wait for a renewal. After that time, the worker sends the renewal again.
	renewTime = 2 * time.Second
	// lastTime limits the release of leases when a worker stops.
	lastTime = 5 * time.Second
)

// manage takes, renews and releases leases until ctx ends or the fleet is drained.
func (w *Worker) manage(ctx context.Context) error {
	w.running.Go(func() { w.watchNews(ctx) })
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
		w.options.note("lost %d partitions: their leases were not renewed within %s; workers will take them again", n, leaseTime)
	}
}

// presence is the report of a worker about itself.
type presence struct {
	Counts
	Beat uint64 `json:"beat"`
}

// tick does one round of manage. It takes leases and announces the worker only if the renewals
// succeeded. drained reports whether the fleet is drained and the worker has no partitions left.
func (w *Worker) tick(ctx context.Context) (drained bool, err error) {
	// A worker applies the mode even if it can't renew its leases. It reads the mode during the
	// renewals and with the same time limit, so that the next renewal is not delayed.
	call, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	var mode Mode
	var reading sync.WaitGroup
	reading.Go(func() { mode, err = w.readMode(call) })
	renewed := w.renewAll(ctx)
	reading.Wait()
	err = errors.Join(renewed, err)
	w.queue.mu.Lock()
	w.queue.paused = mode != Run
	w.queue.changed.Broadcast()
	w.queue.mu.Unlock()
	if mode == Drain {
		w.drainAll(ctx)
		drained = len(w.sortedParts()) == 0
	} else if err == nil {
		err = w.share(ctx)
	}
	if err == nil {
		w.mu.Lock()
		w.responded = w.clock.Now()
		w.mu.Unlock()
	}
	return drained, err
}

// drainAll stops new requests, and releases the partitions without running requests.
func (w *Worker) drainAll(ctx context.Context) {
	for _, p := range w.sortedParts() {
		w.drain(p)
	}
	w.endDrained(ctx)
}

// share announces this worker, and releases the partitions that exceed the worker's share. If the
// worker has fewer, share takes free partitions.
func (w *Worker) share(ctx context.Context) error {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	live, err := w.present(call)
	if err != nil {
		return err
	}
	total := w.frontier.settings.Partitions
	share := (total + live - 1) / live
	parts := w.sortedParts()
	for _, p := range parts[min(share, len(parts)):] {
		w.drain(p)
	}
	w.endDrained(ctx)
	return w.takeFree(ctx, share-len(parts))
}

// lookRounds is the number of rounds in which a worker with its full share of the partitions looks
// at all other partitions. It looks at only some of them per round, because each lease is one
// request to the cluster's leader. So the worker may notice a stopped worker that many rounds
// later.
const lookRounds = 4

// takeFree takes up to n free partitions. Different workers begin the search at different
// partitions.
func (w *Worker) takeFree(ctx context.Context, n int) error {
	total := w.frontier.settings.Partitions
	first := int(first16([]byte(w.name))[0]) * total / 256
	held := map[int]bool{}
	for _, p := range w.sortedParts() {
		held[p.number] = true
	}
	var names, free []string
	for i := range total {
		number := (first + i) % total
		isTurn := n > 0 || uint64(number)%lookRounds == w.beat%lookRounds
		if isTurn && !held[number] {
			names = append(names, leaseName(number))
		}
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	known, err := w.frontier.values(call, "leases", names)
	if err != nil {
		return err
	}
	for _, name := range names {
		m := known[name]
		// Even if the worker needs no more leases, it records the renewals of other workers.
		isFree := m == nil || w.leases.isFree(name, m.Data, m.Sequence)
		if isFree && len(free) < n {
			free = append(free, name)
		}
	}
	return w.takeAll(ctx, free)
}

// takeAll takes leases until the worker's own leases need a renewal.
func (w *Worker) takeAll(ctx context.Context, names []string) error {
	begin := w.clock.Now()
	return each(names, func(name string) error {
		if w.clock.Now().Sub(begin) > renewEvery/2 {
			return nil
		}
		call, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		l, err := w.leases.take(call, name)
		if errors.Is(err, errTaken) {
			return nil
		}
		if err != nil {
			return err
		}
		return w.begin(ctx, leaseNumber(name), l)
	})
}

// leasesAtOnce limits concurrent operations on leases. With a round trip of 30 ms, a worker renews
// 2,000 leases per second.
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

const leasePrefix = "p-"

func leaseName(partition int) string { return leasePrefix + strconv.Itoa(partition) }

// leaseNumber returns the partition in a name that leaseName made.
func leaseNumber(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name, leasePrefix))
	return n
}

// renewAll renews the leases that are due, and stores the low-water marks of their partitions. If
// the worker has lost a lease, renewAll drops the partition.
func (w *Worker) renewAll(ctx context.Context) error {
	var due []*partition
	for _, p := range w.sortedParts() {
		if p.lease.age(w.clock) >= renewEvery {
			due = append(due, p)
		}
	}
	// After an error, the next round begins with the leases that were not renewed.
	slices.SortStableFunc(due, func(a, b *partition) int { return a.lease.renewed().Compare(b.lease.renewed()) })
	err := each(due, func(p *partition) error { return w.renew(ctx, p) })
	for _, p := range w.sortedParts() {
		if p.lease.left(w.clock) <= 0 {
			w.lose(p)
		}
	}
	if err != nil {
		return err
	}
	return each(due, func(p *partition) error {
		call, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		return w.saveMark(call, p)
	})
}

// renew renews the lease of p. The error is an error from the store.
func (w *Worker) renew(ctx context.Context, p *partition) error {
	call, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	err := w.leases.renew(call, p.lease)
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// begin starts work on a partition after taking its lease.
func (w *Worker) begin(ctx context.Context, number int, l *lease) error {
	p := &partition{number: number, lease: l, hosts: map[string]*host{}}
	// Do not delay the renewal of other leases.
	call, end := context.WithTimeout(ctx, callTime)
	defer end()
	if entry, err := w.frontier.hosts.Get(call, markName(number)); err == nil {
		// An unreadable mark costs only time, because the worker then begins at the first target.
		_ = json.Unmarshal(entry.Value(), &p.next)
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return errors.Join(err, w.leases.release(call, l))
	}
	p.next = max(p.next, 1)
	p.saved = p.next
	info, err := w.frontier.targets.Info(call)
	if err != nil {
		return errors.Join(err, w.leases.release(call, l))
	}
	p.old = info.State.LastSeq
	inside, cancel := context.WithCancel(ctx)
	p.ctx = inside
	sub, err := w.servePermits(p)
	if err != nil {
		cancel()
		return errors.Join(err, w.leases.release(call, l))
	}
	p.end = func() {
		cancel()
		_ = sub.Unsubscribe() // fails only if the connection or the subscription has ended
	}
	w.queue.mu.Lock()
	w.queue.parts[number] = p
	w.queue.mu.Unlock()
	w.watch(p)
	w.running.Go(func() { w.read(inside, p) })
	return nil
}

// watch ends p and its running requests when the lease expires, because another worker may then
// begin requests.
func (w *Worker) watch(p *partition) {
	left := p.lease.left(w.clock)
	if left <= 0 {
		w.lose(p)
	}
	if p.ctx.Err() == nil {
		w.clock.AfterFunc(left, func() { w.watch(p) })
	}
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

// lose ends a partition after its lease has ended.
func (w *Worker) lose(p *partition) {
	if w.end(p) {
		w.count(func(c *Counts) { c.Lost++ })
	}
}

// giveBack ends a partition and releases its lease.
func (w *Worker) giveBack(ctx context.Context, p *partition) error {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := w.saveMark(call, p)
	w.end(p)
	if p.lease.left(w.clock) > 0 {
		err = errors.Join(err, w.leases.release(call, p.lease))
	}
	return err
}

// leave releases all leases when the worker stops.
func (w *Worker) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	for _, p := range w.sortedParts() {
		w.drain(p)
	}
	err := each(w.sortedParts(), func(p *partition) error {
		// Other workers may have permits to send requests to hosts of p.
		for !w.queue.isIdle(p) && !wait(w.clock, newsEvery, ctx.Done()) {
		}
		if !w.queue.isIdle(p) {
			return nil // do not release the lease, which expires later
		}
		return w.giveBack(ctx, p)
	})
	for _, p := range w.sortedParts() {
		w.end(p)
	}
	if err == nil {
		err = w.frontier.workers.Delete(ctx, w.presenceName())
	}
	if err != nil {
		w.options.note("other workers will notice after some seconds that this worker stopped: the NATS server %s", reason(err))
	}
}

const presencePrefix = "w-"

func (w *Worker) presenceName() string { return presencePrefix + w.name }

// present announces this worker. It returns the number of running workers, including this one.
func (w *Worker) present(ctx context.Context) (live int, err error) {
	w.beat++
	c := w.Counts()
	c.Busiest = w.countHosts()
	text, err := json.Marshal(presence{c, w.beat})
	if err == nil {
		_, err = w.frontier.workers.Put(ctx, w.presenceName(), text)
	}
	if err != nil {
		return 0, err
	}
	known, err := w.frontier.values(ctx, workerBucket, []string{"*"})
	if err != nil {
		return 0, err
	}
	present := map[string]bool{w.name: true}
	for name, m := range known {
		if name == w.presenceName() {
			continue
		}
		if !w.leases.isSilent(name, m.Sequence) {
			present[strings.TrimPrefix(name, presencePrefix)] = true
		} else if err := w.frontier.workers.Delete(ctx, name, jetstream.LastRevision(m.Sequence)); err == nil {
			w.leases.forget(name)
		}
	}
	return len(present), nil
}
