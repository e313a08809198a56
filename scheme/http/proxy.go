package http

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

type proxy struct {
	url   URL
	login string // value of Proxy-Authorization; empty if none
}

func parseProxy(u locus.URL) (proxy, error) {
	h, err := Parse(u)
	if err == nil {
		err = h.checkReachable()
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

func (p proxy) address() string { return p.url.Host() + ":" + strconv.Itoa(int(p.url.Port())) }

func (p proxy) connectRequest(address string) ([]byte, error) {
	lines := []string{"CONNECT " + address + " HTTP/1.1", "Host: " + address, "User-Agent: " + agent.Name()}
	if p.login != "" {
		lines = append(lines, "Proxy-Authorization: "+p.login)
	}
	var request []byte
	for _, text := range append(lines, "") {
		var err error
		if request, err = line.Append(request, text); err != nil {
			return nil, fmt.Errorf("%w: invalid address %s: %w", locus.ErrValue, locus.Quote(address), err)
		}
	}
	return request, nil
}

// maxInterim is the maximum number of interim responses before a final response.
const maxInterim = 8

// connect sends a CONNECT request and reads the response. If the status is not 2xx, it returns
// an error. Bytes that arrived after the response come from the other end of the tunnel;
// connect returns them as earlyBytes. A response to CONNECT has no body (RFC 9110 section
// 9.3.6).
func connect(conn io.ReadWriter, request []byte) (earlyBytes []byte, err error) {
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	header := &io.LimitedReader{R: conn, N: maxHeader}
	in := bufio.NewReader(header)
	for range maxInterim + 1 {
		resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect})
		switch {
		case header.N == 0:
			return nil, fmt.Errorf("%w: the header has more than %d bytes", scheme.ErrProtocol, maxHeader)
		case err != nil:
			return nil, err
		case resp.ProtoMajor != 1:
			return nil, fmt.Errorf("%w: the server does not speak HTTP/1: it sent %s", scheme.ErrProtocol, locus.Quote(resp.Proto))
		case resp.StatusCode/100 == 1:
			continue
		case resp.StatusCode/100 == 2:
			earlyBytes = make([]byte, in.Buffered())
			_, err := io.ReadFull(in, earlyBytes)
			return earlyBytes, err
		}
		return nil, (&response{Response: resp}).failure()
	}
	return nil, fmt.Errorf("%w: more than %d interim responses", scheme.ErrProtocol, maxInterim)
}

// destination returns the proxy as the server, and u as the request-target in absolute form
// (RFC 9112 section 3.2.2). The package net/http sends this request-target unchanged.
func (p proxy) destination(u locus.URL) (destination, error) {
	target, host := "", ""
	if defaultPort(u) != 0 {
		h, err := Parse(u)
		if err == nil {
			err = h.checkReachable()
		}
		if err != nil {
			return destination{}, err
		}
		host = h.hostport()
		target = string(h.AppendTarget([]byte(u.Scheme() + "://" + host)))
	} else {
		if u.Host() != "" && !isHost(u.Host()) {
			return destination{}, u.Errorf(u.HostOffset(), "host", "%w: invalid hostname", locus.ErrValue)
		}
		host = u.Host()
		if n, ok := u.Port(); ok {
			host += ":" + strconv.Itoa(int(n))
		}
		target = absoluteTarget(u)
	}
	return destination{
		url:     &url.URL{Scheme: p.url.url.Scheme(), Host: p.url.hostport(), Opaque: target},
		host:    host,
		isProxy: true,
		login:   p.login,
	}, nil
}

// absoluteTarget returns u as a request-target, without fragment and password. It escapes only
// bytes that a request-target cannot contain.
func absoluteTarget(u locus.URL) string {
	text := u.WithoutFragment().WithoutPassword()
	unsafe := escape.Unsafe().Without("~")
	start := text.HostOffset()
	if !text.Facts().Has(locus.Internet) {
		start = 0
	}
	// The brackets around an IPv6 address must not be escaped.
	end := start + len(text.Host())
	target := escape.AppendSafer(nil, text.String()[:start], unsafe, escape.Set{})
	target = append(target, text.String()[start:end]...)
	return string(escape.AppendSafer(target, text.String()[end:], unsafe, escape.Set{}))
}

var _ scheme.ProxyOpener = (*Client)(nil)

// OpenVia implements [scheme.ProxyOpener]. If the server of an http URL requires a login,
// OpenVia sends the user and password as Basic credentials, like [Client.Open]. For other
// schemes, it sends a user and password in the URL with the first request. A user without a
// password stays in the request-target.
func (c *Client) OpenVia(ctx context.Context, req *scheme.Request, via locus.URL) (scheme.Resource, error) {
	v := newOperation(c, req)
	p, err := parseProxy(via)
	if err == nil && defaultPort(req.URL) == SecurePort {
		err = fmt.Errorf("%w: https needs a tunnel through the proxy", scheme.ErrUnsupported)
	}
	if err == nil {
		v.to, err = p.destination(req.URL)
	}
	if err == nil {
		v.urlLogin, err = loginOf(req.URL)
	}
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	if defaultPort(req.URL) == 0 {
		// The proxy logs in to the server itself, and never responds with a challenge.
		if _, password := req.URL.Password(); password {
			v.login = v.urlLogin
		}
		v.urlLogin = nil
	}
	return v.run(ctx)
}
