package gateway

import (
	"net/netip"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Rules say which URLs may be opened, in addition to the policy. [Rules.Check] is for
// access.Options.Check and [Rules.CheckAddr] for access.Options.CheckAddr, so that they
// hold for referrals, too. The zero Rules allow everything.
type Rules struct {
	allow, deny []policy.Pattern
	registry    *scheme.Registry
}

// NewRules parses patterns, as [policy.ParsePattern] does. If allow is empty, everything
// is allowed that deny does not deny. A denied pattern also denies URLs that a server
// might take for one of the pattern, and a denied address is denied under any name.
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

// denied returns the error for a URL or address that the rules deny.
func denied(subject, reason string) error {
	return &policy.DeniedError{Rule: "list", Subject: locus.Quote(subject), Reason: reason}
}

// onList is the reason of a rule that denies.
const onList = "it is on the deny list"

// CheckAddr checks an address before it is dialed: a denied address is denied under any
// name. The error is a [*policy.DeniedError].
func (r Rules) CheckAddr(a netip.AddrPort) error {
	for _, one := range r.deny {
		if one.MatchesAddr(a) {
			return denied(a.String(), onList)
		}
	}
	return nil
}

// Check checks a URL before it is opened. The error is a [*policy.DeniedError].
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
			return denied(u.Shown(), onList)
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
	return denied(u.Shown(), "it is not on the allow list")
}
