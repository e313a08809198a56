package crawl

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

// Settle returns p with the defaults for zero fields. In the result, a zero PerHost means no
// limit, and other zeros mean no pause and no retry. Callers must not settle the result again.
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

// Interval returns the interval between requests for a rate in requests per second. If rate is
// not positive, Interval returns [access.None], which means no limit.
func Interval(rate float64) time.Duration {
	if rate > 0 {
		return max(time.Duration(float64(time.Second)/max(rate, 1e-6)), 1)
	}
	return access.None
}

// longest is the longest pause. Adding half of it does not overflow.
const longest time.Duration = 1 << 62

// Backoff reports whether the caller should retry a request, and returns the pause before the
// retry. The parameter tries is the number of temporary failures so far. The parameter asked
// is the pause that the server requested, or zero. If the caller should not retry, Backoff
// returns the requested pause. The limits p must be settled.
func Backoff(p access.Politeness, tries int, asked time.Duration) (pause time.Duration, again bool) {
	if tries > p.Retry || asked > p.MaxWait {
		return asked, false
	}
	pause = leastPause(p, tries)
	// Requests that failed together must not be retried together.
	pause += rand.N(pause + 1)
	return max(pause, asked), true
}

// leastPause returns the minimum pause after a number of failures, which doubles with each failure.
// The maximum pause is twice as long.
func leastPause(p access.Politeness, tries int) time.Duration {
	doubled := min(tries-1, 16)
	return min(min(p.Wait, longest>>doubled)<<doubled, p.MaxWait) / 2
}

// HostName returns the name of the host for the limits of u: the host with an explicit port,
// or the scheme if u has no host.
func HostName(u locus.URL) string {
	name := strings.TrimSuffix(strings.ToLower(u.Host()), ".")
	if port, ok := u.PortText(); ok && port != "" {
		name += ":" + port
	}
	return cmp.Or(name, u.Scheme())
}
