package fleet

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// Change is a verdict that differs from the previous verdict of its target.
type Change struct {
	URL    string         `json:"url"`
	Change string         `json:"change"` // kind of change: the target died, moved or came back
	Before verify.Verdict `json:"before"`
	Now    verify.Verdict `json:"now"`
	Detail string         `json:"detail,omitempty"`
	To     string         `json:"to,omitempty"`
	When   time.Time      `json:"when"`
}

// changeOf names the change from the outcome before to the outcome now. It returns "" for
// irrelevant changes.
func changeOf(before, now *verify.Outcome) string {
	found := func(o *verify.Outcome) bool { return o.Verdict == verify.Alive || o.Verdict == verify.Moved }
	switch {
	case now.Verdict.IsBad() && !before.Verdict.IsBad():
		return "died"
	case found(now) && before.Verdict.IsBad():
		return "came back"
	case now.Verdict == verify.Moved && (before.Verdict != verify.Moved || before.To != now.To):
		return "moved"
	}
	return ""
}

// tellChange stores a change before the worker stores the new verdict. If the worker dies between
// these steps, another worker finds the same change. The subject contains the number of the
// replaced verdict, so the stream stores each change once.
func (w *Worker) tellChange(ctx context.Context, j *job, answer *verify.Response) error {
	before, now := &j.before.response.Outcome, &answer.Outcome
	change := changeOf(before, now)
	if change == "" || j.before.damaged != nil {
		return nil
	}
	c := Change{URL: j.found.Target.URL.Shown(), Change: change, Before: before.Verdict, Now: now.Verdict, Detail: now.Detail, To: now.To.Shown(), When: answer.When.UTC()}
	if j.found.Fragment != "" {
		c.URL += "#" + j.found.Fragment
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = w.frontier.js.Publish(ctx, w.frontier.subject(changeStream, hex.EncodeToString(j.at.key[:]), fmt.Sprint(j.before.sequence)), text)
	if isHave(err) {
		return nil
	}
	return err
}

// Changes calls the function each for every stored change, until ctx ends or the function
// returns false. If follow is true, Changes then waits for new changes. If the servers do not
// respond, Changes retries for two minutes.
func (f *Frontier) Changes(ctx context.Context, follow bool, each func(Change) bool) error {
	stream, err := tryQuietly(ctx, func() (jetstream.Stream, error) { return f.js.Stream(ctx, f.stream(changeStream)) })
	if err != nil {
		return err
	}
	for next := uint64(1); ctx.Err() == nil; {
		m, err := tryQuietly(ctx, func() (*jetstream.RawStreamMsg, error) {
			return stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject(f.subject(changeStream, ">")))
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			if !follow {
				return nil
			}
			wait(SystemClock{}, time.Second, ctx.Done())
			continue
		}
		if err != nil {
			return err
		}
		next = m.Sequence + 1
		var c Change
		if json.Unmarshal(m.Data, &c) == nil && !each(c) {
			return nil
		}
	}
	return ctx.Err()
}

// isDue reports whether a verdict of the given age needs a new check.
func (s *Settings) isDue(o *verify.Outcome, age time.Duration) bool {
	if o.Verdict.IsBad() {
		return age >= cmp.Or(s.EveryBad, s.Every)
	}
	return age >= s.Every
}

// soonest returns the lowest age at which a verdict may be due.
func (s *Settings) soonest() time.Duration { return min(s.Every, cmp.Or(s.EveryBad, s.Every)) }

// recrawl looks for due verdicts periodically until ctx ends.
func (w *Worker) recrawl(ctx context.Context) {
	pause := max(w.frontier.settings.soonest()/8, time.Second)
	for !wait(w.clock, pause, ctx.Done()) {
		for _, p := range w.sortedParts() {
			if err := w.recrawlPart(ctx, p); err != nil && ctx.Err() == nil {
				w.options.note("will look for old verdicts later: the NATS server %s", reason(err))
			}
		}
	}
}

// recrawlPart adds the targets of p whose verdicts are due. The stream is in the order of storing,
// because a new verdict moves to its end. So recrawlPart stops at the first verdict that is too young
// to be due.
func (w *Worker) recrawlPart(ctx context.Context, p *partition) error {
	filter := w.frontier.subject(verdictStream, fmt.Sprint(p.number), ">")
	for next := uint64(1); w.awaitRoom(ctx, p); {
		m, err := w.frontier.verdicts.GetMsg(ctx, next, jetstream.WithGetMsgSubject(filter))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		now := w.clock.Now()
		if now.Sub(m.Time) < w.frontier.settings.soonest() {
			return nil
		}
		next = m.Sequence + 1
		v := &verdict{sequence: m.Sequence}
		at, err := w.frontier.parseSubject(verdictStream, m.Subject)
		if err != nil || json.Unmarshal(m.Data, &v.response) != nil || !w.frontier.settings.isDue(&v.response.Outcome, now.Sub(v.response.When)) {
			continue
		}
		if err := w.askAgain(ctx, p, at, v); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// askAgain adds a target that has a verdict, unless the target is waiting already.
func (w *Worker) askAgain(ctx context.Context, p *partition, at address, v *verdict) error {
	j, err := w.jobAgain(ctx, at, v, again)
	if j == nil {
		return err
	}
	w.queue.mu.Lock()
	if h := p.hosts[at.host]; h != nil {
		for other := range h.all {
			if other.at == at {
				w.queue.mu.Unlock()
				return nil
			}
		}
	}
	w.queue.mu.Unlock()
	// If the host has enough jobs, the next round adds the target.
	l, err := w.limitsOf(ctx, p, j)
	if err == nil {
		w.queue.add(p, j, l)
	}
	return err
}

// jobAgain returns a job for a target that has a verdict. It returns nil if the target can't be
// decoded.
func (w *Worker) jobAgain(ctx context.Context, at address, v *verdict, sequence uint64) (*job, error) {
	m, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, by, err := w.frontier.decodeTarget(w.ready.checker, at, m.Data)
	if err != nil {
		return nil, nil // the target is now a dead letter
	}
	return &job{at: at, base: baseKey(w.ready.checker, &found.Target), found: found, by: by, sequence: sequence, before: v}, nil
}
