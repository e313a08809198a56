package verify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// HTTP holds the settings for HTTP requests, and selects the statuses that count as alive.
// The zero HTTP sends the cheapest request that proves that a resource exists.
type HTTP struct {
	// Get sends GET without a HEAD request first. Without this option, the Verifier sends GET only
	// if HEAD fails.
	Get bool
	// Accept lists failure statuses that count as [Alive]. If Accept is nil, no failure counts as
	// [Alive].
	Accept []Statuses
	// GitHub is the base URL of the GitHub API. The Verifier first queries this API for links to
	// repositories, files, issues, pull requests and releases on GitHub. If the API does not
	// confirm a link, the Verifier requests the page. The caller's client must add the API token
	// to the requests. If the URL is zero, the Verifier requests the page for each link.
	GitHub locus.URL
	// Certificates records the expiry times of server certificates. A link gets a [Warning] if the
	// certificate of its host expires within the duration Expiring. If Certificates is nil or
	// Expiring is zero, the Verifier does not warn about expiry.
	Certificates *Certificates
	Expiring     time.Duration
}

// Statuses is an inclusive range of status codes.
type Statuses struct{ First, Last int }

// ParseStatuses parses a list of status codes and ranges such as "200..299,403". The separator of
// a range is "..", "..=" or "-". The error names the invalid entry.
func ParseStatuses(text string) ([]Statuses, error) {
	var list []Statuses
	for entry := range strings.SplitSeq(text, ",") {
		entry = strings.TrimSpace(entry)
		first, last := entry, entry
		for _, between := range []string{"..=", "..", "-"} {
			if a, b, ok := strings.Cut(entry, between); ok {
				first, last = a, b
				break
			}
		}
		r := Statuses{statusCode(first), statusCode(last)}
		switch {
		case r.First == 0 || r.Last == 0:
			return nil, fmt.Errorf("%w: %s is not a status code: write 403 or 200..299", locus.ErrValue, locus.Quote(entry))
		case r.First > r.Last:
			return nil, fmt.Errorf("%w: the range %s ends before it begins", locus.ErrValue, locus.Quote(entry))
		}
		list = append(list, r)
	}
	return list, nil
}

// statusCode parses a status code of three digits. statusCode returns 0 for any other text.
func statusCode(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || len(text) != 3 || n < 100 {
		return 0
	}
	return n
}

// accepts reports whether the options count a failure with the given status code as alive.
func (a *HTTP) accepts(status int) bool {
	return status != 0 && slices.ContainsFunc(a.Accept, func(r Statuses) bool { return r.First <= status && status <= r.Last })
}

// isBad reports whether the options count the outcome as bad.
func (c *Checker) isBad(o *Outcome) bool { return o.Verdict.IsBad() && !c.o.HTTP.accepts(o.Status) }

// judge applies the HTTP options to the outcome o of the URL u, which may be a stored outcome.
func (a *HTTP) judge(u locus.URL, o *Outcome, now time.Time) {
	if a.accepts(o.Status) && (o.Verdict == Dead || o.Verdict == Warning) {
		o.Verdict, o.Detail = Alive, fmt.Sprintf("the status %d is accepted", o.Status)
		return
	}
	if a.Expiring <= 0 || !isFound(o) {
		return
	}
	for _, at := range []locus.URL{u, o.To} {
		end, ok := a.Certificates.expiry(at.Host())
		if left := end.Sub(now); ok && left < a.Expiring {
			o.Verdict, o.Detail = Warning, fmt.Sprintf("the certificate of %s expires in %s, on %s", at.Host(), days(left), end.UTC().Format(time.DateOnly))
			return
		}
	}
}

// days returns a duration in whole days, for messages.
func days(d time.Duration) string {
	if n := int(d / (24 * time.Hour)); n != 1 {
		return fmt.Sprint(n, " days")
	}
	return "1 day"
}

// probes reports whether a probe is enough to verify the URL u.
func (c *Checker) probes(u locus.URL) bool { return !c.o.HTTP.Get || !c.traits(u).Has(scheme.Web) }

// Host holds the settings in a rules file for the hosts that URL matches. A field with its zero
// value has no effect: the run's general setting applies. The caller's client must send the header
// fields and use the certificate.
type Host struct {
	// URL matches the URLs to which the settings apply. The first matching Host applies.
	URL      policy.Pattern `toml:"url"`
	Rate     float64        `toml:"rate"`     // maximum requests per second
	Parallel int            `toml:"parallel"` // maximum concurrent requests
	Timeout  Span           `toml:"timeout"`  // time limit for one attempt, if shorter than Options.Timeout

	Headers map[string]string `toml:"headers"` // additional header fields, by name
	Bearer  string            `toml:"bearer"`  // token for the Authorization field
	Basic   string            `toml:"basic"`   // USER:PASSWORD for the Authorization field
	Cert    string            `toml:"cert"`    // PEM file with the client certificate
	Key     string            `toml:"key"`     // PEM file with the private key; if empty, Cert contains the key
}

func (h *Host) check() error {
	switch {
	case h.URL.String() == "":
		return errors.New(`no url: write url = "example.com"`)
	case h.Rate < 0 || h.Parallel < 0 || h.Timeout < 0:
		return errors.New("rate, parallel and timeout can't be negative")
	case h.Key != "" && h.Cert == "":
		return errors.New("key needs cert: set both")
	case h.Bearer != "" && h.Basic != "":
		return errors.New("bearer and basic both set the Authorization field: choose one of them")
	}
	return nil
}

// Span is a duration in a rules file, such as "30s" or "2m".
type Span time.Duration

// UnmarshalText parses text as [time.ParseDuration] does.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf(`invalid duration %s: write "30s" or "2m"`, locus.Quote(string(text)))
	}
	*s = Span(d)
	return nil
}

// HostFor returns the first Host that matches the URL u, or nil if no Host matches.
func (r *Rules) HostFor(u locus.URL, registry *scheme.Registry) *Host {
	if r == nil || len(r.Host) == 0 {
		return nil
	}
	canonical, port := forPatterns(u, registry)
	for i := range r.Host {
		if r.Host[i].URL.Matches(canonical, port) {
			return &r.Host[i]
		}
	}
	return nil
}

// limitsFor returns the request limits for the host in the URL u, which the options and the rules
// determine.
func (c *Checker) limitsFor(u locus.URL) crawl.Limits {
	limits := crawl.Limits{AtOnce: c.o.PerHost, Interval: c.o.Interval}
	if h := c.o.Rules.HostFor(u, c.registry); h != nil {
		if h.Parallel > 0 {
			limits.AtOnce = h.Parallel
		}
		if h.Rate > 0 {
			limits.Interval = crawl.Interval(h.Rate)
		}
	}
	return limits
}

// timeoutFor returns the time limit for one attempt to open the URL u.
func (c *Checker) timeoutFor(u locus.URL) time.Duration {
	if h := c.o.Rules.HostFor(u, c.registry); h != nil && h.Timeout > 0 {
		return min(time.Duration(h.Timeout), c.o.Timeout)
	}
	return c.o.Timeout
}
