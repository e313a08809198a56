package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// maxTries is the most URLs of one referral that are tried. Each attempt costs a failed
// connection, and no service lists more replicas.
const maxTries = 8

// follower is the state of one Do.
type follower struct {
	client  *Client
	ctx     context.Context
	request Request

	asked   map[askedKey]bool
	cookies *cookies
	secure  bool     // the connection for an earlier URL was encrypted
	result  Result   // as far as it is known
	dialled *tracker // what was dialled for the last URL
}

// askedKey tells requests of a chain apart: by their URL without a fragment, and by the
// cookies that the chain has for it.
type askedKey struct {
	url     locus.URL
	cookies string
}

func (f *follower) key(u locus.URL) askedKey {
	u = u.WithoutFragment()
	return askedKey{u, f.cookies.Header(u)}
}

func (f *follower) follow() (scheme.Resource, error) {
	first := f.request.URL
	f.result.URL = first
	if res, done, err := f.openKept(first); done {
		return f.followFrom(res, err, 1)
	}
	if err := checkHost(f.client.target(first)); err != nil {
		return nil, NewError("open", first, err)
	}
	origin, err := f.client.originOf(first, f.request.From)
	if err != nil {
		return nil, NewError("open", first, err)
	}
	res, err := f.open(first, origin, 0)
	return f.followFrom(res, err, 1)
}

// followTo continues the chain with a referral to a URL that is not permanent.
func (f *follower) followTo(to locus.URL) (scheme.Resource, error) {
	f.result.Permanent = false
	hops := len(f.result.Hops)
	res, err := f.refer([]locus.URL{to}, hops)
	return f.followFrom(res, err, hops+1)
}

// followFrom follows the referrals from a resource. hops is the number of the first one.
func (f *follower) followFrom(res scheme.Resource, err error, hops int) (scheme.Resource, error) {
	for ; err == nil; hops++ {
		referral, ok := res.(*scheme.Referral)
		if !ok || f.request.NoFollow {
			return res, nil
		}
		res, err = f.next(referral, hops)
	}
	return nil, err
}

// next opens what a referral leads to. hops is its number.
func (f *follower) next(referral *scheme.Referral, hops int) (scheme.Resource, error) {
	referral.Close()
	f.result.Permanent = referral.Permanent && (hops == 1 || f.result.Permanent)
	if len(referral.To) == 0 {
		return nil, f.fail(f.result.URL, fmt.Errorf("%w: a referral that leads nowhere", scheme.ErrProtocol))
	}
	return f.refer(referral.To, hops)
}

// refer opens the first URL of list that can be opened. It tries the next one after a
// denial, an unsupported scheme or a failed connection. If all fail, the error is the
// last denial, which the user can allow, or otherwise the last error.
func (f *follower) refer(list []locus.URL, hops int) (res scheme.Resource, err error) {
	from := f.result.URL
	for i, to := range list {
		if i == maxTries {
			break
		}
		res, tryErr := f.try(from, to, hops)
		if tryErr == nil || !worthAnother(tryErr) {
			return res, tryErr
		}
		if !errors.Is(err, policy.ErrDenied) {
			err = tryErr
		}
	}
	return nil, err
}

func (f *follower) try(from, to locus.URL, hops int) (scheme.Resource, error) {
	if res, done, err := f.tryKept(to, hops); done {
		return res, err
	}
	if err := f.client.policy.CheckReferral(f.client.target(from), f.client.target(to), hops); err != nil {
		return nil, f.fail(to, err)
	}
	to = f.withLogin(from, to)
	if f.asked[f.key(to)] {
		return nil, f.fail(to, fmt.Errorf("%w: %w", scheme.ErrProtocol, ErrCircle))
	}
	return f.open(f.withFragment(to), f.result.LinkOrigin, hops)
}

// worthAnother reports whether another URL of a referral should be tried after err: no
// request was sent. A cancelled open is not continued.
func worthAnother(err error) bool {
	return errors.Is(err, scheme.ErrNotKept) || errors.Is(err, scheme.ErrUnreachable) || errors.Is(err, policy.ErrDenied) || errors.Is(err, scheme.ErrUnsupported)
}

// open makes one request. On success the result's URL, Hops and LinkOrigin are those of u.
func (f *follower) open(u locus.URL, origin policy.Origin, hops int) (scheme.Resource, error) {
	asked := u.WithoutFragment()
	r, err := f.client.route(asked, origin)
	if err != nil {
		return nil, f.fail(u, err)
	}
	f.asked[f.key(asked)] = true
	t := new(tracker)
	res, err := f.exchange(asked, r, origin, hops, t)
	if err != nil {
		return nil, f.fail(u, err)
	}
	if _, ok := res.(*scheme.Session); ok && hops > 0 {
		res.Close()
		return nil, f.fail(u, &policy.DeniedError{Rule: "session", Subject: locus.Quote(u.Redacted()),
			Reason: "a referral may not start a session", Help: "open it by itself"})
	}
	f.dialled = t
	f.secure = f.secure || f.client.has(u, scheme.Secure)
	f.result.URL = u
	f.result.Hops = append(f.result.Hops, asked)
	f.result.LinkOrigin = f.client.originAfter(asked, r, origin, t)
	return res, nil
}

// route returns how u is opened, if the policy allows it and the schemes it needs are
// registered.
func (c *Client) route(u locus.URL, origin policy.Origin) (route, error) {
	r, err := c.options.Gateways.route(u, c.registry)
	if err != nil {
		return r, err
	}
	if r.proxy.IsZero() {
		if _, err := c.lookup(r.url); err != nil {
			return r, err
		}
	}
	return r, c.check(u, origin)
}

func (f *follower) exchange(u locus.URL, r route, origin policy.Origin, hops int, t *tracker) (res scheme.Resource, err error) {
	c := f.client
	for _, g := range r.by {
		if c.options.Via != nil {
			c.options.Via(u, g)
		}
	}
	if !r.isDirect() {
		err = f.checkGateway(u, r)
	}
	req := f.schemeRequest(r, origin, hops, t)
	rec := c.startRecord(req)
	ctx := t.attach(f.ctx)
	switch {
	case err != nil:
	case !r.proxy.IsZero():
		var opener scheme.ProxyOpener
		if opener, err = c.proxyOpener(r.proxy); err == nil {
			res, err = opener.OpenVia(ctx, req, r.proxy.url)
		}
	default:
		res, err = c.registry.Scheme(r.url).Opener.Open(ctx, req)
	}
	if err == nil && res == nil {
		err = fmt.Errorf("%w: the opener of %s gave nothing", scheme.ErrProtocol, r.url.Scheme())
	}
	if rec != nil {
		res = rec.Opened(res, err)
	}
	if err != nil && len(r.by) > 0 {
		return nil, &GatewayError{r.by, err}
	}
	if err == nil && r.isOther() {
		setURL(res, u)
	}
	return res, err
}

// schemeRequest returns the request for an opener.
func (f *follower) schemeRequest(way route, origin policy.Origin, hops int, t *tracker) *scheme.Request {
	c, o, u := f.client, &f.client.options, way.url
	r := &scheme.Request{
		URL:     u,
		Dial:    c.routeDialer(way, origin),
		Ask:     o.Ask,
		Fill:    o.Fill,
		Limit:   o.Limit,
		Offset:  f.request.Offset,
		Tag:     f.request.Tag,
		ModTime: f.request.ModTime,

		Accept:         f.request.Accept,
		AcceptLanguage: f.request.AcceptLanguage,
		Header:         f.header(u),
		Cookies:        f.cookies,
		Like:           f.request.Like,
		Items:          f.request.Items,
		Probe:          f.request.Probe,
		More:           f.request.More,
		Source:         f.request.Source,
	}
	if hops == 0 {
		r.Listed = f.request.Listed
	}
	r.Refer = func(to locus.URL) (scheme.Dialer, error) { return c.referred(way, to, origin, hops, t) }
	if ask := r.Ask; ask != nil && hops > 0 {
		first := f.request.URL
		r.Ask = func(ctx context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
			q.From = first
			return ask(ctx, q)
		}
	}
	if from := f.request.From; from != nil && !from.URL.IsZero() {
		r.Within = c.within(from)
	}
	if f.secure && !c.has(u, scheme.Secure) {
		// An eavesdropper on this connection may have made the redirect.
		r.Ask, r.Fill = nil, nil
	}
	if r.Trace = f.request.Trace; r.Trace == nil && o.Trace != nil {
		r.Trace = o.Trace(u)
	}
	return r
}

// referred returns the dialer for a URL that a server refers to while a URL is being
// opened by the route way.
func (c *Client) referred(way route, to locus.URL, origin policy.Origin, hops int, t *tracker) (scheme.Dialer, error) {
	if err := c.policy.CheckReferral(c.target(way.url), c.target(to), hops+1); err != nil {
		return nil, err
	}
	next := c.originAfter(way.url, way, origin, t)
	r, err := c.route(to, next)
	if err != nil {
		return nil, err
	}
	if !way.isDirect() || !r.isDirect() {
		return nil, fmt.Errorf("%w: %s goes through a gateway, which a request in progress can't use", scheme.ErrUnsupported, show(to))
	}
	return c.routeDialer(r, next), nil
}

// within returns Request.Within for what was found in from.
func (c *Client) within(from *Result) func(ctx context.Context) (scheme.Resource, error) {
	return func(ctx context.Context) (scheme.Resource, error) { return c.reopen(ctx, from) }
}

// reopen opens the URL of r again, with the same origin.
func (c *Client) reopen(ctx context.Context, r *Result) (scheme.Resource, error) {
	found, err := c.Do(ctx, Request{URL: r.URL, From: &Result{URL: r.URL, LinkOrigin: c.linkOrigin(r)}})
	if err != nil {
		return nil, err
	}
	return found.Resource, nil
}

// fail returns the error about u. If the context of the open has ended, its cause is
// the reason. The opener's error is kept if it says what the server did before.
func (f *follower) fail(u locus.URL, err error) error {
	op := "open"
	if errors.Is(err, scheme.ErrUnreachable) && !errors.Is(err, policy.ErrDenied) {
		op = "dial"
	}
	if why := ended(f.ctx); why != nil && !(isLimit(why) && errors.Is(err, why)) {
		err = why
	}
	if first := f.result.Hops; len(first) > 0 && first[0] != u.WithoutFragment() {
		err = fmt.Errorf("%w (referred to from %s)", err, show(first[0]))
	}
	return NewError(op, u, err)
}

// header returns the header fields for a request for u: all of the client's for the
// server of the first URL, for others those that hold no secret, and those for u.
func (f *follower) header(u locus.URL) http.Header {
	h := f.client.options.Header
	if !f.isSameServer(f.request.URL, u) {
		h = h.Clone()
		h.Del("Authorization")
		h.Del("Cookie")
	}
	if f.client.options.HeaderFor == nil || f.secure && !f.client.has(u, scheme.Secure) {
		return h
	}
	return header("", h, f.client.options.HeaderFor(u))
}

// isSameServer reports whether two URLs have the same scheme, host and port.
func (f *follower) isSameServer(a, b locus.URL) bool {
	own := f.client.registry.Scheme(b).Port
	return a.Scheme() == b.Scheme() && hostKey(a) == hostKey(b) && portOf(a, own) == portOf(b, own)
}

// withLogin returns to with the login of from, if that is for the same server and to
// has none. No other login is passed on.
func (f *follower) withLogin(from, to locus.URL) locus.URL {
	with, p := from.Parts(), to.Parts()
	if with.User == nil || p.User != nil || !f.isSameServer(from, to) {
		return to
	}
	p.User, p.Password = with.User, with.Password
	u, err := p.URL()
	if err != nil {
		// The URL is too long with the login.
		return to
	}
	return u
}

// withFragment returns to with the current fragment, if it has none.
func (f *follower) withFragment(to locus.URL) locus.URL {
	fragment, ok := f.result.URL.Fragment()
	if _, has := to.Fragment(); !ok || has {
		return to
	}
	u, err := to.WithFragment(fragment)
	if err != nil {
		// The URL is too long with the fragment, which only the client needs.
		return to
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

// originAfter returns the origin of links in the resource at u: see the package's text.
func (c *Client) originAfter(u locus.URL, r route, origin policy.Origin, t *tracker) policy.Origin {
	host := hostKey(u)
	public, known := c.known.get(host)
	literal, err := netip.ParseAddr(host)
	switch {
	case origin == policy.FromPublic, t.public.Load(), known && public:
		return policy.FromPublic
	case !r.isDirect() && err == nil && !policy.IsPublic(literal):
		// The gateway was dialled.
		return policy.FromPrivate
	case !r.isDirect():
		return policy.FromPublic
	case c.has(u, scheme.Files), t.dialled.Load(), known:
		return policy.FromPrivate
	case err == nil && !policy.IsPublic(literal):
		return policy.FromPrivate
	}
	return policy.FromPublic
}
