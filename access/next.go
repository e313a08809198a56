package access

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locus-url/locus/scheme"
)

// Next follows the redirect in the result from. If the response is another redirect, Next
// returns that redirect and does not follow it. The parameter from is a result of Next, or
// of [Client.Do] for a request with the NoFollow option. So a program can wait between two
// requests of a chain, and may call Next again after an error.
//
// The redirect rules of Do apply. They cover the policy and its limit, loops, logins and
// cookies. The parameter from may be a result of another client. In this case, the
// addresses that the other client dialed decide where the redirect may lead. The caller
// must close both results. The error is an [*Error].
func (c *Client) Next(ctx context.Context, from *Result) (*Result, error) {
	referral, ok := from.Resource.(*scheme.Redirect)
	if !ok || from.chain == nil {
		return nil, NewError("open", from.URL, errors.New("the result is not a redirect from a client"))
	}
	f := from.chain.by(c)
	return f.run(ctx, func() (scheme.Resource, error) { return f.next(referral, len(f.result.Hops)) })
}

// by returns a copy of the follower f that continues the chain of redirects with the client c. The
// original follower does not change, so a caller may continue the same chain again.
func (f *follower) by(c *Client) *follower {
	next := *f
	next.client, next.asked, next.result.Hops = c, maps.Clone(f.asked), slices.Clone(f.result.Hops)
	return &next
}
