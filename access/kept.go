package access

import (
	"errors"
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// mostKeptHops is the most referrals that are followed in an archive.
const mostKeptHops = 20

// openKept opens u with Options.Kept. done is false if the network is to be used.
func (f *follower) openKept(u locus.URL) (res scheme.Resource, done bool, err error) {
	c, o := f.client, &f.client.options
	if o.Kept == nil {
		return nil, false, nil
	}
	asked := u.WithoutFragment()
	req := &scheme.Request{
		URL: asked, Fill: o.Fill, Limit: o.Limit,
		Accept: f.request.Accept, AcceptLanguage: f.request.AcceptLanguage,
		Like: f.request.Like, Items: f.request.Items, Probe: f.request.Probe, Source: f.request.Source,
		Trace: f.request.Trace,
	}
	if req.Trace == nil && o.Trace != nil {
		req.Trace = o.Trace(u)
	}
	if from := f.request.From; from != nil && !from.URL.IsZero() {
		req.Within = c.within(from)
	}
	res, err = o.Kept.Open(f.ctx, req)
	switch {
	case o.Live && errors.Is(err, scheme.ErrNotKept):
		return nil, false, nil
	case err == nil && res == nil:
		err = fmt.Errorf("%w: the archive gave nothing", scheme.ErrProtocol)
	}
	if err != nil {
		return nil, true, f.fail(u, err)
	}
	f.asked[f.key(asked)] = true
	f.dialled = new(tracker)
	// With Live the next URL may be on the network.
	f.secure = f.secure || c.has(u, scheme.Secure)
	f.result.URL, f.result.LinkOrigin = u, policy.FromPublic
	f.result.Hops = append(f.result.Hops, asked)
	return res, true, nil
}

// tryKept opens a URL that a referral leads to with Options.Kept.
func (f *follower) tryKept(to locus.URL, hops int) (res scheme.Resource, done bool, err error) {
	switch {
	case f.client.options.Kept == nil:
		return nil, false, nil
	case f.asked[f.key(to)]:
		return nil, true, f.fail(to, fmt.Errorf("%w: %w", scheme.ErrProtocol, ErrCircle))
	case hops > mostKeptHops:
		return nil, true, f.fail(to, fmt.Errorf("%w: more than %d referrals", scheme.ErrProtocol, mostKeptHops))
	}
	if target := f.client.target(to); !target.Reads {
		if err := f.client.policy.CheckReferral(f.client.target(f.result.URL), target, hops); err != nil {
			return nil, true, f.fail(to, err)
		}
	}
	return f.openKept(f.withFragment(to))
}
