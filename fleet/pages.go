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

// siteLocks contains a lock for each site. The zero value is ready to use.
type siteLocks struct {
	mu   sync.Mutex
	busy map[locus.URL]chan struct{} // closed when the site is unlocked
}

// lock locks the site, and waits if another goroutine holds the lock. The caller must call
// unlock.
func (g *siteLocks) lock(ctx context.Context, site locus.URL) (unlock func(), err error) {
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

// pagesOf selects the links that workers must read as pages of the given page's site. The map
// keys are the canonical URLs of the links. The result contains all pages that are already
// targets, and new pages up to MaxPages. The site must belong to this worker, and the caller must
// hold the site's lock. The worker counts a page before it adds the page to the frontier. So the
// number of pages never exceeds the limit, but a crash can waste a part of the limit.
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

// grantPages adds n to the page count of a site. If the limit allows fewer pages, it adds only
// the allowed number. It returns the number that it added.
func (w *Worker) grantPages(ctx context.Context, site locus.URL, n int) (granted int, err error) {
	most := w.frontier.settings.MaxPages
	if n == 0 || most <= 0 {
		return n, nil
	}
	name := "n-" + hex.EncodeToString(hash16([]byte(site.String())))
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
	if mine, err := w.mayStoreLinks(ctx, s, j, &page, answer); err != nil || !mine {
		return err
	}
	if w.frontier.settings.MaxPages > 0 {
		unlock, err := w.countLocks.lock(ctx, page.First)
		if err != nil {
			return err
		}
		defer unlock()
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
		if err := add(&line{document: name, readErr: trouble}); err != nil {
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
			if err := b.addTarget(ctx, s.checker, &found, ""); err != nil && !errors.Is(err, verify.ErrSecret) {
				return err
			}
		default:
			l.response = s.checkHere(ctx, &found)
		}
		if err := add(&l); err != nil {
			return err
		}
	}
	w.updateCounts(func(c *Counts) { c.Links += len(answer.Links) })
	if err := b.addLines(ctx, j.at.key, texts, j.previous != nil); err != nil {
		return err
	}
	return b.flush(ctx)
}

// checkHere checks a target that must not be in the frontier. It retries after temporary
// failures, and waits for the pauses that the host requests. It returns the response for the
// link.
func (s *slot) checkHere(ctx context.Context, found *verify.Found) *verify.Response {
	var fragments []string
	if found.Fragment != "" {
		fragments = []string{found.Fragment}
	}
	for tries, late := 0, 0; ; {
		answer, _, err := s.runCheck(ctx, nil, s.checker.Begin(&found.Target, fragments), false)
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
				answer = *skippedResponse(tries, why)
			}
		}
		s.endCheck()
		if !again || sleep(s.worker.clock, pause, ctx.Done()) {
			return localResponse(s.checker, found, &answer)
		}
	}
}

// localResponse returns the response for a link whose target is not in the frontier.
func localResponse(a *verify.Checker, found *verify.Found, answer *verify.Response) *verify.Response {
	r := a.Result(found, answer)
	return &verify.Response{Outcome: r.Outcome, When: answer.When}
}

// mayStoreLinks reports whether the job j must store the links in its page. If several URLs
// redirect to one page, only the job of the first URL stores the page's links.
func (w *Worker) mayStoreLinks(ctx context.Context, s *slot, j *job, page *verify.Target, answer *verify.Response) (bool, error) {
	mine := fmt.Sprintf("%x", j.at.key)
	if j.storingPage != "" && j.storingPage != mine {
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
	if err = b.addTarget(ctx, s.checker, &found, mine); err == nil {
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
