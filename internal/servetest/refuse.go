package servetest

import (
	"errors"
	"net"
)

// Refusing returns a connection that holds a port of the loopback at which nothing
// listens: who connects to its LocalAddr is refused, until it is closed. The address
// of a listener that was closed may be another program's by then. network is "tcp"
// or "udp".
func Refusing(network string) (net.Conn, error) {
	loopback := net.IPv4(127, 0, 0, 1)
	if network == "udp" {
		far, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback})
		if err != nil {
			return nil, err
		}
		// A socket that is connected takes nothing from others, and the kernel tells
		// them so.
		near, err := net.DialUDP("udp4", &net.UDPAddr{IP: loopback}, far.LocalAddr().(*net.UDPAddr))
		if err != nil {
			far.Close()
			return nil, err
		}
		return &held{near, far}, nil
	}
	l, err := Listen(nil)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	near, err := net.DialTCP("tcp4", &net.TCPAddr{IP: loopback}, l.Addr().(*net.TCPAddr))
	if err != nil {
		return nil, err
	}
	far, err := l.Accept()
	if err != nil {
		near.Close()
		return nil, err
	}
	return &held{near, far}, nil
}

// held is one end of a connection that keeps the other.
type held struct {
	net.Conn
	far interface{ Close() error }
}

func (h *held) Close() error { return errors.Join(h.Conn.Close(), h.far.Close()) }
