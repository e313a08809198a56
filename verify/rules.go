package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Rules selects the links to skip and the outcomes to accept. A nil or zero Rules has no
// effect.
type Rules struct {
	// Ignore lists patterns of URLs to skip.
	Ignore []policy.Pattern `toml:"ignore"`
	// Include restricts the run to matching URLs. If empty, all URLs match.
	Include []policy.Pattern `toml:"include"`
	// ExcludePath lists files to skip. The caller, which selects the documents, must apply it.
	ExcludePath []string `toml:"exclude-path"`
	// Remap lists replacements to apply after the replacements in [Options].
	Remap []Remap `toml:"remap"`
	// Accept lists outcomes that don't count as bad.
	Accept []Accept `toml:"accept"`
	// Host lists settings for individual hosts.
	Host []Host `toml:"host"`
}

// Accept matches links with bad outcomes that do not count as bad.
type Accept struct {
	URL     policy.Pattern `toml:"url"`
	Status  []int          `toml:"status"`  // accepted status codes; if empty, any
	Verdict []Verdict      `toml:"verdict"` // accepted verdicts; if empty, any
	Reason  string         `toml:"reason"`  // reason to show to users
}

// ParseRules parses rules in TOML. An unknown key is an error.
func ParseRules(text string) (*Rules, error) {
	r := new(Rules)
	meta, err := toml.Decode(text, r)
	if e := (toml.ParseError{}); errors.As(err, &e) {
		return nil, fmt.Errorf("line %d: %s", e.Position.Line, e.Message)
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %s: choose ignore, include, exclude-path or remap; in accept: url, status, verdict or reason; in host: url, rate, parallel, timeout, headers, bearer, basic, cert or key", locus.Quote(unknown[0].String()))
	}
	for i, a := range r.Accept {
		if a.URL.String() == "" {
			return nil, fmt.Errorf(`accept number %d has no url: write url = "*" to match all URLs`, i+1)
		}
	}
	for i := range r.Host {
		if err := r.Host[i].check(); err != nil {
			return nil, fmt.Errorf("host number %d: %w", i+1, err)
		}
	}
	return r, nil
}

// ignoredBy returns the first Ignore pattern that matches u.
func (r *Rules) ignoredBy(u locus.URL, registry *scheme.Registry) (policy.Pattern, bool) {
	if r == nil || len(r.Ignore) == 0 {
		return policy.Pattern{}, false
	}
	return firstMatch(r.Ignore, u, registry)
}

// accepts reports whether a rule accepts the outcome o of the URL u, and returns the reason from
// the rule.
func (r *Rules) accepts(u locus.URL, o *Outcome, registry *scheme.Registry) (reason string, ok bool) {
	if r == nil {
		return "", false
	}
	for _, a := range r.Accept {
		if (len(a.Status) == 0 || slices.Contains(a.Status, o.Status)) &&
			(len(a.Verdict) == 0 || slices.Contains(a.Verdict, o.Verdict)) {
			if _, ok := firstMatch([]policy.Pattern{a.URL}, u, registry); ok {
				return a.Reason, true
			}
		}
	}
	return "", false
}

// forPatterns returns the canonical form and the port of the URL u, for a comparison with
// patterns.
func forPatterns(u locus.URL, registry *scheme.Registry) (locus.URL, uint16) {
	if canonical, _, err := registry.Canonical(u); err == nil {
		u = canonical
	}
	return u, registry.Port(u)
}

func firstMatch(patterns []policy.Pattern, u locus.URL, registry *scheme.Registry) (policy.Pattern, bool) {
	u, port := forPatterns(u, registry)
	for _, p := range patterns {
		if p.Matches(u, port) {
			return p, true
		}
	}
	return policy.Pattern{}, false
}
