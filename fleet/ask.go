package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/verify"
)

// do makes the next request of a task. It then stores the verdict, schedules a retry, or schedules
// the rest of the check.
func (w *Worker) do(ctx context.Context, s *slot, t *task) {
	defer w.queue.leave(t.host.part)
	ctx = w.contextFor(ctx, t.jobs[0])
	switch {
	case t.void:
		w.putBack(ctx, t)
		return
	case t.request == nil:
		if t.why = w.queue.isShut(t.host); t.why != "" {
			w.queue.release(t.host, t.ticket)
		}
		t.turn = &ownTurn{worker: w, at: t.host, ticket: t.ticket}
		t.request = s.checker.Begin(&t.jobs[0].found.Target, t.fragments())
	}
	if t.why != "" {
		w.store(ctx, s, t.jobs, t.host, shutResponse(t.jobs[0].tries, t.why))
		return
	}
	answer, rest, late := s.ask(ctx, t.turn, t.request, true)
	if late != nil || ctx.Err() != nil || t.host.part.ctx.Err() != nil {
		s.end()
	}
	if ctx.Err() != nil || t.host.part.ctx.Err() != nil {
		return // the worker or its lease ended, so the outcome is unknown
	}
	if e := (*hopError)(nil); errors.As(late, &e) && t.comesFurther(rest) {
		w.hop(ctx, t, *e)
		return
	}
	w.count(func(c *Counts) {
		c.Requests++
		if late != nil {
			c.Late++
		}
	})
	if late != nil {
		w.afterLate(ctx, s, t.jobs, t.host, late)
		return
	}
	w.afterResponse(ctx, s, t, &answer)
}

// comesFurther reports whether a task that must wait for another host may continue. It may, if a
// request got a response and rest is the next request. It also may, if all slots were busy when the
// turn came, because the host is still available. Otherwise comesFurther counts a failure, and the
// task may continue until there are too many.
func (t *task) comesFurther(rest *verify.Request) bool {
	if t.request != rest {
		t.request = rest
		return true
	}
	if remote, ok := t.turn.(*remoteTurn); ok && remote.isLate() {
		return true
	}
	return !t.isTooLate()
}

func (t *task) fragments() (list []string) {
	for _, j := range t.jobs {
		if j.found.Fragment != "" {
			list = append(list, j.found.Fragment)
		}
	}
	return list
}

// putBack releases the turn of a task that must not continue now, and schedules the task to wait
// for another turn.
func (w *Worker) putBack(ctx context.Context, t *task) {
	if t.turn != nil {
		t.turn.release()
		t.turn = nil
	}
	if t.why == "" && w.queue.holds(t.host.part) {
		w.hop(ctx, t, t.lead)
	}
}

// afterResponse stores the response for the jobs of a task, or schedules retries of these jobs.
func (w *Worker) afterResponse(ctx context.Context, s *slot, t *task, answer *verify.Response) {
	tries := 0
	for _, j := range t.jobs {
		j.tries++
		tries = max(tries, j.tries)
	}
	answer.Outcome.Tries = tries
	if answer.Slower > 0 && w.queue.slow(t.host, answer.Slower) {
		w.keepHost(t.host)
	}
	pause, retry := w.retryAfter(s, tries, answer)
	s.end()
	if retry {
		w.again(t.host, t.jobs, pause)
		return
	}
	w.store(ctx, s, t.jobs, t.host, answer)
}

// afterLate schedules retries of jobs that got no turn.
func (w *Worker) afterLate(ctx context.Context, s *slot, jobs []*job, h *host, late error) {
	if !errors.As(late, new(*restError)) {
		for _, j := range jobs {
			j.late++
		}
	}
	pause, why := pauseAfter(late, jobs[0].late)
	if why != "" {
		w.store(ctx, s, jobs, h, shutResponse(jobs[0].tries, why))
		return
	}
	w.again(h, jobs, pause)
}

const neverFree = "skipped: no request slot became free at the redirect target"

// pauseAfter returns the pause before the next attempt to get a turn. After too many attempts, why
// is the reason for giving up. times is the number of attempts.
func pauseAfter(late error, times int) (pause time.Duration, why string) {
	if rest := (*restError)(nil); errors.As(late, &rest) && (rest.shut != "" || times < maxLate) {
		return rest.left, rest.shut
	}
	if times < maxLate {
		return pauseLate, ""
	}
	return 0, neverFree
}

// shutResponse returns the response for a skipped target, with why as the reason.
func shutResponse(tries int, why string) *verify.Response {
	return &verify.Response{Outcome: verify.Outcome{Verdict: verify.Warning, Detail: why, Tries: tries}, When: time.Now()}
}

// store stores the response for jobs. Until the server has accepted the response, this slot makes
// no other requests. Otherwise the response could be lost, and another worker would repeat the
// request. store also works after the lease has ended, unless another worker has stored a verdict.
func (w *Worker) store(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Response) {
	for {
		err := w.finish(ctx, s, jobs, h, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		w.noteRarely("can't store verdicts yet, retrying: %v", err)
		if h.part.lease.left(w.clock) < -lastStore || wait(w.clock, pauseBetween, ctx.Done()) {
			return // another worker checks the target
		}
	}
}

func (w *Worker) again(h *host, jobs []*job, pause time.Duration) {
	for _, j := range jobs {
		w.queue.retry(h, j, pause)
	}
}

// retryAfter reports whether the worker must retry a target, and after which pause. If a host
// requests a pause, the pause applies to all targets of the host on all workers.
func (w *Worker) retryAfter(s *slot, tries int, a *verify.Response) (pause time.Duration, again bool) {
	if !a.Temporary {
		return 0, false
	}
	if a.RetryAfter > w.polite.MaxWait {
		s.rest(min(a.RetryAfter, maxPause), "skipped: the server requested a pause of "+a.RetryAfter.String())
		return 0, false
	}
	pause, again = crawl.Backoff(w.polite, tries, a.RetryAfter)
	if a.Busy && pause > 0 {
		s.rest(pause, "")
	}
	return pause, again
}

// finish stores the links in a page, and then the verdict of each job. A job is done when the
// server has stored its verdict. After an error, the caller may call finish again.
func (w *Worker) finish(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Response) error {
	for _, j := range jobs {
		if answer.IsPage && !j.isSent && j.found.Fragment == "" && !j.found.Target.First.IsZero() {
			if err := w.storePage(ctx, s, j, answer); err != nil {
				return err
			}
		}
	}
	for _, j := range jobs {
		if j.isSent {
			continue
		}
		if j.before != nil {
			if err := w.tellChange(ctx, j, answer); err != nil {
				return err
			}
		}
		w.queue.hold(h.part)
		if err := w.outbox.put(h, j, answer); err != nil {
			w.queue.leave(h.part)
			return err
		}
		j.isSent = true
	}
	return nil
}

// stored ends the job of a stored verdict, and releases the hold on the partition.
func (w *Worker) stored(v *sentVerdict) {
	defer w.queue.leave(v.host.part)
	if v.err == nil || errors.Is(v.err, errStored) {
		w.queue.done(v.host, v.job)
	}
	if v.err == nil {
		w.count(func(c *Counts) { c.Verdicts[v.response.Outcome.Verdict.String()]++ })
	}
}
