package gateway

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/scheme"
)

// recordWeb changes the transport t so that its connections pass all bytes to a recording. It
// disables HTTP/2, because HTTP/2 is a binary protocol.
func recordWeb(t *http.Transport) {
	dial, config := t.DialContext, t.TLSClientConfig.Clone()
	if config == nil {
		config = new(tls.Config)
	}
	config.NextProtos = []string{"http/1.1"}
	t.ForceAttemptHTTP2 = false
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &httpwire.Conn{Conn: conn}, nil
	}
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := config.Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(address)
		}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		return &httpwire.Conn{Conn: secure}, nil
	}
}

// roundTripWeb sends a request for u through t. It records only a GET request without a body,
// because the body of another request may contain a password.
func (g *Gateway) roundTripWeb(t *http.Transport, u locus.URL, req *http.Request) (*http.Response, error) {
	if !g.client.IsRecording() || req.Method != http.MethodGet || req.Body != nil && req.Body != http.NoBody {
		return t.RoundTrip(req)
	}
	r := g.client.Record(u)
	if r == nil {
		return t.RoundTrip(req)
	}
	x := httpwire.New(r)
	r.Opened(nil, nil) // the exchange contains the whole response
	resp, err := t.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if conn, ok := info.Conn.(*httpwire.Conn); ok {
				conn.Begin(x)
				x.Begin(scheme.ServerAddr(conn.Conn))
			}
		},
	})))
	if err != nil {
		x.End(err)
		return nil, err
	}
	resp.Body = &recordedBody{resp.Body, x}
	return resp, nil
}

// recordedBody is the body of a recorded response.
type recordedBody struct {
	io.ReadCloser
	exchange *httpwire.Exchange
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.exchange.End(nil)
	case err != nil:
		b.exchange.End(err)
	}
	return n, err
}

func (b *recordedBody) Close() error {
	b.exchange.End(httpwire.ErrUnread)
	return b.ReadCloser.Close()
}
