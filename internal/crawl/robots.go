package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/robots"
)

// maxRobots is the maximum number of cached robots.txt files.
const maxRobots = 1024

// Robots caches the robots.txt files of hosts for one run. The methods of a Robots may be called
// concurrently.
type Robots struct {
	do robots.DoFunc
	p  access.Politeness

	mu    sync.Mutex
	hosts map[string]*hostRules
}

// hostRules holds the robots.txt rules of a host, or the last error.
type hostRules struct {
	turn    chan struct{} // lock for the other fields; the channel contains a value while the fields are in use
	known   bool
	tries   int
	retryAt time.Time // earliest time of the next request after a failure
	rules   *robots.Rules
	err     error
}

// NewRobots returns a Robots that requests each file by calling send, and retries failed requests
// within the limits p. The limits must be a result of [Settle].
func NewRobots(send robots.DoFunc, p access.Politeness) *Robots {
	return &Robots{do: send, p: p, hosts: map[string]*hostRules{}}
}

// Rules returns the robots.txt rules for the host in the URL u. If the robots.txt is not cached,
// Rules requests the file. The source has the same meaning as [access.Request].From. After an
// error, the caller must not request pages from the host. If final is true, the error applies to
// the whole run. Otherwise, a call after the pause of [Backoff] repeats the request, and an earlier
// call returns the same error.
func (r *Robots) Rules(ctx context.Context, u locus.URL, source *access.Result) (rules *robots.Rules, final bool, err error) {
	root, ok := robots.Root(u)
	if !ok {
		return nil, false, nil
	}
	h := r.entryFor(root.String())
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	if h.known || h.err != nil && time.Now().Before(h.retryAt) {
		return h.rules, h.err != nil && h.known, h.err
	}
	rules, err = robots.Fetch(ctx, r.do, u, source)
	if err != nil && ctx.Err() != nil {
		return nil, false, err // the cause is the cancelled context, not the host
	}
	h.rules, h.err = rules, err
	h.tries++
	h.known = err == nil || h.tries > r.p.Retry
	h.retryAt = time.Now().Add(leastPause(r.p, 1))
	return rules, err != nil && h.known, err
}

// entryFor returns the cache entry for a host. If the cache is full, entryFor first removes any
// other entry. The robots.txt of the removed host may be requested again.
func (r *Robots) entryFor(root string) *hostRules {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hosts[root]; h != nil {
		return h
	}
	for other := range r.hosts {
		if len(r.hosts) < maxRobots {
			break
		}
		delete(r.hosts, other)
	}
	h := &hostRules{turn: make(chan struct{}, 1)}
	r.hosts[root] = h
	return h
}
