package access

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// perform sends the request that the plan p describes. The tracker t records the dialed
// addresses.
func (f *follower) perform(p plan, hops int, t *tracker) (scheme.Resource, error) {
	if p.outcome == planArchive {
		return f.askArchive(p)
	}
	f.asked[f.key(p.url)] = true
	by := p.proxies()
	req := f.networkRequest(p, hops, t)
	rec := f.client.startRecord(req)
	res, err := f.send(t.attach(f.ctx), p, req)
	if rec != nil {
		res = rec.Opened(res, err)
	}
	if err == nil && p.outcome == planTemplate {
		setURL(res, p.url.WithoutFragment())
	}
	if err != nil && len(by) > 0 {
		return nil, &ProxyError{by, err}
	}
	return res, err
}

// askArchive opens a URL in the archive. The URL counts as requested only if the archive has it,
// because the client may request it from the network next.
func (f *follower) askArchive(p plan) (scheme.Resource, error) {
	res, err := f.client.options.Archive.Open(f.ctx, f.schemeRequest(p.url.WithoutFragment()))
	if err == nil && res == nil {
		err = fmt.Errorf("%w: the archive returned no resource", scheme.ErrProtocol)
	}
	if err == nil {
		f.asked[f.key(p.url)] = true
	}
	return res, err
}

// send sends req according to the plan p, whose outcome is not planArchive.
func (f *follower) send(ctx context.Context, p plan, req *scheme.Request) (res scheme.Resource, err error) {
	if p.isForwarded() {
		err = f.checkForward(p)
	}
	if err == nil {
		res, err = f.client.sendPlanned(ctx, p, req)
	}
	if err == nil && res == nil {
		err = fmt.Errorf("%w: the %s client returned no resource", scheme.ErrProtocol, req.URL.Scheme())
	}
	return res, err
}

// sendPlanned sends req according to the outcome of p. The URL of req is the URL that results from
// the URL templates in p.
func (c *Client) sendPlanned(ctx context.Context, p plan, req *scheme.Request) (scheme.Resource, error) {
	switch p.outcome {
	case planProxy:
		return c.askProxy(ctx, p.proxy, req)
	case planTemplate:
		return c.sendPlanned(ctx, *p.next, req)
	}
	return c.askServer(ctx, req)
}

// askServer sends req to the server of its URL. The outcomes planDirect and planTunnel differ only
// in the dialer of req.
func (c *Client) askServer(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	return c.registry.Scheme(req.URL).Access.Opener.Open(ctx, req)
}

// askProxy sends req through the HTTP proxy g.
func (c *Client) askProxy(ctx context.Context, g Proxy, req *scheme.Request) (scheme.Resource, error) {
	opener, err := c.proxyOpener(g)
	if err != nil {
		return nil, err
	}
	return opener.OpenVia(ctx, req, g.url)
}

// setURL sets the URL of a resource to u, the URL that the caller requested. The resource came from
// the gateway of a URL template, so its own URL is a URL of the gateway.
func setURL(res scheme.Resource, u locus.URL) {
	switch r := res.(type) {
	case *scheme.Object:
		r.URL = u
	case *scheme.Menu:
		r.URL = u
	case *scheme.Session:
		r.URL = u
	case *scheme.Redirect:
		r.URL = u
	}
}

// schemeRequest returns the request for u to a server or an archive.
func (f *follower) schemeRequest(u locus.URL) *scheme.Request {
	c, o, from := f.client, &f.client.options, f.request.From
	r := &scheme.Request{
		URL:   u,
		Fill:  o.Fill,
		Limit: o.Limit,
		Trace: f.request.Trace,

		Accept:         f.request.Accept,
		AcceptLanguage: f.request.AcceptLanguage,
		Like:           f.request.Like,
		Items:          f.request.Items,
		At:             f.request.At,
		Probe:          f.request.Probe,
		Source:         f.request.Source,
	}
	if r.Trace == nil && o.Trace != nil {
		r.Trace = o.Trace(u)
	}
	if from != nil && !from.URL.IsZero() {
		r.Within = func(ctx context.Context) (scheme.Resource, error) { return c.reopen(ctx, from, r.At) }
	}
	return r
}

// networkRequest returns the request that an opener receives for the plan p.
func (f *follower) networkRequest(p plan, hops int, t *tracker) *scheme.Request {
	c := f.client
	r := f.schemeRequest(p.finalPlan().url.WithoutFragment())
	r.Dial = c.dialer(p)
	r.RedirectDialer = func(to locus.URL) (scheme.Dialer, error) { return c.redirectDialer(p, to, hops, t) }
	r.Ask = f.askFunc(hops)
	r.Header, r.Cookies = f.header(r.URL), f.cookies
	if more := f.observed.Header(); len(more) > 0 {
		r.Header = header("", r.Header, more)
	}
	r.Offset, r.Tag, r.ModTime = f.request.Offset, f.request.Tag, f.request.ModTime
	r.More = f.request.More
	if hops == 0 {
		r.Listed = f.request.Listed
	}
	if f.secure && !c.has(r.URL, scheme.Secure) {
		// An eavesdropper on this connection may have made the redirect.
		r.Ask, r.Fill = nil, nil
	}
	return r
}

// askFunc returns Options.Ask. After a redirect, the function that it returns adds the first URL of
// the chain to the question.
func (f *follower) askFunc(hops int) scheme.AskFunc {
	ask := f.client.options.Ask
	if ask == nil || hops == 0 {
		return ask
	}
	return func(ctx context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
		q.From = f.request.URL
		return ask(ctx, q)
	}
}

// redirectDialer returns the dialer for a URL to which a server refers while the client performs
// the plan p.
func (c *Client) redirectDialer(p plan, target locus.URL, hops int, t *tracker) (scheme.Dialer, error) {
	if err := c.policy.CheckRedirect(c.target(p.finalPlan().url), c.target(target), hops+1); err != nil {
		return nil, err
	}
	next, err := c.networkPlan(target, c.originAfter(p, t))
	if err != nil {
		return nil, err
	}
	if p.isForwarded() || next.isForwarded() {
		return nil, fmt.Errorf("%w: %s goes through a proxy, and its redirect can't be followed within this request", scheme.ErrUnsupported, quoteURL(target))
	}
	return c.dialer(next), nil
}

// reopen opens the URL of the result r again, with the same origin. An archive returns the capture
// for the given time.
func (c *Client) reopen(ctx context.Context, r *Result, at time.Time) (scheme.Resource, error) {
	found, err := c.Do(ctx, Request{URL: r.URL, At: at, From: &Result{URL: r.URL, LinkOrigin: c.linkOrigin(r)}})
	if err != nil {
		return nil, err
	}
	return found.Resource, nil
}

// header returns the header fields for a request for u. For the server of the first URL, it
// includes all header fields of the client. For other servers, it omits the fields that hold
// secrets. It adds the result of Options.HeaderFor for u, unless a redirect leads from an encrypted
// to an unencrypted connection.
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

// checkForward rejects requests that must not go to a proxy or to the gateway of a URL template. It
// also rejects requests that a proxy does not support.
func (f *follower) checkForward(p plan) error {
	u := p.url.WithoutFragment()
	switch {
	case !f.mayForward(u, p.outcome):
		return &policy.DeniedError{Rule: "gateway", Subject: locus.Quote(u.Shown()), Reason: "its password must not be sent to " + proxyTexts(p.proxies()),
			Help: "leave it out"}
	case len(f.request.Like) > 0:
		return fmt.Errorf("%w: a search for similar documents can't go through a proxy", scheme.ErrUnsupported)
	case f.request.Items != scheme.ItemRange{}:
		return fmt.Errorf("%w: a request for a range of items can't go through a proxy", scheme.ErrUnsupported)
	}
	return nil
}

// mayForward reports whether the client may send u to a proxy or to the gateway of a URL template.
// The gateway never gets a text that may be a password. A proxy gets such a text only if the
// scheme's syntax excludes a password there, as in the search of an http URL. The gateway and the
// proxy never get the password of a login, or a user that may contain a password
// ("u%253Apassword").
func (f *follower) mayForward(u locus.URL, destination outcome) bool {
	switch {
	case u.Shown() == u.String():
		return true
	case destination == planTemplate, hasSecretUser(u):
		return false
	case u.WithoutPassword() != u:
		return true
	}
	s, known := f.client.registry.Lookup(u.Scheme())
	if !known {
		return false
	}
	_, err := s.Syntax.Fields(u)
	return err == nil
}

// hasSecretUser reports whether the user of u may contain a password.
func hasSecretUser(u locus.URL) bool {
	user, _ := u.User()
	rest := locus.Mask(u.String())[len(u.Scheme())+len(":"):]
	return user != "" && !strings.HasPrefix(rest, "//"+user)
}

func proxyTexts(list []Proxy) string {
	var b strings.Builder
	for i, g := range list {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(g.String())
	}
	return b.String()
}
