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
// limit, and another zero means no pause and no repetition. The result must not be settled again.
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

// Interval returns the interval between requests of which a host gets rate a second. If
// rate is not positive, there is no limit: [access.None].
func Interval(rate float64) time.Duration {
	if rate > 0 {
		return max(time.Duration(float64(time.Second)/max(rate, 1e-6)), 1)
	}
	return access.None
}

// longest is the longest pause. Half of it can be added without an overflow.
const longest time.Duration = 1 << 62

// Backoff reports whether a request that has failed tries times, for a temporary reason, is
// tried again, and after which pause. asked is the pause that the server asked for; 0: none. If
// the request is not tried again, the pause is asked. The limits p must be settled.
func Backoff(p access.Politeness, tries int, asked time.Duration) (pause time.Duration, again bool) {
	if tries > p.Retry || asked > p.MaxWait {
		return asked, false
	}
	pause = leastPause(p, tries)
	// Requests that failed together must not be repeated together.
	pause += rand.N(pause + 1)
	return max(pause, asked), true
}

// leastPause returns half of the pause after that many failures, which is doubled for each.
func leastPause(p access.Politeness, tries int) time.Duration {
	doubled := min(tries-1, 16)
	return min(min(p.Wait, longest>>doubled)<<doubled, p.MaxWait) / 2
}

// HostName returns the name by which u shares limits with other URLs: the host with the port
// that is written, or the scheme if u has no host.
func HostName(u locus.URL) string {
	name := strings.TrimSuffix(strings.ToLower(u.Host()), ".")
	if port, ok := u.PortText(); ok && port != "" {
		name += ":" + port
	}
	return cmp.Or(name, u.Scheme())
}
