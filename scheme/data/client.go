package data

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// Options of a [Client].
type Options struct {
	// Forgiving accepts base64 with white space and without padding, as browsers do.
	Forgiving bool
}

// Client opens data URLs. It may be used from many goroutines at once.
type Client struct{ o Options }

// New returns a client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	return c
}

// Open implements [scheme.Opener] without a network. The resource is a [*scheme.Object].
// The error is a [*locus.SyntaxError], or wraps scheme.ErrTooLarge or the cause of ctx.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	d, err := parse(req.URL, c.o.Forgiving)
	if err != nil {
		return nil, err
	}
	octets := d.Octets()
	switch err := context.Cause(ctx); {
	case err != nil:
		return nil, fmt.Errorf("data: %w", err)
	case req.Limit > 0 && int64(len(octets)) > req.Limit:
		return nil, fmt.Errorf("data: %w: %d octets, the limit is %d", scheme.ErrTooLarge, len(octets), req.Limit)
	}
	start := min(max(req.Offset, 0), int64(len(octets)))
	return &scheme.Object{
		URL: req.URL, Type: d.ContentType(), Size: int64(len(octets)), Start: start, Resumable: true,
		Body: io.NopCloser(strings.NewReader(octets[start:])),
	}, nil
}
