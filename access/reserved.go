package access

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// The reserved ports for clients of rlogin (RFC 1282).
const (
	lastReserved  = 1023
	firstReserved = 512
)

// DialReserved implements [scheme.ReservedDialer].
func (d *dialer) DialReserved(ctx context.Context, network, address string) (net.Conn, error) {
	dial := d.dialFunc()
	if d.client.options.Dial == nil {
		dial = d.dialReserved
	}
	return d.connect(ctx, network, address, dial)
}

// dialReserved connects from the highest free reserved port, like other clients. If the process may
// not use reserved ports, it connects from any port.
func (d *dialer) dialReserved(ctx context.Context, network, address string) (net.Conn, error) {
	for port := lastReserved; port >= firstReserved; port-- {
		c, err := (&net.Dialer{Control: d.control, LocalAddr: &net.TCPAddr{Port: port}}).DialContext(ctx, network, address)
		switch {
		case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, syscall.EADDRNOTAVAIL):
			continue
		case errors.Is(err, fs.ErrPermission):
			return d.dialFunc()(ctx, network, address)
		}
		return c, err
	}
	return d.dialFunc()(ctx, network, address)
}
