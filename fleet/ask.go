package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/verify"
)

// runTask makes the next request of a task. Then it stores the verdict, schedules a retry, or
// postpones the remaining requests of the check.
func (w *Worker) runTask(ctx context.Context, s *slot, t *task) {
	defer w.queue.removeHold(t.host.part)
	ctx = w.contextFor(ctx, t.jobs[0])
	switch {
	case t.suspended:
		w.putBack(ctx, t)
		return
	case t.request == nil:
		if t.skipReason = w.queue.skipReasonFor(t.host); t.skipReason != "" {
			w.queue.endRequest(t.host, t.ticket)
		}
		t.turn = &ownTurn{worker: w, turnHost: t.host, ticket: t.ticket}
		t.request = s.checker.Begin(&t.jobs[0].found.Target, t.fragments())
	}
	if t.skipReason != "" {
		w.storeResponse(ctx, s, t.jobs, t.host, skippedResponse(t.jobs[0].tries, t.skipReason))
		return
	}
	answer, nextRequest, lateErr := s.runCheck(ctx, t.turn, t.request, true)
	if lateErr != nil || ctx.Err() != nil || t.host.part.ctx.Err() != nil {
		s.endCheck()
	}
	if ctx.Err() != nil || t.host.part.ctx.Err() != nil {
		return // the worker or its lease ended, so the outcome is unknown
	}
	if e := (*hopError)(nil); errors.As(lateErr, &e) && t.mayContinue(nextRequest) {
		w.postpone(ctx, t, *e)
		return
	}
	w.updateCounts(func(c *Counts) {
		c.Requests++
		if lateErr != nil {
			c.Late++
		}
	})
	if lateErr != nil {
		w.afterLate(ctx, s, t.jobs, t.host, lateErr)
		return
	}
	w.afterResponse(ctx, s, t, &answer)
}

// mayContinue reports whether a task may wait for another turn. The task may wait if a request
// got a response, so that nextRequest is a new request. It also may wait if its turn expired
// because all slots were busy. Otherwise mayContinue counts a failure to get a turn, and returns
// false after too many failures.
func (t *task) mayContinue(nextRequest *verify.Request) bool {
	if t.request != nextRequest {
		t.request = nextRequest
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
	if t.skipReason == "" && w.queue.isHeld(t.host.part) {
		w.postpone(ctx, t, t.nextHop)
	}
}

// afterResponse stores the response for the jobs of a task, or schedules retries of the jobs.
func (w *Worker) afterResponse(ctx context.Context, s *slot, t *task, answer *verify.Response) {
	tries := 0
	for _, j := range t.jobs {
		j.tries++
		tries = max(tries, j.tries)
	}
	answer.Outcome.Tries = tries
	if answer.Slower > 0 && w.queue.raiseInterval(t.host, answer.Slower) {
		w.storeHost(t.host)
	}
	pause, retry := w.retryAfter(s, tries, answer)
	s.endCheck()
	if retry {
		w.retryJobs(t.host, t.jobs, pause)
		return
	}
	w.storeResponse(ctx, s, t.jobs, t.host, answer)
}

// afterLate schedules retries of jobs that got no turn.
func (w *Worker) afterLate(ctx context.Context, s *slot, jobs []*job, h *host, lateErr error) {
	if !errors.As(lateErr, new(*pauseError)) {
		for _, j := range jobs {
			j.lateCount++
		}
	}
	pause, skipReason := pauseAfter(lateErr, jobs[0].lateCount)
	if skipReason != "" {
		w.storeResponse(ctx, s, jobs, h, skippedResponse(jobs[0].tries, skipReason))
		return
	}
	w.retryJobs(h, jobs, pause)
}

const neverFree = "skipped: no request slot became free at the redirect target"

// pauseAfter returns the pause before the next attempt to get a turn, where attempts is the
// number of attempts so far. If the worker must skip the target, for example after too many
// attempts, skipReason is not empty.
func pauseAfter(lateErr error, attempts int) (pause time.Duration, skipReason string) {
	if rest := (*pauseError)(nil); errors.As(lateErr, &rest) && (rest.skipReason != "" || attempts < maxLate) {
		return rest.remaining, rest.skipReason
	}
	if attempts < maxLate {
		return pauseLate, ""
	}
	return 0, neverFree
}

// skippedResponse returns the response for a skipped target, with skipReason as the detail.
func skippedResponse(tries int, skipReason string) *verify.Response {
	return &verify.Response{Outcome: verify.Outcome{Verdict: verify.Warning, Detail: skipReason, Tries: tries}, When: time.Now()}
}

// storeResponse stores the response for jobs. The slot makes no other requests until
// storeResponse returns. Otherwise the response could be lost, and another worker would repeat
// the request. storeResponse also works after the lease has ended, unless another worker has
// stored a verdict.
func (w *Worker) storeResponse(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Response) {
	for {
		err := w.storeVerdicts(ctx, s, jobs, h, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		w.noteRarely("can't store verdicts yet, retrying: %v", err)
		if h.part.lease.remaining(w.clock) < -storeGrace || sleep(w.clock, pauseBetween, ctx.Done()) {
			return // another worker checks the target
		}
	}
}

func (w *Worker) retryJobs(h *host, jobs []*job, pause time.Duration) {
	for _, j := range jobs {
		w.queue.retryLater(h, j, pause)
	}
}

// retryAfter reports whether the worker must retry a target, and returns the pause before the
// retry. If the host requested a pause, the pause applies to all targets of the host on all
// workers.
func (w *Worker) retryAfter(s *slot, tries int, a *verify.Response) (pause time.Duration, retry bool) {
	if !a.Temporary {
		return 0, false
	}
	if a.RetryAfter > w.politeness.MaxWait {
		s.reportPause(min(a.RetryAfter, maxPause), "skipped: the server requested a pause of "+a.RetryAfter.String())
		return 0, false
	}
	pause, retry = crawl.Backoff(w.politeness, tries, a.RetryAfter)
	if a.Busy && pause > 0 {
		s.reportPause(pause, "")
	}
	return pause, retry
}

// storeVerdicts stores the links in a page, and then the verdict of each job. A job is finished
// when the server has stored its verdict. After an error, the caller may call storeVerdicts
// again.
func (w *Worker) storeVerdicts(ctx context.Context, s *slot, jobs []*job, h *host, answer *verify.Response) error {
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
		if j.previous != nil {
			if err := w.storeChange(ctx, j, answer); err != nil {
				return err
			}
		}
		w.queue.addHold(h.part)
		if err := w.outbox.publishLater(h, j, answer); err != nil {
			w.queue.removeHold(h.part)
			return err
		}
		j.isSent = true
	}
	return nil
}

// finishJob ends the job of a stored verdict, and ends the verdict's hold on the partition.
func (w *Worker) finishJob(v *sentVerdict) {
	defer w.queue.removeHold(v.host.part)
	if v.err == nil || errors.Is(v.err, errStored) {
		w.queue.finishJobs(v.host, v.job)
	}
	if v.err == nil {
		w.updateCounts(func(c *Counts) { c.Verdicts[v.response.Outcome.Verdict.String()]++ })
	}
}
