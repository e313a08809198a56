package data

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// Client opens data URLs. It may be used concurrently.
type Client struct{}

// Open implements [scheme.Opener] without a network. It returns a [*scheme.Object]. The error is a
// [*locus.SyntaxError], or wraps scheme.ErrTooLarge or the cancellation cause of ctx.
func (Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	d, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	octets := d.Octets()
	switch err := context.Cause(ctx); {
	case err != nil:
		return nil, fmt.Errorf("data: %w", err)
	case req.Limit > 0 && int64(len(octets)) > req.Limit:
		return nil, fmt.Errorf("data: %w: %d bytes, the limit is %d", scheme.ErrTooLarge, len(octets), req.Limit)
	}
	start := min(max(req.Offset, 0), int64(len(octets)))
	return &scheme.Object{
		URL: req.URL, Type: d.ContentType(), Size: int64(len(octets)), Start: start, Resumable: true,
		Body: io.NopCloser(strings.NewReader(octets[start:])),
	}, nil
}
