package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/piece"
	"github.com/locus-url/locus/scheme"
)

// heldResource closes a resource when the context of the call that opened it ends.
type heldResource struct {
	url    locus.URL
	ctx    context.Context
	cancel context.CancelCauseFunc
	inner  io.Closer
	stop   func() bool // stops the AfterFunc that closes inner

	observed *Observation // may be nil

	once sync.Once
	err  error // error from closing inner
}

func newHold(ctx context.Context, cancel context.CancelCauseFunc, u locus.URL, inner io.Closer, observed *Observation) *heldResource {
	h := &heldResource{url: u, ctx: ctx, cancel: cancel, inner: inner, observed: observed}
	h.stop = context.AfterFunc(ctx, func() {
		h.closeInner()
		h.observed.End(h.readError(nil))
	})
	return h
}

func (h *heldResource) closeInner() { h.once.Do(func() { h.err = h.inner.Close() }) }

// release cancels the context without closing inner.
func (h *heldResource) release() {
	h.stop()
	h.cancel(errClosed)
	h.observed.End(nil)
}

// Close closes the inner resource once, and then cancels the context. While the resource
// closes, an opener may still send data to its server.
func (h *heldResource) Close() error {
	h.stop()
	h.closeInner()
	h.cancel(errClosed)
	h.observed.End(nil)
	return h.err
}

// readError returns an [*Error] for err, which occurred while reading the resource. If the context
// has ended, the cause of this end replaces err.
func (h *heldResource) readError(err error) error {
	if e, ok := err.(*Error); ok {
		return e
	}
	if why := contextError(h.ctx); why != nil {
		err = why
	}
	return NewError("read", h.url, err)
}

// hold closes res, the resource at u, when ctx ends, and applies the size limit to an object. The
// observation ends when res is closed. On error, hold closes res.
func (c *Client) hold(ctx context.Context, cancel context.CancelCauseFunc, u locus.URL, res scheme.Resource, t *tracker, observed *Observation) error {
	conns := t.stopRecording()
	switch r := res.(type) {
	case *scheme.Object:
		h := newHold(ctx, cancel, u, r.Body, observed)
		if most := c.options.Limit; most > 0 && r.Size > most {
			err := NewError("open", u, fmt.Errorf("%w: %d bytes, but the limit is %d", scheme.ErrTooLarge, r.Size, most))
			observed.End(err)
			h.Close()
			return err
		}
		r.Body = &body{h, scheme.Limit(r.Body, c.options.Limit)}
	case *scheme.Menu:
		var inner io.Closer = io.NopCloser(nil)
		if r.Closer != nil {
			inner = r.Closer
		}
		h := newHold(ctx, cancel, u, inner, observed)
		r.Items, r.Closer = h.items(r.Items), h
	case *scheme.Session:
		// Do not wrap r.Conn, because r.Conn may have more methods than net.Conn. The dialer's
		// connection reports when r.Conn is closed.
		h := newHold(ctx, cancel, u, r.Conn, observed)
		for _, conn := range conns {
			conn.allowSilence()
			conn.afterClose(h.release)
		}
		if len(conns) == 0 {
			observed.End(nil) // nothing reports when the program closes r.Conn
		}
	default:
		cancel(nil)
		observed.End(nil)
	}
	return nil
}

// body is the body of an object, with errors that name the URL.
type body struct {
	*heldResource
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
	b.observed.Read(int64(n), err)
	return n, err
}

// CopyPiece implements [piece.Copier].
func (b *body) CopyPiece(w io.Writer, n int64) (int64, error) {
	if b.ctx.Err() != nil {
		return 0, b.readError(nil)
	}
	m, err := piece.Copy(w, b.reader, n)
	if errors.Is(err, errors.ErrUnsupported) {
		return m, err
	}
	if err != nil && err != io.EOF {
		err = b.readError(err)
	}
	b.observed.Read(m, err)
	return m, err
}

// errUsed is the error of a second iteration over the items of a menu.
var errUsed = errors.New("the items can be read only once: open the menu again")

// items returns the items of a menu until the first error or the end of the context. The errors
// name the URL. The items come from the network, so callers can iterate over them only once.
func (h *heldResource) items(list iter.Seq2[scheme.Item, error]) iter.Seq2[scheme.Item, error] {
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
			err = h.readError(err)
			h.observed.Read(0, err)
			yield(scheme.Item{}, err)
			return
		}
	}
}
