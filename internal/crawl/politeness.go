package crawl

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

// Settle returns the limits p with the default values in place of zero fields. In the result, zero
// means no limit for PerHost, and no pause or no retry for other fields. Callers must not pass the
// result to Settle again.
func Settle(p access.Politeness) access.Politeness {
	if p.Parallel < 0 {
		p.Parallel = access.MaxParallel
	}
	return access.Politeness{
		Parallel: min(cmp.Or(p.Parallel, 32), access.MaxParallel),
		PerHost:  max(cmp.Or(p.PerHost, 2), 0),
		Interval: max(cmp.Or(p.Interval, 100*time.Millisecond), 0),
		Retry:    max(cmp.Or(p.Retry, 2), 0),
		Wait:     max(cmp.Or(p.Wait, time.Second), 0),
		MaxWait:  max(cmp.Or(p.MaxWait, time.Minute), 0),
	}
}

// Interval returns the minimum time between requests for a rate in requests per second. If rate is
// not positive, Interval returns [access.None], which means no limit.
func Interval(rate float64) time.Duration {
	if rate > 0 {
		return max(time.Duration(float64(time.Second)/max(rate, 1e-6)), 1)
	}
	return access.None
}

// maxPause is the longest pause. Adding half of this value does not overflow.
const maxPause time.Duration = 1 << 62

// Backoff reports whether the caller should retry a request, and returns the pause before the
// retry. The parameter tries is the number of temporary failures until now. The parameter requested
// is the pause that the server requested, or zero. If the caller should not retry, Backoff returns
// the requested pause. The limits p must be a result of Settle.
func Backoff(p access.Politeness, tries int, requested time.Duration) (pause time.Duration, again bool) {
	if tries > p.Retry || requested > p.MaxWait {
		return requested, false
	}
	pause = leastPause(p, tries)
	// Add a random time, so that requests that failed together are not retried together.
	pause += rand.N(pause + 1)
	return max(pause, requested), true
}

// leastPause returns the minimum pause after the given number of failures. The minimum doubles
// with each failure. The maximum pause is twice the minimum.
func leastPause(p access.Politeness, tries int) time.Duration {
	doubled := min(tries-1, 16)
	return min(min(p.Wait, maxPause>>doubled)<<doubled, p.MaxWait) / 2
}

// HostName returns the host name under which the per-host limits apply to the URL u. The name is
// the host with an explicit port, or the scheme if u contains no host.
func HostName(u locus.URL) string {
	name := strings.TrimSuffix(strings.ToLower(u.Host()), ".")
	if port, ok := u.PortText(); ok && port != "" {
		name += ":" + port
	}
	return cmp.Or(name, u.Scheme())
}
