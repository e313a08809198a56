package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	tickEvery = time.Second
	// newsEvery is how often the server is asked whether there are more targets.
	newsEvery = 100 * time.Millisecond
	// callTime is the most time for one request to the server about leases.
	callTime = 3 * time.Second
	// renewTime is the most time for a renewal. After that, it is sent again.
	renewTime = 2 * time.Second
	// lastTime is how long a worker that ends has for giving leases back.
	lastTime = 5 * time.Second
)

// manage takes, renews and gives back leases until ctx ends, or the fleet is drained.
func (w *Worker) manage(ctx context.Context) error {
	w.running.Go(func() { w.watchNews(ctx) })
	if w.frontier.settings.Every > 0 {
		w.running.Go(func() { w.recrawl(ctx) })
	}
	for ctx.Err() == nil {
		drained, err := w.tick(ctx)
		if err != nil && ctx.Err() == nil {
			w.options.note("the NATS server: %v", err)
		}
		if drained {
			return nil
		}
		if wait(w.clock, tickEvery, ctx.Done()) {
			break
		}
	}
	return nil
}

// presence is what a worker tells of itself.
type presence struct {
	Counts
	Beat uint64 `json:"beat"`
}

// tick does once what manage does. drained reports that the fleet is drained and the worker
// has nothing left.
func (w *Worker) tick(ctx context.Context) (drained bool, err error) {
	if err = w.renewAll(ctx); err != nil {
		return false, err // nothing is more urgent
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	mode, err := w.readMode(call)
	w.queue.mu.Lock()
	w.queue.paused = mode != Run
	w.queue.changed.Broadcast()
	w.queue.mu.Unlock()
	if mode == Drain {
		for _, p := range w.sortedParts() {
			w.drain(p)
		}
		w.endDrained(ctx)
		return len(w.sortedParts()) == 0, err
	}
	if err != nil {
		return false, err
	}
	live, err := w.present(call)
	if err != nil {
		return false, err
	}
	total := w.frontier.settings.Partitions
	share := (total + live - 1) / live
	parts := w.sortedParts()
	for _, p := range parts[min(share, len(parts)):] {
		w.drain(p)
	}
	w.endDrained(ctx)
	return false, w.takeFree(ctx, share-len(parts))
}

// takeFree takes up to n free partitions, beginning at one that depends on the worker.
func (w *Worker) takeFree(ctx context.Context, n int) error {
	total := w.frontier.settings.Partitions
	first := int(first16([]byte(w.name))[0]) * total / 256
	held := map[int]bool{}
	for _, p := range w.sortedParts() {
		held[p.number] = true
	}
	var names []string
	for i := range total {
		if number := (first + i) % total; !held[number] {
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
		// A worker that needs no more notes all the same when others were heard of.
		isFree := m == nil || !isHeld(m.Data) || w.leases.isSilent(name, m.Sequence)
		if !isFree || n <= 0 {
			continue
		}
		call, cancel := context.WithTimeout(ctx, callTime)
		l, err := w.leases.take(call, name)
		if err == nil {
			n--
			err = w.begin(ctx, leaseNumber(name), l)
		}
		cancel()
		if err != nil && !errors.Is(err, errTaken) {
			return err
		}
	}
	return nil
}

const leasePrefix = "p-"

func leaseName(partition int) string { return leasePrefix + strconv.Itoa(partition) }

// leaseNumber returns the partition of a name that leaseName made.
func leaseNumber(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name, leasePrefix))
	return n
}

// renewAll renews the leases that are due, and drops the partitions of those that are lost.
func (w *Worker) renewAll(ctx context.Context) error {
	for _, p := range w.sortedParts() {
		if p.lease.age(w.clock) >= renewEvery {
			call, cancel := context.WithTimeout(ctx, renewTime)
			err := w.leases.renew(call, p.lease)
			cancel()
			if err != nil && !errors.Is(err, errTaken) && p.lease.left(w.clock) > 0 {
				return err
			}
			if err == nil {
				if err := w.saveMark(ctx, p); err != nil {
					return err
				}
			}
		}
		if p.lease.left(w.clock) <= 0 {
			w.end(p)
		}
	}
	return nil
}

// begin begins with a partition whose lease was taken.
func (w *Worker) begin(ctx context.Context, number int, l *lease) error {
	p := &partition{number: number, lease: l, hosts: map[string]*host{}}
	// Other leases must be renewed in time.
	call, end := context.WithTimeout(ctx, callTime)
	defer end()
	if entry, err := w.frontier.hosts.Get(call, markName(number)); err == nil {
		// A damaged mark only costs time.
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
		_ = sub.Unsubscribe() // fails only if the connection is closed, or it has ended
	}
	w.queue.mu.Lock()
	w.queue.parts[number] = p
	w.queue.mu.Unlock()
	w.watch(p)
	w.running.Go(func() { w.read(inside, p) })
	return nil
}

// watch ends p when its lease has, and with it the requests that are under way: another worker
// may begin some.
func (w *Worker) watch(p *partition) {
	left := p.lease.left(w.clock)
	if left <= 0 {
		w.end(p)
	}
	if p.ctx.Err() == nil {
		w.clock.AfterFunc(left, func() { w.watch(p) })
	}
}

func markName(partition int) string { return fmt.Sprint("m-", partition) }

// saveMark stores the low-water mark of p, if it is another one.
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

// drain begins no more requests of p.
func (w *Worker) drain(p *partition) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	p.draining = true
}

// endDrained gives back the leases of partitions that are drained and have no request.
func (w *Worker) endDrained(ctx context.Context) {
	for _, p := range w.sortedParts() {
		if w.queue.isIdle(p) {
			if err := w.giveBack(ctx, p); err != nil {
				w.options.note("a lease is not given back, and expires: %v", err)
			}
		}
	}
}

// end ends a partition. It may be called again.
func (w *Worker) end(p *partition) {
	p.end()
	w.queue.drop(p)
}

// giveBack ends a partition and gives its lease back.
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

// leave gives everything back at the end.
func (w *Worker) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	var err error
	for _, p := range w.sortedParts() {
		w.drain(p)
	}
	for _, p := range w.sortedParts() {
		// Other workers may have permits for hosts of p.
		for !w.queue.isIdle(p) && !wait(w.clock, newsEvery, ctx.Done()) {
		}
		if err != nil || !w.queue.isIdle(p) {
			w.end(p) // the server does not answer, or the lease must expire
			continue
		}
		err = w.giveBack(ctx, p)
	}
	if err == nil {
		err = w.frontier.workers.Delete(ctx, w.presenceName())
	}
	if err != nil {
		w.options.note("other workers wait for some seconds until this one counts as gone: %v", err)
	}
}

const presencePrefix = "w-"

func (w *Worker) presenceName() string { return presencePrefix + w.name }

// present tells others of this worker, and returns the number of workers, this one included.
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
			delete(w.leases.others, name)
		}
	}
	return len(present), nil
}
