package cid

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bodypart"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Client opens parts of the message that a URL stands in. It may be used from many
// goroutines at once.
type Client struct{ limits message.Limits }

var _ scheme.Opener = (*Client)(nil)

// Options are what a [Client] can be told. The zero value is fine.
type Options struct {
	// Limits bound the message, which is in memory while a part of it is read.
	Limits message.Limits
}

// New returns a client. o may be nil.
func New(o *Options) *Client {
	if o == nil {
		o = &Options{}
	}
	return &Client{o.Limits}
}

// Open opens what req.URL locates in the message that req.Within opens: a
// [*scheme.Object] of the part, decoded and with the media type that the message
// says. req.Dial is not used.
//
// The error is a [*locus.SyntaxError], or wraps one of scheme's: ErrNotFound, ErrTooLarge,
// ErrUnsupported (there is no message, or what there is is none), or are those of
// req.Within and of reading what it gives.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	u, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("cid: %w", err)
	}
	if req.Within == nil {
		err := fmt.Errorf("cid: %w: %s is a part of the message that it stands in, and that is not known", scheme.ErrUnsupported, locus.Quote(u.contentID))
		return nil, scheme.Hint(err, "--in FILE or --in mid:... names the message")
	}
	m, err := c.message(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("cid: %w", err)
	}
	object, err := bodypart.Open(ctx, req, m, u.contentID, io.NopCloser(nil))
	if err != nil {
		return nil, fmt.Errorf("cid: %w", err)
	}
	object.Body = scheme.Limit(object.Body, req.Limit)
	return object, nil
}

// message reads the message that the URL stands in.
func (c *Client) message(ctx context.Context, req *scheme.Request) (*message.Message, error) {
	within, err := req.Within(ctx)
	if err != nil {
		return nil, err
	}
	defer within.Close()
	object, ok := within.(*scheme.Object)
	if !ok {
		return nil, noMessage("what it stands in is no object")
	}
	m, err := message.Read(object.Body, &c.limits)
	switch {
	case errors.Is(err, message.ErrNoMessage):
		return nil, noMessage(fmt.Sprintf("what it stands in, %s, is no message", locus.Quote(object.URL.Redacted())))
	case errors.Is(err, message.ErrLimit):
		return nil, scheme.Hint(fmt.Errorf("%w: %w", scheme.ErrTooLarge, err), "mid:<message-id>/<content-id> takes a part of a message of any size, if it is in a mail store")
	}
	return m, err
}

func noMessage(text string) error {
	return scheme.Hint(fmt.Errorf("%w: %s", scheme.ErrUnsupported, text), "--in FILE or --in mid:... names a message")
}
