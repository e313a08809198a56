package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/piece"
	"github.com/locus-url/locus/internal/reqctx"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxAnswerHeader is the size limit of a server's response header, in octets.
	maxAnswerHeader = 256 << 10
	// keptPerHost is how many idle connections to a server are kept, for keptTime each.
	keptPerHost = 8
	keptTime    = 50 * time.Second
	// answerTime is how long a server may take until its response begins.
	answerTime = 60 * time.Second
)

// from tells the policy where the URLs of clients come from: they count as found on
// the public Internet. A file URL that [Options.Files] allows counts as found in a file.
func (g *Gateway) from(u locus.URL) *access.Result {
	if files := g.options.Files; files != nil && g.traits(u).Has(scheme.Files) && files(u) {
		return &access.Result{URL: u, LinkOrigin: policy.FromPrivate}
	}
	return &access.Result{LinkOrigin: policy.FromPublic}
}

// traits returns the traits of the scheme of u.
func (g *Gateway) traits(u locus.URL) scheme.Traits { return g.client.Registry().Scheme(u).Traits }

// newRequest returns a request for u that keeps the text of u to the octet.
func newRequest(ctx context.Context, method string, u locus.URL) (*http.Request, error) {
	u = u.WithoutFragment()
	to := &url.URL{Scheme: u.Scheme(), Opaque: u.SchemePart()}
	if isWeb(u.Scheme()) {
		var err error
		if to, err = url.Parse(u.String()); err != nil {
			return nil, fmt.Errorf("gateway: %s: %w: HTTP cannot request this URL", locus.Quote(u.Shown()), scheme.ErrUnsupported)
		}
	}
	req := &http.Request{Method: method, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header)}
	return reqctx.WithURL(req.WithContext(ctx), u), nil
}

// requestFor returns a request for u that r leads to: what accept prefers, in the
// language of r.
func requestFor(ctx context.Context, r *http.Request, method string, u locus.URL, accept string) (*http.Request, error) {
	req, err := newRequest(ctx, method, u)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	if language := r.Header.Get("Accept-Language"); isWeb(u.Scheme()) && language != "" {
		req.Header.Set("Accept-Language", language)
	} else if language != "" {
		req.Header.Set("Accept-Language", orAny(language))
	}
	return req, nil
}

// send sends req to the cache, if there is one, or to the server. The policy is asked
// before the cache, because it may have become stricter since an answer was stored.
func (g *Gateway) send(req *http.Request) (*http.Response, error) {
	u, err := reqctx.URL(req)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if g.isKept(u) {
		return g.upstream.RoundTrip(req)
	}
	dialer, err := g.client.DialerFor(u, g.from(u))
	switch {
	case access.KindOf(err) == access.Denied:
		return nil, err
	case err == nil:
		req = withDialer(req, dialer)
	}
	// Other errors are left to the access client, which may know a proxy for u.
	return g.upstream.RoundTrip(req)
}

// dialerKey is the key of the dialer with which the policy allows a request.
type dialerKey struct{}

func withDialer(req *http.Request, d scheme.Dialer) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), dialerKey{}, d))
}

// upstream opens URLs of every scheme: http and https without following redirects,
// the others with the access client.
type upstream struct {
	gateway *Gateway
	rest    *roundtrip.Transport
}

func (g *Gateway) newUpstream() http.RoundTripper {
	return &upstream{g, roundtrip.New(g.client, &roundtrip.Options{From: g.from, Menu: roundtrip.JSON})}
}

// errBusy reports that [Limits.PerHost] is reached.
var errBusy = &problem{http.StatusServiceUnavailable, busy, "gateway: too many requests to this server; try again in a moment"}

// RoundTrip implements [http.RoundTripper].
func (t *upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := reqctx.URL(req)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	leave, ok := t.gateway.limiter.enterHost(u)
	if !ok {
		return nil, errBusy
	}
	resp, err := t.roundTrip(u, req)
	if err != nil {
		leave()
		return nil, err
	}
	resp.Body = &counted{resp.Body, sync.OnceFunc(leave)}
	return resp, nil
}

// counted is a body that counts as a request until it is closed.
type counted struct {
	io.ReadCloser
	leave func()
}

func (c *counted) Close() error {
	c.leave()
	return c.ReadCloser.Close()
}

// CopyPiece implements [piece.Copier].
func (c *counted) CopyPiece(w io.Writer, n int64) (int64, error) {
	return piece.Copy(w, c.ReadCloser, n)
}

// Unwrap is for [roundtrip.Resource].
func (c *counted) Unwrap() io.ReadCloser { return c.ReadCloser }

func (t *upstream) roundTrip(u locus.URL, req *http.Request) (*http.Response, error) {
	if _, ok := req.Context().Value(dialerKey{}).(scheme.Dialer); !ok || !isWeb(u.Scheme()) || t.gateway.isKept(u) {
		return t.rest.RoundTrip(req)
	}
	out := req.WithContext(req.Context())
	if !t.gateway.wasHere(req.Header) {
		// A request for a page has no Via yet; without one, a loop would not be noticed.
		out.Header = req.Header.Clone()
		t.gateway.addVia(out.Header, 1, 1)
	}
	resp, err := t.gateway.roundTripWeb(u, out)
	if err != nil {
		return nil, access.NewError("open", u, webError(err))
	}
	resp.Header.Del(reqctx.KindHeader)
	return resp, nil
}

// isWeb reports whether package net/http speaks the scheme.
func isWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// webError makes an error of package net/http one of those that openers return.
func webError(err error) error {
	if access.KindOf(err) != access.Protocol {
		return err
	}
	if strings.Contains(err.Error(), "response header") { // net/http has no type for it
		err = fmt.Errorf("the header has more than %d octets", maxAnswerHeader)
	}
	return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
}

// newWeb makes the transport for http and https. It dials only with the dialer in the
// context of a request. All requests are of one zone, so that an idle connection
// serves no request for which it would not have been allowed.
func (g *Gateway) newWeb() *http.Transport {
	t := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialer, ok := ctx.Value(dialerKey{}).(scheme.Dialer)
			if !ok {
				return nil, errors.New("gateway: the policy was not asked")
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSClientConfig:        g.options.TLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
		MaxIdleConnsPerHost:    keptPerHost,
		IdleConnTimeout:        keptTime,
		ResponseHeaderTimeout:  answerTime,
	}
	if g.client.Records() {
		recordWeb(t)
	}
	return t
}
