package ardptest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
)

// maxQueue is the maximum number of datagrams that wait at a socket. The network drops datagrams
// beyond this limit.
const maxQueue = 1024

// Network is an in-memory datagram network with arbitrary addresses. Tests use it in a bubble of
// package synctest. The zero Network has no sockets.
type Network struct {
	mu       sync.Mutex
	sockets  map[netip.AddrPort]*socket
	lastPort uint16
}

// Listen opens a socket that receives datagrams from all addresses.
func (n *Network) Listen(at netip.AddrPort) (net.PacketConn, error) {
	s, err := n.open(at)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Dial opens a socket at a free port of the address from. The socket receives datagrams only
// from the address to.
func (n *Network) Dial(from netip.Addr, to netip.AddrPort) (net.Conn, error) {
	s, err := n.open(netip.AddrPortFrom(from, 0))
	if err != nil {
		return nil, err
	}
	s.to = to
	return s, nil
}

// open opens a socket. If the port is 0, open selects a free port.
func (n *Network) open(at netip.AddrPort) (*socket, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for any := at.Port() == 0; any; _, any = n.sockets[at] {
		n.lastPort++
		at = netip.AddrPortFrom(at.Addr(), 1<<15|n.lastPort)
	}
	if n.sockets[at] != nil {
		return nil, fmt.Errorf("ardptest: %v is in use", at)
	}
	near, far := net.Pipe()
	s := &socket{Conn: near, network: n, at: at, queue: make(chan packet, maxQueue-1), closed: make(chan struct{})}
	go s.forward(far)
	if n.sockets == nil {
		n.sockets = map[netip.AddrPort]*socket{}
	}
	n.sockets[at] = s
	return s, nil
}

func (n *Network) socket(at netip.AddrPort) *socket {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sockets[at]
}

// socket is a socket in a Network. Its Conn is a pipe, because pipes support deadlines. The pipe
// carries the received datagrams, each of which is preceded by its source address.
type socket struct {
	net.Conn
	network *Network
	at, to  netip.AddrPort // own address and peer; if the peer is zero, the socket accepts all peers
	queue   chan packet
	closed  chan struct{}
	once    sync.Once
}

// addressSize is the size of an IPv4 address with its port.
const addressSize = 6

// forward writes the queued datagrams into the pipe.
func (s *socket) forward(pipe net.Conn) {
	for {
		select {
		case p := <-s.queue:
			from, _ := addrPort(p.addr).MarshalBinary()
			pipe.Write(append(from, p.data...))
		case <-s.closed:
			return
		}
	}
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	buffer := make([]byte, addressSize+len(b))
	n, err := s.Conn.Read(buffer)
	if errors.Is(err, io.ErrClosedPipe) {
		err = net.ErrClosed
	}
	if err != nil {
		return 0, nil, err
	}
	var from netip.AddrPort
	if err := from.UnmarshalBinary(buffer[:addressSize]); err != nil {
		return 0, nil, err
	}
	return copy(b, buffer[addressSize:n]), net.UDPAddrFromAddrPort(from), nil
}

func (s *socket) Read(b []byte) (int, error) {
	n, _, err := s.ReadFrom(b)
	return n, err
}

func (s *socket) WriteTo(b []byte, addr net.Addr) (int, error) {
	if to := s.network.socket(addrPort(addr)); to != nil && (!to.to.IsValid() || to.to == s.at) {
		select {
		case to.queue <- packet{append([]byte(nil), b...), s.LocalAddr()}:
		default:
		}
	}
	return len(b), nil
}

func (s *socket) Write(b []byte) (int, error) { return s.WriteTo(b, s.RemoteAddr()) }

func (s *socket) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	delete(s.network.sockets, s.at)
	return s.Conn.Close()
}

func (s *socket) LocalAddr() net.Addr  { return net.UDPAddrFromAddrPort(s.at) }
func (s *socket) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(s.to) }
