package wais

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// noResponse represents a missing response in the archived packets of a menu, so that each
// archived packet still belongs to the right request.
var noResponse = strings.Repeat("-", headerSize)

// readArchived implements Access.Archived. The archived bytes of a menu are the server's
// packets, in order.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	x, err := Parse(u)
	if err != nil {
		body.Close()
		return nil, err
	}
	if x.form != NoDocument && !x.hasSearch {
		o := scheme.Object{URL: u, Type: cmp.Or(mediaType, mediaTypeOf(x.wtype))}
		if id, ok := x.DocumentID(); ok {
			o.Name = id.name()
		}
		return archived.Object(o, body), nil
	}
	op := &operation{client: &Client{o: c.o}, ctx: context.Background(), url: x, req: &scheme.Request{URL: u}}
	raw, err := archived.NewDialer(body).DialContext(op.ctx, "", "")
	if err != nil {
		return nil, err
	}
	op.archived = &conn{raw: raw, r: bufio.NewReaderSize(raw, readAhead)}
	res, err := op.open()
	if err != nil {
		raw.Close()
	}
	return res, err
}
