package fleet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// gates let one goroutine in for each site. The zero value is ready for use.
type gates struct {
	mu   sync.Mutex
	busy map[locus.URL]chan struct{} // closed when the goroutine leaves
}

// enter waits until no other goroutine is in. leave must follow.
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

// pageCount is how many pages of a site are targets.
type pageCount struct {
	Pages int `json:"pages"`
}

// pagesOf returns which links of a page are to be read as pages of its site, by their canonical
// form: those that already are, and new ones until the site has as many as the settings allow.
// The caller must be alone with the site, which one worker has. A page is counted before it is
// published: there are never too many, and may be fewer after a crash in between.
func (w *Worker) pagesOf(ctx context.Context, a *verify.Asker, page *verify.Target, links []verify.Found) (map[locus.URL]verify.Target, error) {
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

func (w *Worker) isTarget(ctx context.Context, a *verify.Asker, t *verify.Target) (bool, error) {
	at := w.frontier.addressOf(a, &verify.Found{Target: *t})
	_, err := w.frontier.targets.GetLastMsgForSubject(ctx, w.frontier.subject(targetStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// grantPages counts n more pages of a site, or as many as it may have.
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
				count.Pages = most // a damaged count allows no more
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
			// Revision 0 is that of a key that does not exist.
			_, err = w.frontier.hosts.Update(ctx, name, text, revision)
		}
		if !isConflict(err) {
			return granted, err
		}
	}
	return 0, ctx.Err()
}
