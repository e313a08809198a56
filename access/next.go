package access

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locus-url/locus/scheme"
)

// Next opens what the referral in from leads to, and returns another referral instead of
// following it. from is a result of Next, or of [Client.Do] for a request with NoFollow.
// The rules are those of redirects in Do: the policy and its limit, loops, logins and
// cookies. So a program can wait between two requests of a chain, and may call Next again
// after an error. The caller closes both results. The error is an [*Error].
func (c *Client) Next(ctx context.Context, from *Result) (*Result, error) {
	referral, ok := from.Resource.(*scheme.Referral)
	if !ok || from.chain == nil {
		return nil, NewError("open", from.URL, errors.New("not the referral of a client"))
	}
	f := *from.chain
	f.asked, f.result.Hops = maps.Clone(f.asked), slices.Clone(f.result.Hops)
	return f.run(ctx, func() (scheme.Resource, error) { return f.next(referral, len(f.result.Hops)) })
}
