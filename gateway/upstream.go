package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxAnswerHeader is the most octets of the header of a server's answer.
	maxAnswerHeader = 256 << 10
	// keptPerHost is how many connections to a server are kept for the next request,
	// each so long.
	keptPerHost = 8
	keptTime    = 50 * time.Second
	// answerTime is how long a server may take until its answer begins.
	answerTime = 60 * time.Second
)

// from says where the URLs of clients come from: nobody here typed them. One of a
// file counts as found in a file if it may be opened at all.
func (g *Gateway) from(u locus.URL) *access.Result {
	if files := g.options.Files; files != nil && u.Scheme() == "file" && files(u) {
		return &access.Result{URL: u, Zone: policy.Near}
	}
	return &access.Result{Zone: policy.Far}
}

// upstream opens URLs of every scheme: one exchange for http and https, whose
// redirects are for the client, and what the access client makes of the others.
type upstream struct {
	gateway *Gateway
	rest    *roundtrip.Transport
}

func (g *Gateway) newUpstream() http.RoundTripper {
	return &upstream{g, roundtrip.New(g.client, &roundtrip.Options{From: g.from, Menu: roundtrip.JSON})}
}

// errBusy is that a server is asked for as much as it may be already.
var errBusy = errors.New("gateway: as many requests as may be are under way to this server; try again in a moment")

// RoundTrip implements [http.RoundTripper].
func (t *upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := locus.Parse(req.URL.String())
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	leave, ok := t.gateway.limiter.enterHost(u)
	if !ok {
		return nil, errBusy
	}
	resp, err := t.exchange(u, req)
	if err != nil {
		leave()
		return nil, err
	}
	resp.Body = &counted{ReadCloser: resp.Body, leave: leave}
	return resp, nil
}

// judged asks the policy about each request, also one that is answered without
// asking a server: what may be opened can be less than it was.
type judged struct {
	gateway *Gateway
	next    http.RoundTripper
}

func (j *judged) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := locus.Parse(req.URL.String())
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	// What is no denial is for who opens the URL to say: there may be other ways.
	if _, err := j.gateway.client.Way(u, j.gateway.from(u)); access.KindOf(err) == access.Denied {
		return nil, err
	}
	return j.next.RoundTrip(req)
}

// counted is a body that counts as a request under way until it is closed.
type counted struct {
	io.ReadCloser
	once  sync.Once
	leave func()
}

func (c *counted) Close() error {
	c.once.Do(c.leave)
	return c.ReadCloser.Close()
}

func (t *upstream) exchange(u locus.URL, req *http.Request) (*http.Response, error) {
	if !isWeb(u.Scheme()) {
		return t.rest.RoundTrip(req)
	}
	way, err := t.gateway.client.Way(u, t.gateway.from(u))
	switch {
	case access.KindOf(err) == access.Unsupported:
		// There is no way to its own server, but perhaps one that the client knows.
		return t.rest.RoundTrip(req)
	case err != nil:
		return nil, err
	}
	out := req.WithContext(context.WithValue(req.Context(), wayKey{}, way))
	if !t.gateway.wasHere(req.Header) {
		// The gateway's own pages ask for something: it must know that if it is asked.
		out.Header = req.Header.Clone()
		t.gateway.addVia(out.Header, 1, 1)
	}
	resp, err := t.gateway.web.RoundTrip(out)
	if err != nil {
		return nil, access.NewError("open", u, webError(err))
	}
	resp.Header.Del(roundtrip.KindHeader)
	return resp, nil
}

func isWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// webError is err of package net/http as those of openers are.
func webError(err error) error {
	if k := access.KindOf(err); k != access.Protocol {
		return err
	}
	return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
}

type wayKey struct{}

// newWeb makes the transport for http and https. It has no way to the network but
// that in the context of a request. All are of one zone, so that a connection that
// is kept serves none that it was not let through for.
func (g *Gateway) newWeb() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			way, ok := ctx.Value(wayKey{}).(scheme.Dialer)
			if !ok {
				return nil, errors.New("gateway: nobody asked the policy")
			}
			return way.DialContext(ctx, network, address)
		},
		TLSClientConfig:        g.options.TLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
		MaxIdleConnsPerHost:    keptPerHost,
		IdleConnTimeout:        keptTime,
		ResponseHeaderTimeout:  answerTime,
	}
}

// newRequest returns a request for u, which keeps the text of u to the octet.
func newRequest(ctx context.Context, method string, u locus.URL) (*http.Request, error) {
	u = u.WithoutFragment()
	to, err := url.Parse(u.String())
	if err != nil || !isWeb(u.Scheme()) && to.String() != u.String() {
		if isWeb(u.Scheme()) {
			return nil, fmt.Errorf("gateway: %s: %w: not a URL that HTTP can ask for", locus.Quote(u.Redacted()), scheme.ErrUnsupported)
		}
		to = &url.URL{Scheme: u.Scheme(), Opaque: u.SchemePart()}
	}
	req := &http.Request{Method: method, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header)}
	return req.WithContext(ctx), nil
}
