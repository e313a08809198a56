package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// proxy is an HTTP proxy.
type proxy struct {
	url   URL
	login string // the value of Proxy-Authorization; empty: none
}

// parseProxy reads the URL of a proxy.
func parseProxy(u locus.URL) (proxy, error) {
	h, err := Parse(u)
	if err == nil {
		err = h.reachable()
	}
	if err != nil {
		return proxy{}, fmt.Errorf("the proxy: %w", err)
	}
	l, err := loginOf(u)
	if err != nil {
		return proxy{}, fmt.Errorf("the proxy: %w", err)
	}
	p := proxy{url: h}
	if l != nil {
		p.login = l.header()
	}
	return p, nil
}

// address is what to connect to.
func (p proxy) address() string { return p.url.Host() + ":" + strconv.Itoa(int(p.url.Port())) }

// connectRequest is the request for a tunnel to address.
func (p proxy) connectRequest(address string) ([]byte, error) {
	lines := []string{"CONNECT " + address + " HTTP/1.1", "Host: " + address, "User-Agent: locus"}
	if p.login != "" {
		lines = append(lines, "Proxy-Authorization: "+p.login)
	}
	var request []byte
	for _, text := range append(lines, "") {
		var err error
		if request, err = line.Append(request, text); err != nil {
			return nil, fmt.Errorf("%w: no host is at %s: %w", locus.ErrValue, locus.Quote(address), err)
		}
	}
	return request, nil
}

const (
	// maxConnectLine is the most octets of a line of an answer to CONNECT.
	maxConnectLine = 8 << 10
	// maxInterim is how many answers may come before the one that counts.
	maxInterim = 8
)

// connect sends a request for a tunnel and reads the answer, which must be good.
// It returns what came behind it: that is from the other end of the tunnel, for an
// answer to CONNECT has no body whatever it says (RFC 9110 section 9.3.6).
func connect(conn io.ReadWriter, request []byte) (early []byte, err error) {
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	in := line.NewReader(conn, maxConnectLine)
	in.Allow(maxHeader)
	for range maxInterim {
		resp, err := readHeader(in)
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode / 100 {
		case 1:
			continue
		case 2:
			early = make([]byte, in.Buffered())
			_, err := io.ReadFull(in, early)
			return early, err
		}
		return nil, (&answer{Response: resp}).failure()
	}
	return nil, fmt.Errorf("%w: %d answers, and none that counts", scheme.ErrProtocol, maxInterim)
}

// readHeader reads a status line and the header behind it.
func readHeader(in *line.Reader) (*http.Response, error) {
	resp := &http.Response{Header: make(http.Header)}
	for first := true; ; first = false {
		text, err := in.Line()
		switch {
		case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
			return nil, fmt.Errorf("%w: a header of more than %d octets, or a line of more than %d", scheme.ErrProtocol, maxHeader, maxConnectLine)
		case err != nil:
			return nil, err
		case first:
			version, status, _ := strings.Cut(string(text), " ")
			code, _, _ := strings.Cut(status, " ")
			n, err := strconv.ParseUint(code, 10, 16)
			if err != nil || len(code) != 3 || !strings.HasPrefix(version, "HTTP/1.") {
				return nil, fmt.Errorf("%w: the server does not speak HTTP: it says %s", scheme.ErrProtocol, locus.Quote(string(text)))
			}
			resp.Status, resp.StatusCode = status, int(n)
		case len(text) == 0:
			return resp, nil
		default:
			name, value, _ := strings.Cut(string(text), ":")
			resp.Header.Add(name, strings.TrimSpace(value))
		}
	}
}

// way is the one by way of p to u. The request-target is in absolute form (RFC 9112
// section 3.2.2), and net/http takes it for an opaque one.
func (p proxy) way(u locus.URL) (way, error) {
	target, host := "", ""
	if port(u) != 0 {
		h, err := Parse(u)
		if err == nil {
			err = h.reachable()
		}
		if err != nil {
			return way{}, err
		}
		host = h.hostport()
		target = string(h.AppendTarget([]byte(u.Scheme() + "://" + host)))
	} else {
		if u.Host() != "" && !locus.IsHost(u.Host()) {
			return way{}, u.Errorf(u.HostOffset(), "host", "%w: no host can have this name", locus.ErrValue)
		}
		host = u.Host()
		if n, ok := u.Port(); ok {
			host += ":" + strconv.Itoa(int(n))
		}
		target = absolute(u)
	}
	return way{
		url:     &url.URL{Scheme: p.url.url.Scheme(), Host: p.url.hostport(), Opaque: target},
		host:    host,
		isProxy: true,
		login:   p.login,
	}, nil
}

// absolute is u as a request-target: what was written, without its fragment and
// password, and with what no request-target can hold encoded.
func absolute(u locus.URL) string {
	text := u.WithoutFragment().WithoutPassword()
	unsafe := escape.Unsafe().Without("~")
	start := text.HostOffset()
	if !text.Facts().Has(locus.Internet) {
		start = 0
	}
	// The brackets of an IPv6 address are its own.
	end := start + len(text.Host())
	target := escape.AppendSafer(nil, text.String()[:start], unsafe, escape.Set{})
	target = append(target, text.String()[start:end]...)
	return string(escape.AppendSafer(target, text.String()[end:], unsafe, escape.Set{}))
}

var _ scheme.ProxyOpener = (*Client)(nil)

// OpenVia implements [scheme.ProxyOpener]. The user and password of an http URL
// become Basic credentials when the server asks, as with [Client.Open]. Those of a
// URL of another scheme that has a password are sent at once; a user alone stays in
// the URL.
func (c *Client) OpenVia(ctx context.Context, req *scheme.Request, via locus.URL) (scheme.Resource, error) {
	v := newVisit(c, req)
	p, err := parseProxy(via)
	if err == nil && port(req.URL) == SecurePort {
		err = fmt.Errorf("%w: https goes through a tunnel", scheme.ErrUnsupported)
	}
	if err == nil {
		v.way, err = p.way(req.URL)
	}
	if err == nil {
		v.ofURL, err = loginOf(req.URL)
	}
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	if port(req.URL) == 0 {
		// The scheme has logins, and the gateway would open the URL without one.
		if _, password := req.URL.Password(); password {
			v.login = v.ofURL
		}
		v.ofURL = nil
	}
	return v.run(ctx)
}
