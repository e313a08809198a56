package servetest

import (
	"errors"
	"net"
)

// Refusing returns a connection whose local address refuses all clients until the caller closes
// the connection. The port of a closed listener would not suffice, because another program could
// reuse the port. The parameter network is "tcp" or "udp".
func Refusing(network string) (net.Conn, error) {
	loopback := net.IPv4(127, 0, 0, 1)
	if network == "udp" {
		other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback})
		if err != nil {
			return nil, err
		}
		// The kernel refuses datagrams to a connected socket from other addresses.
		conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: loopback}, other.LocalAddr().(*net.UDPAddr))
		if err != nil {
			other.Close()
			return nil, err
		}
		return &held{conn, other}, nil
	}
	l, err := Listen(nil)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	conn, err := net.DialTCP("tcp4", &net.TCPAddr{IP: loopback}, l.Addr().(*net.TCPAddr))
	if err != nil {
		return nil, err
	}
	other, err := l.Accept()
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &held{conn, other}, nil
}

// held is one end of a connection. While it is open, the other end also remains open.
type held struct {
	net.Conn
	other interface{ Close() error }
}

func (h *held) Close() error { return errors.Join(h.Conn.Close(), h.other.Close()) }
