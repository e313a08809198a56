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
	// Get sends GET without a HEAD request first. Otherwise GET follows only if HEAD fails.
	Get bool
	// Accept lists failure statuses that count as [Alive]. If nil, there are none.
	Accept []Statuses
	// GitHub is the base URL of the GitHub API. The Verifier first looks up links to
	// repositories, files, issues, pull requests and releases on GitHub there. If the API
	// does not confirm a link, the Verifier requests the page. The client of the caller must
	// add the token. If zero, the Verifier requests all links as pages.
	GitHub locus.URL
	// Certificates holds the certificates of servers. A link gets a [Warning] if the
	// certificate of its host expires within Expiring. If Certificates is nil or Expiring is
	// zero, there is no such warning.
	Certificates *Certificates
	Expiring     time.Duration
}

// Statuses is an inclusive range of status codes.
type Statuses struct{ First, Last int }

// ParseStatuses parses a list of status codes and ranges such as "200..299,403". A range
// may be written with "..", "..=" or "-". The error names the invalid entry.
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

// statusCode parses a status code of three digits. It returns 0 for any other text.
func statusCode(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || len(text) != 3 || n < 100 {
		return 0
	}
	return n
}

// accepts reports whether the options accept a failure with that status.
func (a *HTTP) accepts(status int) bool {
	return status != 0 && slices.ContainsFunc(a.Accept, func(r Statuses) bool { return r.First <= status && status <= r.Last })
}

// isBad reports whether the options count the outcome as bad.
func (c *Checker) isBad(o *Outcome) bool { return o.Verdict.IsBad() && !c.o.HTTP.accepts(o.Status) }

// judge applies the options to an outcome of u. The outcome may come from the store.
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

// probes reports whether a probe is enough to verify u.
func (c *Checker) probes(u locus.URL) bool { return !c.o.HTTP.Get || !c.traits(u).Has(scheme.Web) }

// Host holds the settings for some hosts in a rules file. A zero field selects the setting
// for all hosts. The client of the caller must apply the header fields and the certificate.
type Host struct {
	// URL matches the URLs to which the settings apply. The first matching Host applies.
	URL      policy.Pattern `toml:"url"`
	Rate     float64        `toml:"rate"`     // maximum requests per second
	Parallel int            `toml:"parallel"` // maximum concurrent requests
	Timeout  Span           `toml:"timeout"`  // limit of one attempt, if shorter than Options.Timeout

	Headers map[string]string `toml:"headers"` // additional header fields, by name
	Bearer  string            `toml:"bearer"`  // token for the Authorization field
	Basic   string            `toml:"basic"`   // USER:PASSWORD for the Authorization field
	Cert    string            `toml:"cert"`    // PEM file with the client certificate
	Key     string            `toml:"key"`     // PEM file with its key; if empty, the key is in Cert
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

// HostFor returns the first Host that matches u, or nil if none does.
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

// limitsFor returns the request limits for the host of u. They come from the options and the rules.
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

// timeoutFor returns the time limit of one attempt at u.
func (c *Checker) timeoutFor(u locus.URL) time.Duration {
	if h := c.o.Rules.HostFor(u, c.registry); h != nil && h.Timeout > 0 {
		return min(time.Duration(h.Timeout), c.o.Timeout)
	}
	return c.o.Timeout
}
