package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/robots"
)

// maxRobots is the most hosts whose robots.txt is remembered.
const maxRobots = 1024

// Robots remembers the robots.txt files of hosts for one run. Its methods may be called
// concurrently.
type Robots struct {
	do robots.DoFunc
	p  access.Politeness

	mu    sync.Mutex
	hosts map[string]*hostRules
}

// hostRules is what is known of the robots.txt of a host.
type hostRules struct {
	turn  chan struct{} // has a value while a call uses the other fields
	known bool
	tries int
	again time.Time // after a failure: when the next request may be sent
	rules *robots.Rules
	err   error
}

// NewRobots returns a Robots that requests each file with do. While a file can't be read, it
// is requested again within the limits p, which must be settled.
func NewRobots(do robots.DoFunc, p access.Politeness) *Robots {
	return &Robots{do: do, p: p, hosts: map[string]*hostRules{}}
}

// Rules returns the rules of the host of u, and requests them if they are not known. from is as
// in [access.Request]. After an error, no page of the host may be requested. If final is true,
// that holds for the whole run. Otherwise, a call after the pause of [Backoff] repeats the
// request, and an earlier call returns the same error.
func (r *Robots) Rules(ctx context.Context, u locus.URL, from *access.Result) (rules *robots.Rules, final bool, err error) {
	root, ok := robots.Root(u)
	if !ok {
		return nil, false, nil
	}
	h := r.host(root.String())
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	if h.known || h.err != nil && time.Now().Before(h.again) {
		return h.rules, h.err != nil && h.known, h.err
	}
	rules, err = robots.Fetch(ctx, r.do, u, from)
	if err != nil && ctx.Err() != nil {
		return nil, false, err // that says nothing about the host
	}
	h.rules, h.err = rules, err
	h.tries++
	h.known = err == nil || h.tries > r.p.Retry
	h.again = time.Now().Add(leastPause(r.p, 1))
	return rules, err != nil && h.known, err
}

// host returns what is known of a host. If there are too many hosts, another one is forgotten,
// whose file is read again when it is needed.
func (r *Robots) host(root string) *hostRules {
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
