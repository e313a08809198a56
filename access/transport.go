package access

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// TransportOptions contains the settings for [NewTransport]. The zero value and a nil
// pointer select the defaults.
type TransportOptions struct {
	// Policy decides where requests may lead. The zero Policy allows only public addresses.
	Policy policy.Policy
	// TLS is the configuration for https. If TLS is nil, the defaults of crypto/tls apply.
	TLS *tls.Config
	// UserAgent is sent in requests without a User-Agent field. If UserAgent is empty, the
	// transport sends "locus/VERSION (+URL)".
	UserAgent string
	// Header contains default header fields for requests. After a redirect to another host,
	// port or scheme, the transport does not add the Authorization and Cookie fields.
	Header http.Header
	// Dial opens connections, and Lookup resolves host names. If nil, package net does. See
	// [Options].
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// DialTimeout limits the time to make one connection, including the name lookup. Zero
	// means 30 seconds.
	DialTimeout time.Duration
	// IdleTimeout limits the time during which a server sends no data. Zero means 60
	// seconds.
	IdleTimeout time.Duration
	// Limit is the maximum size in bytes of a response body after decompression. Reading
	// the body fails at the limit with [scheme.ErrTooLarge]. Zero means no limit.
	Limit int64
}

// NewTransport returns an [http.RoundTripper] for http and https that is safe for URLs from other
// people. The RoundTripper is an [http.Transport] under a policy. It supports all methods, bodies,
// trailers and HTTP/2. The policy judges each request, including requests of an [http.Client] that
// follows a redirect. It also judges each address before the transport dials it. The options o may
// be nil.
//
// The caller should also set the Timeout of the http.Client, which limits a whole exchange,
// and TransportOptions.Limit. If customers of a service enter URLs, these URLs must not
// count as typed, so the service must not set policy.Rules.TypedPrivate.
//
// If the policy denies a URL or its addresses, the error wraps a [*policy.DeniedError], and
// errors.Is(err, fs.ErrPermission) is true. If the text is not a URL of RFC 1738, the error
// wraps a [*locus.SyntaxError]. For a scheme other than http and https, it wraps
// [scheme.ErrUnsupported]. In all three cases the transport sends nothing to that URL, and
// [KindOf] returns [Denied], [Syntax] or [Unsupported]. A host must have the form of RFC 1738
// section 3.1, which excludes 0x7f.1, 2130706433, "_" and names in Unicode. The transport
// checks the target of each redirect with [policy.Policy.CheckRedirect].
//
// In a test, Lookup can return a public address for the name of a test server, and Dial can
// connect to that server instead.
//
// The transport ignores the proxies of the environment, because a proxy would connect to
// addresses that the policy has not seen.
func NewTransport(o *TransportOptions) http.RoundTripper {
	if o == nil {
		o = new(TransportOptions)
	}
	t := &transport{
		client: New(nil, o.Policy, &Options{Dial: o.Dial, Lookup: o.Lookup, DialTimeout: o.DialTimeout, IdleTimeout: o.IdleTimeout, Limit: o.Limit}),
		header: header(cmp.Or(o.UserAgent, o.Header.Get("User-Agent"), agent.Name()), o.Header),
	}
	for origin := range t.origins {
		t.origins[origin] = &http.Transport{
			DialContext:           t.client.dialer(plan{origin: policy.Origin(origin)}).DialContext,
			TLSClientConfig:       o.TLS.Clone(),
			TLSHandshakeTimeout:   t.client.options.DialTimeout,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          100,
			IdleConnTimeout:       90 * time.Second,
			ExpectContinueTimeout: time.Second,
		}
	}
	return t
}

// transport contains an [http.Transport] for each origin. A redirect must not reuse a connection
// that the policy allowed only for a typed URL.
type transport struct {
	client  *Client
	header  http.Header // default header fields for requests
	origins [policy.FromPublic + 1]*http.Transport
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	origin, err := t.check(req)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := t.origins[origin].RoundTrip(t.withHeader(req))
	if err != nil {
		return nil, err
	}
	resp.Request = req
	if resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = scheme.Limit(resp.Body, t.client.options.Limit)
	}
	return resp, nil
}

// CloseIdleConnections implements the optional interface of [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() {
	for _, origin := range t.origins {
		origin.CloseIdleConnections()
	}
}

// check applies the policy to a request and returns its origin. If an [http.Client] made the
// request to follow a redirect, the origin depends on the previous URLs of the chain.
func (t *transport) check(req *http.Request) (policy.Origin, error) {
	to, err := webTarget(req)
	if err != nil {
		return 0, err
	}
	origin, from, before := policy.Typed, policy.Target{}, requestsBefore(req)
	if len(before) == 0 && req.URL.Hostname() == "" {
		return 0, fmt.Errorf("access: %w", missingHost(to.URL))
	}
	for _, r := range slices.Backward(before) {
		if from, err = webTarget(r); err != nil {
			return 0, err
		}
		origin = t.client.originAfter(plan{url: from.URL, origin: origin}, new(tracker))
	}
	if len(before) > 0 {
		if err := t.client.policy.CheckRedirect(from, to, len(before)); err != nil {
			return 0, err
		}
	}
	return origin, t.client.policy.CheckURL(to, origin)
}

// requestsBefore returns the requests whose responses redirected an [http.Client] to req, from the
// last request to the first.
func requestsBefore(req *http.Request) (list []*http.Request) {
	for r := req; r.Response != nil && r.Response.Request != nil && r.Response.Request.URL != nil; r = r.Response.Request {
		list = append(list, r.Response.Request)
	}
	return list
}

// webTarget converts the URL of a request to a [policy.Target].
func webTarget(req *http.Request) (t policy.Target, err error) {
	if req.URL == nil {
		return t, fmt.Errorf("access: %w: the request has no URL", scheme.ErrUnsupported)
	}
	plain := *req.URL
	plain.Opaque = "" // net/http still dials the Host
	if t.URL, err = locus.Parse(plain.String()); err != nil {
		return t, fmt.Errorf("access: %w", err)
	}
	t.Reach, t.Reads, t.Encoded = policy.Network, true, true
	switch t.URL.Scheme() {
	case "http":
		t.Port = httpPort
	case "https":
		t.Port = httpsPort
	default:
		return t, fmt.Errorf("access: %w: %s is neither http nor https", scheme.ErrUnsupported, locus.Quote(t.URL.Scheme()))
	}
	return t, nil
}

// withHeader returns req with the default header fields. A RoundTripper must not change
// the request itself.
func (t *transport) withHeader(req *http.Request) *http.Request {
	out := req.WithContext(req.Context())
	if out.Header = req.Header.Clone(); out.Header == nil {
		out.Header = make(http.Header)
	}
	elsewhere := false
	for _, r := range requestsBefore(req) {
		elsewhere = elsewhere || r.URL.Scheme != req.URL.Scheme || !strings.EqualFold(r.URL.Host, req.URL.Host)
	}
	for name, values := range t.header {
		private := name == "Authorization" || name == "Cookie"
		if _, ok := out.Header[name]; !ok && !(private && elsewhere) {
			out.Header[name] = values
		}
	}
	return out
}
