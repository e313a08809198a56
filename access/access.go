package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options of a [Client]. The zero Options are the defaults.
type Options struct {
	// Dial connects; nil: a [net.Dialer]. It is called with an IP address that was
	// resolved and allowed, and must connect to that.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Lookup returns the addresses of a host; nil: those of [net.DefaultResolver].
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Ask is called for a user and password when a server wants them; nil: none is
	// sent.
	Ask scheme.AskFunc

	// Fill is called to fill in a form when a server wants that first; nil: the result
	// is the form.
	Fill scheme.FillFunc

	// Trace returns a function that is called for each line of the conversation about
	// u, or nil. nil: no conversation is traced.
	Trace func(u locus.URL) scheme.TraceFunc

	// Record begins to record a request, which must not be changed, to a server or for a
	// file; nil, also as its result: nothing is recorded. While a client records, menus
	// are asked for their bytes, and HTTP is version 1.1.
	Record func(req *scheme.Request) Recording

	// UserAgent identifies the program in requests over HTTP; empty: "locus/VERSION
	// (+URL)".
	UserAgent string
	// Header has more fields for requests over HTTP; nil if none. If a redirect leads to
	// another host, port or scheme, Authorization and Cookie are not sent there.
	Header http.Header
	// HeaderFor returns more fields for a request over HTTP for u, which a redirect may
	// have led to. They replace fields of Header. None of them is sent in clear after an
	// encrypted connection. nil: no more fields.
	HeaderFor func(u locus.URL) http.Header
	// Gateways are the proxies that URLs go through; nil if none. See the package's
	// text.
	Proxies *Proxies

	// Kept opens URLs of every scheme without a network: an archive. The policy is about
	// what is dialed, so it is not asked. nil: there is none.
	Archive scheme.Opener
	// Live opens what Kept does not have (scheme.ErrNotArchived) as if there were no Kept.
	Live bool

	// Via is called for each proxy that a URL goes through, before the request. nil:
	// it is not called.
	Via func(u locus.URL, g Proxy)

	// Check judges each URL after the policy: those that are opened, those that
	// redirects lead to, and those of [Client.Check]. Its error ends the open. nil: only
	// the policy decides.
	Check func(u locus.URL) error

	// CheckAddr judges each address after the policy, before it is dialed, except
	// those of proxies. Its error ends the open. nil: only the policy decides.
	CheckAddr func(a netip.AddrPort) error

	// Limit is the most bytes of one object; 0 means no limit. If the size is known and
	// exceeds it, the open fails. Otherwise reading fails at the limit.
	Limit int64

	// Connect is the most time for one connection, name lookup included; 0: 30 s.
	DialTimeout time.Duration

	// Idle is the longest silence of a server; 0: 60 s. It does not apply to sessions.
	IdleTimeout time.Duration

	// Timeout is the most time for an open, redirects included. It does not limit
	// reading the resource. 0: no limit.
	Timeout time.Duration

	// Total is the most time for an open and for reading the resource or using the
	// session. 0: no limit.
	Total time.Duration
}

const (
	defaultConnect = 30 * time.Second
	defaultIdle    = 60 * time.Second
)

// Client opens URLs. It may be used from many goroutines at once.
type Client struct {
	registry *scheme.Registry
	policy   policy.Policy
	options  Options
	known    hosts

	mu      sync.Mutex
	dialers map[dialerKey]*dialer
	closed  bool
}

// New returns a client for the schemes of r under the policy p. A nil r has no
// schemes. o may be nil.
func New(r *scheme.Registry, p policy.Policy, o *Options) *Client {
	if r == nil {
		r = new(scheme.Registry)
	}
	c := &Client{registry: r, policy: p, dialers: make(map[dialerKey]*dialer)}
	if o != nil {
		c.options = *o
		c.options.Header = header(o.UserAgent, o.Header)
	}
	c.options.DialTimeout = cmp.Or(c.options.DialTimeout, defaultConnect)
	c.options.IdleTimeout = cmp.Or(c.options.IdleTimeout, defaultIdle)
	return c
}

// header returns a copy of headers with canonical names, in which later ones replace
// fields of earlier ones, and the User-Agent unless that is empty.
func header(userAgent string, headers ...http.Header) http.Header {
	list := make(http.Header)
	for _, h := range headers {
		for name, values := range h {
			list[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	if userAgent != "" {
		list.Set("User-Agent", userAgent)
	}
	return list
}

// Registry returns the schemes that the client knows.
func (c *Client) Registry() *scheme.Registry { return c.registry }

// Close closes all connections of the client, idle ones of its openers included. The
// client dials no more.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var list []error
	for _, d := range c.dialers {
		list = append(list, d.close())
	}
	return errors.Join(list...)
}

// Request is one open.
type Request struct {
	URL locus.URL

	// From is the result in which URL was found, as a link of a menu or a page; nil:
	// URL is typed. A program that read a resource by other means makes a Result with
	// URL and LinkOrigin. Without a LinkOrigin it counts as private if URL is a file,
	// otherwise as public.
	From *Result

	// Offset, Tag and ModTime are as in [scheme.Request].
	Offset  int64
	Tag     string
	ModTime time.Time

	// Accept and AcceptLanguage are as in [scheme.Request].
	Accept, AcceptLanguage string

	// Like and Items are as in [scheme.Request].
	Like  []locus.URL
	Items scheme.ItemRange

	// NoFollow returns a redirect instead of following it. [Client.Next] follows it.
	NoFollow bool

	// At, Probe, Source and More are as in [scheme.Request].
	At                  time.Time
	Probe, Source, More bool
	// Listed is as in [scheme.Request]. Redirects do not inherit it.
	Listed *scheme.Item
	// Trace is called for each line of the conversation, redirects included. nil: that
	// of the client's options is.
	Trace scheme.TraceFunc
}

// Result is the outcome of [Client.Do].
type Result struct {
	// Resource is what was found. The caller closes it.
	Resource scheme.Resource
	// URL is where it was found in the end, with the fragment of the first URL
	// unless a redirect brought its own.
	URL locus.URL
	// Hops are the URLs that were requested, first to last, without fragments. A URL
	// of a redirect that could not be reached is not among them.
	Hops []locus.URL
	// Permanent reports that there were redirects, each of them permanent.
	Permanent bool
	// LinkOrigin is the origin of links in Resource: FromPrivate or FromPublic.
	LinkOrigin policy.Origin

	chain *follower // that found it, for [Client.Redirect]; nil: a program made the result
}

// Close closes the resource, if there is one.
func (r *Result) Close() error {
	if r.Resource == nil {
		return nil
	}
	return r.Resource.Close()
}

// linkOrigin returns the origin of what is found in r.
func (c *Client) linkOrigin(r *Result) policy.Origin {
	switch {
	case r.LinkOrigin != policy.Typed:
		return r.LinkOrigin
	case c.has(r.URL, scheme.Files):
		return policy.FromPrivate
	}
	return policy.FromPublic
}

func (c *Client) has(u locus.URL, t scheme.Traits) bool { return c.registry.Scheme(u).Traits.Has(t) }

// Dialer returns the dialer for typed URLs, for a server that the configuration
// names: it looks names up, asks the policy about each address, and keeps the time
// limits. It dials through a SOCKS proxy if that is the proxy of all schemes.
func (c *Client) Dialer() scheme.Dialer {
	var p plan
	if all := c.options.Proxies.forOthers(scheme.Scheme{}); all.kind == socks || all.kind == socksNames {
		p.outcome, p.proxy = planTunnel, all
	}
	return c.dialer(p)
}

// DialerFor returns a dialer for the server of u, which was found in from (nil: u is typed),
// under the same checks as [Client.Do]. It is for a program that speaks to the server
// itself, as a proxy does. If u goes through a proxy, the dialer makes a tunnel. The
// error is an [*Error].
func (c *Client) DialerFor(u locus.URL, from *Result) (scheme.Dialer, error) {
	if c.options.Archive != nil && !c.options.Live {
		return nil, NewError("open", u, scheme.Hint(scheme.ErrNotArchived, "only the archive is used"))
	}
	p, err := c.judge(u, from)
	if err == nil && p.outcome == planTemplate {
		err = fmt.Errorf("%w: %s does not make connections to other servers", scheme.ErrUnsupported, proxyTexts(p.proxies()))
	}
	if err != nil {
		return nil, NewError("open", u, err)
	}
	if p.outcome == planProxy {
		p.outcome = planTunnel
	}
	return c.dialer(p), nil
}

// Check judges u, which was found in from (nil: u is typed), as [Client.Do] does before
// anything is looked up or sent. So a form can refuse a URL when it is entered. The
// addresses of the host are judged only when it is dialed. The error is an [*Error].
func (c *Client) Check(u locus.URL, from *Result) error {
	if _, err := c.judge(u, from); err != nil {
		return NewError("open", u, err)
	}
	return nil
}

// judge returns where a request for u goes on the network, if it may go there.
func (c *Client) judge(u locus.URL, from *Result) (plan, error) {
	origin, err := c.originOf(u, from)
	if err != nil {
		return plan{}, err
	}
	return c.networkPlan(u, origin)
}

// checkHost refuses a URL without a host, if its scheme needs one. A redirect to such a URL
// is a fault of the server, which the policy denies.
func checkHost(t policy.Target) error {
	u := t.URL
	if u.Facts().Has(locus.Internet) && t.Reach == policy.Network && t.Port != 0 && u.Host() == "" {
		return missingHost(u)
	}
	return nil
}

func missingHost(u locus.URL) error {
	return u.Errorf(u.HostOffset(), "host", "%w: missing host", locus.ErrForm)
}

// originOf returns the origin of u, which was found in from, if that may lead there.
func (c *Client) originOf(u locus.URL, from *Result) (policy.Origin, error) {
	to := c.target(u)
	if err := checkHost(to); err != nil || from == nil {
		return policy.Typed, err
	}
	return c.linkOrigin(from), c.policy.CheckRedirect(c.target(from.URL), to, 0)
}

func (c *Client) target(u locus.URL) policy.Target {
	s := c.registry.Scheme(u)
	t := policy.Target{URL: u, Reads: s.Traits&(scheme.Interactive|scheme.Composes) == 0, Port: s.Port, Encoded: s.Policy.Encoded, OffPort: s.Policy.OffPort, OffPortTexts: s.Policy.OffPortTexts}
	switch {
	case s.Traits.Has(scheme.Files):
		t.Reach = policy.Files
	case s.Traits.Has(scheme.Local):
		t.Reach = policy.Memory
	default:
		t.Reach = policy.Network
	}
	if s.Policy.OtherPort != nil {
		t.OtherPort = s.Policy.OtherPort(u)
	}
	return t
}

// CheckRedirect judges whether the resource at from may refer to to. hops counts
// consecutive redirects, this one included. It is for a program that follows redirects
// itself or passes them to a client. The error is an [*Error].
func (c *Client) CheckRedirect(from, to locus.URL, hops int) error {
	if err := c.policy.CheckRedirect(c.target(from), c.target(to), hops); err != nil {
		return NewError("open", to, fmt.Errorf("%w (redirected from %s)", err, show(from)))
	}
	return nil
}

// CheckName judges the name of a host in a document before it is looked up without
// being dialed, such as the domain of a mail address. The error is a
// [*policy.DeniedError].
func (c *Client) CheckName(host string) error { return c.policy.CheckName(host) }

func (c *Client) check(u locus.URL, origin policy.Origin) error {
	if err := c.policy.CheckURL(c.target(u), origin); err != nil {
		return err
	}
	if c.options.Check == nil {
		return nil
	}
	return c.options.Check(u)
}

// Open opens a URL that a person or the program itself names. The caller closes the
// result. The error is a [*locus.SyntaxError] or that of [Client.Do].
func (c *Client) Open(ctx context.Context, url string) (*Result, error) {
	u, err := locus.Parse(url)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, Request{URL: u})
}

// Follow opens a URL that the resource in from links to, such as an item of a menu. A
// resource from the public Internet leads to no private address, even if the policy lets
// a person name one. The caller closes the result. The error is that of [Client.Do].
func (c *Client) Follow(ctx context.Context, from *Result, link locus.URL) (*Result, error) {
	return c.Do(ctx, Request{URL: link, From: from})
}

// Do opens a URL and follows redirects. ctx applies to the resource too; see the
// package's text on time. The error is an [*Error]; [KindOf] classifies it.
func (c *Client) Do(ctx context.Context, req Request) (*Result, error) {
	f := &follower{client: c, request: req, asked: make(map[askedKey]bool), cookies: new(cookies)}
	return f.run(ctx, f.follow)
}

// Refer opens a URL to which the resource in from sends its reader without a choice, as a
// page with a refresh does. from is a result of c or, as for [Client.Next], of another
// client. The rules are those of redirects in [Client.Do], and the redirects before from
// count: the policy and its limit, loops, and cookies. The caller closes both results.
func (c *Client) Redirect(ctx context.Context, from *Result, to locus.URL) (*Result, error) {
	if from.chain == nil {
		return c.Do(ctx, Request{URL: to, From: from})
	}
	f := from.chain.by(c)
	return f.run(ctx, func() (scheme.Resource, error) { return f.followTo(to) })
}

// run calls open under the time limits of the client, and returns its result.
func (f *follower) run(ctx context.Context, open func() (scheme.Resource, error)) (*Result, error) {
	c := f.client
	ctx, cancel := context.WithCancelCause(ctx)
	inTime := func() bool { return true }
	late := &timeoutError{"timed out after %s", c.options.Timeout}
	if c.options.Timeout > 0 {
		inTime = time.AfterFunc(c.options.Timeout, func() { cancel(late) }).Stop
	}
	if total := c.options.Total; total > 0 {
		timer := time.AfterFunc(total, func() { cancel(&timeoutError{"exceeded the total time limit (%s)", total}) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	}
	f.ctx = ctx
	res, err := open()
	if err == nil && !inTime() {
		// The function of the timer has been started, and may not have run yet.
		cancel(late)
		res.Close()
		err = NewError("open", f.result.URL, ended(ctx))
	}
	if err != nil {
		inTime()
		cancel(nil)
		return nil, err
	}
	if err := c.hold(ctx, cancel, f.result.URL, res, f.dialed); err != nil {
		return nil, err
	}
	result := f.result
	result.Resource, result.chain = res, f
	return &result, nil
}

// lookup returns the scheme of u, which has an opener.
func (c *Client) lookup(u locus.URL) (scheme.Scheme, error) {
	name := u.Scheme()
	s, ok := c.registry.Lookup(name)
	switch {
	case !ok:
		err := fmt.Errorf("%w %s", scheme.ErrNoScheme, locus.Quote(name))
		if _, why := c.registry.Suggest(u); why != "" {
			err = scheme.Hint(err, why)
		}
		return s, err
	case s.Access.Opener != nil:
		return s, nil
	case s.Status == scheme.Reserved:
		return s, fmt.Errorf("%w: the scheme %s is reserved, and %s defines no access to it", scheme.ErrUnsupported, name, source(s))
	case s.Access.Protocol == "":
		return s, fmt.Errorf("%w: %s URLs (%s) can be parsed and compared, but not opened", scheme.ErrUnsupported, name, source(s))
	}
	return s, fmt.Errorf("%w: %s URLs (%s) can't be retrieved: %s", scheme.ErrUnsupported, name, source(s), s.Access.Protocol)
}

func source(s scheme.Scheme) string { return cmp.Or(s.Section, "its registration") }
