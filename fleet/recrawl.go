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

// Change describes a verdict that differs from the previous verdict of the same target.
type Change struct {
	URL    string         `json:"url"`
	Change string         `json:"change"` // kind of change: the target died, moved or came back
	Before verify.Verdict `json:"before"`
	Now    verify.Verdict `json:"now"`
	Detail string         `json:"detail,omitempty"`
	To     string         `json:"to,omitempty"`
	When   time.Time      `json:"when"`
}

// changeOf returns the name of the change between two outcomes of a target, or "" if the change
// is irrelevant.
func changeOf(previous, current *verify.Outcome) string {
	found := func(o *verify.Outcome) bool { return o.Verdict == verify.Alive || o.Verdict == verify.Moved }
	switch {
	case current.Verdict.IsBad() && !previous.Verdict.IsBad():
		return "died"
	case found(current) && previous.Verdict.IsBad():
		return "came back"
	case current.Verdict == verify.Moved && (previous.Verdict != verify.Moved || previous.To != current.To):
		return "moved"
	}
	return ""
}

// storeChange stores a change. The worker calls it before it stores the new verdict. If the
// worker dies between these steps, another worker detects the same change. The subject contains
// the sequence number of the replaced verdict, so the stream stores each change once.
func (w *Worker) storeChange(ctx context.Context, j *job, answer *verify.Response) error {
	previous, current := &j.previous.response.Outcome, &answer.Outcome
	change := changeOf(previous, current)
	if change == "" || j.previous.decodeErr != nil {
		return nil
	}
	c := Change{URL: j.found.Target.URL.Shown(), Change: change, Before: previous.Verdict, Now: current.Verdict, Detail: current.Detail, To: current.To.Shown(), When: answer.When.UTC()}
	if j.found.Fragment != "" {
		c.URL += "#" + j.found.Fragment
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = w.frontier.js.Publish(ctx, w.frontier.subject(changeStream, hex.EncodeToString(j.at.key[:]), fmt.Sprint(j.previous.sequence)), text)
	if isDuplicate(err) {
		return nil
	}
	return err
}

// Changes calls visit for each stored change, until ctx ends or visit returns false. If follow is
// true, Changes then waits for new changes. If the servers do not respond, Changes retries for
// two minutes.
func (f *Frontier) Changes(ctx context.Context, follow bool, visit func(Change) bool) error {
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
			sleep(SystemClock{}, time.Second, ctx.Done())
			continue
		}
		if err != nil {
			return err
		}
		next = m.Sequence + 1
		var c Change
		if json.Unmarshal(m.Data, &c) == nil && !visit(c) {
			return nil
		}
	}
	return ctx.Err()
}

// isDue reports whether a verdict of the given age is due for a new check.
func (s *Settings) isDue(o *verify.Outcome, age time.Duration) bool {
	if o.Verdict.IsBad() {
		return age >= cmp.Or(s.EveryBad, s.Every)
	}
	return age >= s.Every
}

// minDueAge returns the lowest age at which a verdict may be due.
func (s *Settings) minDueAge() time.Duration { return min(s.Every, cmp.Or(s.EveryBad, s.Every)) }

// recrawl looks for due verdicts periodically until ctx ends.
func (w *Worker) recrawl(ctx context.Context) {
	pause := max(w.frontier.settings.minDueAge()/8, time.Second)
	for !sleep(w.clock, pause, ctx.Done()) {
		for _, p := range w.sortedParts() {
			if err := w.recrawlPart(ctx, p); err != nil && ctx.Err() == nil {
				w.options.note("will look for old verdicts later: the NATS server %s", reasonFor(err))
			}
		}
	}
}

// recrawlPart adds the targets of p whose verdicts are due. The stream contains the verdicts in
// the order in which they were stored. So recrawlPart stops at the first verdict that is too
// young to be due.
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
		if now.Sub(m.Time) < w.frontier.settings.minDueAge() {
			return nil
		}
		next = m.Sequence + 1
		v := &verdict{sequence: m.Sequence}
		at, err := w.frontier.parseSubject(verdictStream, m.Subject)
		if err != nil || json.Unmarshal(m.Data, &v.response) != nil || !w.frontier.settings.isDue(&v.response.Outcome, now.Sub(v.response.When)) {
			continue
		}
		if err := w.recheck(ctx, p, at, v); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// recheck adds a target that has a verdict, unless the target is already waiting.
func (w *Worker) recheck(ctx context.Context, p *partition, at address, v *verdict) error {
	j, err := w.recheckJob(ctx, at, v, belowMark)
	if j == nil {
		return err
	}
	w.queue.mu.Lock()
	if h := p.hosts[at.host]; h != nil {
		for other := range h.unfinished {
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
		w.queue.addJob(p, j, l)
	}
	return err
}

// recheckJob returns a job for a target that has a verdict. It returns nil if the target can't be
// decoded.
func (w *Worker) recheckJob(ctx context.Context, at address, v *verdict, sequence uint64) (*job, error) {
	m, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, storingPage, err := w.frontier.decodeTarget(w.decoder.checker, at, m.Data)
	if err != nil {
		return nil, nil // the target is now a dead letter
	}
	return &job{at: at, base: baseKey(w.decoder.checker, &found.Target), found: found, storingPage: storingPage, sequence: sequence, previous: v}, nil
}
