package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options are what a [Client] may be told besides. The zero Options are sensible.
type Options struct {
	// Dial connects; nil: a [net.Dialer]. It is called with an IP address that was
	// resolved and allowed, and must connect to that.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Lookup returns the addresses of a host; nil: those of [net.DefaultResolver].
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Ask is asked for a user and password when a server wants them; nil: there is
	// nobody to ask.
	Ask scheme.AskFunc

	// Fill is asked to fill in a form when a server wants that first; nil: there is
	// nobody to ask, and the form is what an open comes to.
	Fill scheme.FillFunc

	// Trace returns what is told of each line of the conversation about u, or nil.
	// nil: nobody listens.
	Trace func(u locus.URL) scheme.TraceFunc

	// Gateways are what URLs go by way of; nil: no URL goes by way of any. See the
	// package's text.
	Gateways *Gateways

	// Via is told of each gateway that a URL goes by way of, before it is asked.
	// nil: nobody listens.
	Via func(u locus.URL, g Gateway)

	// Check is asked about each URL besides the policy: those that are opened, those
	// that referrals lead to, and those that [Client.Way] is asked for. Its error is
	// what the open comes to. nil: the policy alone decides.
	Check func(u locus.URL) error

	// CheckAddr is asked about each address besides the policy, before it is dialled,
	// but not about those of gateways. Its error is as that of Check. nil: the policy
	// alone decides.
	CheckAddr func(a netip.AddrPort) error

	// Limit is the most octets of one object: of the whole if its size is known,
	// and in any case of what is read; 0: no limit.
	Limit int64

	// Connect is the most time for one connection, name look-up included; 0: 30 s.
	Connect time.Duration

	// Idle is the longest silence of a server; 0: 60 s. Sessions may be silent as
	// long as they like.
	Idle time.Duration

	// Timeout is the most time for an open, referrals included, until the resource
	// is there; reading it is not limited. 0: no limit.
	Timeout time.Duration
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
	doors    [policy.Far + 1]*door
	known    hosts

	mu     sync.Mutex
	others map[doorKey]*door // of gateways
	closed bool
}

// New makes a client for the schemes of r, which asks p. r may be nil: then no
// scheme is known. So may o.
func New(r *scheme.Registry, p policy.Policy, o *Options) *Client {
	if r == nil {
		r = new(scheme.Registry)
	}
	c := &Client{registry: r, policy: p}
	if o != nil {
		c.options = *o
	}
	c.options.Connect = cmp.Or(c.options.Connect, defaultConnect)
	c.options.Idle = cmp.Or(c.options.Idle, defaultIdle)
	for z := range c.doors {
		c.doors[z] = &door{client: c, doorKey: doorKey{zone: policy.Zone(z)}}
	}
	return c
}

// Registry returns the schemes that the client knows.
func (c *Client) Registry() *scheme.Registry { return c.registry }

// Close closes all connections that were made for this client, and makes no more.
// Openers that keep connections have nothing left to keep.
func (c *Client) Close() error {
	var list []error
	c.mu.Lock()
	c.closed = true
	others := slices.Collect(maps.Values(c.others))
	c.mu.Unlock()
	for _, d := range append(others, c.doors[:]...) {
		list = append(list, d.close())
	}
	return errors.Join(list...)
}

// Request is one open.
type Request struct {
	URL locus.URL

	// From is the result in which URL was found, as a link of a menu or a page; nil:
	// URL is typed. A result that a program makes for something it has read by other
	// means needs URL and Zone only; without a Zone it counts as Near if URL is a
	// file and as Far if not.
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

	// NoFollow asks for a referral itself, not for what it leads to.
	NoFollow bool

	// Probe is as in [scheme.Request].
	Probe bool
	// Trace is told of each line of the conversation, also of those that referrals
	// lead to. nil: that of the client's options is.
	Trace scheme.TraceFunc
}

// Result is what an open came to.
type Result struct {
	// Resource is what was found. Whoever gets it closes it.
	Resource scheme.Resource
	// URL is where it was found in the end, with the fragment of the first URL
	// unless a referral brought its own.
	URL locus.URL
	// Hops are the URLs that were asked on the way, first to last, as they were
	// asked: without fragments. A URL of a referral that could not be reached is
	// not among them.
	Hops []locus.URL
	// Permanent reports that there were referrals on the way, and that each of them
	// said that it is for good.
	Permanent bool
	// Zone is that of what is followed from here, Near or Far.
	Zone policy.Zone
}

// foundZone returns the zone of what is found in r.
func (c *Client) foundZone(r *Result) policy.Zone {
	switch {
	case r.Zone != policy.Typed:
		return r.Zone
	case c.has(r.URL, scheme.Files):
		return policy.Near
	}
	return policy.Far
}

// has reports whether the scheme of u has the traits.
func (c *Client) has(u locus.URL, t scheme.Traits) bool { return c.registry.Scheme(u).Traits.Has(t) }

// Dialer returns the way to the network for what is typed, as a server that the
// configuration names: it looks names up, asks the policy about each address, and
// keeps the time limits, as for a URL. It leads through a SOCKS proxy if one is the
// gateway of all.
func (c *Client) Dialer() scheme.Dialer {
	key := doorKey{zone: policy.Typed}
	if all := c.options.Gateways.forOthers(scheme.Scheme{}); all.kind == socks || all.kind == socksNames {
		key.tunnel = all
	}
	return c.door(key)
}

// Way returns the way to the network for u, which was found in from (nil: it was
// typed), if what decides about u in [Client.Do] lets it be opened: for a program
// that speaks to the server of u itself, as a proxy does. If u goes by way of a proxy,
// that makes a tunnel. The error is an [*Error].
func (c *Client) Way(u locus.URL, from *Result) (scheme.Dialer, error) {
	zone, err := c.zoneOf(u, from)
	var r route
	if err == nil {
		r, err = c.route(u, zone)
	}
	if err == nil && r.isOther() {
		err = fmt.Errorf("%w: it goes by way of %s, which is no way to its own server", scheme.ErrUnsupported, gatewayTexts(r.by))
	}
	switch {
	case err != nil:
		return nil, NewError("open", u, err)
	case !r.proxy.IsZero():
		return c.door(doorKey{zone: zone, tunnel: r.proxy}), nil
	}
	return c.way(r, zone), nil
}

// zoneOf returns the zone of u, found in from.
func (c *Client) zoneOf(u locus.URL, from *Result) (policy.Zone, error) {
	if from == nil {
		return policy.Typed, nil
	}
	return c.foundZone(from), c.policy.CheckReferral(c.target(from.URL), c.target(u), 0)
}

// target is what the policy is asked about u.
func (c *Client) target(u locus.URL) policy.Target {
	return Target(c.registry.Scheme(u), u)
}

// Target returns u, a URL of s, as a policy judges it.
func Target(s scheme.Scheme, u locus.URL) policy.Target {
	t := policy.Target{URL: u, Reads: s.Traits&(scheme.Interactive|scheme.Composes) == 0, Port: s.Port, Encoded: s.Encoded, OffPort: s.OffPort, OffPortTexts: s.OffPortTexts}
	switch {
	case s.Traits.Has(scheme.Files):
		t.Reach = policy.Files
	case s.Traits.Has(scheme.Local):
		t.Reach = policy.Memory
	default:
		t.Reach = policy.Network
	}
	if s.OtherPort != nil {
		t.OtherPort = s.OtherPort(u)
	}
	return t
}

// CheckReferral judges whether what was found at from may refer to to, so many
// referrals in a row with this one. It is for a program that follows redirects
// itself, or passes them to a client that does. The error is an [*Error].
func (c *Client) CheckReferral(from, to locus.URL, hops int) error {
	if err := c.policy.CheckReferral(c.target(from), c.target(to), hops); err != nil {
		return NewError("open", to, fmt.Errorf("%w (referred to from %s)", err, show(from)))
	}
	return nil
}

// CheckName judges a host's name that a document has, before it is looked up without a
// connection to it, as the domain of a mail address is. The error is a
// [*policy.DeniedError].
func (c *Client) CheckName(host string) error { return c.policy.CheckName(host) }

// check asks all that judge a URL before anything is looked up.
func (c *Client) check(u locus.URL, zone policy.Zone) error {
	if err := c.policy.CheckURL(c.target(u), zone); err != nil {
		return err
	}
	if c.options.Check == nil {
		return nil
	}
	return c.options.Check(u)
}

// Open opens a URL that was typed, and gives what it leads to. It is [Client.Do]
// for those who need no more than the resource.
func (c *Client) Open(ctx context.Context, u locus.URL) (scheme.Resource, error) {
	r, err := c.Do(ctx, Request{URL: u})
	if err != nil {
		return nil, err
	}
	return r.Resource, nil
}

// Do opens a URL and follows referrals. ctx is good for the resource as well; see
// the package's text on time. The error is an [*Error]; [KindOf] tells what it
// comes to.
func (c *Client) Do(ctx context.Context, req Request) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	inTime := func() bool { return true }
	late := &timeoutError{"nothing there", c.options.Timeout}
	if c.options.Timeout > 0 {
		inTime = time.AfterFunc(c.options.Timeout, func() { cancel(late) }).Stop
	}
	f := follower{client: c, ctx: ctx, request: req, asked: make(map[locus.URL]bool)}
	res, err := f.follow()
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
	if err := c.hold(ctx, cancel, f.result.URL, res, f.dialled); err != nil {
		return nil, err
	}
	f.result.Resource = res
	return &f.result, nil
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
	case s.Opener != nil:
		return s, nil
	case s.Status == scheme.Reserved:
		return s, fmt.Errorf("%w: %s is a reserved name, and %s gives it no access", scheme.ErrUnsupported, name, source(s))
	case s.Access == "":
		return s, fmt.Errorf("%w: URLs of %s (%s) are parsed, checked and compared here, and not accessed", scheme.ErrUnsupported, name, source(s))
	}
	return s, fmt.Errorf("%w: a %s URL (%s) locates nothing to retrieve: %s", scheme.ErrUnsupported, name, source(s), s.Access)
}

func source(s scheme.Scheme) string { return cmp.Or(s.Section, "its registration") }
