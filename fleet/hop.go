package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// hopError is the error if the check of a target can't continue in its slot. Either the next
// request needs a turn at another host, or the host requested a pause.
type hopError struct {
	host   hostAddress
	limits limits
}

func (*hopError) Error() string { return "fleet: the target waits for another host" }

// hopQueue holds the tasks that wait for turns at redirect targets. Waiting tasks use no slots,
// so a busy host delays only the tasks that redirect to this host.
type hopQueue struct {
	mu      sync.Mutex
	waiting map[hostAddress][]*task // a host has an entry while a goroutine waits for turns at the host
}

// postpone schedules the task t to continue when the worker has a turn at the host of e.
func (w *Worker) postpone(ctx context.Context, t *task, e hopError) {
	isFirst := t.nextHop.host == e.host // t had a turn at this host, but did not finish
	t.nextHop = e
	w.hopQueue.mu.Lock()
	list, isServed := w.hopQueue.waiting[e.host]
	if isFirst {
		list = slices.Insert(list, 0, t)
	} else {
		list = append(list, t)
	}
	if w.hopQueue.waiting == nil {
		w.hopQueue.waiting = map[hostAddress][]*task{}
	}
	w.hopQueue.waiting[e.host] = list
	w.hopQueue.mu.Unlock()
	if !isServed {
		w.spawn(func() { w.serveHops(ctx, e) })
	}
}

// serveHops gives turns at the host of e to the waiting tasks. It returns when no task waits for
// the host or ctx ends. e is a copy, because the hopError of a task changes when the task
// continues at another host.
func (w *Worker) serveHops(ctx context.Context, e hopError) {
	for ctx.Err() == nil && w.hasHops(e.host) {
		if w.queue.isPaused() {
			sleep(w.clock, pollEvery, ctx.Done())
			continue
		}
		t, err := w.awaitTicketAt(ctx, e)
		rest := (*pauseError)(nil)
		switch {
		case err == nil:
			w.resumeFirst(e.host, t)
		case !errors.As(err, &rest):
			w.countLate(e.host)
		case rest.skipReason != "":
			w.skipTasks(e.host, rest.skipReason, func(*task) bool { return true })
		default:
			sleep(w.clock, max(rest.remaining, time.Millisecond), ctx.Done())
		}
	}
}

// awaitTicketAt waits for a turn at the host of e, and then until a request may begin.
func (w *Worker) awaitTicketAt(ctx context.Context, e hopError) (turn, error) {
	t, err := w.awaitTurnAt(ctx, e.host, e.limits)
	own, ok := t.(*ownTurn)
	if err != nil || !ok {
		return t, err
	}
	call, cancel := w.withTimeout(own.context(), turnWait)
	defer cancel()
	if own.ticket, err = w.queue.awaitTicket(call, own.turnHost, ticketTime); err != nil {
		own.release()
	}
	return own, err
}

// hasHops reports whether tasks wait for the given host. It drops a task if the task's partition
// no longer belongs to this worker, because another worker then checks the targets. If hasHops
// returns false, the caller must return, and the next call of postpone starts a new goroutine.
func (w *Worker) hasHops(host hostAddress) bool {
	w.hopQueue.mu.Lock()
	defer w.hopQueue.mu.Unlock()
	list := slices.DeleteFunc(w.hopQueue.waiting[host], func(t *task) bool { return !w.queue.isHeld(t.host.part) })
	if len(list) == 0 {
		delete(w.hopQueue.waiting, host)
		return false
	}
	w.hopQueue.waiting[host] = list
	return true
}

// resumeFirst gives the turn to the first waiting task.
func (w *Worker) resumeFirst(host hostAddress, turn turn) {
	w.hopQueue.mu.Lock()
	var first *task
	if list := w.hopQueue.waiting[host]; len(list) > 0 {
		first = list[0]
		w.hopQueue.waiting[host] = slices.Delete(list, 0, 1)
	}
	w.hopQueue.mu.Unlock()
	if first != nil {
		first.turn = turn
	}
	if first == nil || !w.queue.resume(first) {
		turn.release()
	}
}

// skipTasks ends the wait of each task for which isSelected returns true. The worker skips the
// targets of these tasks, with skipReason as the reason.
func (w *Worker) skipTasks(host hostAddress, skipReason string, isSelected func(*task) bool) {
	w.hopQueue.mu.Lock()
	defer w.hopQueue.mu.Unlock()
	w.hopQueue.waiting[host] = slices.DeleteFunc(w.hopQueue.waiting[host], func(t *task) bool {
		if !isSelected(t) {
			return false
		}
		t.skipReason = skipReason
		w.queue.resume(t)
		return true
	})
}

// countLate counts a failure to get a turn, for each waiting task.
func (w *Worker) countLate(host hostAddress) {
	w.updateCounts(func(c *Counts) { c.Late++ })
	w.skipTasks(host, neverFree, func(t *task) bool { return t.isTooLate() })
}

// isTooLate counts a failure to get a turn, and reports whether the task has had too many
// failures.
func (t *task) isTooLate() bool {
	for _, j := range t.jobs {
		j.lateCount++
	}
	return t.jobs[0].lateCount >= maxLate
}
