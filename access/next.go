package access

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locus-url/locus/scheme"
)

// Next follows the redirect in the result prev. If the response is another redirect, Next
// returns that redirect and does not follow it. The result prev comes from Next, or of
// [Client.Do] for a request with the NoFollow option. So a program can wait between two
// requests of a chain, and may call Next again after an error.
//
// The redirect rules of Do apply. They cover the policy and its limit, loops, logins and
// cookies. The result prev may come from another client. In this case, the addresses that
// the other client dialed decide where the redirect may lead. The caller must close both
// results. The error is an [*Error].
func (c *Client) Next(ctx context.Context, prev *Result) (*Result, error) {
	referral, ok := prev.Resource.(*scheme.Redirect)
	if !ok || prev.chain == nil {
		return nil, NewError("open", prev.URL, errors.New("the result is not a redirect from a client"))
	}
	f := prev.chain.withClient(c)
	return f.run(ctx, func() (scheme.Resource, error) { return f.openRedirect(referral, len(f.result.Hops)) })
}

// withClient returns a copy of the follower f that continues the chain of redirects with the client
// c. The original follower does not change, so a caller may continue the same chain again.
func (f *follower) withClient(c *Client) *follower {
	next := *f
	next.client, next.asked, next.result.Hops = c, maps.Clone(f.asked), slices.Clone(f.result.Hops)
	return &next
}
