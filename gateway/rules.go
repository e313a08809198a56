package gateway

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Rules say which URLs may be opened, in addition to the policy. [Rules.Check] is for
// access.Options.Check, so that they hold for referrals, too. The zero Rules allow
// everything. A rule is one of
//
//	telnet:                    a scheme
//	example.com                a host
//	.example.com               a host and all within that domain
//	192.0.2.0/24               addresses: as the host of a URL, and for denial also those
//	                           of a name
//	127.0.0.1:7070             a host, or an address, and a port
//	gopher://h/1/pub/          a prefix of the URL, in canonical form
//
// A prefix never allows a path with a segment "." or "..". It also denies URLs that a
// server might take for a denied one: with such segments, or with "//" for "/".
// [Rules.CheckAddr] is for access.Options.CheckAddr.
type Rules struct {
	allow, deny []rule
	registry    *scheme.Registry
}

// rule is one rule. One of its fields is set, perhaps with port.
type rule struct {
	scheme string
	host   string    // begins with "." for a domain
	port   uint16    // of host or block; 0: any
	prefix locus.URL // in canonical form
	block  netip.Prefix
}

// NewRules parses rules. If allow is empty, everything is allowed that deny does not
// deny.
func NewRules(r *scheme.Registry, allow, deny []string) (Rules, error) {
	rules := Rules{registry: r}
	for _, list := range []struct {
		texts []string
		to    *[]rule
	}{{allow, &rules.allow}, {deny, &rules.deny}} {
		for _, text := range list.texts {
			one, err := rules.parse(text)
			if err != nil {
				return Rules{}, fmt.Errorf("gateway: the rule %s: %w", locus.Quote(text), err)
			}
			*list.to = append(*list.to, one)
		}
	}
	return rules, nil
}

func (r Rules) parse(text string) (rule, error) {
	if block, err := netip.ParsePrefix(text); err == nil {
		return rule{block: block.Masked()}, nil
	}
	if name, ok := strings.CutSuffix(strings.ToLower(text), ":"); ok && locus.IsScheme(name) {
		if _, ok := r.registry.Lookup(name); !ok {
			return rule{}, fmt.Errorf("no scheme %s is registered", locus.Quote(name))
		}
		return rule{scheme: name}, nil
	}
	if _, ok := r.registry.Lookup(strings.ToLower(text)); ok {
		// To take it for a host would leave the scheme allowed.
		return rule{}, fmt.Errorf("write %q for the scheme, or %q for a host of that name", text+":", "."+text)
	}
	if strings.Contains(text, "://") {
		u, err := locus.Parse(text)
		if err != nil {
			return rule{}, err
		}
		canonical, _, err := r.registry.Canonical(u)
		if err != nil {
			return rule{}, err
		}
		if hasDots(canonical) {
			return rule{}, errors.New(`a prefix has no segment "." or ".."`)
		}
		return rule{prefix: canonical}, nil
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return rule{block: blockOf(a)}, nil
	}
	host, one := text, rule{}
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		n, err := strconv.ParseUint(text[i+1:], 10, 16)
		if err != nil || n == 0 {
			return rule{}, fmt.Errorf("port %s is out of range (1-65535)", locus.Quote(text[i+1:]))
		}
		host, one.port = text[:i], uint16(n)
	}
	host = plainHost(host)
	if !locus.IsHost(strings.TrimPrefix(host, ".")) {
		return rule{}, errors.New(`write "telnet:", "example.com", ".example.com", "example.com:70", "192.0.2.0/24" or "gopher://example.com/1/pub"`)
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		one.block = blockOf(a)
	} else {
		one.host = host
	}
	return one, nil
}

// blockOf returns the block of one address.
func blockOf(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	return netip.PrefixFrom(a, a.BitLen())
}

// plainHost returns a host in one spelling: in lower case, without a final dot.
func plainHost(host string) string {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch a = a.Unmap(); {
	case err != nil:
		return strings.TrimSuffix(strings.ToLower(host), ".")
	case a.Is6():
		return "[" + a.String() + "]"
	}
	return a.String()
}

// denied returns the error for a URL or address that the rules deny.
func denied(subject, reason string) error {
	return &policy.DeniedError{Rule: "list", Subject: locus.Quote(subject), Reason: reason}
}

// onList is the reason of a rule that denies.
const onList = "it is on the deny list"

// CheckAddr checks an address before it is dialled: a denied address is denied under any
// name. The error is a [*policy.DeniedError].
func (r Rules) CheckAddr(a netip.AddrPort) error {
	for _, one := range r.deny {
		if one.block.IsValid() && one.block.Contains(a.Addr().Unmap().WithZone("")) && (one.port == 0 || one.port == a.Port()) {
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
	for _, one := range r.deny {
		if one.fits(r.registry, canonical, true) {
			return denied(u.Redacted(), onList)
		}
	}
	if len(r.allow) == 0 {
		return nil
	}
	for _, one := range r.allow {
		if one.fits(r.registry, canonical, false) {
			return nil
		}
	}
	return denied(u.Redacted(), "it is not on the allow list")
}

// fits reports whether the rule is about u. loose: also if a server might take u for a
// URL that the rule is about.
func (one rule) fits(r *scheme.Registry, u locus.URL, loose bool) bool {
	host := plainHost(u.Host())
	switch {
	case one.scheme != "":
		return u.Scheme() == one.scheme
	case !one.prefix.IsZero():
		return one.fitsPrefix(u, loose)
	case one.port != 0 && one.port != portIn(r, u):
		return false
	case one.block.IsValid():
		a, err := netip.ParseAddr(strings.Trim(host, "[]"))
		return err == nil && one.block.Contains(a.Unmap())
	case strings.HasPrefix(one.host, "."):
		return strings.HasSuffix("."+host, one.host)
	}
	return host != "" && host == one.host
}

func (one rule) fitsPrefix(u locus.URL, loose bool) bool {
	p := one.prefix
	if !loose {
		return strings.HasPrefix(u.WithoutPassword().String(), p.String()) && !hasDots(u)
	}
	if u.Scheme() != p.Scheme() || plainHost(u.Host()) != plainHost(p.Host()) {
		return false
	}
	n, written := u.Port()
	if m, also := p.Port(); n != m || written != also {
		return false
	}
	path, _ := u.Path()
	prefix, _ := p.Path()
	return hasDots(u) || strings.HasPrefix(plainPath(path), plainPath(prefix))
}

// plainPath returns a path decoded, with runs of "/" as one and none at the beginning.
func plainPath(path string) string {
	if decoded, err := escape.Decode(path); err == nil {
		path = decoded
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return strings.TrimPrefix(path, "/")
}

// hasDots reports whether the path of u has a segment "." or "..", decoded.
func hasDots(u locus.URL) bool {
	path, _ := u.Path()
	if decoded, err := escape.Decode(path); err == nil {
		path = decoded
	}
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// portIn returns the port that u leads to; 0: none.
func portIn(r *scheme.Registry, u locus.URL) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	s, _ := r.Lookup(u.Scheme())
	return s.Port
}
