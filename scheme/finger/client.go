package finger

import (
	"context"
	"errors"
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Client opens finger URLs. The zero Client is ready to use. A Client may be used concurrently.
type Client struct{}

// Open connects to the server, sends the request in req.URL, and returns the response. It ignores
// the offset and the preferences in req.
func (Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	f, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	request, err := f.AppendRequest(nil)
	if err != nil {
		return nil, err
	}
	conn, err := scheme.Connect(ctx, req, Port)
	if errors.As(err, new(*locus.SyntaxError)) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("finger: %w", err)
	}
	conn.Conn = req.Recorded(conn.Conn, "")
	req.Traced(true, f.request)
	if _, err := conn.Write(request); err != nil {
		conn.Close()
		return nil, fmt.Errorf("finger: %w", err)
	}
	return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: scheme.Limit(conn, req.Limit)}, nil
}
