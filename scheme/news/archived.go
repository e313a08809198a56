package news

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// readArchived implements Access.Archived. The archived bytes of a list are the server's
// replies to the commands that requested the list. The first of these commands is GROUP or
// LIST.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	n, err := Parse(u)
	if err != nil {
		body.Close()
		return nil, err
	}
	if n.messageID != "" || n.hasNumber {
		return n.archivedArticle(mediaType, body), nil
	}
	client := New(&Options{Limits: c.o.Limits})
	client.Close() // the client must not pool the connection
	x := &operation{client: client, ctx: context.Background(), url: n, server: u, archived: true}
	if server, err := c.server(n); err == nil {
		x.server = server
	}
	x.req = &scheme.Request{URL: u, Dial: archived.NewDialer(body)}
	x.wanted = archived.Items(body)
	x.key = lineconn.NewKey(x.req.Dial, u, Port, false)
	conn, err := lineconn.Dial(x.ctx, x.key)
	if err == nil {
		x.use(archivedConn(conn))
		x.readLines()
		var res scheme.Resource
		if res, err = x.open(); err == nil {
			return res, nil
		}
	}
	body.Close()
	return nil, fmt.Errorf("news: %w", err)
}

func archivedConn(c lineconn.Conn) *conn { return &conn{Conn: c, archived: true} }

func (n URL) archivedArticle(mediaType string, body io.ReadCloser) *scheme.Object {
	in := bufio.NewReaderSize(body, maxHead)
	head, _ := in.Peek(maxHead)
	h, _ := message.ReadHeader(bytes.NewReader(head), nil)
	o := scheme.Object{URL: n.url, Name: cmp.Or(n.messageID, unbracketed(h.Get("Message-ID"))), Type: cmp.Or(mediaType, articleType)}
	o.ModTime, _ = h.Date()
	return archived.Object(o, struct {
		io.Reader
		io.Closer
	}{in, body})
}
