package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// hold ties a resource to the context of its open: until it is closed, the end of
// the context closes it.
type hold struct {
	url    locus.URL
	ctx    context.Context
	cancel context.CancelCauseFunc
	inner  io.Closer
	stop   func() bool // the end of the context closes no more
	once   sync.Once
	err    error // of closing inner
}

func newHold(ctx context.Context, cancel context.CancelCauseFunc, u locus.URL, inner io.Closer) *hold {
	h := &hold{url: u, ctx: ctx, cancel: cancel, inner: inner}
	h.stop = context.AfterFunc(ctx, h.closeInner)
	return h
}

func (h *hold) closeInner() { h.once.Do(func() { h.err = h.inner.Close() }) }

// release lets go of the context.
func (h *hold) release() {
	h.stop()
	h.cancel(fs.ErrClosed)
}

// Close closes what is held, once, and lets go of the context: in this order, for
// an opener may still have something to say to its server.
func (h *hold) Close() error {
	h.stop()
	h.closeInner()
	h.cancel(fs.ErrClosed)
	return h.err
}

// readError makes the error of reading, once; err may be one already. If the
// context has ended, that is why.
func (h *hold) readError(err error) error {
	if e, ok := err.(*Error); ok {
		return e
	}
	if why := ended(h.ctx); why != nil {
		err = why
	}
	return NewError("read", h.url, err)
}

// hold makes res, to which u led, end with ctx, and an object keep its limit. On
// error res is closed.
func (c *Client) hold(ctx context.Context, cancel context.CancelCauseFunc, u locus.URL, res scheme.Resource, t *tracker) error {
	conns := t.end()
	switch r := res.(type) {
	case *scheme.Object:
		h := newHold(ctx, cancel, u, r.Body)
		if most := c.options.Limit; most > 0 && r.Size > most {
			h.Close()
			return NewError("open", u, fmt.Errorf("%w: %d octets, and %d are the most", scheme.ErrTooLarge, r.Size, most))
		}
		r.Body = &body{h, scheme.Limit(r.Body, c.options.Limit)}
	case *scheme.Menu:
		var inner io.Closer = nothing{}
		if r.Closer != nil {
			inner = r.Closer
		}
		h := newHold(ctx, cancel, u, inner)
		r.Items, r.Closer = h.items(r.Items), h
	case *scheme.Session:
		// Its Conn stays what the opener made it, which may be more than a
		// net.Conn; the connection beneath it tells when it is closed.
		h := newHold(ctx, cancel, u, r.Conn)
		for _, conn := range conns {
			conn.allowSilence()
			conn.afterClose(h.release)
		}
	default:
		cancel(nil)
	}
	return nil
}

// nothing is what a menu holds that has nothing to close.
type nothing struct{}

func (nothing) Close() error { return nil }

// body is the body of an object, with errors that name the URL.
type body struct {
	*hold
	reader io.Reader
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, b.readError(nil)
	}
	n, err := b.reader.Read(p)
	if err != nil && err != io.EOF {
		err = b.readError(err)
	}
	return n, err
}

// errUsed is the error of a second loop over the items of a menu.
var errUsed = errors.New("the items have been read already; open the menu again")

// items are the items of a menu as long as the context lasts, with errors that
// name the URL. An error ends them. They come off the network, so that a second loop
// would find nothing there, and yields an error.
func (h *hold) items(list iter.Seq2[scheme.Item, error]) iter.Seq2[scheme.Item, error] {
	var used atomic.Bool
	return func(yield func(scheme.Item, error) bool) {
		if used.Swap(true) {
			yield(scheme.Item{}, h.readError(errUsed))
			return
		}
		for item, err := range list {
			if err == nil && h.ctx.Err() == nil {
				if !yield(item, nil) {
					return
				}
				continue
			}
			yield(scheme.Item{}, h.readError(err))
			return
		}
	}
}
