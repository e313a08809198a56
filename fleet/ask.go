package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/verify"
)

// do asks once for a task, and stores what that told, or has it tried again or continue later.
func (w *Worker) do(ctx context.Context, s *slot, t *task) {
	defer w.queue.leave(t.host.part)
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
		return // the end of the worker, or of its lease, caused the answer
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

// comesFurther reports whether a request was answered, after which rest is the next one, or there may
// be an answer the next time. A turn that came while all slots were busy is no sign of a host that
// is never available.
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

// fragments returns those that are looked for.
func (t *task) fragments() (list []string) {
	for _, j := range t.jobs {
		if j.found.Fragment != "" {
			list = append(list, j.found.Fragment)
		}
	}
	return list
}

// putBack gives the turn of a task back that may not continue now. After a pause it does.
func (w *Worker) putBack(ctx context.Context, t *task) {
	if t.turn != nil {
		t.turn.release()
		t.turn = nil
	}
	if t.why == "" && w.queue.holds(t.host.part) {
		w.hop(ctx, t, t.lead)
	}
}

// afterResponse stores an answer, or has the jobs tried again.
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

// afterLate has jobs tried again that got no turn.
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

// pauseAfter returns the pause after a request that got no turn, or why there is no other one.
// times is how often there was none.
func pauseAfter(late error, times int) (pause time.Duration, why string) {
	if rest := (*restError)(nil); errors.As(late, &rest) && (rest.shut != "" || times < maxLate) {
		return rest.left, rest.shut
	}
	if times < maxLate {
		return pauseLate, ""
	}
	return 0, neverFree
}

// shutResponse is the answer for what is not asked for.
func shutResponse(tries int, why string) *verify.Response {
	return &verify.Response{Outcome: verify.Outcome{Verdict: verify.Warning, Detail: why, Tries: tries}, When: time.Now()}
}

// store stores the answer for jobs. While the server does not take it, nothing else is asked
// for here: the answer would be lost, and the target asked for again. It is stored even if the
// lease has ended meanwhile, unless another worker was faster.
func (w *Worker) store(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Response) {
	for {
		err := w.finish(ctx, s, jobs, h, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		w.noteRarely("can't store verdicts yet, retrying: %v", err)
		if h.part.lease.left(w.clock) < -lastStore || wait(w.clock, pauseBetween, ctx.Done()) {
			return // another worker asks
		}
	}
}

func (w *Worker) again(h *host, jobs []*job, pause time.Duration) {
	for _, j := range jobs {
		w.queue.retry(h, j, pause)
	}
}

// retryAfter reports whether a target is tried again, and after how long. A host that asks
// for a pause gets it for all its targets, and from all workers.
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

// finish stores the links of a page, then the verdict of each job, which are done when the
// server has them. After an error, it may be called again.
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

// stored ends the job of a verdict that was sent, and what holds its partition.
func (w *Worker) stored(v *sentVerdict) {
	defer w.queue.leave(v.host.part)
	if v.err == nil || errors.Is(v.err, errStored) {
		w.queue.done(v.host, v.job)
	}
	if v.err == nil {
		w.count(func(c *Counts) { c.Verdicts[v.response.Outcome.Verdict.String()]++ })
	}
}
