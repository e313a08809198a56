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

// Options configure a [Client]. The zero Options select the defaults.
type Options struct {
	// Dial connects to an IP address that the client resolved and the policy allows. Dial
	// must connect to that address. If Dial is nil, the client uses a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Lookup returns the addresses of a host. If Lookup is nil, the client uses
	// [net.DefaultResolver].
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Ask is called for a user and password when a server requires them. If Ask is nil, the
	// client sends no user and password.
	Ask scheme.AskFunc

	// Fill is called to fill in a form that a server requires first. If Fill is nil, the
	// client returns the form as the result.
	Fill scheme.FillFunc

	// Trace returns a function that is called for each line exchanged with a server about
	// u, or nil. If Trace is nil, no exchange is traced.
	Trace func(u locus.URL) scheme.TraceFunc

	// Record begins to record a request to a server or for a file. Record must not change
	// req. If Record is nil or returns nil, nothing is recorded. A client that records
	// requests each menu as bytes, and uses HTTP/1.1.
	Record func(req *scheme.Request) Recording

	// UserAgent identifies the program in HTTP requests. If empty, it is "locus/VERSION
	// (+URL)".
	UserAgent string
	// Header contains additional header fields for HTTP requests. After a redirect to
	// another host, port or scheme, the client does not send the Authorization and Cookie
	// fields.
	Header http.Header
	// HeaderFor, if not nil, returns additional header fields for an HTTP request for u,
	// which may be the target of a redirect. The returned fields replace fields of Header.
	// If an encrypted connection redirects to an unencrypted connection, the client does
	// not send these fields over the unencrypted connection.
	HeaderFor func(u locus.URL) http.Header
	// Proxies selects the proxy for each URL. If Proxies is nil, the client uses no proxy.
	// See the package documentation.
	Proxies *Proxies

	// Archive, if not nil, opens URLs of every scheme without a network. The policy does
	// not apply to Archive, because the policy judges only connections.
	Archive scheme.Opener
	// If Live is true, the client opens URLs that are not in the archive
	// (scheme.ErrNotArchived) as if Archive were nil.
	Live bool

	// Observe, if not nil, is called at the start and the end of each request, for logs,
	// metrics and traces. The client also calls Observe for denied requests.
	Observe ObserveFunc

	// Check, if not nil, is called for each URL that the policy allows. These are the
	// opened URLs, the targets of redirects, and the URLs passed to [Client.Check]. If
	// Check returns an error, the client does not open the URL.
	Check func(u locus.URL) error

	// CheckAddr, if not nil, is called for each address that the policy allows, before the
	// client dials it. CheckAddr is not called for the addresses of proxies. If CheckAddr
	// returns an error, the client does not dial the address.
	CheckAddr func(a netip.AddrPort) error

	// Limit is the maximum size of an object in bytes. If the size is known and exceeds the
	// limit, opening the object fails. Otherwise reading fails at the limit. Zero means no
	// limit.
	Limit int64

	// DialTimeout limits the time to make one connection, including the name lookup. Zero
	// means 30 seconds.
	DialTimeout time.Duration

	// IdleTimeout limits the time during which a server sends no data. IdleTimeout does not
	// apply to sessions. Zero means 60 seconds.
	IdleTimeout time.Duration

	// Timeout limits the time to open a URL, including redirects. It does not limit reading
	// the resource. Zero means no limit.
	Timeout time.Duration

	// Total limits the total time to open a URL and then read the resource or use the
	// session. Zero means no limit.
	Total time.Duration
}

const (
	defaultConnect = 30 * time.Second
	defaultIdle    = 60 * time.Second
)

// Client opens URLs. It may be used concurrently.
type Client struct {
	registry *scheme.Registry
	policy   policy.Policy
	options  Options
	known    hosts

	mu      sync.Mutex
	dialers map[dialerKey]*dialer
	closed  bool
}

// New returns a client that opens URLs of the schemes in the registry r under the policy p.
// A nil registry contains no schemes. The options o may be nil.
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

// header returns a copy of headers with canonical names, and adds the User-Agent unless userAgent
// is empty. Fields of later headers replace fields of earlier headers.
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

// Registry returns the registry of the client's schemes.
func (c *Client) Registry() *scheme.Registry { return c.registry }

// Close closes all connections of the client, including idle connections of its openers. A
// closed client can't dial.
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

// Request describes one call of [Client.Do].
type Request struct {
	URL locus.URL

	// From is the result that contains URL, for example as a link in a menu or a page. If
	// From is nil, URL counts as typed. If the program itself read the resource that
	// contains URL, the program must make a Result with the URL and LinkOrigin of that
	// resource. Without a LinkOrigin, the resource counts as private if its URL is a file
	// URL, and otherwise as public.
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

	// If NoFollow is true, Do returns a redirect instead of following it. [Client.Next]
	// follows such a redirect.
	NoFollow bool

	// At, Probe, Source and More are as in [scheme.Request].
	At                  time.Time
	Probe, Source, More bool
	// Listed is as in [scheme.Request]. Redirects do not inherit Listed.
	Listed *scheme.Item
	// Trace is called for each line exchanged with a server, including redirects. If nil,
	// Options.Trace applies.
	Trace scheme.TraceFunc
	// Observe is called after Options.Observe, for the request and its redirects. Observe
	// may be nil.
	Observe ObserveFunc
}

// Result is the outcome of [Client.Do].
type Result struct {
	// Resource is the opened resource. The caller must close it.
	Resource scheme.Resource
	// URL is the final URL. The final URL includes the fragment of the first URL, unless a
	// redirect specifies another fragment.
	URL locus.URL
	// Hops holds the URLs that were requested, in order, without fragments. If the client
	// could not reach the target of a redirect, Hops does not contain that target.
	Hops []locus.URL
	// Permanent reports that there were redirects, and that all redirects were permanent.
	Permanent bool
	// LinkOrigin is the origin of links in Resource: FromPrivate or FromPublic.
	LinkOrigin policy.Origin

	chain *follower // chain of redirects that led to the result; nil if a program made the result
}

// Close closes the resource, if there is one.
func (r *Result) Close() error {
	if r.Resource == nil {
		return nil
	}
	return r.Resource.Close()
}

// linkOrigin returns the origin of links in the result r.
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

// Dialer returns a dialer for servers that the configuration names. The dialer applies the
// rules for typed URLs: it looks up names, checks each address against the policy, and
// applies the time limits. If the proxy for all schemes is a SOCKS proxy, the dialer
// connects through this proxy.
func (c *Client) Dialer() scheme.Dialer {
	var p plan
	if all := c.options.Proxies.forOthers(scheme.Scheme{}); all.kind == socks || all.kind == socksNames {
		p.outcome, p.proxy = planTunnel, all
	}
	return c.dialer(p)
}

// DialerFor returns a dialer for the server of the URL u. The parent is the resource that
// contains u; if parent is nil, u is a typed URL. DialerFor applies the checks of
// [Client.Do]. A program needs DialerFor if it speaks to the server itself, as a proxy
// does. If u goes through a proxy, the dialer makes a tunnel through this proxy. The
// error is an [*Error].
func (c *Client) DialerFor(u locus.URL, parent *Result) (scheme.Dialer, error) {
	if c.options.Archive != nil && !c.options.Live {
		return nil, NewError("open", u, scheme.Hint(scheme.ErrNotArchived, "only the archive is used"))
	}
	p, err := c.judge(u, parent)
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

// Check applies the checks that [Client.Do] makes before any lookup or request. The
// parent is the resource that contains the URL u; if parent is nil, u is a typed URL. A
// program can use Check to reject a URL when the user enters it. The client checks the
// addresses of a host only when it dials the host. The error is an [*Error].
func (c *Client) Check(u locus.URL, parent *Result) error {
	if _, err := c.judge(u, parent); err != nil {
		return NewError("open", u, err)
	}
	return nil
}

// judge returns the plan for a network request for u, if the policy allows the request.
func (c *Client) judge(u locus.URL, parent *Result) (plan, error) {
	origin, err := c.originOf(u, parent)
	if err != nil {
		return plan{}, err
	}
	return c.networkPlan(u, origin)
}

// checkHost rejects a URL without a host if the scheme requires a host. The policy denies a
// redirect to such a URL, because the redirect is a fault of the server.
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

// originOf returns the origin of the URL u, which parent contains. If parent must not link to u,
// the error is a denial.
func (c *Client) originOf(u locus.URL, parent *Result) (policy.Origin, error) {
	to := c.target(u)
	if err := checkHost(to); err != nil || parent == nil {
		return policy.Typed, err
	}
	return c.linkOrigin(parent), c.policy.CheckRedirect(c.target(parent.URL), to, 0)
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

// CheckRedirect checks whether the policy allows a redirect from the URL source to the
// URL target. The parameter hops is the number of consecutive redirects, including this
// redirect. A program needs CheckRedirect if it follows redirects itself or passes
// redirects to a client. The error is an [*Error].
func (c *Client) CheckRedirect(source, target locus.URL, hops int) error {
	if err := c.policy.CheckRedirect(c.target(source), c.target(target), hops); err != nil {
		return NewError("open", target, fmt.Errorf("%w (redirected from %s)", err, quoteURL(source)))
	}
	return nil
}

// CheckName checks a host name from a document, such as the domain of a mail address. A
// program must call CheckName before it looks up a name that it does not dial. The error is
// a [*policy.DeniedError].
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

// Open opens a URL that a person typed or the program chose. The caller must close the
// result. The error is a [*locus.SyntaxError] or an [*Error].
func (c *Client) Open(ctx context.Context, url string) (*Result, error) {
	u, err := locus.Parse(url)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, Request{URL: u})
}

// Follow opens a link from a resource, such as an item of a menu. The parent is the
// result that contains this resource. A link in a resource from the public Internet must
// not lead to a private address, even if the policy allows the address for typed URLs.
// The caller must close the result. The error is an [*Error].
func (c *Client) Follow(ctx context.Context, parent *Result, link locus.URL) (*Result, error) {
	return c.Do(ctx, Request{URL: link, From: parent})
}

// Do opens a URL and follows redirects. When the context ctx ends, reading the resource
// also fails; see the section on time in the package documentation. The error is an
// [*Error]; [KindOf] classifies it.
func (c *Client) Do(ctx context.Context, req Request) (*Result, error) {
	f := &follower{client: c, request: req, asked: make(map[askedKey]bool), cookies: new(cookies)}
	return f.run(ctx, f.follow)
}

// Redirect opens the URL to which a resource redirects its reader automatically, as an
// HTML page with a refresh does. The parent is the result with that resource. The parent
// may come from the same client or, as for [Client.Next], from another client. The
// redirect rules of [Client.Do] apply. The limit, the loop check and the cookies include
// the redirects that led to parent. The caller must close both results.
func (c *Client) Redirect(ctx context.Context, parent *Result, target locus.URL) (*Result, error) {
	if parent.chain == nil {
		return c.Do(ctx, Request{URL: target, From: parent})
	}
	f := parent.chain.withClient(c)
	return f.run(ctx, func() (scheme.Resource, error) { return f.followTo(target) })
}

// run calls openResource under the time limits of the client, and returns the result.
func (f *follower) run(ctx context.Context, openResource func() (scheme.Resource, error)) (*Result, error) {
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
	res, err := openResource()
	if err == nil && !inTime() {
		// The timer has fired, but its function may not have run yet.
		cancel(late)
		res.Close()
		err = NewError("open", f.result.URL, contextError(ctx))
		f.observed.End(err)
	}
	if err != nil {
		inTime()
		cancel(nil)
		return nil, err
	}
	if err := c.hold(ctx, cancel, f.result.URL, res, f.dialed, f.observed); err != nil {
		return nil, err
	}
	result := f.result
	result.Resource, result.chain = res, f
	return &result, nil
}

// lookup returns the scheme of u, if it has an opener.
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
