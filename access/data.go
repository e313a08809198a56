package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// minDataPort is the lowest port of a data connection. Lower ports are reserved for other services.
const minDataPort = 1024

// ownConn unwraps the control connection and returns the inner connection, which must be from the
// dialer d. An opener may have wrapped the inner connection, for example in TLS.
func (d *dialer) ownConn(control net.Conn) (*conn, error) {
	for {
		wrapped, ok := control.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		control = wrapped.NetConn()
	}
	if c, ok := control.(*conn); ok && c.dialer == d {
		return c, nil
	}
	return nil, errors.New("access: the control connection is not from this dialer")
}

// DialData implements [scheme.DataDialer]. The port must be 1024 or above.
func (d *dialer) DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error) {
	c, err := d.ownConn(control)
	if err != nil {
		return nil, err
	}
	address := netip.AddrPortFrom(c.address.Addr(), port)
	if port < minDataPort {
		return nil, &policy.DeniedError{Rule: "data-port", Subject: locus.Quote(net.JoinHostPort(c.host(), strconv.Itoa(int(port)))),
			Reason: fmt.Sprintf("data connections to ports below %d are not allowed", minDataPort)}
	}
	ctx, cancel := context.WithTimeout(ctx, d.client.options.DialTimeout)
	defer cancel()
	if c.name != "" {
		return d.dialName(ctx, c.name, port)
	}
	if err := d.checkAddr(address); err != nil {
		return nil, err
	}
	dial := d.dialFunc()
	if c.tunnelled {
		dial = d.throughTunnel
	}
	data, err := d.dialOne(ctx, "tcp", address, dial)
	if err != nil {
		return nil, asDialError(address.String(), err)
	}
	return data, nil
}

// ListenData implements [scheme.DataDialer]. The Accept method of the listener waits at
// most for the dial timeout.
func (d *dialer) ListenData(ctx context.Context, control net.Conn) (net.Listener, error) {
	c, err := d.ownConn(control)
	if err != nil {
		return nil, err
	}
	if c.tunnelled {
		return nil, scheme.Hint(fmt.Errorf("%w: %s can't accept connections from the server", scheme.ErrUnsupported, d.tunnel), "use passive FTP")
	}
	near, ok := c.LocalAddr().(*net.TCPAddr)
	far, ok2 := c.RemoteAddr().(*net.TCPAddr)
	if !ok || !ok2 {
		return nil, errors.New("access: data connections need a TCP control connection")
	}
	local := netip.AddrPortFrom(near.AddrPort().Addr().Unmap(), 0)
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", local.String())
	if err != nil {
		return nil, &dialError{local.String(), err}
	}
	listener := &dataListener{TCPListener: l.(*net.TCPListener), ctx: ctx, dialer: d, far: far.AddrPort().Addr().Unmap()}
	if err := listener.SetDeadline(time.Now().Add(d.client.options.DialTimeout)); err != nil {
		l.Close()
		return nil, &dialError{local.String(), err}
	}
	listener.stop = context.AfterFunc(ctx, func() { l.Close() })
	return listener, nil
}

// dataListener accepts connections from one host.
type dataListener struct {
	*net.TCPListener
	ctx    context.Context
	dialer *dialer
	far    netip.Addr
	stop   func() bool
}

// Accept returns the next connection from the host. Accept closes connections from other
// hosts.
func (l *dataListener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptTCP()
		if err != nil {
			if why := contextError(l.ctx); why != nil {
				err = why
			}
			return nil, &dialError{"data", err}
		}
		address := c.RemoteAddr().(*net.TCPAddr).AddrPort()
		if address.Addr().Unmap() == l.far {
			return l.dialer.admit(c, address)
		}
		c.Close()
	}
}

func (l *dataListener) Close() error {
	l.stop()
	return l.TCPListener.Close()
}
