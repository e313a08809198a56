package base

import (
	"cmp"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
)

// Politeness completes the request limits in p, which come from flags. A zero Parallel or PerHost
// selects the configured value. A zero Retry or MaxWait disables retries or waiting. The parameter
// rate is the maximum number of requests per second to one host; zero means no limit.
func (a *App) Politeness(p access.Politeness, rate float64) access.Politeness {
	p.Parallel = cmp.Or(p.Parallel, a.Config.Parallel)
	p.PerHost = cmp.Or(p.PerHost, a.Config.PerHost)
	p.Interval = crawl.Interval(rate)
	p.Retry = cmp.Or(p.Retry, access.None)
	p.MaxWait = cmp.Or(p.MaxWait, access.None)
	return p
}
