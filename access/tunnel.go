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

// isTunnelled reports whether connections to address are made by a proxy.
func (d *door) isTunnelled(address string) bool {
	host, port, err := splitAddress(address)
	return err == nil && !d.tunnel.IsZero() && !d.client.options.Gateways.excepts(strings.ToLower(host), port)
}

// dialTunnel has the proxy of the door connect to address. What an address means is
// known, and judged as ever. What a name means is the proxy's to know; but one that
// is given addresses is given those that were looked up and judged here.
func (d *door) dialTunnel(ctx context.Context, network, address string) (net.Conn, error) {
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

func noDatagrams(g Gateway) error {
	return scheme.Hint(fmt.Errorf("%w: %s carries TCP alone, and this needs UDP", scheme.ErrUnsupported, g), "make the host an exception to go there directly")
}

// dialName has the proxy connect to a name. As far as is known here, that is public.
func (d *door) dialName(ctx context.Context, host string, port uint16) (net.Conn, error) {
	if err := d.checkOnly(host); err != nil {
		return nil, err
	}
	trackerOf(ctx).note(true)
	d.client.known.note(host, true)
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

// throughTunnel is the way of dialling by the proxy of the door.
func (d *door) throughTunnel(ctx context.Context, _, address string) (net.Conn, error) {
	way := rawDialer{d.client.door(doorKey{zone: policy.Typed, only: hostKey(d.tunnel.url)})}
	if d.tunnel.kind == httpProxy {
		opener, err := d.client.proxyOpener(d.tunnel)
		if err != nil {
			return nil, err
		}
		return opener.Tunnel(ctx, way, d.tunnel.url, address)
	}
	var auth *proxy.Auth
	if user, password, ok := d.tunnel.login(); ok {
		auth = &proxy.Auth{User: user, Password: password}
	}
	keep := &keeper{rawDialer: way}
	dialer, err := proxy.SOCKS5("tcp", d.tunnel.address(), auth, keep)
	if err != nil {
		return nil, err
	}
	if _, err := dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", address); err != nil {
		return nil, fmt.Errorf("%s: %w", d.tunnel, err)
	}
	return keep.conn, nil
}

// proxyOpener returns what can ask an HTTP proxy.
func (c *Client) proxyOpener(g Gateway) (scheme.ProxyOpener, error) {
	s, _ := c.registry.Lookup(g.url.Scheme())
	opener, ok := s.Opener.(scheme.ProxyOpener)
	if !ok {
		return nil, fmt.Errorf("%w: the scheme %s, as it is registered here, can't ask %s", scheme.ErrUnsupported, locus.Quote(g.url.Scheme()), g)
	}
	return opener, nil
}

// rawDialer connects as its door does, to what the configuration names, and leaves
// it to another door to keep the connection.
type rawDialer struct{ *door }

func (r rawDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	_, list, err := r.lookup(ctx, network, address)
	if err != nil {
		return nil, err
	}
	var first error
	for i, a := range list {
		c, err := r.dialRaw(ctx, network, a, len(list)-i, r.dialFunc())
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = asDialError(address, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// Dial is there because package proxy wants it.
func (r rawDialer) Dial(network, address string) (net.Conn, error) {
	return r.DialContext(context.Background(), network, address)
}

// keeper keeps the connection itself, around which package proxy puts one that
// can do less.
type keeper struct {
	rawDialer
	conn net.Conn
}

func (k *keeper) DialContext(ctx context.Context, network, address string) (c net.Conn, err error) {
	k.conn, err = k.rawDialer.DialContext(ctx, network, address)
	return k.conn, err
}

// doorKey is what doors are apart by, besides those that lead straight to servers.
type doorKey struct {
	zone   policy.Zone
	tunnel Gateway
	only   string // the one host that may be dialled; empty: any
}

// door returns the door of that kind, which stays the same.
func (c *Client) door(key doorKey) *door {
	if key.tunnel.IsZero() && key.only == "" {
		return c.doors[key.zone]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.others[key]
	if d == nil {
		d = &door{client: c, doorKey: key, closed: c.closed}
		if c.others == nil {
			c.others = make(map[doorKey]*door)
		}
		c.others[key] = d
	}
	return d
}

// way returns the door for what r says, to something in that zone. A gateway is named
// by who configures it, and so is typed; nothing but its host is open to what
// goes by way of it.
func (c *Client) way(r route, zone policy.Zone) *door {
	switch {
	case !r.proxy.IsZero():
		return c.door(doorKey{zone: policy.Typed, only: hostKey(r.proxy.url)})
	case r.isOther():
		return c.door(doorKey{zone: policy.Typed, tunnel: r.tunnel, only: hostKey(r.url)})
	}
	return c.door(doorKey{zone: zone, tunnel: r.tunnel})
}

// checkOnly refuses hosts that the door is not for.
func (d *door) checkOnly(host string) error {
	if d.only == "" || strings.EqualFold(host, d.only) {
		return nil
	}
	return &policy.DeniedError{Rule: "gateway", Subject: locus.Quote(host), Reason: "what goes by way of a gateway opens connections to that alone"}
}
