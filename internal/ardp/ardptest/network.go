package ardptest

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// maxQueue is how many datagrams wait at a socket; more are lost.
const maxQueue = 1024

// Network is an in-memory network of datagrams with any addresses, for tests in a
// bubble of package synctest. The zero Network has no sockets.
type Network struct {
	mu       sync.Mutex
	sockets  map[netip.AddrPort]*socket
	lastPort uint16
}

// Listen opens a socket that receives from all addresses.
func (n *Network) Listen(at netip.AddrPort) (net.PacketConn, error) {
	s, err := n.open(at)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Dial opens a socket at a free port of from, which receives only from to.
func (n *Network) Dial(from netip.Addr, to netip.AddrPort) (net.Conn, error) {
	s, err := n.open(netip.AddrPortFrom(from, 0))
	if err != nil {
		return nil, err
	}
	s.to = to
	return s, nil
}

// open opens a socket; port 0 is any free one.
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
	s := &socket{network: n, at: at}
	s.changed.L = &s.mu
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

// socket is one end of a network.
type socket struct {
	network *Network
	at, to  netip.AddrPort // to is the zero AddrPort for all peers

	mu       sync.Mutex
	changed  sync.Cond
	queue    []packet
	deadline time.Time
	timer    *time.Timer
	closed   bool
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return 0, nil, net.ErrClosed
		case !s.deadline.IsZero() && !time.Now().Before(s.deadline):
			return 0, nil, os.ErrDeadlineExceeded
		case len(s.queue) > 0:
			p := s.queue[0]
			s.queue = s.queue[1:]
			return copy(b, p.data), p.addr, nil
		}
		s.changed.Wait()
	}
}

func (s *socket) Read(b []byte) (int, error) {
	n, _, err := s.ReadFrom(b)
	return n, err
}

func (s *socket) WriteTo(b []byte, addr net.Addr) (int, error) {
	if to := s.network.socket(addrPort(addr)); to != nil {
		to.deliver(s.at, b)
	}
	return len(b), nil
}

func (s *socket) Write(b []byte) (int, error) { return s.WriteTo(b, s.RemoteAddr()) }

func (s *socket) deliver(from netip.AddrPort, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.queue) >= maxQueue || s.to.IsValid() && s.to != from {
		return
	}
	s.queue = append(s.queue, packet{append([]byte(nil), b...), net.UDPAddrFromAddrPort(from)})
	s.changed.Broadcast()
}

func (s *socket) Close() error {
	s.network.mu.Lock()
	delete(s.network.sockets, s.at)
	s.network.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.changed.Broadcast()
	return nil
}

func (s *socket) LocalAddr() net.Addr  { return net.UDPAddrFromAddrPort(s.at) }
func (s *socket) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(s.to) }

func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	s.deadline = t
	if !t.IsZero() && !s.closed {
		s.timer = time.AfterFunc(time.Until(t), s.wake)
	}
	s.changed.Broadcast()
	return nil
}

// wake makes a waiting Read check the deadline. It takes the lock so that no Read is
// between its check and its wait.
func (s *socket) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

func (s *socket) SetDeadline(t time.Time) error    { return s.SetReadDeadline(t) }
func (s *socket) SetWriteDeadline(time.Time) error { return nil } // a Write never waits
