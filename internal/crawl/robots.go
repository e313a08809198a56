package crawl

import (
	"context"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/robots"
)

// maxRobots is the most hosts whose robots.txt is remembered.
const maxRobots = 1024

// Robots remembers the robots.txt files of hosts for one run. Its methods may be called
// concurrently.
type Robots struct {
	do    robots.DoFunc
	retry int

	mu    sync.Mutex
	hosts map[string]*hostRules
}

// hostRules is what is known of the robots.txt of a host.
type hostRules struct {
	mu    sync.Mutex
	known bool
	tries int
	rules *robots.Rules
	err   error
}

// NewRobots returns a Robots that requests each file with do, and retry more times while the
// file can't be read.
func NewRobots(do robots.DoFunc, retry int) *Robots {
	return &Robots{do: do, retry: retry, hosts: map[string]*hostRules{}}
}

// Rules returns the rules of the host of u, and requests them if they are not known. from is as
// in [access.Request]. After an error, no page of the host may be requested. If final is true,
// that holds for the whole run. Otherwise, another call repeats the request.
func (r *Robots) Rules(ctx context.Context, u locus.URL, from *access.Result) (rules *robots.Rules, final bool, err error) {
	root, ok := robots.Root(u)
	if !ok {
		return nil, false, nil
	}
	h := r.host(root.String())
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known {
		h.rules, h.err = robots.Fetch(ctx, r.do, u, from)
		h.tries++
		h.known = h.err == nil || h.tries > r.retry
	}
	return h.rules, h.err != nil && h.known, h.err
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
	h := new(hostRules)
	r.hosts[root] = h
	return h
}
