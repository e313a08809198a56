package gateway

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Rules say which URLs may be opened at all, besides what the policy says. They are
// for access.Options.Check, so that they hold for what URLs lead to as well. The
// zero Rules allow everything. A rule is one of
//
//	telnet:                    a scheme
//	example.com                a host
//	.example.com               a host and all within that domain
//	192.0.2.0/24               addresses, where a URL has one for its host
//	127.0.0.1:7070             a host and a port
//	gopher://h/1/pub/          a prefix of the URL, in canonical form
//
// A prefix never allows a path with a segment "." or "..", and denies the URLs that
// a server might take for one that it denies: with such segments, or with "//" for
// "/".
type Rules struct {
	allow, deny []rule
	registry    *scheme.Registry
}

// rule is one line of Rules. One of its fields is set.
type rule struct {
	scheme string
	host   string // begins with "." for a domain
	port   string
	prefix string
	block  netip.Prefix
}

// NewRules reads rules. Without any in allow, all is allowed that deny does not
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
	if name, ok := strings.CutSuffix(text, ":"); ok && locus.IsScheme(strings.ToLower(name)) {
		return rule{scheme: strings.ToLower(name)}, nil
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
		return rule{prefix: canonical.String()}, nil
	}
	host, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		host, port = text[:i], text[i+1:]
	}
	host = strings.ToLower(host)
	if !locus.IsHost(strings.TrimPrefix(host, ".")) {
		return rule{}, errors.New(`write "telnet:", "example.com", ".example.com", "example.com:70", "192.0.2.0/24" or "gopher://example.com/1/pub"`)
	}
	return rule{host: host, port: port}, nil
}

// Check says whether u may be opened. The error is a [*policy.DeniedError].
func (r Rules) Check(u locus.URL) error {
	denied := func(reason string) error {
		return &policy.DeniedError{Rule: "list", Subject: locus.Quote(u.Redacted()), Reason: reason}
	}
	canonical := u.WithoutFragment()
	if c, _, err := r.registry.Canonical(canonical); err == nil {
		canonical = c
	}
	for _, one := range r.deny {
		if one.fits(r.registry, canonical, true) {
			return denied("it is on the list of what is denied")
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
	return denied("it is not on the list of what is allowed")
}

// fits reports whether the rule is about u. loose: also if some server might take u
// for what the rule is about.
func (one rule) fits(r *scheme.Registry, u locus.URL, loose bool) bool {
	host := strings.ToLower(u.Host())
	switch {
	case one.scheme != "":
		return u.Scheme() == one.scheme
	case one.block.IsValid():
		a, err := netip.ParseAddr(strings.Trim(host, "[]"))
		return err == nil && one.block.Contains(a.Unmap())
	case one.prefix != "":
		return one.fitsPrefix(u, loose)
	case one.port != "" && one.port != portText(r, u):
		return false
	case strings.HasPrefix(one.host, "."):
		return strings.HasSuffix("."+host, one.host)
	}
	return host != "" && host == one.host
}

func (one rule) fitsPrefix(u locus.URL, loose bool) bool {
	text := u.WithoutPassword().String()
	if !loose {
		return strings.HasPrefix(text, one.prefix) && !hasDots(u)
	}
	p, err := locus.Parse(one.prefix)
	if err != nil || u.Scheme() != p.Scheme() || !strings.EqualFold(u.Host(), p.Host()) {
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

// plainPath is a path decoded, with each run of "/" as one and none at its
// beginning.
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

// portText is the port that u leads to; empty: none.
func portText(r *scheme.Registry, u locus.URL) string {
	n, ok := u.Port()
	if !ok {
		s, _ := r.Lookup(u.Scheme())
		n = s.Port
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
