package gateway

import (
	"net/netip"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Rules restricts the URLs that clients may open, in addition to the policy. The caller
// must set access.Options.Check to [Rules.Check] and access.Options.CheckAddr to
// [Rules.CheckAddr]; then the rules also apply to redirects. The zero Rules allows
// everything.
type Rules struct {
	allow, deny []policy.Pattern
	registry    *scheme.Registry
}

// NewRules parses patterns with [policy.ParsePattern]. If allow is empty, Rules allows all
// URLs that no pattern in deny matches. A pattern in deny also matches a URL in a different
// spelling that a server might read as the same URL. A pattern in deny for an address also
// denies every host name with that address.
func NewRules(r *scheme.Registry, allow, deny []string) (Rules, error) {
	rules := Rules{registry: r}
	known := func(name string) bool {
		_, ok := r.Lookup(name)
		return ok
	}
	for _, list := range []struct {
		texts []string
		to    *[]policy.Pattern
	}{{allow, &rules.allow}, {deny, &rules.deny}} {
		for _, text := range list.texts {
			p, err := policy.ParsePattern(text, known)
			if err != nil {
				return Rules{}, err
			}
			*list.to = append(*list.to, p)
		}
	}
	return rules, nil
}

// denialError returns the error for a URL or an address that the rules deny.
func denialError(subject, reason string) error {
	return &policy.DeniedError{Rule: "list", Subject: locus.Quote(subject), Reason: reason}
}

// denyListReason is the reason of a denial by the deny list.
const denyListReason = "it is on the deny list"

// CheckAddr checks an address before the client dials it. The error is a
// [*policy.DeniedError].
func (r Rules) CheckAddr(a netip.AddrPort) error {
	for _, one := range r.deny {
		if one.MatchesAddr(a) {
			return denialError(a.String(), denyListReason)
		}
	}
	return nil
}

// Check checks a URL before the client opens it. The error is a [*policy.DeniedError].
func (r Rules) Check(u locus.URL) error {
	if len(r.allow) == 0 && len(r.deny) == 0 {
		return nil
	}
	canonical := u.WithoutFragment()
	if c, _, err := r.registry.Canonical(canonical); err == nil {
		canonical = c
	}
	port := r.registry.Port(canonical)
	for _, one := range r.deny {
		if one.MayMatch(canonical, port) {
			return denialError(u.Shown(), denyListReason)
		}
	}
	if len(r.allow) == 0 {
		return nil
	}
	for _, one := range r.allow {
		if one.Matches(canonical, port) {
			return nil
		}
	}
	return denialError(u.Shown(), "it is not on the allow list")
}
