package access

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// This file decides where a request goes. [follower.plan] decides for a request, and
// [Client.networkPlan] decides for a URL that the client checks or dials without a request.
// [follower.perform] then sends the request.

// outcome is the kind of destination that a plan selects.
type outcome uint8

const (
	planDirect   outcome = iota // to the URL's own server, or to this machine
	planTunnel                  // to the URL's own server, over connections that a proxy makes
	planProxy                   // to an HTTP proxy, which requests the URL
	planTemplate                // to the gateway of a URL template, at the URL that the template makes
	planArchive                 // to Options.Archive
)

// plan records where the request for a URL goes. The zero outcome is planDirect.
type plan struct {
	outcome outcome
	url     locus.URL
	origin  policy.Origin // origin of url; Typed if a template made url
	proxy   Proxy         // HTTP proxy, SOCKS proxy or URL template; zero for planDirect and planArchive
	next    *plan         // for planTemplate: plan for the URL that the template makes
}

// plan returns the plan for u, if the rules allow the request. The parameter hops is the number of
// the redirect that led to u, or 0 if u is the first URL. If there is an archive, the plan is for
// the archive, unless skipArchive is true. The caller sets skipArchive if the archive does not
// contain u. If plan returns an error, the returned plan contains the URL for the error message.
func (f *follower) plan(u locus.URL, hops int, skipArchive bool) (plan, error) {
	if f.client.options.Archive != nil && !skipArchive {
		if err := f.admitArchived(u, hops); err != nil {
			return plan{url: u}, err
		}
		return plan{outcome: planArchive, url: f.withFragment(u)}, nil
	}
	u, origin, err := f.admit(u, hops)
	if err != nil {
		return plan{url: u}, err
	}
	p, err := f.client.networkPlan(u.WithoutFragment(), origin)
	p.url = f.withFragment(u)
	return p, err
}

// networkPlan returns the plan for u without an archive, if the policy allows the request and an
// opener is registered for it.
func (c *Client) networkPlan(u locus.URL, origin policy.Origin) (plan, error) {
	p, err := c.options.Proxies.plan(u, c.registry)
	p.origin = origin
	if err != nil {
		return p, err
	}
	if last := p.finalPlan(); last.outcome != planProxy {
		if _, err := c.lookup(last.url); err != nil {
			return p, err
		}
	}
	return p, c.check(u, origin)
}

// errCircle reports proxies that form a loop.
var errCircle = errors.New("access: the proxies form a loop")

// plan returns the plan for u. The list templates contains the templates that made u.
func (g *Proxies) plan(u locus.URL, registry *scheme.Registry, templates ...Proxy) (plan, error) {
	s := registry.Scheme(u)
	p := plan{url: u, proxy: g.proxyFor(u, s)}
	switch {
	case slices.Contains(templates, p.proxy):
		return p, fmt.Errorf("%w: the URL goes through %s twice: make its host an exception", errCircle, p.proxy)
	case p.proxy.IsZero():
		return p, nil
	case p.proxy.kind == template:
		p.outcome = planTemplate
		made, err := p.proxy.expand(u)
		if err != nil {
			return p, err
		}
		next, err := g.plan(made, registry, append(templates, p.proxy)...)
		p.next = &next
		return p, err
	case p.proxy.kind != httpProxy, s.Traits&(scheme.Secure|scheme.Interactive) != 0:
		// Encryption must extend to the server, and an HTTP proxy does not support sessions.
		p.outcome = planTunnel
	default:
		p.outcome = planProxy
	}
	return p, nil
}

// proxyFor returns the proxy for the URL u, which has the scheme s. The zero Proxy means no proxy.
// A URL at the host of a template does not go through that template.
func (g *Proxies) proxyFor(u locus.URL, s scheme.Scheme) Proxy {
	if g == nil || s.Traits.Has(scheme.Files) && isHere(u.Host()) || g.excepts(hostKey(u), portOf(u, s.Port)) {
		return Proxy{}
	}
	for _, gateway := range []Proxy{g.For(s), g.forOthers(s)} {
		if !gateway.isGatewayOf(u) {
			return gateway
		}
	}
	return Proxy{}
}

// isHere reports whether a file URL with the given host names a file on this machine (RFC 1738
// section 3.10).
func isHere(host string) bool { return host == "" || strings.EqualFold(host, "localhost") }

// excepts reports whether requests to host at the given port use no proxy.
func (g *Proxies) excepts(host string, port uint16) bool {
	return slices.ContainsFunc(g.except, func(p policy.Pattern) bool { return p.MatchesHost(host, port) })
}

// For returns the proxy for URLs with the scheme s. It ignores exceptions. The zero Proxy
// means that there is no proxy for s.
func (g *Proxies) For(s scheme.Scheme) Proxy {
	if g == nil {
		return Proxy{}
	}
	gateway := g.schemes[s.Name]
	if gateway.IsZero() {
		return g.forOthers(s)
	}
	return gateway.unlessDirect()
}

// forOthers returns the proxy for all schemes, unless s has its own proxy.
func (g *Proxies) forOthers(s scheme.Scheme) Proxy {
	if g == nil || s.Traits&(scheme.Local|scheme.Files) != 0 {
		return Proxy{}
	}
	return g.all.unlessDirect()
}

func (g Proxy) unlessDirect() Proxy {
	if g.kind == direct {
		return Proxy{}
	}
	return g
}

// finalPlan returns the plan for the URL that the client requests after it applied all templates.
func (p plan) finalPlan() plan {
	for p.next != nil {
		p = *p.next
	}
	return p
}

// proxies returns all proxies and templates of p, in order.
func (p plan) proxies() (list []Proxy) {
	for next := &p; next != nil && !next.proxy.IsZero(); next = next.next {
		list = append(list, next.proxy)
	}
	return list
}

// isForwarded reports whether a proxy or the gateway of a template gets the URL. A proxy that makes
// a tunnel gets only the host.
func (p plan) isForwarded() bool { return p.outcome == planProxy || p.outcome == planTemplate }

// dialerKey identifies a dialer.
type dialerKey struct {
	origin   policy.Origin
	tunnel   Proxy
	onlyHost string // if not empty, the dialer may dial only this host
}

// dialerKey returns the key of the dialer for p. The configuration names each proxy that receives
// URLs. So the dialer for such a proxy has the origin Typed, and may dial only the host of the
// proxy.
func (p plan) dialerKey() dialerKey {
	switch p.outcome {
	case planTunnel:
		return dialerKey{origin: p.origin, tunnel: p.proxy}
	case planProxy:
		return dialerKey{origin: policy.Typed, onlyHost: hostKey(p.proxy.url)}
	case planTemplate:
		key := p.next.dialerKey()
		key.onlyHost = cmp.Or(key.onlyHost, hostKey(p.next.url))
		return key
	}
	return dialerKey{origin: p.origin}
}

// isTunnelled reports whether d dials address through its tunnel. An opener may dial other hosts
// than the host of its URL, and some of these hosts may be exceptions.
func (d *dialer) isTunnelled(address string) bool {
	host, port, err := splitAddress(address)
	return err == nil && !d.tunnel.IsZero() && !d.client.options.Proxies.excepts(strings.ToLower(host), port)
}
