package gopher

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// readArchived implements Access.Archived. The archived bytes of a menu are the whole reply,
// including the Gopher+ header if the reply has one.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	g, err := Parse(u)
	if err != nil {
		body.Close()
		return nil, err
	}
	in := bufio.NewReaderSize(body, maxHead)
	if c.o.Raw {
		return archived.Object(scheme.Object{URL: u, Name: g.name(), Type: "application/octet-stream"}, buffered{in, body}), nil
	}
	if !g.isMenu() {
		head, _ := in.Peek(maxHead)
		if mediaType == "" {
			mediaType = describe(g.reply().mediaType, g.name(), head)
		}
		return archived.Object(scheme.Object{URL: u, Name: g.name(), Type: mediaType}, buffered{in, body}), nil
	}
	if !g.hasPlus && hasHeader(in) { // the archived reply contains a view that the client had selected
		if view, err := g.withPlus("+"); err == nil {
			g = view
		}
	}
	o := Options{Limits: c.o.Limits, ReplyTimeout: c.o.ReplyTimeout}
	op := &operation{client: New(&o), ctx: context.Background(), archived: true}
	op.req = &scheme.Request{URL: g.url, Dial: archived.NewDialer(buffered{in, body})}
	res, err := op.open(g)
	if err != nil || !op.asked {
		body.Close()
	}
	if m, ok := res.(*scheme.Menu); ok {
		m.URL = u
	}
	return res, err
}

// isMenu reports whether a server's reply to g is a menu, and not an object.
func (g URL) isMenu() bool {
	if _, refers, _ := g.Redirect(); refers || g.asksPhone() || g.asksAttributes() || g.plus == "?" {
		return true
	}
	form := g.reply().form
	return form == replyMenu || form == replyAttributes
}

// hasHeader reports whether a reply begins with a Gopher+ header.
func hasHeader(in *bufio.Reader) bool {
	head, _ := in.Peek(maxHeader)
	h, err := readHeader(bufio.NewReader(bytes.NewReader(head)))
	return err == nil && h.Plus
}

type buffered struct {
	*bufio.Reader
	io.Closer
}
