package access

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/locus-url/locus/policy"
)

// DialPacket implements [scheme.PacketDialer]. It uses the first address that the policy allows,
// because a dial can't show whether a server receives datagrams. It sets no idle timeout, because
// the protocol has its own timeouts and retries.
func (d *dialer) DialPacket(ctx context.Context, network, address string, ports ...uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.client.options.DialTimeout)
	defer cancel()
	if d.isTunnelled(address) {
		return nil, noDatagrams(d.tunnel)
	}
	host, list, err := d.lookup(ctx, network, address)
	if err != nil {
		return nil, err
	}
	to := list[0]
	t := d.recordDial(ctx, host, to)
	c, err := d.openPacket(ctx, network, to, ports)
	if err != nil {
		return nil, asDialError(to.String(), err)
	}
	admitted, err := d.admit(c, to)
	if err != nil {
		return nil, asDialError(to.String(), err)
	}
	admitted.allowSilence()
	t.add(admitted)
	return admitted, nil
}

func (d *dialer) openPacket(ctx context.Context, network string, to netip.AddrPort, ports []uint16) (net.Conn, error) {
	if network != "udp" && network != "udp4" && network != "udp6" {
		return nil, &policy.DeniedError{Rule: "network", Subject: network, Reason: "only UDP has datagrams"}
	}
	if dial := d.client.options.Dial; dial != nil {
		return dial(ctx, network, to.String())
	}
	network = "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	c, err := (&net.ListenConfig{Control: reportUndelivered}).ListenPacket(ctx, network, "")
	if err != nil {
		return nil, err
	}
	udp, ok := c.(*net.UDPConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("%T is not a UDP socket", c)
	}
	return &packetConn{UDPConn: udp, to: to, ports: ports}, nil
}

// packetConn sends datagrams to one port of a host, and receives datagrams from this port and from
// other ports of the host.
type packetConn struct {
	*net.UDPConn
	to    netip.AddrPort
	ports []uint16
}

// Read returns the next datagram from the host and ports of c, and drops all other datagrams.
func (c *packetConn) Read(p []byte) (int, error) {
	for {
		n, from, err := c.ReadFromUDPAddrPort(p)
		if err != nil || c.expects(from) {
			return n, err
		}
	}
}

func (c *packetConn) expects(from netip.AddrPort) bool {
	return from.Addr().Unmap() == c.to.Addr() && (from.Port() == c.to.Port() || slices.Contains(c.ports, from.Port()))
}

func (c *packetConn) Write(p []byte) (int, error) { return c.WriteToUDPAddrPort(p, c.to) }

func (c *packetConn) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(c.to) }
