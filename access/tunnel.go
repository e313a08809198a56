package access

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/proxy"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// dialTunnel connects to address through the proxy. The policy checks an IP address. If the proxy
// takes addresses, the client resolves a name and the policy checks the result. Otherwise the proxy
// resolves the name.
func (d *dialer) dialTunnel(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, noDatagrams(d.tunnel)
	}
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, &dialError{address, err}
	}
	if _, err := netip.ParseAddr(host); err != nil && d.tunnel.kind != socks {
		return d.dialName(ctx, host, port)
	}
	host, list, err := d.lookup(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c, err := d.dialAny(ctx, network, host, list, d.throughTunnel)
	if made, ok := c.(*conn); ok {
		made.tunnelled = true
	}
	return c, err
}

func noDatagrams(g Proxy) error {
	return scheme.Hint(fmt.Errorf("%w: %s supports only TCP, and this scheme needs UDP", scheme.ErrUnsupported, g), "make the host an exception to go there directly")
}

// dialName connects to a name through the proxy. The name counts as public.
func (d *dialer) dialName(ctx context.Context, host string, port uint16) (net.Conn, error) {
	if err := d.checkOnly(host); err != nil {
		return nil, err
	}
	trackerOf(ctx).note(true)
	d.client.known.record(host, true)
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	c, err := d.throughTunnel(ctx, "tcp", address)
	if err != nil {
		return nil, asDialError(address, err)
	}
	admitted, err := d.admit(c, netip.AddrPort{})
	if err != nil {
		return nil, asDialError(address, err)
	}
	admitted.name, admitted.tunnelled = host, true
	trackerOf(ctx).add(admitted)
	return admitted, nil
}

func (d *dialer) throughTunnel(ctx context.Context, _, address string) (net.Conn, error) {
	direct := d.client.proxyDialer(d.tunnel)
	if d.tunnel.kind != httpProxy {
		return dialSOCKS(ctx, direct, d.tunnel, address)
	}
	opener, err := d.client.proxyOpener(d.tunnel)
	if err != nil {
		return nil, err
	}
	return opener.Tunnel(ctx, direct, d.tunnel.url, address)
}

// dialSOCKS connects to address through the SOCKS proxy g.
func dialSOCKS(ctx context.Context, direct scheme.Dialer, g Proxy, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if user, password, ok := g.login(); ok {
		auth = &proxy.Auth{User: user, Password: password}
	}
	connector, err := proxy.SOCKS5("tcp", g.address(), auth, nil)
	if err != nil {
		return nil, err
	}
	c, err := direct.DialContext(ctx, "tcp", g.address())
	if err == nil {
		// DialContext would return a wrapper with fewer methods.
		type conversation interface {
			DialWithConn(ctx context.Context, c net.Conn, network, address string) (net.Addr, error)
		}
		if _, err = connector.(conversation).DialWithConn(ctx, c, "tcp", address); err != nil {
			c.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g, err)
	}
	return c, nil
}

func (c *Client) proxyOpener(g Proxy) (scheme.ProxyOpener, error) {
	s, _ := c.registry.Lookup(g.url.Scheme())
	opener, ok := s.Access.Opener.(scheme.ProxyOpener)
	if !ok {
		return nil, fmt.Errorf("%w: the client for %s can't use %s as a proxy", scheme.ErrUnsupported, locus.Quote(g.url.Scheme()), g)
	}
	return opener, nil
}

// proxyDialer returns the dialer for connections to the proxy g.
func (c *Client) proxyDialer(g Proxy) rawDialer {
	return rawDialer{c.dialer(plan{outcome: planProxy, proxy: g})}
}

// rawDialer dials the host of a proxy without tracking the connection. The dialer that uses
// the proxy tracks it.
type rawDialer struct{ *dialer }

func (r rawDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	_, list, err := r.lookup(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return dialEach(ctx, list, func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		return r.dialFunc()(ctx, network, a.String())
	})
}

// checkOnly refuses all hosts except the host of the proxy.
func (d *dialer) checkOnly(host string) error {
	if d.onlyHost == "" || strings.EqualFold(host, d.onlyHost) {
		return nil
	}
	return &policy.DeniedError{Rule: "gateway", Subject: locus.Quote(host), Reason: "a request through a proxy must connect only to the proxy"}
}
