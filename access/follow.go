package access

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// maxTries is the maximum number of URLs that the client tries for one redirect. Each attempt may
// cost a failed connection, and no known service lists more replicas.
const maxTries = 8

// follower is the state of one call of Do.
type follower struct {
	client  *Client
	ctx     context.Context
	request Request

	asked   map[askedKey]bool
	cookies *cookies
	secure  bool     // the connection for an earlier URL was encrypted
	result  Result   // result so far
	dialed  *tracker // addresses that were dialed for the last URL

	observed *Observation // observation of the last request; may be nil
}

// askedKey identifies a request in a chain of redirects. It contains the URL without a fragment,
// and the cookies for that URL.
type askedKey struct {
	url     locus.URL
	cookies string
}

func (f *follower) key(u locus.URL) askedKey {
	u = u.WithoutFragment()
	return askedKey{u, f.cookies.Header(u)}
}

// follow opens the first URL of the chain, and follows the redirects from it.
func (f *follower) follow() (scheme.Resource, error) {
	f.result.URL = f.request.URL
	res, err := f.visit(f.request.URL, 0, false)
	return f.followFrom(res, err, 1)
}

// followTo continues the chain with a temporary redirect to target.
func (f *follower) followTo(target locus.URL) (scheme.Resource, error) {
	f.result.Permanent = false
	hops := len(f.result.Hops)
	res, err := f.followRedirect([]locus.URL{target}, hops)
	return f.followFrom(res, err, hops+1)
}

// followFrom follows the redirects from a resource. The parameter hops is the number of the first
// of these redirects.
func (f *follower) followFrom(res scheme.Resource, err error, hops int) (scheme.Resource, error) {
	for ; err == nil; hops++ {
		referral, ok := res.(*scheme.Redirect)
		if !ok || f.request.NoFollow {
			return res, nil
		}
		res, err = f.openRedirect(referral, hops)
	}
	return nil, err
}

// openRedirect opens the target of a redirect. The parameter hops is the number of the redirect.
func (f *follower) openRedirect(referral *scheme.Redirect, hops int) (scheme.Resource, error) {
	referral.Close()
	f.observed.End(nil)
	f.result.Permanent = referral.Permanent && (hops == 1 || f.result.Permanent)
	if len(referral.To) == 0 {
		return nil, f.fail(f.result.URL, fmt.Errorf("%w: redirect without a target", scheme.ErrProtocol))
	}
	return f.followRedirect(referral.To, hops)
}

// followRedirect opens the first URL in list that it can open. It tries the next URL after a
// denial, an unsupported scheme or a failed connection. If all attempts fail, the error is the last
// denial, because the user can allow it. Without a denial, it is the last error.
func (f *follower) followRedirect(list []locus.URL, hops int) (res scheme.Resource, err error) {
	for i, target := range list {
		if i == maxTries {
			break
		}
		res, tryErr := f.visit(target, hops, false)
		if tryErr == nil || !worthAnother(tryErr) {
			return res, tryErr
		}
		if !errors.Is(err, policy.ErrDenied) {
			err = tryErr
		}
	}
	return nil, err
}

// worthAnother reports whether the client should try another URL of a redirect after err. It
// returns true if err means that the client sent no request, except after a cancellation.
func worthAnother(err error) bool {
	return errors.Is(err, scheme.ErrNotArchived) || errors.Is(err, scheme.ErrUnreachable) || errors.Is(err, policy.ErrDenied) || errors.Is(err, scheme.ErrUnsupported)
}

// visit opens u, and makes u the URL of the result. The parameter hops is the number of the
// redirect to u, or 0 for the first URL. The caller sets skipArchive if the archive does not
// contain u.
func (f *follower) visit(u locus.URL, hops int, skipArchive bool) (scheme.Resource, error) {
	p, err := f.plan(u, hops, skipArchive)
	f.observed = f.client.observe(f.ctx, &f.request, p, err == nil, hops)
	var res scheme.Resource
	t := new(tracker)
	if err == nil {
		res, err = f.perform(p, hops, t)
	}
	if p.outcome == planArchive && f.client.options.Live && errors.Is(err, scheme.ErrNotArchived) {
		f.observed.End(err)
		return f.visit(u, hops, true)
	}
	if err == nil {
		err = f.accept(res, p, hops)
	}
	if err != nil {
		err = f.fail(p.url, err)
		f.observed.End(err)
		return nil, err
	}
	f.dialed = t
	f.secure = f.secure || f.client.has(p.url, scheme.Secure)
	f.result.URL = p.url
	f.result.Hops = append(f.result.Hops, p.url.WithoutFragment())
	f.result.LinkOrigin = f.client.originAfter(p, t)
	return res, nil
}

// accept returns a denial if a redirect started a session. It also closes that session.
func (f *follower) accept(res scheme.Resource, p plan, hops int) error {
	if _, ok := res.(*scheme.Session); !ok || hops == 0 {
		return nil
	}
	res.Close()
	return &policy.DeniedError{Rule: "session", Subject: locus.Quote(p.url.Shown()),
		Reason: "a redirect must not start a session", Help: "to open it, enter the URL yourself"}
}

// admit checks whether the client may send a network request for u, which is the first URL or the
// target of a redirect. It returns that URL with the inherited login, and the origin of the URL.
func (f *follower) admit(u locus.URL, hops int) (locus.URL, policy.Origin, error) {
	c, source := f.client, f.result.URL
	if hops == 0 {
		origin, err := c.originOf(u, f.request.From)
		return u, origin, err
	}
	if err := c.policy.CheckRedirect(c.target(source), c.target(u), hops); err != nil {
		return u, 0, err
	}
	u = f.withLogin(source, u)
	return u, f.result.LinkOrigin, f.checkLoop(u)
}

// maxArchiveHops is the maximum number of redirects within an archive.
const maxArchiveHops = 20

// admitArchived checks whether a redirect may lead to u in an archive. The client dials nothing for
// u. So the policy only checks whether a redirect may start a session or compose a message.
func (f *follower) admitArchived(u locus.URL, hops int) error {
	c := f.client
	if hops == 0 {
		return nil
	}
	if err := f.checkLoop(u); err != nil {
		return err
	}
	if hops > maxArchiveHops {
		return fmt.Errorf("%w: more than %d redirects", scheme.ErrProtocol, maxArchiveHops)
	}
	if target := c.target(u); !target.Reads {
		return c.policy.CheckRedirect(c.target(f.result.URL), target, hops)
	}
	return nil
}

func (f *follower) checkLoop(to locus.URL) error {
	if f.asked[f.key(to)] {
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, ErrRedirectLoop)
	}
	return nil
}

// fail returns the error about u. If the context of the open has ended, the cause of that end
// replaces err, unless err already wraps the exceeded time limit.
func (f *follower) fail(u locus.URL, err error) error {
	op := "open"
	if errors.Is(err, scheme.ErrUnreachable) && !errors.Is(err, policy.ErrDenied) {
		op = "dial"
	}
	if why := contextError(f.ctx); why != nil && !(isLimit(why) && errors.Is(err, why)) {
		err = why
	}
	if first := f.result.Hops; len(first) > 0 && first[0] != u.WithoutFragment() {
		err = fmt.Errorf("%w (redirected from %s)", err, quoteURL(first[0]))
	}
	return NewError(op, u, err)
}

// isSameServer reports whether two URLs have the same scheme, host and port.
func (f *follower) isSameServer(a, b locus.URL) bool {
	own := f.client.registry.Scheme(b).Port
	return a.Scheme() == b.Scheme() && hostKey(a) == hostKey(b) && portOf(a, own) == portOf(b, own)
}

// withLogin adds the login of source to target. It returns target unchanged if target contains a
// login, or if the two URLs have different servers.
func (f *follower) withLogin(source, target locus.URL) locus.URL {
	login, p := source.Parts(), target.Parts()
	if login.User == nil || p.User != nil || !f.isSameServer(source, target) {
		return target
	}
	p.User, p.Password = login.User, login.Password
	u, err := p.URL()
	if err != nil {
		// The URL would be too long with the login.
		return target
	}
	return u
}

// withFragment adds the current fragment to target. It returns target unchanged if target contains
// a fragment.
func (f *follower) withFragment(target locus.URL) locus.URL {
	fragment, ok := f.result.URL.Fragment()
	if _, has := target.Fragment(); !ok || has {
		return target
	}
	u, err := target.WithFragment(fragment)
	if err != nil {
		// The URL would be too long with the fragment. Only the client needs the fragment.
		return target
	}
	return u
}

// hostKey returns the host of u in lower case, without brackets and a final dot.
func hostKey(u locus.URL) string {
	host := u.Host()
	if len(host) >= 2 && host[0] == '[' {
		host = host[1 : len(host)-1]
	}
	return nameKey(host)
}

// nameKey returns a host in lower case, without the final dot of a fully qualified name.
func nameKey(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// originAfter returns the origin of links in the resource that the plan p opened. The
// package comment describes the rules.
func (c *Client) originAfter(p plan, t *tracker) policy.Origin {
	host := hostKey(p.url)
	public, known := c.known.get(host)
	literal, err := netip.ParseAddr(host)
	switch {
	case p.outcome == planArchive, p.origin == policy.FromPublic, t.public.Load(), known && public:
		return policy.FromPublic
	case p.isForwarded() && err == nil && !policy.IsPublic(literal):
		// The client dialed only the proxy.
		return policy.FromPrivate
	case p.isForwarded():
		return policy.FromPublic
	case c.has(p.url, scheme.Files), t.dialed.Load(), known:
		return policy.FromPrivate
	case err == nil && !policy.IsPublic(literal):
		return policy.FromPrivate
	}
	return policy.FromPublic
}
