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

// Ask says how URLs are requested over HTTP and what counts as alive. The zero Ask
// requests as little as proves a link.
type HTTP struct {
	// Get sends GET at once. false: HEAD comes first, and GET follows unless HEAD succeeds.
	Get bool
	// Accept are statuses of failures that count as [Alive]. nil: none.
	Accept []Statuses
	// GitHub is the base of GitHub's API. Links to repositories, files, issues, pull
	// requests and releases on GitHub are looked up there first; whatever the API does not
	// confirm is requested as a page. The caller's client adds the token. The zero URL: all
	// links are requested as pages.
	GitHub locus.URL
	// Certificates has the certificates that servers showed, and Expiring is how long
	// before a certificate expires its links get a [Warning]. nil or 0: never.
	Certificates *Certificates
	Expiring     time.Duration
}

// Statuses is a range of status codes, both ends included.
type Statuses struct{ First, Last int }

// ParseStatuses parses a list of status codes and ranges such as "200..299,403". A range
// may be written with "..", "..=" or "-". The error says which entry is wrong.
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

// statusCode parses a status code of three digits; 0: the text is something else.
func statusCode(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || len(text) != 3 || n < 100 {
		return 0
	}
	return n
}

// accepts reports whether a failure of that status counts as alive.
func (a *HTTP) accepts(status int) bool {
	return status != 0 && slices.ContainsFunc(a.Accept, func(r Statuses) bool { return r.First <= status && status <= r.Last })
}

// isBad reports whether the outcome is bad by the options.
func (c *Checker) isBad(o *Outcome) bool { return o.Verdict.IsBad() && !c.o.HTTP.accepts(o.Status) }

// judge applies the options to an outcome of u, which may come from the store.
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

// days returns a time in whole days, for people.
func days(d time.Duration) string {
	if n := int(d / (24 * time.Hour)); n != 1 {
		return fmt.Sprint(n, " days")
	}
	return "1 day"
}

// probes reports whether t needs no more than a probe.
func (c *Checker) probes(u locus.URL) bool { return !c.o.HTTP.Get || !c.traits(u).Has(scheme.Web) }

// Host are settings for some hosts, in a file of rules. What is zero is as for other
// hosts. The header fields and the certificate are for the caller's client.
type Host struct {
	// URL describes the URLs that the settings are for. The first Host that fits applies.
	URL      policy.Pattern `toml:"url"`
	Rate     float64        `toml:"rate"`     // most requests a second
	Parallel int            `toml:"parallel"` // requests at once
	Timeout  Span           `toml:"timeout"`  // bounds one attempt, if shorter than Options.Timeout

	Headers map[string]string `toml:"headers"` // more header fields, by name
	Bearer  string            `toml:"bearer"`  // the token of an Authorization field
	Basic   string            `toml:"basic"`   // USER:PASSWORD of an Authorization field
	Cert    string            `toml:"cert"`    // file of a client certificate, in PEM
	Key     string            `toml:"key"`     // file of its key; empty: Cert has it
}

// check returns what is wrong with h.
func (h *Host) check() error {
	switch {
	case h.URL.String() == "":
		return errors.New(`no url: write url = "example.com"`)
	case h.Rate < 0 || h.Parallel < 0 || h.Timeout < 0:
		return errors.New("rate, parallel and timeout can't be negative")
	case h.Key != "" && h.Cert == "":
		return errors.New("key needs cert: set both")
	case h.Bearer != "" && h.Basic != "":
		return errors.New("bearer and basic both set the Authorization field: choose one")
	}
	return nil
}

// Span is a time in a file of rules: "30s" or "2m".
type Span time.Duration

// UnmarshalText parses a span.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf(`invalid duration %s: write "30s" or "2m"`, locus.Quote(string(text)))
	}
	*s = Span(d)
	return nil
}

// HostFor returns the settings for u; nil: no Host fits.
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

// limitsFor returns the limits of requests for u, with those of its host in the rules.
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

// timeoutFor returns the limit of an attempt at u.
func (c *Checker) timeoutFor(u locus.URL) time.Duration {
	if h := c.o.Rules.HostFor(u, c.registry); h != nil && h.Timeout > 0 {
		return min(time.Duration(h.Timeout), c.o.Timeout)
	}
	return c.o.Timeout
}
