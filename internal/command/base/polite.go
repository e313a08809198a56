package base

import (
	"cmp"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
)

// Politeness returns the limits of requests that flags select. In the flags p, a zero Parallel
// or PerHost selects the value of the configuration, and a zero Retry or MaxWait means none.
// rate is the most requests a second to one host; 0: any number.
func (a *App) Politeness(p access.Politeness, rate float64) access.Politeness {
	p.Parallel = cmp.Or(p.Parallel, a.Config.Parallel)
	p.PerHost = cmp.Or(p.PerHost, a.Config.PerHost)
	p.Interval = crawl.Interval(rate)
	p.Retry = cmp.Or(p.Retry, access.None)
	p.MaxWait = cmp.Or(p.MaxWait, access.None)
	return p
}
