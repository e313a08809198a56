package gateway

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxResponseHeader is the maximum size of a server's response header in bytes.
	maxResponseHeader = 256 << 10
	// idlePerHost is the maximum number of idle connections to a server. Each idle connection stays
	// open for upstreamIdleTime.
	idlePerHost      = 8
	upstreamIdleTime = 50 * time.Second
	// responseTime limits the wait for the header of a server's response.
	responseTime = 60 * time.Second
)

// For http and https, the gateway sends requests with package net/http, so that the proxy can send
// the responses to the client unchanged. The store also gets these responses without conversion.

// webDialer returns the dialer for the server of u. If the policy denies u, it returns an error. If
// package net/http can't connect to the server, the returned dialer is nil. In that case the access
// client may still be able to open u.
func (g *Gateway) webDialer(ctx context.Context, u locus.URL) (scheme.Dialer, error) {
	dialer, err := g.dialerFor(ctx, u)
	if access.KindOf(err) == access.Denied {
		return nil, err
	}
	return dialer, nil
}

// newWebRequest returns a request for u that preserves each byte of u.
func newWebRequest(ctx context.Context, method string, u locus.URL) (*http.Request, error) {
	to, err := url.Parse(u.WithoutFragment().String())
	if err != nil {
		return nil, fmt.Errorf("gateway: %s: %w: this URL is not valid in an HTTP request", locus.Quote(u.Shown()), scheme.ErrUnsupported)
	}
	req := &http.Request{Method: method, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header)}
	return req.WithContext(ctx), nil
}

// fetchWeb is like [Gateway.fetch], but for http and https. It does not follow redirects.
func (g *Gateway) fetchWeb(ctx context.Context, req fetchRequest, dialer scheme.Dialer) (scheme.Resource, meta, error) {
	method := http.MethodGet
	if req.head {
		method = http.MethodHead
	}
	r, err := newWebRequest(ctx, method, req.URL)
	if err != nil {
		return nil, meta{}, err
	}
	copyFields(r.Header, req.fields, clientFields)
	setField(r.Header, "Accept", req.Accept)
	setField(r.Header, "Accept-Language", req.AcceptLanguage)
	g.addVia(r.Header, 1, 1) // detects loops
	resp, err := g.sendWeb(req.URL, r, dialer)
	if err != nil {
		return nil, meta{}, err
	}
	m := meta{status: resp.StatusCode, header: resp.Header}
	if g.options.Cache != nil {
		m.cache = storeStatus(resp.Header)
	}
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400 && resp.Header.Get("Location") != "":
		defer resp.Body.Close()
		to, err := g.redirectTarget(req.URL, resp)
		if err != nil {
			return nil, m, err
		}
		return &scheme.Redirect{URL: req.URL, To: []locus.URL{to}}, m, nil
	case code >= 400 && code != http.StatusRequestedRangeNotSatisfiable:
		defer resp.Body.Close()
		return nil, m, statusError(req.URL, resp)
	case slices.Contains(redirectStatuses, code):
		resp.Body.Close()
		return nil, m, access.NewError("open", req.URL, fmt.Errorf("%w: status %d without a Location header", scheme.ErrProtocol, code))
	case code == http.StatusNotModified && r.Header["If-None-Match"] == nil && r.Header["If-Modified-Since"] == nil:
		resp.Body.Close()
		return nil, m, access.NewError("open", req.URL, fmt.Errorf("%w: status 304 in response to an unconditional request", scheme.ErrProtocol))
	}
	return objectIn(req.URL, resp), m, nil
}

// sendWeb sends req, which is a request for u, through the store. If there is no store, it sends
// req to the server.
func (g *Gateway) sendWeb(u locus.URL, req *http.Request, dialer scheme.Dialer) (*http.Response, error) {
	server := &webServer{g, u, dialer}
	if g.options.Cache == nil {
		return server.RoundTrip(req)
	}
	return g.options.Cache.Do(u, req, server)
}

// webServer sends requests to the server of one URL.
type webServer struct {
	gateway *Gateway
	url     locus.URL
	dialer  scheme.Dialer
}

// RoundTrip implements [http.RoundTripper].
func (s *webServer) RoundTrip(req *http.Request) (*http.Response, error) {
	leave, ok := s.gateway.limiter.enterHost(s.url)
	if !ok {
		return nil, errBusy
	}
	observed := s.gateway.observe(req.Context(), s.url)
	if more := observed.Header(); len(more) > 0 {
		req = req.Clone(req.Context())
		maps.Copy(req.Header, more)
	}
	resp, err := s.gateway.roundTripWeb(s.gateway.web.transportFor(s.dialer), s.url, req)
	if err != nil {
		leave()
		err = access.NewError("open", s.url, webError(err))
		observed.End(err)
		return nil, err
	}
	if code := resp.StatusCode; code >= 400 && code != http.StatusRequestedRangeNotSatisfiable {
		observed.Read(0, access.NewError("open", s.url, newServerError(s.url, code, resp.Status, "")))
	}
	resp.Header.Del(storedKind)
	resp.Body = &countedBody{resp.Body, leave, observed}
	return resp, nil
}

// isWeb reports whether package net/http supports the scheme.
func isWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// webError converts an error of package net/http to an error as openers return it.
func webError(err error) error {
	if access.KindOf(err) != access.Protocol {
		return err
	}
	if strings.Contains(err.Error(), "response header") { // net/http has no error type for this error
		err = fmt.Errorf("the response header exceeds %d bytes", maxResponseHeader)
	}
	return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
}

// webTransports contains one [http.Transport] for each dialer. A dialer belongs to one policy zone,
// so a request can't use an idle connection that the policy does not allow for this request.
type webTransports struct {
	tls     *tls.Config
	records bool

	mu       sync.Mutex
	byDialer map[scheme.Dialer]*http.Transport
}

// transportFor returns the transport that uses the dialer d.
func (w *webTransports) transportFor(d scheme.Dialer) *http.Transport {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.byDialer[d]
	if t == nil {
		t = &http.Transport{
			DialContext:            d.DialContext,
			TLSClientConfig:        w.tls.Clone(), // a clone, because package net/http changes it
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxResponseHeader,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        upstreamIdleTime,
			ResponseHeaderTimeout:  responseTime,
		}
		if w.records {
			recordWeb(t)
		}
		if w.byDialer == nil {
			w.byDialer = make(map[scheme.Dialer]*http.Transport)
		}
		w.byDialer[d] = t
	}
	return t
}

// closeIdle closes idle connections.
func (w *webTransports) closeIdle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.byDialer {
		t.CloseIdleConnections()
	}
}
