package fleet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// gates lets one goroutine at a time work on each site. The zero value is ready to use.
type gates struct {
	mu   sync.Mutex
	busy map[locus.URL]chan struct{} // closed when the goroutine leaves
}

// enter waits until no other goroutine works on the site. The caller must call leave.
func (g *gates) enter(ctx context.Context, site locus.URL) (leave func(), err error) {
	for {
		g.mu.Lock()
		other := g.busy[site]
		if other == nil {
			break
		}
		g.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer g.mu.Unlock()
	if g.busy == nil {
		g.busy = map[locus.URL]chan struct{}{}
	}
	mine := make(chan struct{})
	g.busy[site] = mine
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.busy, site)
		close(mine)
	}, nil
}

// pageCount is the number of pages of a site that are targets in the frontier.
type pageCount struct {
	Pages int `json:"pages"`
}

// pagesOf returns the links that workers must read as pages of the same site as the given page. The
// key of each link is its canonical form. The result contains all pages that are targets already,
// and new pages up to MaxPages. The site must belong to this worker, and no other goroutine may
// count its pages. The worker counts a page before it adds the page to the frontier. So the number
// of pages never exceeds the limit, but a crash can waste a part of the limit.
func (w *Worker) pagesOf(ctx context.Context, a *verify.Checker, page *verify.Target, links []verify.Found) (map[locus.URL]verify.Target, error) {
	pages, fresh := map[locus.URL]verify.Target{}, []verify.Target{}
	for i := range links {
		t := &links[i].Target
		target, ok := a.Page(page, *t)
		if _, known := pages[t.Canonical]; !ok || known || t.URL.IsZero() {
			continue
		}
		pages[t.Canonical] = target
		if w.frontier.settings.MaxPages > 0 && a.Keeps(t) {
			is, err := w.isTarget(ctx, a, &target)
			if err != nil {
				return nil, err
			}
			if !is {
				fresh = append(fresh, target)
			}
		}
	}
	granted, err := w.grantPages(ctx, page.First, len(fresh))
	if err != nil {
		return nil, err
	}
	for _, t := range fresh[granted:] {
		delete(pages, t.Canonical)
	}
	return pages, nil
}

func (w *Worker) isTarget(ctx context.Context, a *verify.Checker, t *verify.Target) (bool, error) {
	at := w.frontier.addressOf(a, &verify.Found{Target: *t})
	_, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// grantPages counts n more pages of a site. If the limit allows fewer pages, it counts that number
// and returns it.
func (w *Worker) grantPages(ctx context.Context, first locus.URL, n int) (granted int, err error) {
	most := w.frontier.settings.MaxPages
	if n == 0 || most <= 0 {
		return n, nil
	}
	name := "n-" + hex.EncodeToString(first16([]byte(first.String())))
	for ctx.Err() == nil {
		count, revision := pageCount{Pages: 1}, uint64(0) // the first page
		entry, err := w.frontier.hosts.Get(ctx, name)
		if err == nil {
			revision = entry.Revision()
			if json.Unmarshal(entry.Value(), &count) != nil || count.Pages < 0 {
				count.Pages = most // after an unreadable count, allow no more pages
			}
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return 0, err
		}
		granted = min(n, max(most-count.Pages, 0))
		if granted == 0 {
			return 0, nil
		}
		count.Pages += granted
		text, err := json.Marshal(count)
		if err == nil {
			// Revision 0 means that the key must not exist.
			_, err = w.frontier.hosts.Update(ctx, name, text, revision)
		}
		if !isConflict(err) {
			return granted, err
		}
	}
	return 0, ctx.Err()
}

// storePage stores the links in a page and the targets of these links. A repeated call for a page
// is harmless.
func (w *Worker) storePage(ctx context.Context, s *slot, j *job, answer *verify.Response) error {
	page := j.found.Target
	page.First = answer.First
	b := &batch{f: w.frontier, note: w.noteRarely, inject: w.options.Inject}
	if mine, err := w.claim(ctx, s, j, &page, answer); err != nil || !mine {
		return err
	}
	if w.frontier.settings.MaxPages > 0 {
		leave, err := w.growing.enter(ctx, page.First)
		if err != nil {
			return err
		}
		defer leave()
	}
	pages, err := w.pagesOf(ctx, s.checker, &page, answer.Links)
	if err != nil {
		return err
	}
	name := page.URL.WithoutPassword().Shown()
	var texts [][]byte
	add := func(l *line) error {
		text, err := encodeLine(s.checker, l)
		texts = append(texts, text)
		return err
	}
	for _, trouble := range answer.Failures {
		if err := add(&line{document: name, failure: trouble}); err != nil {
			return err
		}
	}
	for _, found := range answer.Links {
		if target, ok := pages[found.Target.Canonical]; ok && !found.Target.URL.IsZero() {
			found.Target = target
		}
		l := line{found: found}
		switch {
		case found.Target.URL.IsZero():
		case s.checker.Keeps(&found.Target):
			if err := b.target(ctx, s.checker, &found, ""); err != nil && !errors.Is(err, verify.ErrSecret) {
				return err
			}
		default:
			l.response = s.askHere(ctx, &found)
		}
		if err := add(&l); err != nil {
			return err
		}
	}
	w.count(func(c *Counts) { c.Links += len(answer.Links) })
	if err := b.lines(ctx, j.at.key, texts, j.before != nil); err != nil {
		return err
	}
	return b.flush(ctx)
}

// askHere checks a target that must not be in the frontier. It retries as usual, and waits for the
// pauses that the host requests. It returns the response for the link.
func (s *slot) askHere(ctx context.Context, found *verify.Found) *verify.Response {
	var fragments []string
	if found.Fragment != "" {
		fragments = []string{found.Fragment}
	}
	for tries, late := 0, 0; ; {
		answer, _, err := s.ask(ctx, nil, s.checker.Begin(&found.Target, fragments), false)
		var pause time.Duration
		again := false
		if err == nil {
			tries++
			answer.Outcome.Tries = tries
			pause, again = s.worker.retryAfter(s, tries, &answer)
		} else {
			late++
			var why string
			pause, why = pauseAfter(err, late)
			if again = why == ""; !again {
				answer = *shutResponse(tries, why)
			}
		}
		s.end()
		if !again || wait(s.worker.clock, pause, ctx.Done()) {
			return settled(s.checker, found, &answer)
		}
	}
}

// settled returns the response for a link whose target is not in the frontier.
func settled(a *verify.Checker, found *verify.Found, answer *verify.Response) *verify.Response {
	r := a.Result(found, answer)
	return &verify.Response{Outcome: r.Outcome, When: answer.When}
}

// claim reports whether j must store the links in its page. If several URLs redirect to one page,
// only the first URL stores the page's links.
func (w *Worker) claim(ctx context.Context, s *slot, j *job, page *verify.Target, answer *verify.Response) (bool, error) {
	mine := fmt.Sprintf("%x", j.at.key)
	if j.by != "" && j.by != mine {
		return false, nil
	}
	to := answer.Outcome.To
	if to.IsZero() || page.Depth == 0 {
		return true, nil
	}
	canonical, _, err := s.client.Registry().Canonical(to.WithoutFragment())
	if err != nil {
		return false, nil
	}
	other := *page
	other.URL, other.Canonical = canonical, canonical
	found := verify.Found{Target: other}
	b := &batch{f: w.frontier, note: w.noteRarely, inject: w.options.Inject}
	if err = b.target(ctx, s.checker, &found, mine); err == nil {
		err = b.flush(ctx)
	}
	if err != nil {
		return false, err
	}
	at := w.frontier.addressOf(s.checker, &found)
	m, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if err != nil {
		return false, err
	}
	_, by, err := w.frontier.decodeTarget(s.checker, at, m.Data)
	return err == nil && by == mine, nil
}
