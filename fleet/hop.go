package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// hopError means that a target can't continue in its slot. Either the next request needs a turn at
// another host, or the host requested a pause.
type hopError struct {
	at     place
	limits limits
}

func (*hopError) Error() string { return "fleet: the target waits for another host" }

// hops holds the targets that wait for turns at the hosts of redirects. These targets use no slots,
// so a busy host delays only the targets that redirect to it.
type hops struct {
	mu      sync.Mutex
	waiting map[place][]*task // a place has an entry while a goroutine takes turns there
}

// hop schedules t to continue when the worker has a turn at the host of e.
func (w *Worker) hop(ctx context.Context, t *task, e hopError) {
	isFirst := t.lead.at == e.at // t had a turn at this host and did not finish
	t.lead = e
	w.hops.mu.Lock()
	list, isServed := w.hops.waiting[e.at]
	if isFirst {
		list = slices.Insert(list, 0, t)
	} else {
		list = append(list, t)
	}
	if w.hops.waiting == nil {
		w.hops.waiting = map[place][]*task{}
	}
	w.hops.waiting[e.at] = list
	w.hops.mu.Unlock()
	if !isServed {
		w.spawn(func() { w.serveHops(ctx, e) })
	}
}

// serveHops takes turns at a host until no target waits for the host or ctx ends. It has its own
// copy of e, because the hopError of a target changes when the target continues at another host.
func (w *Worker) serveHops(ctx context.Context, e hopError) {
	for ctx.Err() == nil && w.hasHops(e.at) {
		if w.queue.isPaused() {
			wait(w.clock, newsEvery, ctx.Done())
			continue
		}
		t, err := w.turnNow(ctx, e)
		rest := (*restError)(nil)
		switch {
		case err == nil:
			w.followFirst(e.at, t)
		case !errors.As(err, &rest):
			w.countLate(e.at)
		case rest.shut != "":
			w.followWhere(e.at, rest.shut, func(*task) bool { return true })
		default:
			wait(w.clock, max(rest.left, time.Millisecond), ctx.Done())
		}
	}
}

// turnNow waits for a turn at the host of e, and then until a request may begin.
func (w *Worker) turnNow(ctx context.Context, e hopError) (turn, error) {
	t, err := w.turnAt(ctx, e.at, e.limits)
	own, ok := t.(*ownTurn)
	if err != nil || !ok {
		return t, err
	}
	call, cancel := w.within(own.context(), turnWait)
	defer cancel()
	if own.ticket, err = w.queue.begin(call, own.at, ticketTime); err != nil {
		own.release()
	}
	return own, err
}

// hasHops reports whether targets wait for the host at the given place. If another worker took over
// the own host of a target, hasHops drops the target, because the other worker checks it. After
// hasHops returns false, the next call of hop must start a new goroutine.
func (w *Worker) hasHops(at place) bool {
	w.hops.mu.Lock()
	defer w.hops.mu.Unlock()
	list := slices.DeleteFunc(w.hops.waiting[at], func(t *task) bool { return !w.queue.holds(t.host.part) })
	if len(list) == 0 {
		delete(w.hops.waiting, at)
		return false
	}
	w.hops.waiting[at] = list
	return true
}

// followFirst gives the turn to the first waiting target.
func (w *Worker) followFirst(at place, turn turn) {
	w.hops.mu.Lock()
	var first *task
	if list := w.hops.waiting[at]; len(list) > 0 {
		first = list[0]
		w.hops.waiting[at] = slices.Delete(list, 0, 1)
	}
	w.hops.mu.Unlock()
	if first != nil {
		first.turn = turn
	}
	if first == nil || !w.queue.follow(first) {
		turn.release()
	}
}

// followWhere ends the wait of the targets that the function which selects. The worker skips these
// targets, with why as the reason.
func (w *Worker) followWhere(at place, why string, which func(*task) bool) {
	w.hops.mu.Lock()
	defer w.hops.mu.Unlock()
	w.hops.waiting[at] = slices.DeleteFunc(w.hops.waiting[at], func(t *task) bool {
		if !which(t) {
			return false
		}
		t.why = why
		w.queue.follow(t)
		return true
	})
}

// countLate counts a failure to get a turn for all waiting targets.
func (w *Worker) countLate(at place) {
	w.count(func(c *Counts) { c.Late++ })
	w.followWhere(at, neverFree, func(t *task) bool { return t.isTooLate() })
}

// isTooLate counts a failure to get a turn, and reports whether there were too many.
func (t *task) isTooLate() bool {
	for _, j := range t.jobs {
		j.late++
	}
	return t.jobs[0].late >= maxLate
}
